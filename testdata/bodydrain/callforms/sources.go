package callforms

import (
	"errors"
	"io"
	"net/http"
	"time"

	"github.com/hashicorp/go-retryablehttp"

	"fixtures/bodydrain/callforms/service"
)

// PackageFunctionLosesTheConnection sends by the default client.
func PackageFunctionLosesTheConnection(_ *http.Client, url string) error {
	resp, err := http.Get(url)
	if err != nil {
		return err
	}
	defer resp.Body.Close() // want "closed before it is read to its end"
	if resp.StatusCode != http.StatusOK {
		return errors.New(resp.Status)
	}
	return nil
}

// DefaultClientLosesTheConnection names it.
func DefaultClientLosesTheConnection(_ *http.Client, url string) error {
	req, err := http.NewRequest(http.MethodPost, url, http.NoBody)
	if err != nil {
		return err
	}
	if resp, err := http.DefaultClient.Do(req); err != nil {
		return err
	} else {
		return resp.Body.Close() // want "closed before it is read to its end"
	}
}

// TransportLosesTheConnection goes below the client.
func TransportLosesTheConnection(c *http.Client, url string) error {
	req, err := http.NewRequest(http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	resp, err := c.Transport.RoundTrip(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close() // want "closed before it is read to its end"
	return nil
}

// ClientCopyLosesTheConnection changes a copy of the client, which shares its pool.
func ClientCopyLosesTheConnection(c *http.Client, url string) error {
	own := *c
	own.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	resp, err := own.Get(url)
	if err != nil {
		return err
	}
	defer resp.Body.Close() // want "closed before it is read to its end"
	return nil
}

// RetryableLosesTheConnection sends by another module's client.
func RetryableLosesTheConnection(c *http.Client, url string) error {
	rc := retryablehttp.NewClient()
	rc.HTTPClient, rc.Logger, rc.RetryMax = c, nil, 0
	resp, err := rc.Get(url)
	if err != nil {
		return err
	}
	defer resp.Body.Close() // want "closed before it is read to its end"
	if resp.StatusCode != http.StatusOK {
		return errors.New(resp.Status)
	}
	return nil
}

func RetryableKeepsIt(c *http.Client, url string) error {
	rc := retryablehttp.NewClient()
	rc.HTTPClient, rc.Logger, rc.RetryMax = c, nil, 0
	resp, err := rc.Get(url)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	_, err = io.ReadAll(resp.Body)
	return err
}

// DeferInAnIfLosesTheConnection defers where there is no error.
func DeferInAnIfLosesTheConnection(c *http.Client, url string) (code int) {
	resp, err := c.Get(url)
	if err == nil {
		defer resp.Body.Close() // want "closed before it is read to its end"
		code = resp.StatusCode
	}
	return code
}

// LiteralCalledAtOnceLosesTheConnection gives each turn a function to defer in.
func LiteralCalledAtOnceLosesTheConnection(c *http.Client, url string) (err error) {
	for _, path := range []string{"/a", "/b"} {
		func() {
			var resp *http.Response
			if resp, err = c.Get(url + path); err != nil {
				return
			}
			defer resp.Body.Close() // want "closed before it is read to its end"
			if resp.StatusCode >= 500 {
				err = errors.New(resp.Status)
			}
		}()
	}
	return err
}

// LocalClientLosesTheConnection makes a client without a Transport: it shares the
// default one's pool.
func LocalClientLosesTheConnection(_ *http.Client, url string) error {
	c := &http.Client{Timeout: 5 * time.Second}
	resp, err := c.Get(url)
	if err != nil {
		return err
	}
	defer resp.Body.Close() // want "closed before it is read to its end"
	return nil
}

// SharedTransportLosesTheConnection makes a client over a Transport that others use.
func SharedTransportLosesTheConnection(c *http.Client, url string) error {
	own := http.Client{Transport: c.Transport, Timeout: 5 * time.Second}
	resp, err := own.Get(url)
	if err != nil {
		return err
	}
	defer resp.Body.Close() // want "closed before it is read to its end"
	return nil
}

// FuncFieldLosesTheConnection calls a function that another package put in a field.
func FuncFieldLosesTheConnection(c *http.Client, url string) error {
	s := service.New(c, url)
	resp, err := s.Ping()
	if err != nil {
		return err
	}
	defer resp.Body.Close() // want "closed before it is read to its end"
	if resp.Status >= 300 {
		return errors.New(http.StatusText(resp.Status))
	}
	_, err = io.Copy(io.Discard, resp.Body)
	return err
}

func FuncFieldKeepsIt(c *http.Client, url string) error {
	s := service.New(c, url)
	resp, err := s.Ping(func(req *http.Request) { req.Header.Set("Accept", "text/plain") })
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	_, err = io.Copy(io.Discard, resp.Body)
	return err
}

// FuncFieldThatReadsKeepsIt closes what was read before it was returned.
func FuncFieldThatReadsKeepsIt(c *http.Client, url string) error {
	resp, err := service.New(c, url).Info()
	if err != nil {
		return err
	}
	return resp.Body.Close()
}
