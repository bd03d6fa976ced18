// Package callbacks proves that a function that is given away gets what the function
// that it is given to calls it with.
package callbacks

import (
	"bufio"
	"errors"
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

// Functions that have a name.
func read(resp *http.Response) ([]byte, error) { return io.ReadAll(resp.Body) }

func readGood(resp *http.Response) ([]byte, error) {
	if resp.StatusCode != http.StatusOK {
		return nil, errors.New(resp.Status)
	}
	return io.ReadAll(resp.Body)
}

func fetch(url string, read func(*http.Response) ([]byte, error)) ([]byte, error) {
	resp, err := upstream.Client.Get(url)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	return read(resp)
}

func Named(w http.ResponseWriter, r *http.Request) {
	b, err := fetch(upstream.URL, read)
	if err != nil {
		w.WriteHeader(http.StatusBadGateway)
		return
	}
	w.Write(b) // want `w.Write sends on what fetch got`
}

func NamedThatChecks(w http.ResponseWriter, r *http.Request) {
	b, err := fetch(upstream.URL, readGood)
	if err != nil {
		w.WriteHeader(http.StatusBadGateway)
		return
	}
	w.Write(b)
}

// Functions that get the client, too.
func proxy(w http.ResponseWriter, send func(http.ResponseWriter, *http.Response)) {
	resp, err := upstream.Client.Get(upstream.URL)
	if err != nil {
		w.WriteHeader(http.StatusBadGateway)
		return
	}
	defer resp.Body.Close()
	send(w, resp)
}

func sendBody(w http.ResponseWriter, resp *http.Response) { io.Copy(w, resp.Body) }

func sendAll(w http.ResponseWriter, resp *http.Response) {
	w.WriteHeader(resp.StatusCode)
	io.Copy(w, resp.Body)
}

func Sender(w http.ResponseWriter, r *http.Request) {
	proxy(w, sendBody) // want `proxy sends on an upstream's body`
}

func SenderOfTheStatus(w http.ResponseWriter, r *http.Request) { proxy(w, sendAll) }

func SenderWithoutName(w http.ResponseWriter, r *http.Request) {
	proxy(w, func(w http.ResponseWriter, resp *http.Response) {
		io.Copy(w, resp.Body) // want `io.Copy sends on what proxy got`
	})
}

// What a cache loads.
type cache struct{ m map[string][]byte }

func (c *cache) get(key string, load func() ([]byte, error)) ([]byte, error) {
	if b, ok := c.m[key]; ok {
		return b, nil
	}
	b, err := load()
	if err == nil {
		c.m[key] = b
	}
	return b, err
}

type source struct{ url string }

func (s source) load() ([]byte, error)     { return fetch(s.url, read) }
func (s source) loadGood() ([]byte, error) { return fetch(s.url, readGood) }

func Cached(w http.ResponseWriter, r *http.Request) {
	c := &cache{make(map[string][]byte)}
	b, err := c.get("a", source{upstream.URL}.load)
	if err != nil {
		w.WriteHeader(http.StatusBadGateway)
		return
	}
	w.Write(b) // want `w.Write sends on what c.get got`
}

func CachedGood(w http.ResponseWriter, r *http.Request) {
	c := &cache{make(map[string][]byte)}
	b, err := c.get("a", source{upstream.URL}.loadGood)
	if err != nil {
		w.WriteHeader(http.StatusBadGateway)
		return
	}
	w.Write(b)
}

// What the function brings is looked at where it is called.
func retry(do func() (*http.Response, error)) (resp *http.Response, err error) {
	for range 2 {
		if resp, err = do(); err == nil {
			return resp, nil
		}
	}
	return nil, err
}

func retryBad(do func() (*http.Response, error)) (resp *http.Response, err error) {
	for range 2 {
		if resp, err = do(); err == nil && resp.StatusCode == http.StatusOK {
			return resp, nil
		}
	}
	return nil, errors.New("no good answer")
}

func Retried(w http.ResponseWriter, r *http.Request) {
	resp, err := retry(func() (*http.Response, error) { return upstream.Client.Get(upstream.URL) })
	if err != nil {
		w.WriteHeader(http.StatusBadGateway)
		return
	}
	defer resp.Body.Close()
	io.Copy(w, resp.Body) // want `io.Copy sends on what`
}

func RetriedIfBad(w http.ResponseWriter, r *http.Request) {
	resp, err := retryBad(func() (*http.Response, error) { return upstream.Client.Get(upstream.URL) })
	if err != nil {
		w.WriteHeader(http.StatusBadGateway)
		return
	}
	defer resp.Body.Close()
	io.Copy(w, resp.Body)
}
