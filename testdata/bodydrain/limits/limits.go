// Package limits has faults that the pass does not see. They are faults: the
// connection is lost.
package limits

import (
	"archive/tar"
	"compress/gzip"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
)

// Take is a function variable, which other packages may set.
var Take = func(*http.Response) {}

// UnknownFunctionMissed hands the response to what does not read.
func UnknownFunctionMissed(c *http.Client, url string) error {
	resp, err := c.Get(url)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	Take(resp)
	return nil
}

// FailedGzipMissed gives up on a body that is not what it expects. A failed read is
// taken for the end of the body; here it is the format that failed.
func FailedGzipMissed(c *http.Client, url string) error {
	resp, err := c.Get(url)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	z, err := gzip.NewReader(resp.Body)
	if err != nil {
		return fmt.Errorf("not compressed: %w", err)
	}
	_, err = io.ReadAll(z)
	return err
}

// BrokenRowMissed is the same of a row in the middle.
func BrokenRowMissed(c *http.Client, url string) error {
	resp, err := c.Get(url)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	rows := csv.NewReader(resp.Body)
	rows.FieldsPerRecord = 3
	for {
		_, err := rows.Read()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// DecodeMissed decodes one value, which mostly reaches the end: it is reported
// with -bodydrain.strict.
func DecodeMissed(c *http.Client, url string) error {
	resp, err := c.Get(url)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	var v struct{ Name string }
	return json.NewDecoder(resp.Body).Decode(&v)
}

// ArchiveMissed reads an archive to its end mark, behind which the body's end may
// be yet to come.
func ArchiveMissed(c *http.Client, url string) error {
	resp, err := c.Get(url)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	for in := tar.NewReader(resp.Body); ; {
		if _, err := in.Next(); err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
		if _, err := io.Copy(io.Discard, in); err != nil {
			return err
		}
	}
}

// OneGzipMemberMissed stops where the first member ends.
func OneGzipMemberMissed(c *http.Client, url string) error {
	resp, err := c.Get(url)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	z, err := gzip.NewReader(resp.Body)
	if err != nil {
		return err
	}
	z.Multistream(false)
	_, err = io.ReadAll(z)
	return err
}

// MapMissed keeps responses in a map and closes them there.
func MapMissed(c *http.Client, url string) error {
	open := make(map[string]*http.Response)
	defer func() {
		for _, resp := range open {
			resp.Body.Close()
		}
	}()
	resp, err := c.Get(url)
	if err != nil {
		return err
	}
	open[url] = resp
	return nil
}

// StoredCloserMissed closes from a list.
func StoredCloserMissed(c *http.Client, url string) error {
	var closers []io.Closer
	defer func() {
		for _, cl := range closers {
			cl.Close()
		}
	}()
	resp, err := c.Get(url)
	if err != nil {
		return err
	}
	closers = append(closers, resp.Body)
	return nil
}

// SmallVariableLimitMissed has a limit that is no constant.
func SmallVariableLimitMissed(c *http.Client, url string) error {
	resp, err := c.Get(url)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	n := int64(len("a few bytes"))
	_, err = io.ReadAll(io.LimitReader(resp.Body, n))
	return err
}

// SmallDrainMissed drains less than there is: how much there is only the server
// knows.
func SmallDrainMissed(c *http.Client, url string) error {
	resp, err := c.Get(url)
	if err != nil {
		return err
	}
	_, _ = io.CopyN(io.Discard, resp.Body, 64)
	return resp.Body.Close()
}

// NeverClosedMissed does not close at all, which is another rule's business.
func NeverClosedMissed(c *http.Client, url string) error {
	resp, err := c.Get(url)
	if err != nil {
		return err
	}
	if resp.StatusCode != http.StatusOK {
		return errors.New(resp.Status)
	}
	return nil
}
