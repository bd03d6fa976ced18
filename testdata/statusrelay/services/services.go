// Package services proves that bodies are followed through the methods of interfaces
// whose implementations agree, and through the variables of a package.
package services

import (
	"errors"
	"fmt"
	"io"
	"net/http"

	"fixtures/statusrelay/remote"
	"fixtures/statusrelay/upstream"
)

func fetch(url string) ([]byte, error) {
	resp, err := upstream.Client.Get(url)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	return io.ReadAll(resp.Body)
}

func fetchGood(url string) ([]byte, error) {
	resp, err := upstream.Client.Get(url)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("%s: %s", url, resp.Status)
	}
	return io.ReadAll(resp.Body)
}

// A Catalog has one implementation.
type Catalog interface {
	Item() ([]byte, error)
	GoodItem() ([]byte, error)
}

type catalog struct{}

func (*catalog) Item() ([]byte, error)     { return fetch(upstream.URL) }
func (*catalog) GoodItem() ([]byte, error) { return fetchGood(upstream.URL) }

// A Server has services that somebody gives it.
type Server struct {
	Catalog Catalog
	Remote  remote.Service
	Store   Store
	Pages   Pages
	Cached  Cached
}

// New returns a server, as the package that puts all together does.
func New() *Server {
	s := new(Server)
	wire(s, &catalog{}, remote.NewService(upstream.URL), webStore{}, &remote.Mirror{}, logging{direct{}})
	return s
}

func wire(s *Server, c Catalog, r remote.Service, st Store, p Pages, ca Cached) {
	s.Catalog, s.Remote, s.Store, s.Pages, s.Cached = c, r, st, p, ca
}

func (s *Server) One(w http.ResponseWriter, r *http.Request) {
	b, err := s.Catalog.Item()
	if err != nil {
		w.WriteHeader(http.StatusBadGateway)
		return
	}
	w.Write(b) // want `w.Write sends on what s.Catalog.Item got`
}

func (s *Server) OneThatChecks(w http.ResponseWriter, r *http.Request) {
	b, err := s.Catalog.GoodItem()
	if err != nil {
		w.WriteHeader(http.StatusBadGateway)
		return
	}
	w.Write(b)
}

func (s *Server) OfAnotherPackage(w http.ResponseWriter, r *http.Request) {
	b, err := s.Remote.Fetch()
	if err != nil {
		w.WriteHeader(http.StatusBadGateway)
		return
	}
	w.Write(b) // want `w.Write sends on what s.Remote.Fetch got`
}

func (s *Server) OfAnotherPackageThatChecks(w http.ResponseWriter, r *http.Request) {
	b, err := s.Remote.FetchGood()
	if err != nil {
		w.WriteHeader(http.StatusBadGateway)
		return
	}
	w.Write(b)
}

// Store has two implementations, of which one has no upstream.
type Store interface{ Load() ([]byte, error) }

type webStore struct{}

func (webStore) Load() ([]byte, error) { return fetch(upstream.URL) }

type memStore map[string][]byte

func (m memStore) Load() ([]byte, error) {
	if b, ok := m[""]; ok {
		return b, nil
	}
	return nil, errors.New("not found")
}

func (s *Server) Several(w http.ResponseWriter, r *http.Request) {
	b, err := s.Store.Load()
	if err != nil {
		w.WriteHeader(http.StatusBadGateway)
		return
	}
	w.Write(b)
}

// A variable says which it is.
var store Store = webStore{}

func OneOfSeveral(w http.ResponseWriter, r *http.Request) {
	b, err := store.Load()
	if err != nil {
		w.WriteHeader(http.StatusBadGateway)
		return
	}
	w.Write(b) // want `w.Write sends on what store.Load got`
}

func newStore() Store { return memStore{"": nil} }

var mem = newStore()

func OtherOfSeveral(w http.ResponseWriter, r *http.Request) {
	b, err := mem.Load()
	if err != nil {
		w.WriteHeader(http.StatusBadGateway)
		return
	}
	w.Write(b)
}

// Cached has two implementations, of which one asks the other.
type Cached interface{ Get() (io.ReadCloser, error) }

type direct struct{}

func (direct) Get() (io.ReadCloser, error) {
	resp, err := upstream.Client.Get(upstream.URL)
	if err != nil {
		return nil, err
	}
	return resp.Body, nil
}

type logging struct{ next Cached }

func (l logging) Get() (io.ReadCloser, error) {
	fmt.Println("get")
	return l.next.Get()
}

func (s *Server) Decorated(w http.ResponseWriter, r *http.Request) {
	body, err := s.Cached.Get()
	if err != nil {
		w.WriteHeader(http.StatusBadGateway)
		return
	}
	defer body.Close()
	io.Copy(w, body) // want `io.Copy sends on what s.Cached.Get got`
}

// Pages is implemented by a type of another package.
type Pages interface{ Page() ([]byte, error) }

func (s *Server) ImplementedElsewhere(w http.ResponseWriter, r *http.Request) {
	b, err := s.Pages.Page()
	if err != nil {
		w.WriteHeader(http.StatusBadGateway)
		return
	}
	w.Write(b) // want `w.Write sends on what s.Pages.Page got`
}

var get = func(url string) ([]byte, error) {
	resp, err := upstream.Client.Get(url)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	return io.ReadAll(resp.Body)
}

func Variable(w http.ResponseWriter, r *http.Request) {
	b, err := get(upstream.URL)
	if err != nil {
		w.WriteHeader(http.StatusBadGateway)
		return
	}
	w.Write(b) // want `w.Write sends on what upstream.Client.Get got`
}

var getGood = fetchGood

func VariableThatChecks(w http.ResponseWriter, r *http.Request) {
	b, err := getGood(upstream.URL)
	if err != nil {
		w.WriteHeader(http.StatusBadGateway)
		return
	}
	w.Write(b)
}

// A variable that is set again may hold anything.
var swapped = fetch

func swap() { swapped = fetchGood }

func VariableSetAgain(w http.ResponseWriter, r *http.Request) {
	b, err := swapped(upstream.URL)
	if err != nil {
		w.WriteHeader(http.StatusBadGateway)
		return
	}
	w.Write(b)
}

func generic[S Catalog](s S, w http.ResponseWriter) {
	b, err := s.Item()
	if err != nil {
		w.WriteHeader(http.StatusBadGateway)
		return
	}
	w.Write(b) // want `w.Write sends on what s.Item got`
}

func Generic(w http.ResponseWriter, r *http.Request) { generic(&catalog{}, w) }
