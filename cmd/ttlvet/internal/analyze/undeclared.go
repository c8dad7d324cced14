package analyze

import (
	"fmt"
	"maps"
	"slices"

	"golang.org/x/tools/go/analysis/checker"

	"github.com/ttlvet/ttlvet/internal/check"
)

// noteRegistries says so of modules that reach Bigtable when nothing declares a
// table for them.
func (j *Job) noteRegistries(actions []*checker.Action) {
	notes := map[string]string{} // by module
	for _, act := range actions {
		note, known := check.RegistryNote(act.Result)
		if !known {
			continue
		}
		module := ""
		if m := act.Package.Module; m != nil {
			module = m.Path
		}
		if before, seen := notes[module]; !seen || before != "" {
			notes[module] = note
		}
	}
	for _, module := range slices.Sorted(maps.Keys(notes)) {
		switch note := notes[module]; {
		case note == "":
		case len(notes) == 1:
			fmt.Fprintf(j.Stderr, "ttlvet: %s\n", note)
		default:
			fmt.Fprintf(j.Stderr, "ttlvet: %s: %s\n", module, note)
		}
	}
}
