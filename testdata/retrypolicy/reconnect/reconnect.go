// Package reconnect proves that loops which open a stream again at once are found.
package reconnect

import (
	"bufio"
	"context"
	"log"
	"net/http"
	"time"

	"github.com/gorilla/websocket"
)

// Pause is the time between attempts.
const Pause = 10 * time.Millisecond

func Events(ctx context.Context, url string, handle func(string)) {
	for ctx.Err() == nil {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, url+"/events", nil)
		if err != nil {
			return
		}
		resp, err := http.DefaultClient.Do(req) // want "http\\.DefaultClient\\.Do is called again at once after a failure"
		if err != nil {
			log.Println(err)
			continue
		}
		sc := bufio.NewScanner(resp.Body)
		for sc.Scan() {
			handle(sc.Text())
		}
		resp.Body.Close()
	}
}

// Silent: waits.
func EventsPatient(ctx context.Context, url string, handle func(string)) {
	for ctx.Err() == nil {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, url+"/events", nil)
		if err != nil {
			return
		}
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			select {
			case <-ctx.Done():
			case <-time.After(Pause):
			}
			continue
		}
		sc := bufio.NewScanner(resp.Body)
		for sc.Scan() {
			handle(sc.Text())
		}
		resp.Body.Close()
	}
}

// A Feed is a WebSocket that is opened again when it breaks.
type Feed struct {
	url    string
	closed chan struct{}
	conn   *websocket.Conn
}

func (f *Feed) connect() error {
	conn, _, err := websocket.DefaultDialer.Dial(f.url, nil)
	if err != nil {
		return err
	}
	f.conn = conn
	return nil
}

func (f *Feed) Run(handle func([]byte)) {
	for {
		if err := f.connect(); err != nil { // want "f\\.connect is called again at once after a failure"
			log.Println(err)
			continue
		}
		for {
			_, msg, err := f.conn.ReadMessage()
			if err != nil {
				break
			}
			handle(msg)
		}
	}
}

func (f *Feed) RunUntilClosed(handle func([]byte)) {
	for {
		select {
		case <-f.closed:
			return
		default:
			if f.connect() != nil { // want "f\\.connect is called again at once after a failure"
				continue
			}
			for {
				_, msg, err := f.conn.ReadMessage()
				if err != nil {
					break
				}
				handle(msg)
			}
		}
	}
}

// Silent: waits longer each time.
func (f *Feed) RunPatient(handle func([]byte)) {
	delay := Pause
	for {
		if err := f.connect(); err != nil {
			select {
			case <-f.closed:
				return
			case <-time.After(delay):
			}
			delay = min(2*delay, time.Second)
			continue
		}
		delay = Pause
		for {
			_, msg, err := f.conn.ReadMessage()
			if err != nil {
				break
			}
			handle(msg)
		}
	}
}

func Start(url string) {
	go func() {
		for {
			resp, err := http.Get(url + "/events") // want "http\\.Get is called again at once after a failure"
			if err != nil {
				continue
			}
			sc := bufio.NewScanner(resp.Body)
			for sc.Scan() {
			}
			resp.Body.Close()
		}
	}()
}

// EventsDoubling waits twice as long each time, for ever.
func EventsDoubling(ctx context.Context, url string, handle func(string)) {
	wait := Pause
	for {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, url+"/events", nil)
		if err != nil {
			return
		}
		resp, err := http.DefaultClient.Do(req)
		if err == nil {
			wait = Pause
			sc := bufio.NewScanner(resp.Body)
			for sc.Scan() {
				handle(sc.Text())
			}
			resp.Body.Close()
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(wait):
		}
		wait *= 2 // want "wait grows without a cap from attempt to attempt"
	}
}

// Silent: the wait has a cap.
func EventsCapped(ctx context.Context, url string, handle func(string)) {
	for wait := Pause; ; wait = min(2*wait, 8*Pause) {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, url+"/events", nil)
		if err != nil {
			return
		}
		resp, err := http.DefaultClient.Do(req)
		if err == nil {
			wait = Pause
			sc := bufio.NewScanner(resp.Body)
			for sc.Scan() {
				handle(sc.Text())
			}
			resp.Body.Close()
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(wait):
		}
	}
}

// RunDoubling grows in the head of the loop.
func (f *Feed) RunDoubling(ctx context.Context, handle func([]byte)) {
	for wait := Pause; ; wait = wait * 2 { // want "wait grows without a cap from attempt to attempt"
		if err := f.connect(); err != nil {
			select {
			case <-ctx.Done():
				return
			case <-time.After(wait):
			}
			continue
		}
		_, msg, err := f.conn.ReadMessage()
		if err != nil {
			continue
		}
		handle(msg)
	}
}

// Silent: the attempts are counted.
func (f *Feed) RunCounted(ctx context.Context, handle func([]byte)) error {
	wait, failures := Pause, 0
	for {
		err := f.connect()
		if err == nil {
			failures, wait = 0, Pause
			_, msg, err := f.conn.ReadMessage()
			if err == nil {
				handle(msg)
			}
			continue
		}
		if failures++; failures >= 10 {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(wait):
		}
		wait *= 2
	}
}

// NewFeed makes a feed of a server.
func NewFeed(url string) *Feed { return &Feed{url: url, closed: make(chan struct{})} }
