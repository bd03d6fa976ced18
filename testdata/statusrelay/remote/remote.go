// Package remote holds helpers of another package.
package remote

import (
	"errors"
	"io"
	"net/http"

	"fixtures/statusrelay/upstream"
)

func Get(url string) (*http.Response, error) { return upstream.Client.Get(url) }

func Fetch(url string) ([]byte, error) {
	resp, err := Get(url)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	return io.ReadAll(resp.Body)
}

func Check(resp *http.Response) error {
	if resp.StatusCode != http.StatusOK {
		return errors.New(resp.Status)
	}
	return nil
}

func FetchGood(url string) ([]byte, error) {
	resp, err := Get(url)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	if err := Check(resp); err != nil {
		return nil, err
	}
	return io.ReadAll(resp.Body)
}

func Pour(w io.Writer, url string) error {
	resp, err := Get(url)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	_, err = io.Copy(w, resp.Body)
	return err
}

func Relay(w http.ResponseWriter, resp *http.Response) {
	defer resp.Body.Close()
	io.Copy(w, resp.Body)
}

type Reply struct {
	Code int
	Body []byte
}

func FetchReply(url string) (Reply, error) {
	resp, err := Get(url)
	if err != nil {
		return Reply{}, err
	}
	defer resp.Body.Close()
	var rep Reply
	rep.Code = resp.StatusCode
	rep.Body, err = io.ReadAll(resp.Body)
	return rep, err
}

// An Answer keeps its status to itself.
type Answer struct {
	Body []byte
	code int
}

func (a *Answer) Code() int { return a.code }

func FetchAnswer(url string) (*Answer, error) {
	resp, err := Get(url)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	return &Answer{b, resp.StatusCode}, err
}

// A Service has one implementation, which is not exported.
type Service interface {
	Fetch() ([]byte, error)
	FetchGood() ([]byte, error)
}

func NewService(url string) Service { return &service{url} }

type service struct{ url string }

func (s *service) Fetch() ([]byte, error)     { return Fetch(s.url) }
func (s *service) FetchGood() ([]byte, error) { return FetchGood(s.url) }

// A Mirror implements an interface of another package.
type Mirror struct{}

func (*Mirror) Page() ([]byte, error) { return Fetch(upstream.URL) }

// Each calls f with the body.
func Each(url string, f func(io.Reader) error) error {
	resp, err := Get(url)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	return f(resp.Body)
}

// A Writer counts what is written to the client.
type Writer struct {
	http.ResponseWriter
	N int
}

// Write writes to the client.
func (w *Writer) Write(p []byte) (int, error) {
	n, err := w.ResponseWriter.Write(p)
	w.N += n
	return n, err
}
