// Package browserauth gets a token by way of the user's browser, which comes once.
package browserauth

import (
	"context"
	"net"
	"net/http"
	"time"
)

// A Handler waits for a token.
type Handler struct {
	server *http.Server
	tokens chan string
}

// Begin listens for the browser.
func Begin() (*Handler, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	h := &Handler{tokens: make(chan string, 1)}
	h.server = &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { h.tokens <- r.FormValue("token") })}
	go func() { _ = h.server.Serve(l) }()
	return h, nil
}

func (h *Handler) cancel() { h.server.Close() }

// Wait returns the token, or gives up with ctx.
func (h *Handler) Wait(ctx context.Context) (string, error) {
	select {
	case token := <-h.tokens:
		down, cancel := context.WithTimeout(ctx, time.Second)
		defer cancel()
		return token, h.server.Shutdown(down)
	case <-ctx.Done():
		h.cancel()
		return "", ctx.Err()
	}
}
