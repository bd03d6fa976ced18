// Package later says what may be tried again; its callers do not see how.
package later

import "net/http"

// Worth reports whether another attempt may go better after a status.
func Worth(status int) bool {
	switch status {
	case http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return true
	}
	return false
}
