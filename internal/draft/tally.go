package draft

import (
	"slices"
	"time"

	"github.com/ttlvet/ttlvet/internal/agreement"
	"github.com/ttlvet/ttlvet/internal/evidence"
	"github.com/ttlvet/ttlvet/internal/gcpolicy"
)

// never is the lifetime from which on a moment of expiry means that there is
// none.
const never = 10 * 365 * 24 * time.Hour

// A tally counts the evidence for a family: each call once.
type tally struct {
	kinds     map[evidence.WriteKind]int
	lifetimes map[time.Duration]int // of writes that set the time of expiry
	reads     int                   // those whose filter is known
	live      int                   // reads of what expires after now
	ages      map[time.Duration]int // reads of what is younger
	latest    map[int]int           // reads of so many versions
}

func (t *tally) n(kinds ...evidence.WriteKind) (n int) {
	for _, k := range kinds {
		n += t.kinds[k]
	}
	return n
}

// mostly reports whether writes of some kinds are more than two in three of
// those that tell what they mean: the others may be mistakes, and may not.
func (t *tally) mostly(kinds ...evidence.WriteKind) bool {
	n := t.n(kinds...)
	return n > 0 && n*3 > t.telling()*2
}

func (t *tally) telling() int {
	return t.n(evidence.Future, evidence.Moved, evidence.Shifted, evidence.Clock, evidence.Number, evidence.ZeroWrite, evidence.Sloppy)
}

// zeros reports whether 0 is what is meant to be written: nobody does so by
// mistake, as the clock is written.
func (t *tally) zeros() bool {
	z, clock := t.n(evidence.ZeroWrite), t.n(evidence.Clock)
	return t.mostly(evidence.ZeroWrite) || z > 0 && z >= clock && z+clock == t.telling()
}

// onlyClock reports whether most writes set the time of writing, and none
// what is no time of writing on purpose: the clock in its place is the usual
// mistake, and the other way round is none. A time in a wrong unit is one,
// unless reads ask for several versions: those may be numbers.
func (t *tally) onlyClock() bool {
	several := false
	for n := range t.latest {
		several = several || n > 1
	}
	times := t.mostly(evidence.Clock) || !several && t.mostly(evidence.Clock, evidence.Sloppy)
	return times && t.n(evidence.Future, evidence.Number, evidence.ZeroWrite) == 0
}

// lifetime returns the lifetime that all writes give. Of a family that is not
// open, more than one has to tell it.
func (t *tally) lifetime(certain bool) time.Duration {
	for d, n := range t.lifetimes {
		if len(t.lifetimes) == 1 && (!certain || n > 1 && t.n(evidence.Moved, evidence.UnknownWrite) == 0) {
			return d
		}
	}
	return 0
}

// age returns the age up to which reads read, or 0: most of those that are
// bounded by time, of which there are more than of others.
func (t *tally) age() time.Duration {
	bounded := t.live
	for _, n := range t.ages {
		bounded += n
	}
	for d, n := range t.ages {
		if n*2 > bounded && n > t.reads-bounded {
			return d
		}
	}
	return 0
}

func count(f *agreement.Family) *tally {
	t := &tally{map[evidence.WriteKind]int{}, map[time.Duration]int{}, 0, 0, map[time.Duration]int{}, map[int]int{}}
	type call struct {
		what any
		at   evidence.Place
	}
	seen := map[call]bool{}
	once := func(what any, at evidence.Place) bool {
		c := call{what, at}
		fresh := !seen[c] || at == evidence.Place{}
		seen[c] = true
		return fresh
	}
	for _, w := range f.Writes {
		if w.Open && len(f.Writes) > 1 {
			continue // its callers are judged
		}
		if once(w.Kind, w.Place) {
			t.kinds[w.Kind]++
		}
		if w.Kind == evidence.Future && w.Lifetime > 0 && w.Lifetime < never && once(w.Lifetime, w.Place) {
			t.lifetimes[w.Lifetime]++
		}
	}
	for _, r := range f.Reads {
		b := agreement.BoundOf(r, f.Name)
		if r.Known && once("read", r.Place) {
			t.reads++
		}
		if b.Live && once("live", r.Place) {
			t.live++
		}
		if b.Age > 0 && once(b, r.Place) {
			t.ages[b.Age]++
		}
		if b.Latest > 0 && once(b, r.Place) {
			t.latest[b.Latest]++
		}
	}
	return t
}

// A stated policy is one that some statements give a family. What is stated
// outside of Go counts twice: it is there to be applied.
type stated struct {
	*gcpolicy.Policy
	n int
}

// A statedPolicies is what is said of the policies of a family.
type statedPolicies struct {
	list    []*stated
	n       int  // of all that are known
	unknown bool // some are not
	spoilt  bool // some say that it has none, or have an age whose unit was forgotten
}

// policies lists the different policies of a family that are known.
func policies(f *agreement.Family) (p statedPolicies) {
	tested := true
	for _, s := range f.Settings {
		tested = tested && s.Test
	}
	type statement struct {
		at     evidence.Place
		policy string
	}
	seen := map[statement]bool{}
	for _, s := range f.Settings {
		if s.Policy == nil || s.Test && !tested || seen[statement{s.Place, s.Policy.String()}] {
			continue
		}
		seen[statement{s.Place, s.Policy.String()}] = true
		switch {
		case !s.Policy.Exact():
			p.unknown = true
			continue
		case s.Policy.Normal().Op == gcpolicy.None || slip(s.Policy):
			p.spoilt = true
			continue
		}
		weight := 2
		if s.Kind == evidence.Go {
			weight = 1
		}
		p.n += weight
		i := slices.IndexFunc(p.list, func(q *stated) bool { return q.Equal(s.Policy) })
		if i < 0 {
			i = len(p.list)
			p.list = append(p.list, &stated{s.Policy, 0})
		}
		p.list[i].n += weight
	}
	return p
}

// slip reports whether an age in the policy lacks its unit: it says nothing.
func slip(p *gcpolicy.Policy) bool {
	found := false
	p.Walk(func(q *gcpolicy.Policy, _ bool) {
		found = found || q.Op == gcpolicy.MaxAge && gcpolicy.Slip(q.Age)
	})
	return found
}

// versions returns the number of versions that more than half of the statements
// keep, or 0.
func (p statedPolicies) versions() int {
	count := map[int]int{}
	for _, q := range p.list {
		if _, n, _ := limits(q.Policy); n > 0 {
			count[n] += q.n
		}
	}
	for v, n := range count {
		if n*2 > p.n && len(count) == 1 {
			return v
		}
	}
	return 0
}

// limits returns the age and the number of versions by which a policy
// deletes, and whether it does so by both together.
func limits(p *gcpolicy.Policy) (age time.Duration, versions int, both bool) {
	p.Normal().Walk(func(q *gcpolicy.Policy, _ bool) {
		switch q.Op {
		case gcpolicy.MaxAge:
			age = q.Age
		case gcpolicy.MaxVersions:
			versions = q.N
		case gcpolicy.Intersection:
			both = true
		}
	})
	return age, versions, both
}
