package fixes

import (
	"errors"
	stdio "io"
	"net/http"
)

// RenamedImportLosesTheConnection has io under another name.
func RenamedImportLosesTheConnection(c *http.Client, url string) error {
	resp, err := c.Get(url)
	if err != nil {
		return err
	}
	defer resp.Body.Close() // want "closed before it is read to its end"
	if resp.StatusCode != http.StatusOK {
		return errors.New(resp.Status)
	}
	_, err = stdio.ReadAll(resp.Body)
	return err
}
