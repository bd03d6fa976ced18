// Package callforms proves that it does not matter how the request is sent and how
// the calls are written.
package callforms

import (
	"context"
	"errors"
	"io"
	web "net/http"
	neturl "net/url"
)

// RenamedImportLosesTheConnection knows net/http by another name.
func RenamedImportLosesTheConnection(c *web.Client, url string) error {
	resp, err := c.Get(url)
	if err != nil {
		return err
	}
	defer resp.Body.Close() // want "closed before it is read to its end"
	if resp.StatusCode != web.StatusOK {
		return errors.New(resp.Status)
	}
	_, err = io.ReadAll(resp.Body)
	return err
}

// ParenthesisedLosesTheConnection has parentheses where none are needed.
func ParenthesisedLosesTheConnection(c *web.Client, url string) error {
	resp, err := ((c.Get)(url))
	if (err) != nil {
		return err
	}
	defer ((resp.Body).Close)() // want "closed before it is read to its end"
	if (resp.StatusCode) != (web.StatusOK) {
		return errors.New(resp.Status)
	}
	_, err = (io.ReadAll)((resp).Body)
	return err
}

// MethodValueLosesTheConnection sends by a method value.
func MethodValueLosesTheConnection(c *web.Client, url string) error {
	get := c.Get
	resp, err := get(url)
	if err != nil {
		return err
	}
	defer resp.Body.Close() // want "closed before it is read to its end"
	return nil
}

// MethodExpressionLosesTheConnection sends by a method expression.
func MethodExpressionLosesTheConnection(c *web.Client, url string) error {
	resp, err := (*web.Client).Get(c, url)
	if err != nil {
		return err
	}
	defer resp.Body.Close() // want "closed before it is read to its end"
	return nil
}

type api struct {
	*web.Client
	base string
}

// EmbeddedClientLosesTheConnection sends by a promoted method.
func EmbeddedClientLosesTheConnection(c *web.Client, url string) error {
	a := api{c, url}
	resp, err := a.Get(a.base)
	if err != nil {
		return err
	}
	defer resp.Body.Close() // want "closed before it is read to its end"
	return nil
}

// doer is what many packages ask for instead of a client.
type doer interface {
	Do(*web.Request) (*web.Response, error)
}

// InterfaceLosesTheConnection sends by an interface.
func InterfaceLosesTheConnection(c *web.Client, url string) error { return send(c, url) }

func send(d doer, url string) error {
	req, err := web.NewRequest("GET", url, nil)
	if err != nil {
		return err
	}
	resp, err := d.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close() // want "closed before it is read to its end"
	return nil
}

// sendWith is generic over the client.
func sendWith[D doer](ctx context.Context, d D, url string) error {
	req, err := web.NewRequestWithContext(ctx, "GET", url, nil)
	if err != nil {
		return err
	}
	resp, err := d.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close() // want "closed before it is read to its end"
	return nil
}

func GenericLosesTheConnection(c *web.Client, url string) error {
	return sendWith(context.Background(), c, url) // the fault is in sendWith
}

// FuncValueLosesTheConnection is handed the function that sends.
func FuncValueLosesTheConnection(do func(*web.Request) (*web.Response, error), url string) error {
	u, err := neturl.Parse(url)
	if err != nil {
		return err
	}
	resp, err := do(&web.Request{Method: "GET", URL: u})
	if err != nil {
		return err
	}
	defer resp.Body.Close() // want "closed before it is read to its end"
	return nil
}

// ShadowedLosesTheConnection has names that mean something else inside.
func ShadowedLosesTheConnection(c *web.Client, url string) error {
	resp, err := c.Get(url)
	if err != nil {
		return err
	}
	defer resp.Body.Close() // want "closed before it is read to its end"
	{
		resp, err := c.Get(url)
		if err != nil {
			return err
		}
		_, err = io.ReadAll(resp.Body)
		resp.Body.Close()
		if err != nil {
			return err
		}
	}
	return nil
}

// discard shadows what reads: it does not.
type discard struct{}

func (discard) ReadAll(io.Reader) ([]byte, error) { return nil, nil }

// ShadowedPackageKeepsIt calls a ReadAll of which nothing is known but its name; it
// reads by the real one behind it.
func ShadowedPackageKeepsIt(c *web.Client, url string) error {
	resp, err := c.Get(url)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	if err == nil && raw == nil {
		io := discard{}
		_, err = io.ReadAll(resp.Body)
	}
	return err
}

// ShadowedPackageLosesTheConnection calls only that.
func ShadowedPackageLosesTheConnection(c *web.Client, url string) error {
	resp, err := c.Get(url)
	if err != nil {
		return err
	}
	defer resp.Body.Close() // want "closed before it is read to its end"
	io := discard{}
	_, err = io.ReadAll(resp.Body)
	return err
}

// VarDeclarationLosesTheConnection declares before it assigns.
func VarDeclarationLosesTheConnection(c *web.Client, url string) error {
	var (
		resp *web.Response
		err  error
	)
	if resp, err = c.Get(url); err != nil {
		return err
	}
	body := resp.Body
	defer func() { body.Close() }() // want "closed before it is read to its end"
	return nil
}
