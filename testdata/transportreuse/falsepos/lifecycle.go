package falsepos

import (
	"context"
	"io"
	"net/http"
	"time"
)

// certPool is a module of a server, which is provisioned once for each load of the
// configuration.
type certPool struct {
	urls []string
	pems [][]byte
}

// Provision fetches what the module needs, over connections of its own: it runs
// once a configuration, not once a request.
func (p *certPool) Provision() error {
	tr := http.DefaultTransport.(*http.Transport).Clone()
	tr.ForceAttemptHTTP2 = false
	client := http.Client{Transport: tr}
	for _, url := range p.urls {
		resp, err := client.Get(url)
		if err != nil {
			return err
		}
		pem, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if err != nil {
			return err
		}
		p.pems = append(p.pems, pem)
	}
	return nil
}

// LoadConfig runs when the server starts, or is told to load again.
func LoadConfig(url string) ([]byte, error) {
	client := &http.Client{Transport: &http.Transport{DisableCompression: true}}
	resp, err := client.Get(url)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	return io.ReadAll(resp.Body)
}

// A source of certificates reads those of clients when it starts.
type source struct{ url string }

// LoadClientCAs says by its name that it reads what a server is set up with.
func (s source) LoadClientCAs() ([]byte, error) {
	client := &http.Client{Transport: new(http.Transport)}
	resp, err := client.Get(s.url)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	return io.ReadAll(resp.Body)
}

// ReloadTLS likewise.
func (s source) ReloadTLS() ([]byte, error) {
	client := &http.Client{Transport: new(http.Transport)}
	resp, err := client.Get(s.url)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	return io.ReadAll(resp.Body)
}

// A Board asks for its key before its first request.
type Board struct {
	URL string
	key string
}

func (b *Board) Refresh() error {
	if b.key == "" {
		if err := b.setup(); err != nil {
			return err
		}
	}
	return nil
}

// setup is called by what runs again, but once.
func (b *Board) setup() error {
	client := &http.Client{Transport: new(http.Transport)}
	resp, err := client.Get(b.URL)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	key, err := io.ReadAll(resp.Body)
	b.key = string(key)
	return err
}

func (b *Board) Update() error {
	if b.key != "" {
		return nil
	}
	return b.initialize()
}

// initialize is called once, too: what calls it returns before.
func (b *Board) initialize() error {
	client := &http.Client{Transport: new(http.Transport)}
	resp, err := client.Get(b.URL)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	key, err := io.ReadAll(resp.Body)
	b.key = string(key)
	return err
}

func every(ctx context.Context, f func() error) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-time.After(time.Minute):
			_ = f()
		}
	}
}

// The goroutine has the client as long as the context lives.
func Report(ctx context.Context, url string) {
	c := &http.Client{Transport: &http.Transport{}}
	go every(ctx, func() error { return read(c.Get(url)) })
}

// The pool goes with the loop, which runs until the context is done.
func Feed(ctx context.Context, url string) {
	tr := &http.Transport{}
	for ctx.Err() == nil {
		_ = read((&http.Client{Transport: tr}).Get(url))
		time.Sleep(time.Minute)
	}
}
