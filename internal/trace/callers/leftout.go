package callers

import (
	"github.com/ttlvet/ttlvet/internal/trace/memory"
	"github.com/ttlvet/ttlvet/internal/value"
)

// A command that opens a store only to read leaves out of its configuration
// what the store's writes need: a field that is left out says nothing of methods that
// it may not call.

// withoutLeftOut returns an argument of what a constructor's objects do, with
// the fields unknown that the call leaves out of a struct that it gives.
func withoutLeftOut(v *value.Value, args *memory.Arguments) *value.Value {
	return v.Rewrite(func(w *value.Value) *value.Value {
		var path []string
		f := w.Base()
		for ; f.Kind == value.Field; f = f.Args[0].Base() {
			path = append([]string{value.FieldName(f.Name)}, path...)
		}
		if len(path) == 0 {
			return nil
		}
		if f.Kind != value.Param || args.At(int(f.Num)) == nil || !args.LeavesOut(int(f.Num), path) {
			return w
		}
		return forgotten(w, "a field that is left out, of what a command makes")
	})
}
