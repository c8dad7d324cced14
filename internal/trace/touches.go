package trace

import (
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"

	"github.com/ttlvet/ttlvet/internal/btapi"
	"github.com/ttlvet/ttlvet/internal/trace/event"
	"github.com/ttlvet/ttlvet/internal/trace/kind"
	"github.com/ttlvet/ttlvet/internal/trace/summary"
)

// touches reports whether anything that the package names has to do with Bigtable: what
// is the client's, a function that does something with it, or of which it must be asked
// what it returns, a field that holds a function or the time of a cell. A package that
// only imports others that reach Bigtable has no events of its own. It matters to its
// importers as one does that cannot reach it.
func touches(pass *analysis.Pass, cellTimes []string) bool {
	reaches := func(obj types.Object) bool { return pass.ImportPackageFact(obj.Pkg(), &summary.Reach{}) }
	asked := map[types.Object]bool{}
	for _, obj := range pass.TypesInfo.Uses {
		if obj.Pkg() == nil || obj.Pkg() == pass.Pkg || asked[obj] {
			continue
		}
		asked[obj] = true
		if btapi.IsClient(obj.Pkg().Path()) {
			return true
		}
		switch obj := obj.(type) {
		case *types.Var:
			if kind.IsFunc(obj.Type()) && reaches(obj) || obj.IsField() && slices.ContainsFunc(cellTimes, func(key string) bool { return strings.HasSuffix(key, "."+obj.Name()) }) {
				return true
			}
		case *types.Func:
			var s summary.Summary
			if pass.ImportObjectFact(obj.Origin(), &s) && (len(s.Rows)+len(s.Flows) > 0 || slices.ContainsFunc(s.Effects, ofClient)) {
				return true
			}
			if tells(obj) && reaches(obj) {
				return true
			}
		}
	}
	return false
}

// ofClient reports whether an effect is one whatever the function is given: no time that
// it takes, no function that it calls.
func ofClient(e summary.Effect) bool { return e.Op != event.Callback && !event.OfTimes(e.Op) }

// tells reports whether a function returns a time, a number that may be one, or a function.
func tells(fn *types.Func) bool {
	for v := range fn.Signature().Results().Variables() {
		basic, ok := kind.Deref(v.Type()).Underlying().(*types.Basic)
		if ok && basic.Kind() == types.Int64 || kind.IsFunc(v.Type()) || btapi.Type(kind.Deref(v.Type())) == "time.Time" {
			return true
		}
	}
	return false
}
