// Package subcommands proves that the code of commands, known by the library that
// they are made with, makes a pool once in a process, unless a loop says otherwise.
package subcommands

import (
	"net/http"
	"time"

	"fixtures/transportreuse/subcommands/cli"
)

// Commands are what the tool can do.
var Commands = []cli.Command{
	{Name: "get", Action: get},
	{Name: "watch", Action: watch},
}

func get(ctx *cli.Context) error { return Fetch(ctx.Args[0]) }

// Fetch is called once, for a command.
func Fetch(url string) error {
	client := &http.Client{Transport: &http.Transport{ForceAttemptHTTP2: true}}
	resp, err := client.Get(url)
	if err != nil {
		return err
	}
	return resp.Body.Close()
}

func watch(ctx *cli.Context) error {
	for {
		if err := poll(ctx.Args[0]); err != nil {
			return err
		}
		time.Sleep(time.Second)
	}
}

func poll(url string) error {
	client := &http.Client{Transport: &http.Transport{ForceAttemptHTTP2: true}} // want `http.Transport\{\} makes a connection pool`
	resp, err := client.Head(url)
	if err != nil {
		return err
	}
	return resp.Body.Close()
}
