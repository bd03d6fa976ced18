package resend

import (
	"fmt"
	"maps"
	"slices"
)

// merge returns the ways, those that differ in only one set of outcomes as one.
func merge(ways []way) []way {
	sets := 0
	for _, x := range ways {
		sets = max(sets, len(x.Asks)+len(x.Sends))
	}
	for i := range sets {
		ways = mergeAt(ways, i)
	}
	for i := range ways {
		ways[i].Asks = slices.DeleteFunc(ways[i].Asks, func(a ask) bool {
			return !a.Unsure && (a.Is == wasNil|anyErr || a.Is == wasNil|anyStatus)
		})
	}
	return mergeAt(ways, -1)
}

// outcomesAt returns the i-th set of outcomes of a way, or nil.
func (x *way) outcomesAt(i int) *outcomes {
	switch {
	case i < 0:
	case i < len(x.Asks):
		return &x.Asks[i].Is
	case i-len(x.Asks) < len(x.Sends):
		return &x.Sends[i-len(x.Asks)].Came
	}
	return nil
}

// mergeAt joins the ways that differ at most in the i-th set of outcomes, and sorts
// them.
func mergeAt(ways []way, i int) []way {
	joined := make(map[string]way)
	for _, x := range ways {
		x.Asks, x.Sends = slices.Clone(x.Asks), slices.Clone(x.Sends)
		var came outcomes
		if o := x.outcomesAt(i); o != nil {
			came, *o = *o, 0
		}
		key := fmt.Sprint(x)
		if y, ok := joined[key]; ok {
			x = y
		}
		if o := x.outcomesAt(i); o != nil {
			*o |= came
		}
		joined[key] = x
	}
	out := make([]way, 0, len(joined))
	for _, key := range slices.Sorted(maps.Keys(joined)) {
		out = append(out, joined[key])
	}
	return out
}
