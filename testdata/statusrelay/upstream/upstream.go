// Package upstream says where the server is whose answers the fixtures relay.
package upstream

import "net/http"

// Client and URL reach the server; a test sets them.
var (
	Client = http.DefaultClient
	URL    = "http://127.0.0.1:1/"
)
