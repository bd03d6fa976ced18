// Package strict proves that a decoder's one Decode need not reach the end of the
// body. It is reported with -bodydrain.strict only: mostly it does.
package strict

import (
	"encoding/gob"
	"encoding/json"
	"encoding/xml"
	"errors"
	"io"
	"net/http"
)

type object struct {
	Name string `json:"name" xml:"title"`
}

// DecodeLosesTheConnection reads until the closing brace.
func DecodeLosesTheConnection(c *http.Client, url string) error {
	resp, err := c.Get(url)
	if err != nil {
		return err
	}
	defer resp.Body.Close() // want "closed before it is read to its end"
	var v object
	return json.NewDecoder(resp.Body).Decode(&v)
}

// CheckedDecodeLosesTheConnection reads refusals, and decodes the rest.
func CheckedDecodeLosesTheConnection(c *http.Client, url string) (*object, error) {
	resp, err := c.Get(url)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close() // want "closed before it is read to its end"
	if resp.StatusCode != http.StatusOK {
		_, _ = io.Copy(io.Discard, resp.Body)
		return nil, errors.New(resp.Status)
	}
	dec := json.NewDecoder(resp.Body)
	dec.UseNumber()
	v := new(object)
	if err := dec.Decode(v); err != nil {
		_, _ = io.Copy(io.Discard, resp.Body)
		return nil, err
	}
	return v, nil
}

// XMLLosesTheConnection reads until the end of the first element.
func XMLLosesTheConnection(c *http.Client, url string) error {
	resp, err := c.Get(url)
	if err != nil {
		return err
	}
	defer resp.Body.Close() // want "closed before it is read to its end"
	var v object
	return xml.NewDecoder(resp.Body).Decode(&v)
}

// GobLosesTheConnection reads one value.
func GobLosesTheConnection(c *http.Client, url string) error {
	resp, err := c.Get(url)
	if err != nil {
		return err
	}
	defer resp.Body.Close() // want "closed before it is read to its end"
	var v string
	return gob.NewDecoder(resp.Body).Decode(&v)
}

// DecodeToTheEndKeepsIt asks for a second value, and so for the end.
func DecodeToTheEndKeepsIt(c *http.Client, url string) error {
	resp, err := c.Get(url)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	defer io.Copy(io.Discard, resp.Body)
	dec := json.NewDecoder(resp.Body)
	var v object
	if err := dec.Decode(&v); err != nil {
		return err
	}
	if _, err := dec.Token(); err != io.EOF {
		return errors.New("more than one value")
	}
	return nil
}
