// Command command proves that what a command does once is left alone, and what it
// does again and again is not: loops, handlers, and what they call.
package main

import (
	"io"
	"net/http"
	"os"

	"github.com/spf13/cobra"
)

func read(resp *http.Response, err error) error {
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	_, err = io.Copy(io.Discard, resp.Body)
	return err
}

func fetch(url string) error {
	c := &http.Client{Transport: &http.Transport{}}
	return read(c.Get(url))
}

func fetchOften(url string) error {
	c := &http.Client{Transport: &http.Transport{}} // want `http.Transport{} makes a connection pool in each call of fetchOften`
	return read(c.Get(url))
}

func handle(w http.ResponseWriter, r *http.Request) { relay(r.URL.Path) }

func relay(url string) error {
	c := &http.Client{Transport: &http.Transport{}} // want `http.Transport{} makes`
	return read(c.Get(url))
}

// Exported is called by main only: nobody imports a command.
func Exported(url string) error {
	c := &http.Client{Transport: &http.Transport{}}
	return read(c.Get(url))
}

type app struct{}

func (app) once(url string) error {
	c := &http.Client{Transport: &http.Transport{}}
	return read(c.Get(url))
}

func runE(cmd *cobra.Command, args []string) error { return fetch(args[0]) }

func main() {
	fetch(os.Args[1])
	Exported(os.Args[1])
	app{}.once(os.Args[1])
	for _, arg := range os.Args[1:] {
		fetchOften(arg)
	}
	http.HandleFunc("/", handle)
	cmd := &cobra.Command{RunE: runE, PreRun: func(cmd *cobra.Command, args []string) {
		c := &http.Client{Transport: &http.Transport{}}
		read(c.Get(args[0]))
	}}
	cmd.Execute()
}
