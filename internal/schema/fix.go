package schema

import (
	"github.com/ttlvet/ttlvet/internal/evidence"
	"github.com/ttlvet/ttlvet/internal/fix"
	"github.com/ttlvet/ttlvet/internal/gcpolicy"
	"github.com/ttlvet/ttlvet/internal/registry"
)

// A Fix is the edits that mend a finding. All are of the finding's file.
type Fix struct {
	Message string
	Unsafe  string // why a person should look at it first; "" when it is safe
	Edits   []evidence.Edit
}

// Title is the fix in words, with why it is unsafe.
func (f *Fix) Title() string { return fix.Title(f.Message, f.Unsafe) }

// A text is where a policy is written.
type text struct {
	file  string
	start int
}

// deletes is why a fix is unsafe: what stands in the file is applied to a
// table that is there.
const deletes = "cells of the family that are kept today are deleted when it is applied"

// rewrite returns the fix that writes the policy which a family needs in the
// place of the wrong one, or where there is none: where the text is of no other family, or of ones
// that need the same.
func (j *Judge) rewrite(s *evidence.Setting, f *registry.Family, category string) *Fix {
	if s.Written == nil {
		return nil
	}
	need := gcpolicy.Needed(f)
	keeps := true
	for _, o := range j.texts[text{s.Written.File, s.Written.Start}] {
		g, _ := j.Model.Family(ref(o), o.Family)
		if g == nil || g.Strategy == registry.Real && registry.Limits(g) == "" || o.Aggregate || (o.Policy == nil) != (s.Policy == nil) || !gcpolicy.Needed(g).Equal(need) || judged(g, need) {
			return nil
		}
		keeps = keeps && (o.Created && !o.Written.Apart || o.Policy != nil && need.Keeps(o.Policy))
	}
	if category == "policy-mismatch" && !need.Keeps(s.Policy) {
		return nil // as in Go: a fix must not delete what is there
	}
	made := &Fix{Message: "Set the policy that the strategy needs", Edits: s.Written.Rewrite(need)}
	if !keeps {
		made.Unsafe = deletes
	}
	return made.of(s.Place.File)
}

// mend returns the fix of a statement that does not do what is written,
// unless what it then does is wrong for the family, too.
func (j *Judge) mend(f *evidence.Fault) *Fix {
	if f.Mend == nil {
		return nil
	}
	if g, _ := j.Model.Family(ref(&evidence.Setting{Table: f.Table}), f.Family); g != nil && judged(g, f.Mend.Is) {
		return nil
	}
	made := &Fix{Message: "Write it as it is read", Edits: f.Mend.Edits}
	if f.Mend.Was == nil || !f.Mend.Is.Keeps(f.Mend.Was) {
		made.Unsafe = deletes
	}
	return made.of(f.Place.File)
}

// judged reports whether a policy is wrong for a family.
func judged(f *registry.Family, p *gcpolicy.Policy) bool {
	return (&gcpolicy.Setting{Family: f.Agreement(), Policy: p}).Judge() != nil
}

// of returns the fix if it edits the file and no other, else nil.
func (f *Fix) of(file string) *Fix {
	if len(f.Edits) == 0 {
		return nil
	}
	for _, e := range f.Edits {
		if e.File != file {
			return nil
		}
	}
	return f
}
