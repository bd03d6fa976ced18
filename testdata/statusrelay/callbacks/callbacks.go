// Package callbacks proves that a function that is given away gets what the function
// that it is given to calls it with.
package callbacks

import (
	"bufio"
	"fmt"
	"io"
	"net/http"

	"fixtures/statusrelay/remote"
	"fixtures/statusrelay/upstream"
)

func with(url string, f func(io.Reader) error) error {
	resp, err := upstream.Client.Get(url)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	return f(resp.Body)
}

func Body(w http.ResponseWriter, r *http.Request) {
	err := with(upstream.URL, func(body io.Reader) error {
		_, err := io.Copy(w, body) // want `io.Copy sends on what with got`
		return err
	})
	if err != nil {
		w.WriteHeader(http.StatusBadGateway)
	}
}

func withGood(url string, f func(io.Reader) error) error {
	resp, err := upstream.Client.Get(url)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: %s", url, resp.Status)
	}
	return f(resp.Body)
}

func BodyOfAGoodOne(w http.ResponseWriter, r *http.Request) {
	err := withGood(upstream.URL, func(body io.Reader) error {
		_, err := io.Copy(w, body)
		return err
	})
	if err != nil {
		w.WriteHeader(http.StatusBadGateway)
	}
}

func OfAnotherPackage(w http.ResponseWriter, r *http.Request) {
	err := remote.Each(upstream.URL, func(body io.Reader) error {
		_, err := io.Copy(w, body) // want `io.Copy sends on what remote.Each got`
		return err
	})
	if err != nil {
		w.WriteHeader(http.StatusBadGateway)
	}
}

func lines(resp *http.Response, f func(line string)) {
	defer resp.Body.Close()
	for sc := bufio.NewScanner(resp.Body); sc.Scan(); {
		f(sc.Text())
	}
}

func Lines(w http.ResponseWriter, r *http.Request) {
	resp, err := upstream.Client.Get(upstream.URL)
	if err != nil {
		w.WriteHeader(http.StatusBadGateway)
		return
	}
	lines(resp, func(line string) {
		fmt.Fprintf(w, "data: %s\n\n", line) // want `fmt.Fprintf sends on what upstream.Client.Get got`
	})
}

func LinesOfAGoodOne(w http.ResponseWriter, r *http.Request) {
	resp, err := upstream.Client.Get(upstream.URL)
	if err != nil || resp.StatusCode != http.StatusOK {
		w.WriteHeader(http.StatusBadGateway)
		return
	}
	lines(resp, func(line string) { fmt.Fprintf(w, "data: %s\n\n", line) })
}

func response(url string, f func(*http.Response) error) error {
	resp, err := upstream.Client.Get(url)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	return f(resp)
}

func Response(w http.ResponseWriter, r *http.Request) {
	response(upstream.URL, func(resp *http.Response) error {
		_, err := io.Copy(w, resp.Body) // want `io.Copy sends on what response got`
		return err
	})
}

func ResponseWithStatus(w http.ResponseWriter, r *http.Request) {
	response(upstream.URL, func(resp *http.Response) error {
		w.WriteHeader(resp.StatusCode)
		_, err := io.Copy(w, resp.Body)
		return err
	})
}

func checkedBy(check func(*http.Response) error, f func(io.Reader)) error {
	resp, err := upstream.Client.Get(upstream.URL)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if err := check(resp); err != nil {
		return err
	}
	f(resp.Body)
	return nil
}

func CheckedByAnother(w http.ResponseWriter, r *http.Request) {
	if err := checkedBy(remote.Check, func(body io.Reader) { io.Copy(w, body) }); err != nil {
		w.WriteHeader(http.StatusBadGateway)
	}
}
