package standins

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"fixtures/failnow/standins/mock"
)

func get(url string) {
	if resp, err := http.Get(url); err == nil {
		_ = resp.Body.Close()
	}
}

// A mock that ends its test.
func TestBound(t *testing.T) {
	store := mock.NewStore(t)
	srv := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		store.Load("a") // want `store.Load may call FailNow`
	}))
	defer srv.Close()
	get(srv.URL)
}

// One that is told its test later.
func TestBoundLater(t *testing.T) {
	store := &mock.Store{}
	store.On("Save", "a")
	store.Test(t)
	srv := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		store.Load("a") // want `store.Load may call FailNow`
	}))
	defer srv.Close()
	get(srv.URL)
}

// A mock without a test panics.
func TestUnbound(t *testing.T) {
	store := &mock.Store{}
	srv := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		store.Load("a")
	}))
	defer srv.Close()
	store.On("Load", "a").On("Save", "b")
	get(srv.URL)
	store.AssertExpectations(t)
}

// The same in the service.
func TestServiceUnbound(t *testing.T) {
	store := new(mock.Store)
	srv := httptest.NewServer(NewAPI(store))
	defer srv.Close()
	for _, tt := range []struct{ method, result string }{{"Load", "a"}} {
		t.Run(tt.method, func(t *testing.T) {
			store.On(tt.method, tt.result)
			get(srv.URL)
		})
	}
	store.AssertExpectations(t)
}

// The service's own code is not to be changed for a mock of its test.
func TestService(t *testing.T) {
	srv := httptest.NewServer(NewAPI(mock.NewStore(t)))
	defer srv.Close()
	get(srv.URL)
}
