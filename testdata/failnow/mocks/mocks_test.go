// Package mocks proves that the callbacks of a mock run where the mock is called: on
// the server's goroutine, if the code under test is served.
package mocks

import (
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/mock"
	"github.com/stretchr/testify/require"
	"go.uber.org/mock/gomock"
)

// A Store is what the API asks.
type Store interface{ Get(key string) string }

// An API is the code under test.
type API struct{ store Store }

func (a API) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	io.WriteString(w, a.store.Get(r.URL.Path))
}

func get(h http.Handler) {
	srv := httptest.NewServer(h)
	defer srv.Close()
	resp, err := http.Get(srv.URL)
	if err == nil {
		resp.Body.Close()
	}
}

func record(h http.Handler) {
	h.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", "/", nil))
}

func TestTestify(t *testing.T) {
	s := new(testifyStore)
	s.On("Get", mock.Anything).Run(func(args mock.Arguments) {
		require.Empty(t, args.String(0)) // want `require.Empty may call FailNow, which ends`
	}).Return("a")
	get(API{s})
}

func TestTestifyRecorded(t *testing.T) {
	s := new(testifyStore)
	s.On("Get", mock.Anything).Run(func(args mock.Arguments) {
		require.Empty(t, args.String(0))
	}).Return("a")
	record(API{s})
}

func TestGomock(t *testing.T) {
	s := newGomockStore(gomock.NewController(t))
	s.EXPECT().Get(gomock.Any()).DoAndReturn(func(key string) string {
		t.Fatal("a") // want `t.Fatal ends`
		return key
	})
	get(API{s})
}

func TestGomockRecorded(t *testing.T) {
	s := newGomockStore(gomock.NewController(t))
	s.EXPECT().Get(gomock.Any()).DoAndReturn(func(key string) string {
		t.Skip("on the test's goroutine")
		return key
	})
	record(API{s})
}

// Two mocks share a controller; the server has one of them.
func TestGomockOther(t *testing.T) {
	ctrl := gomock.NewController(t)
	served, own := newGomockStore(ctrl), newGomockStore(ctrl)
	served.EXPECT().Get(gomock.Any()).Return("a").AnyTimes()
	own.EXPECT().Get(gomock.Any()).DoAndReturn(func(key string) string {
		t.Skip("on the test's goroutine")
		return key
	})
	get(API{served})
	own.Get("a")
}
