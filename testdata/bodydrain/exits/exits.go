// Package exits proves that a path which ends the process loses nothing.
package exits

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
)

func FatalHasNoNext(c *http.Client, url string) []byte {
	resp, err := c.Get(url)
	if err != nil {
		log.Fatal(err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		log.Fatalf("status %s", resp.Status)
	}
	raw, err := io.ReadAll(resp.Body)
	if err != nil {
		log.Fatalln(err)
	}
	return raw
}

func ExitHasNoNext(c *http.Client, url string) {
	resp, err := c.Get(url)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	if resp.StatusCode != http.StatusOK {
		resp.Body.Close()
		os.Exit(1)
	}
	_, _ = io.Copy(os.Stdout, resp.Body)
	resp.Body.Close()
}

func die(format string, args ...any) {
	fmt.Fprintf(os.Stderr, format+"\n", args...)
	os.Exit(1)
}

func HelperHasNoNext(c *http.Client, url string) {
	resp, err := c.Get(url)
	if err != nil {
		die("%v", err)
	}
	defer resp.Body.Close()
	if resp.StatusCode >= 400 {
		die("status %d", resp.StatusCode)
	}
	_, _ = io.Copy(os.Stdout, resp.Body)
}

func PanicHasNoNext(c *http.Client, url string) error {
	resp, err := c.Get(url)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		panic("status " + resp.Status)
	}
	_, err = io.ReadAll(resp.Body)
	return err
}

// FatalForSomeLosesTheConnection ends the process for one status only.
func FatalForSomeLosesTheConnection(c *http.Client, url string) error {
	resp, err := c.Get(url)
	if err != nil {
		return err
	}
	defer resp.Body.Close() // want "closed before it is read to its end"
	switch resp.StatusCode {
	case http.StatusUnauthorized:
		log.Fatal("not logged in")
	case http.StatusOK:
		_, err = io.ReadAll(resp.Body)
		return err
	}
	return errors.New(resp.Status)
}

// A function that waits for the end of the context closes a body for which nobody
// waits any longer. The close at the end of the function is another.

func WatchedLosesTheConnection(c *http.Client, url string) error {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	resp, err := c.Get(url)
	if err != nil {
		return err
	}
	stop := context.AfterFunc(ctx, func() { resp.Body.Close() })
	defer stop()
	return resp.Body.Close() // want "closed before it is read to its end"
}

func WatchedByAGoroutineLosesTheConnection(c *http.Client, url string) error {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	resp, err := c.Get(url)
	if err != nil {
		return err
	}
	done := make(chan struct{})
	defer close(done)
	go func() {
		select {
		case <-ctx.Done():
			resp.Body.Close()
		case <-done:
		}
	}()
	return resp.Body.Close() // want "closed before it is read to its end"
}

func WatchedAndReadKeepsIt(c *http.Client, url string) error {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	resp, err := c.Get(url)
	if err != nil {
		return err
	}
	stop := context.AfterFunc(ctx, func() { resp.Body.Close() })
	defer stop()
	defer resp.Body.Close()
	_, err = io.Copy(io.Discard, resp.Body)
	return err
}
