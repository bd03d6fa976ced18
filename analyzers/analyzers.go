// Package analyzers lists the analysis passes of httpvet.
package analyzers

import (
	"golang.org/x/tools/go/analysis"

	"github.com/httpvet/httpvet/analyzers/bodydrain"
	"github.com/httpvet/httpvet/analyzers/failnow"
	"github.com/httpvet/httpvet/analyzers/idempotencykey"
	"github.com/httpvet/httpvet/analyzers/retrypolicy"
	"github.com/httpvet/httpvet/analyzers/shutdowndrain"
	"github.com/httpvet/httpvet/analyzers/statusrelay"
	"github.com/httpvet/httpvet/analyzers/timeoutstatus"
	"github.com/httpvet/httpvet/analyzers/transportreuse"
)

// All returns the passes of httpvet, sorted by name.
func All() []*analysis.Analyzer {
	return []*analysis.Analyzer{
		bodydrain.Analyzer,
		failnow.Analyzer,
		idempotencykey.Analyzer,
		retrypolicy.Analyzer,
		shutdowndrain.Analyzer,
		statusrelay.Analyzer,
		timeoutstatus.Analyzer,
		transportreuse.Analyzer,
	}
}
