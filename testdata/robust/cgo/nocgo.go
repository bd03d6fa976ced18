package cgo

import "net/http"

// Handler needs no C.
var Handler http.Handler
