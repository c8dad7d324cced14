package script

import (
	"strings"

	"github.com/ttlvet/ttlvet/analyzers/internal/evidence"
	"github.com/ttlvet/ttlvet/analyzers/internal/gcpolicy"
	"github.com/ttlvet/ttlvet/analyzers/internal/gcrule"
)

// written returns where a policy stands in the lines of its command, after
// the name of its family, or nil: it may come from a variable, be there
// twice, or stand in text of which the lines are not the file's.
func (r *replay) written(c command, family, policy string) *evidence.Written {
	at := r.place(c)
	last := max(at.End.Line, at.Line)
	start, end, ok := evidence.Lines(r.data, at.Line, last)
	if !ok || strings.Contains(family, unknown) {
		return nil
	}
	i, ok := evidence.Only(r.data[start:end], family+policy)
	if !ok {
		return nil
	}
	start += i + len(family)
	return &evidence.Written{File: r.file, Start: start, Rewrite: func(p *gcpolicy.Policy) []evidence.Edit {
		text := gcrule.WriteCBT(p)
		if text == "" || strings.Contains(text, " ") {
			return nil // it may want quotes, which may be those of another language
		}
		return []evidence.Edit{{File: r.file, Start: start, End: start + len(policy), New: text}}
	}}
}
