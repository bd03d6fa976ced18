package helpers

import (
	"errors"
	"io"
	"net/http"

	"fixtures/bodydrain/helpers/quiet"
	"fixtures/bodydrain/helpers/respio"
)

// HandedMethodLosesTheConnection gives the body's Close to a function that calls it.
func HandedMethodLosesTheConnection(c *http.Client, url string) (err error) {
	resp, err := c.Get(url)
	if err != nil {
		return err
	}
	defer quiet.Do(&err, resp.Body.Close) // want "closed before it is read to its end"
	if resp.StatusCode != http.StatusOK {
		return errors.New(resp.Status)
	}
	return quiet.Drain(resp.Body)
}

func HandedMethodAfterTheReadKeepsIt(c *http.Client, url string) (err error) {
	resp, err := c.Get(url)
	if err != nil {
		return err
	}
	defer quiet.Do(&err, resp.Body.Close)
	return quiet.Drain(resp.Body)
}

// LiteralThatDrainsKeepsIt gives a function that reads and closes.
func LiteralThatDrainsKeepsIt(c *http.Client, url string) (err error) {
	resp, err := c.Get(url)
	if err != nil {
		return err
	}
	defer quiet.Do(&err, func() error { return quiet.Finish(resp.Body) })
	if resp.StatusCode != http.StatusOK {
		return errors.New(resp.Status)
	}
	return nil
}

// LiteralThatReadsKeepsIt gives a function that is the whole of it.
func LiteralThatReadsKeepsIt(c *http.Client, url string) (err error) {
	resp, err := c.Get(url)
	if err != nil {
		return err
	}
	quiet.Do(&err, func() error {
		defer resp.Body.Close()
		_, err := io.ReadAll(resp.Body)
		return err
	})
	return err
}

// EndingLosesTheConnection gives a value with a method that closes.
func EndingLosesTheConnection(c *http.Client, url string) (err error) {
	resp, err := c.Get(url)
	if err != nil {
		return err
	}
	defer quiet.DoEnding(&err, quiet.Ends(resp.Body)) // want "closed before it is read to its end"
	if resp.StatusCode != http.StatusOK {
		return errors.New(resp.Status)
	}
	return quiet.Drain(resp.Body)
}

// RefusedLosesTheConnection returns an error that holds the response, whose body is
// closed by the time that anybody could read it.
func RefusedLosesTheConnection(c *http.Client, url string) error {
	resp, err := c.Get(url)
	if err != nil {
		return err
	}
	defer resp.Body.Close() // want "closed before it is read to its end"
	if err := respio.Refused(resp); err != nil {
		return err
	}
	return quiet.Drain(resp.Body)
}

// OnlyRefusalsAreReadLosesTheConnection reads nothing of what went well.
func OnlyRefusalsAreReadLosesTheConnection(c *http.Client, url string) error {
	resp, err := c.Get(url)
	if err != nil {
		return err
	}
	defer resp.Body.Close() // want "closed before it is read to its end"
	return respio.ReadRefused(resp)
}

func ReadRefusedKeepsIt(c *http.Client, url string) error {
	resp, err := c.Get(url)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if err := respio.ReadRefused(resp); err != nil {
		return err
	}
	return quiet.Drain(resp.Body)
}

// PageLosesTheConnection has the response wrapped by another package.
func PageLosesTheConnection(c *http.Client, url string) (int, error) {
	resp, err := c.Get(url)
	if err != nil {
		return 0, err
	}
	page := respio.NewPage(resp)
	defer page.Body.Close() // want "closed before it is read to its end"
	return page.Number, nil
}

func PageKeepsIt(c *http.Client, url string) (int, error) {
	resp, err := c.Get(url)
	if err != nil {
		return 0, err
	}
	page := respio.NewPage(resp)
	defer page.Body.Close()
	return page.Number, quiet.Drain(page.Body)
}
