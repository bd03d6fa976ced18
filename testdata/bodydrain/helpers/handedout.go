package helpers

import (
	"errors"
	"io"
	"net/http"
	"sync"

	"fixtures/bodydrain/helpers/respio"
)

// OpenLosesTheConnection defers the function that it got with the response.
func OpenLosesTheConnection(c *http.Client, url string) error {
	resp, done, err := respio.Open(c, url)
	if err != nil {
		return err
	}
	defer done() // want "the response body is closed before it is read to its end by done"
	if resp.StatusCode != http.StatusOK {
		return errors.New(resp.Status)
	}
	_, err = io.Copy(io.Discard, resp.Body)
	return err
}

func OpenThenReadKeepsIt(c *http.Client, url string) error {
	resp, done, err := respio.Open(c, url)
	if err != nil {
		return err
	}
	defer done()
	_, err = io.Copy(io.Discard, resp.Body)
	return err
}

func OpenKeptKeepsIt(c *http.Client, url string) error {
	resp, done, err := respio.OpenKept(c, url)
	if err != nil {
		return err
	}
	defer done()
	if resp.StatusCode != http.StatusOK {
		return errors.New(resp.Status)
	}
	return nil
}

// CloserOfAnotherPackageLosesTheConnection makes the function first.
func CloserOfAnotherPackageLosesTheConnection(c *http.Client, url string) (err error) {
	resp, err := c.Get(url)
	if err != nil {
		return err
	}
	defer respio.Closer(resp.Body, &err)() // want "closed before it is read to its end"
	if resp.StatusCode != http.StatusOK {
		return errors.New(resp.Status)
	}
	_, err = io.Copy(io.Discard, resp.Body)
	return err
}

func ReleaserOfAnotherPackageKeepsIt(c *http.Client, url string) error {
	resp, err := c.Get(url)
	if err != nil {
		return err
	}
	release := respio.Releaser(resp)
	defer release()
	if resp.StatusCode != http.StatusOK {
		return errors.New(resp.Status)
	}
	return nil
}

// closer is the same in this package.
func closer(resp *http.Response) func() {
	return func() { resp.Body.Close() }
}

func CloserOfThisPackageLosesTheConnection(c *http.Client, url string) error {
	resp, err := c.Get(url)
	if err != nil {
		return err
	}
	defer closer(resp)() // want "closed before it is read to its end"
	return nil
}

// OnceLosesTheConnection closes by a function that sync.Once calls.
func OnceLosesTheConnection(c *http.Client, url string) error {
	resp, err := c.Get(url)
	if err != nil {
		return err
	}
	var once sync.Once
	stop := func() { once.Do(func() { resp.Body.Close() }) } // want "closed before it is read to its end"
	defer stop()
	if resp.StatusCode != http.StatusOK {
		return errors.New(resp.Status)
	}
	_, err = io.Copy(io.Discard, resp.Body)
	return err
}

// AnswerLosesTheConnection closes a type of another package that has the response
// in a field that cannot be seen.
func AnswerLosesTheConnection(c *http.Client, url string) error {
	a, err := respio.Ask(c, url)
	if err != nil {
		return err
	}
	defer a.Close() // want "closed before it is read to its end"
	if a.Status != "200 OK" {
		return errors.New(a.Status)
	}
	_, err = a.Text()
	return err
}

func AnswerReadKeepsIt(c *http.Client, url string) error {
	a, err := respio.Ask(c, url)
	if err != nil {
		return err
	}
	defer a.Close()
	_, err = a.Text()
	return err
}

func AnswerDoneKeepsIt(c *http.Client, url string) error {
	a, err := respio.Ask(c, url)
	if err != nil {
		return err
	}
	defer a.Done()
	return nil
}

// getter sends requests by their URL.
type getter interface {
	Get(url string) (*http.Response, error)
}

func GetterLosesTheConnection(c *http.Client, url string) error {
	var g getter = c
	resp, err := g.Get(url)
	if err != nil {
		return err
	}
	defer resp.Body.Close() // want "resp.Body is closed before it is read to its end"
	return nil
}

// MustLosesTheConnection gets its response through a generic function.
func MustLosesTheConnection(c *http.Client, url string) error {
	resp := respio.Must(c.Get(url))
	defer resp.Body.Close() // want "closed before it is read to its end"
	if resp.StatusCode != http.StatusOK {
		return errors.New(resp.Status)
	}
	_, err := io.Copy(io.Discard, resp.Body)
	return err
}
