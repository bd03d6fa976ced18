// Command once proves that main's return ends the process; what main calls in a
// loop does not.
package main

import (
	"fmt"
	"net/http"
	"os"
	"time"
)

func main() {
	resp, err := http.Get(os.Args[1])
	if err != nil {
		fmt.Println(err)
		return
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		fmt.Println(resp.Status)
		return
	}
	for range time.Tick(time.Minute) {
		fmt.Println(probe(os.Args[1]))
	}
}

func probe(url string) string {
	resp, err := http.Get(url)
	if err != nil {
		return err.Error()
	}
	defer resp.Body.Close() // want "closed before it is read to its end"
	return resp.Status
}
