// Package plain knows nothing of servers.
package plain

// Each calls f with each element.
func Each[T any](list []T, f func(T)) {
	for _, x := range list {
		f(x)
	}
}
