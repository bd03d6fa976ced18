package falsepos

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"net/http"
)

// The connection is there already, and is closed by who made it: the transport has no
// other, so there is nothing to reuse and nothing that stays behind.
func MeasuresOverItsOwn(ctx context.Context, addr, name, url string) error {
	raw, err := new(net.Dialer).DialContext(ctx, "tcp", addr)
	if err != nil {
		return err
	}
	defer raw.Close()
	conn := tls.Client(raw, &tls.Config{ServerName: name})
	if err := conn.HandshakeContext(ctx); err != nil {
		return err
	}
	ready := make(chan net.Conn, 1)
	ready <- conn
	tr := &http.Transport{
		DialContext: func(context.Context, string, string) (net.Conn, error) {
			return nil, errors.New("not asked for")
		},
		DialTLSContext: func(context.Context, string, string) (net.Conn, error) {
			select {
			case conn := <-ready:
				return conn, nil
			default:
				return nil, errors.New("there is one connection only")
			}
		},
	}
	return read((&http.Client{Transport: tr}).Get(url))
}

func AsksOverGiven(conn net.Conn) error {
	tr := new(http.Transport)
	tr.DialContext = func(context.Context, string, string) (net.Conn, error) { return conn, nil }
	return read((&http.Client{Transport: tr}).Get("http://unix/info"))
}
