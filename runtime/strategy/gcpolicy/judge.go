package gcpolicy

import (
	"fmt"

	"github.com/ttlvet/ttlvet/runtime/strategy"
)

// A Verdict is what is wrong with a policy for a family.
type Verdict struct {
	Category string  // of the analyzer ttlgc
	At       *Policy // the part of the policy at fault
	Message  string  // with the family's name, ready to be reported
	// Loosens reports whether the right policy certainly keeps more than the
	// wrong one.
	Loosens bool
}

// A Setting is a policy that somebody gives a declared family, in Go or
// elsewhere.
type Setting struct {
	Family *strategy.Family
	Name   string  // says which family it is, for messages
	Policy *Policy // not nil
	// Relaxes reports whether the service is told to ignore that it warns
	// of the change on replicated tables.
	Relaxes bool
	// Write writes a policy as the remedy of a message; nil writes it in Go.
	Write func(*Policy) string
}

// Judge returns what is wrong with the policy, or nil. It is the one place
// that decides so, for policies in Go and for those of schema files.
func (s *Setting) Judge() *Verdict {
	switch s.Family.Strategy {
	case strategy.Sequence:
		return s.sequence()
	case strategy.Zero:
		return s.zero()
	case strategy.OneSecond, strategy.Default:
		return s.expiring()
	case strategy.Real:
		return s.real()
	}
	return nil
}

// Right writes the policy that a family needs.
func (s *Setting) Right() string {
	p := Needed(s.Family)
	if s.Write != nil {
		return s.Write(p)
	}
	return p.Go()
}

// Needed returns the policy that a family's strategy needs.
func Needed(f *strategy.Family) *Policy {
	age := &Policy{Op: MaxAge, Age: f.MaxAge, AgeKnown: true}
	versions := &Policy{Op: MaxVersions, N: max(f.Versions, 1)}
	switch {
	case f.Strategy.Expires(), f.Strategy == strategy.Real && f.MaxAge > 0 && f.Versions == 0:
		return age
	case f.Strategy == strategy.Real && f.MaxAge > 0:
		return &Policy{Op: Union, Sub: []*Policy{age, versions}}
	}
	return versions
}

func (s *Setting) verdict(category string, at *Policy, format string, args ...any) *Verdict {
	return &Verdict{Category: category, At: at, Message: fmt.Sprintf(format, args...)}
}

// ages returns the first age that deletes by itself and the first that does
// not.
func (p *Policy) ages() (deletes, idle *Policy) {
	p.Walk(func(q *Policy, alone bool) {
		switch {
		case q.Op != MaxAge:
		case alone && deletes == nil:
			deletes = q
		case !alone && idle == nil:
			idle = q
		}
	})
	return deletes, idle
}

// limits returns the first limit of versions that deletes by itself and the
// first that does not.
func (p *Policy) limits() (deletes, idle *Policy) {
	p.Walk(func(q *Policy, alone bool) {
		switch {
		case q.Op != MaxVersions:
		case alone && deletes == nil:
			deletes = q
		case !alone && idle == nil:
			idle = q
		}
	})
	return deletes, idle
}

// Nothing reports whether a policy certainly collects nothing.
func (p *Policy) Nothing() bool {
	return p.Op == None || (p.Op == Union || p.Op == Intersection) && len(p.Sub) == 0
}

func (s *Setting) sequence() *Verdict {
	harmful, idle := s.Policy.ages()
	limit, _ := s.Policy.limits()
	switch {
	case harmful != nil:
		return s.verdict("age-on-sequence", harmful, "sets an age policy on %s: every number is an old timestamp, so every cell is deleted; set %s", s.Name, s.Right())
	case idle != nil:
		return s.verdict("age-on-sequence", idle, "sets an age in an intersection on %s: every number is an old timestamp, so the age has no effect; set %s alone", s.Name, s.Right())
	case s.Policy.Nothing():
		return s.verdict("no-policy", s.Policy, "sets a policy on %s that collects nothing: versions pile up; set %s", s.Name, s.Right())
	case s.Family.Versions == 0 || limit == nil || limit.N <= 0 || !s.Policy.Known() || s.Policy.least() == s.Family.Versions:
		return nil
	case limit.N < s.Family.Versions:
		v := s.verdict("policy-mismatch", limit, "keeps %s of %s, declared with %d: versions that readers need are deleted; set %s",
			counted(limit.N), s.Name, s.Family.Versions, s.Right())
		v.Loosens = true
		return v
	}
	return s.verdict("policy-mismatch", limit, "keeps %s of %s, declared with %d: superseded versions are read; set %s",
		counted(limit.N), s.Name, s.Family.Versions, s.Right())
}

// least returns the smallest number of versions that the policy keeps by
// itself, 0 for none.
func (p *Policy) least() int {
	n := 0
	p.Walk(func(q *Policy, alone bool) {
		if q.Op == MaxVersions && alone && (n == 0 || q.N < n) {
			n = q.N
		}
	})
	return n
}

