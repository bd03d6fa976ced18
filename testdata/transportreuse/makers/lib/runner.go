package lib

import "net/http"

// Runner is what NewRunner gives.
type Runner interface {
	Prepare(url string) error
	Run(url string) error
}

// HTTPRunner is a Runner.
type HTTPRunner struct{ c *http.Client }

// NewRunner makes a Runner with a pool.
func NewRunner() Runner { return &HTTPRunner{&http.Client{Transport: &http.Transport{}}} }

// Prepare sends nothing.
func (r *HTTPRunner) Prepare(url string) error {
	_, err := http.NewRequest("GET", url, nil)
	return err
}

// Run sends.
func (r *HTTPRunner) Run(url string) error {
	resp, err := r.c.Get(url)
	if err != nil {
		return err
	}
	return Read(resp)
}

// Check looks at the API and sends nothing.
func (a *API) Check() error { return nil }

// Ping sends, and does not tell whether it failed.
func (a *API) Ping(url string) { a.Get(url) }
