package falsepos

import (
	"io"
	"net/http"
)

// certPool is a module of a server, which is provisioned once for each load of the
// configuration.
type certPool struct {
	urls []string
	pems [][]byte
}

// Provision fetches what the module needs, over connections of its own: it runs
// once a configuration, not once a request.
func (p *certPool) Provision() error {
	tr := http.DefaultTransport.(*http.Transport).Clone()
	tr.ForceAttemptHTTP2 = false
	client := http.Client{Transport: tr}
	for _, url := range p.urls {
		resp, err := client.Get(url)
		if err != nil {
			return err
		}
		pem, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if err != nil {
			return err
		}
		p.pems = append(p.pems, pem)
	}
	return nil
}

// LoadConfig runs when the server starts, or is told to load again.
func LoadConfig(url string) ([]byte, error) {
	client := &http.Client{Transport: &http.Transport{DisableCompression: true}}
	resp, err := client.Get(url)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	return io.ReadAll(resp.Body)
}
