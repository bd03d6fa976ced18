// Package lazy proves that a pool that is meant to be made once is found where it
// is not: in a copy, beside a cache, in a field that each call overwrites.
package lazy

import (
	"io"
	"net/http"
	"net/url"
	"sync"
	"time"
)

func read(resp *http.Response, err error) error {
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	_, err = io.Copy(io.Discard, resp.Body)
	return err
}

// ByValue is handed around by value.
type ByValue struct{ c *http.Client }

func (v ByValue) Get(url string) error {
	if v.c == nil {
		v.c = &http.Client{Transport: &http.Transport{}} // want `http.Transport{} makes`
	}
	return read(v.c.Get(url))
}

func (v ByValue) client() *http.Client {
	if v.c == nil {
		v.c = &http.Client{Transport: &http.Transport{}}
	}
	return v.c
}

func (v ByValue) GetBy(url string) error {
	return read(v.client().Get(url)) // want `v.client makes`
}

// Options may have a client.
type Options struct{ Client *http.Client }

func (o *Options) defaults() {
	if o.Client == nil {
		o.Client = &http.Client{Transport: &http.Transport{}}
	}
}

func Send(url string, o Options) error {
	if o.Client == nil {
		o.Client = &http.Client{Transport: &http.Transport{}} // want `http.Transport{} makes`
	}
	return read(o.Client.Get(url))
}

func SendDefaults(url string, o Options) error {
	o.defaults() // want `o.defaults makes`
	return read(o.Client.Get(url))
}

// SendPointer keeps the client in the caller's options.
func SendPointer(url string, o *Options) error {
	o.defaults()
	return read(o.Client.Get(url))
}

func clientOr(c *http.Client) *http.Client {
	if c != nil {
		return c
	}
	return &http.Client{Transport: &http.Transport{}}
}

func SendOr(url string, o Options) error {
	return read(clientOr(o.Client).Get(url)) // want `clientOr makes`
}

func SendOrShared(url string) error {
	return read(clientOr(http.DefaultClient).Get(url))
}

// Kept keeps its client.
type Kept struct {
	mu    sync.Mutex
	once  sync.Once
	c     *http.Client
	hosts map[string]*http.Client
	all   sync.Map
	hc    http.Client
	Debug bool
}

func (k *Kept) Pointer(url string) error {
	if k.c == nil {
		k.c = &http.Client{Transport: &http.Transport{}}
	}
	return read(k.c.Get(url))
}

func (k *Kept) client() *http.Client {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.c == nil {
		k.c = &http.Client{Transport: &http.Transport{}}
	}
	return k.c
}

func (k *Kept) ByMethod(url string) error { return read(k.client().Get(url)) }

func (k *Kept) Once(url string) error {
	k.once.Do(func() { k.c = &http.Client{Transport: &http.Transport{}} })
	return read(k.c.Get(url))
}

func (k *Kept) clientFor(host string) *http.Client {
	k.mu.Lock()
	defer k.mu.Unlock()
	if c, ok := k.hosts[host]; ok {
		return c
	}
	c := &http.Client{Transport: &http.Transport{}}
	if k.hosts == nil {
		k.hosts = make(map[string]*http.Client)
	}
	k.hosts[host] = c
	return c
}

func (k *Kept) Keyed(url string) error { return read(k.clientFor("h").Get(url)) }

func (k *Kept) SyncMap(url string) error {
	c := &http.Client{Transport: &http.Transport{}}
	v, _ := k.all.LoadOrStore("h", c)
	return read(v.(*http.Client).Get(url))
}

func (k *Kept) around(host string) *http.Client {
	if c, ok := k.hosts[host]; ok {
		return c
	}
	c := &http.Client{Transport: &http.Transport{}}
	if k.Debug {
		return c // goes round the cache
	}
	if k.hosts == nil {
		k.hosts = make(map[string]*http.Client)
	}
	k.hosts[host] = c
	return c
}