func counted(n int) string {
	if n == 1 {
		return "1 version"
	}
	return fmt.Sprintf("%d versions", n)
}

func (s *Setting) zero() *Verdict {
	harmful, _ := s.Policy.ages()
	if harmful == nil {
		return nil
	}
	return s.verdict("age-on-zero", harmful, "sets an age policy on %s: timestamp 0 is older than any age, so every cell is deleted; set %s", s.Name, s.Right())
}

// expiring judges a policy for a family whose cells expire by their
// timestamps.
func (s *Setting) expiring() *Verdict {
	f := s.Family
	age, _ := s.Policy.ages()
	limit, _ := s.Policy.limits()
	switch {
	case limit != nil && limit != s.Policy && age != nil:
		return s.verdict("versions-with-expiry", limit, "limits the versions of %s: the cell that expires last survives, not the newest write; set %s alone", s.Name, s.Right())
	case age != nil && age.AgeKnown && !Slip(age.Age) && wrongAge(f, age):
		return s.verdict("age-mismatch", age, "sets the age %s on %s, declared with %s: %s; set %s",
			strategy.FormatDuration(age.Age), s.Name, strategy.FormatDuration(f.MaxAge), s.fate(age), s.Right())
	case age == nil && s.Policy.Known():
		return s.verdict("no-policy", s.Policy, "sets a policy on %s that deletes no cell by its age: expired cells are never collected; set %s", s.Name, s.Right())
	}
	return nil
}

// wrongAge reports whether an age contradicts the declared one: for
// one-second expiration a shorter one does no harm.
func wrongAge(f *strategy.Family, age *Policy) bool {
	if f.Strategy == strategy.OneSecond {
		return f.MaxAge > 0 && age.Age > f.MaxAge
	}
	return f.TTL > 0 && age.Age != f.TTL
}

func (s *Setting) fate(age *Policy) string {
	switch {
	case age.Age <= s.Family.MaxAge:
		return "live cells are deleted"
	case s.Relaxes:
		return "expired cells are read for longer; a replicated table allows at most 90 days more"
	}
	return "expired cells are read for longer"
}

// real judges a policy for an ordinary family by the limits that are
// declared: the policy must have their effect, and no other. What the
// registry does not state is not checked.
func (s *Setting) real() *Verdict {
	f := s.Family
	if f.MaxAge == 0 && f.Versions == 0 || !s.Policy.Known() || !s.Policy.numbersKnown() {
		return nil
	}
	if s.Policy.Equal(Needed(f)) || f.MaxAge > 0 && f.Versions > 0 && s.Policy.Equal(&Policy{Op: Intersection, Sub: Needed(f).Sub}) {
		return nil
	}
	age, idleAge := s.Policy.ages()
	limit, idleLimit := s.Policy.limits()
	declared := f.Limits()
	switch {
	case s.Policy.Nothing():
		return s.verdict("policy-mismatch", s.Policy, "sets a policy on %s that collects nothing, while it is declared with %s: nothing is ever deleted; set %s", s.Name, declared, s.Right())
	case age != nil && Slip(age.Age):
		return nil // the unit is the mistake
	case age != nil && f.MaxAge == 0 && f.Versions > 0:
		return s.verdict("policy-mismatch", age, "sets the age %s on %s, declared with %s alone: older cells are deleted although they are the newest; set %s",
			strategy.FormatDuration(age.Age), s.Name, declared, s.Right())
	case age != nil && f.MaxAge > 0 && age.Age != f.MaxAge:
		return s.verdict("policy-mismatch", age, "sets the age %s on %s, declared with %s: %s; set %s",
			strategy.FormatDuration(age.Age), s.Name, declared, longer(age.Age > f.MaxAge), s.Right())
	case limit != nil && f.Versions == 0:
		return s.verdict("policy-mismatch", limit, "keeps %s of %s, declared with %s alone: older versions are deleted before their time; set %s",
			counted(limit.N), s.Name, declared, s.Right())
	case limit != nil && limit.N != f.Versions:
		return s.verdict("policy-mismatch", limit, "keeps %s of %s, declared with %s: %s; set %s",
			counted(limit.N), s.Name, declared, longer(limit.N > f.Versions), s.Right())
	}
	at := s.Policy
	for _, q := range []*Policy{idleAge, idleLimit} {
		if q != nil && at == s.Policy {
			at = q
		}
	}
	return s.verdict("policy-mismatch", at, "sets a policy on %s that has not the effect of %s, with which it is declared: data stays longer than that; set %s", s.Name, declared, s.Right())
}

func longer(is bool) string {
	if is {
		return "data stays longer than that"
	}
	return "data is deleted before that"
}

// numbersKnown reports whether every age and number in the policy is known.
func (p *Policy) numbersKnown() bool {
	known := true
	p.Walk(func(q *Policy, _ bool) {
		if q.Op == MaxAge && !q.AgeKnown || q.Op == MaxVersions && q.N < 0 {
			known = false
		}
	})
	return known
}
