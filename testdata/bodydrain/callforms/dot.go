package callforms

import (
	. "io"
	. "net/http"
)

// DotImportLosesTheConnection uses names without their package.
func DotImportLosesTheConnection(c *Client, url string) error {
	resp, err := c.Get(url)
	if err != nil {
		return err
	}
	defer resp.Body.Close() // want "closed before it is read to its end"
	if resp.StatusCode != StatusOK {
		return ErrNotSupported
	}
	_, err = ReadAll(resp.Body)
	return err
}

func DotImportKeepsIt(c *Client, url string) error {
	resp, err := c.Get(url)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	_, err = Copy(Discard, resp.Body)
	return err
}
