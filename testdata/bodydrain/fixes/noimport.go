package fixes

import "net/http"

// NoImportLosesTheConnection is in a file without the import of io.
func NoImportLosesTheConnection(c *http.Client, url string) bool {
	resp, err := c.Get(url)
	if err != nil {
		return false
	}
	defer resp.Body.Close() // want "closed before it is read to its end"
	return resp.StatusCode == http.StatusOK
}