func (k *Kept) SentBeforeKept(url string, keep bool) error {
	c := &http.Client{Transport: &http.Transport{}} // want `http.Transport{} makes`
	if !keep {
		return read(c.Get(url))
	}
	k.c = c
	return read(k.c.Get(url))
}

func (k *Kept) GoneRound(url string) error {
	return read(k.around("h").Get(url)) // want `k.around makes`
}

func (k *Kept) Forgotten(url string) error {
	c, ok := k.hosts["h"]
	if !ok {
		c = &http.Client{Transport: &http.Transport{}} // want `http.Transport{} makes`
	}
	return read(c.Get(url))
}

func (k *Kept) Overwritten(url string) error {
	k.hc.Transport = &http.Transport{ResponseHeaderTimeout: time.Second} // want `k.hc.Transport gets a new connection pool in each call of Overwritten, the one before is dropped: set it once`
	return read(k.hc.Get(url))
}

func (k *Kept) OverwrittenIfAsked(url string, slow bool) error {
	if slow {
		k.hc.Transport = &http.Transport{ResponseHeaderTimeout: time.Second} // want `k.hc.Transport gets a new connection pool`
	}
	return read(k.hc.Get(url))
}

// Through sends by a proxy, if one is set.
type Through struct {
	Proxy string
	hc    http.Client
	was   string
}

func (t *Through) OverwrittenIfSet(url string) error {
	if t.Proxy != "" {
		t.hc.Transport = &http.Transport{Proxy: t.via} // want `t.hc.Transport gets a new connection pool`
	}
	return read(t.hc.Get(url))
}

func (t *Through) SetWhenChanged(url string) error {
	if t.Proxy != t.was || t.hc.Transport == nil {
		t.hc.Transport = &http.Transport{Proxy: t.via}
		t.was = t.Proxy
	}
	return read(t.hc.Get(url))
}

func (t *Through) SetWhileAnew(url string) error {
	if t.was == "" {
		t.hc.Transport = &http.Transport{Proxy: t.via}
		t.was = "set"
	}
	return read(t.hc.Get(url))
}

func (t *Through) via(*http.Request) (*url.URL, error) { return url.Parse(t.Proxy) }

func (k *Kept) SetOnce(url string) error {
	if k.hc.Transport == nil {
		k.hc.Transport = &http.Transport{ResponseHeaderTimeout: time.Second}
	}
	return read(k.hc.Get(url))
}

// Reload swaps the client; the old one is another's.
func (k *Kept) Reload() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.c = &http.Client{Transport: &http.Transport{}}
}

var shared = http.Client{}

func OverwritesShared(url string) error {
	shared.Transport = &http.Transport{} // want `shared.Transport gets a new connection pool`
	return read(shared.Get(url))
}

func OverwritesGiven(c *http.Client, url string) error {
	c.Transport = &http.Transport{} // want `c.Transport gets a new connection pool`
	return read(c.Get(url))
}

var get = sync.OnceValue(func() *http.Client { return &http.Client{Transport: &http.Transport{}} })

func OnceValue(url string) error { return read(get().Get(url)) }

func OverwritesDefaultClient(url string) error {
	http.DefaultClient.Transport = &http.Transport{} // want `http.DefaultClient.Transport gets a new connection pool`
	return read(http.Get(url))
}

func OverwritesAlias(url string) error {
	c := http.DefaultClient
	c.Transport = &http.Transport{} // want `c.Transport gets a new connection pool`
	return read(c.Get(url))
}

func OverwritesDefaultTransport(url string) error {
	http.DefaultTransport = &http.Transport{} // want `http.DefaultTransport gets a new connection pool`
	return read(http.Get(url))
}

// The pool is kept in what each call makes anew.
func ReceiverMadePerCall(url string) error {
	return (&Kept{}).Pointer(url) // want `makes a connection pool in each call of ReceiverMadePerCall`
}
