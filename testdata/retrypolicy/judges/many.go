package judges

import (
	"net/http"
	"strings"
	"time"
)

// An API has a helper with many callers: the fault is the helper's, which is told once.
type API struct{ url string }

func (a *API) do(req *http.Request) (resp *http.Response, err error) {
	for range 3 {
		if req.GetBody != nil {
			if req.Body, err = req.GetBody(); err != nil {
				return nil, err
			}
		}
		if resp, err = http.DefaultClient.Do(req); err == nil { // want "http.DefaultClient.Do sends a POST again after a transport error"
			return resp, nil
		}
		time.Sleep(time.Second)
	}
	return nil, err
}

func (a *API) Add(text string) (*http.Response, error) {
	req, err := http.NewRequest("POST", a.url+"/add", strings.NewReader(text))
	if err != nil {
		return nil, err
	}
	return a.do(req)
}

func (a *API) Append(text string) (*http.Response, error) {
	req, err := http.NewRequest("POST", a.url+"/append", strings.NewReader(text))
	if err != nil {
		return nil, err
	}
	return a.do(req)
}

func (a *API) Book(text string) (*http.Response, error) {
	req, err := http.NewRequest("POST", a.url+"/book", strings.NewReader(text))
	if err != nil {
		return nil, err
	}
	return a.do(req)
}

func (a *API) Copy(text string) (*http.Response, error) {
	req, err := http.NewRequest("POST", a.url+"/copy", strings.NewReader(text))
	if err != nil {
		return nil, err
	}
	return a.do(req)
}

func (a *API) Create(text string) (*http.Response, error) {
	req, err := http.NewRequest("POST", a.url+"/create", strings.NewReader(text))
	if err != nil {
		return nil, err
	}
	return a.do(req)
}

func (a *API) Grant(text string) (*http.Response, error) {
	req, err := http.NewRequest("POST", a.url+"/grant", strings.NewReader(text))
	if err != nil {
		return nil, err
	}
	return a.do(req)
}

func (a *API) Invite(text string) (*http.Response, error) {
	req, err := http.NewRequest("POST", a.url+"/invite", strings.NewReader(text))
	if err != nil {
		return nil, err
	}
	return a.do(req)
}

func (a *API) Merge(text string) (*http.Response, error) {
	req, err := http.NewRequest("POST", a.url+"/merge", strings.NewReader(text))
	if err != nil {
		return nil, err
	}
	return a.do(req)
}

func (a *API) Order(text string) (*http.Response, error) {
	req, err := http.NewRequest("POST", a.url+"/order", strings.NewReader(text))
	if err != nil {
		return nil, err
	}
	return a.do(req)
}
