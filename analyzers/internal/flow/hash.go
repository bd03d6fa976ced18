package flow

import "hash/maphash"

var seed = maphash.MakeSeed()

// Hash returns a hash of x that is the same in one process: for states that are told
// apart by the sum of the hashes of what they hold.
func Hash[T comparable](x T) uint64 { return maphash.Comparable(seed, x) }
