package agreement

import (
	"time"

	"github.com/ttlvet/ttlvet/internal/evidence"
	"github.com/ttlvet/ttlvet/internal/filter"
	"github.com/ttlvet/ttlvet/internal/registry"
)

// Excludes reports whether the filter of a read lets no cell of a family
// pass.
func Excludes(r *evidence.Read, family string) bool {
	if !r.Known || r.Tree == nil {
		return false
	}
	return filter.Judge(r.Tree, &registry.Family{Name: family, Strategy: registry.OneSecond, MaxAge: time.Second}).Verdict == filter.Excluded
}

// A Bound is what the filter of a read does to a family, whatever the
// family's strategy.
type Bound struct {
	Live   bool          // from now on
	Age    time.Duration // from so long ago on
	Latest int           // so many versions
	None   bool          // nothing bounds it
}

// BoundOf classifies a read of a family.
func BoundOf(r *evidence.Read, family string) (b Bound) {
	if !r.Known {
		return b
	}
	bounded := func(f registry.Family) bool {
		f.Name = family
		v := filter.Judge(r.Tree, &f)
		return v.Verdict == filter.Bounded && v.Problem == filter.None
	}
	b.None = r.Tree == nil
	if r.Tree == nil {
		return b
	}
	b.Live = bounded(registry.Family{Strategy: registry.OneSecond, MaxAge: time.Millisecond})
	walk(r.Tree, func(t *filter.Tree) {
		switch t.Op {
		case filter.TimeRange:
			if d, ok := t.Start.Exact(); ok && d < 0 && bounded(registry.Family{Strategy: registry.Default, TTL: -d, MaxAge: -d}) {
				b.Age = -d
			}
		case filter.LatestN:
			if t.NKnown && t.N > 0 && bounded(registry.Family{Strategy: registry.Sequence, Versions: t.N}) {
				b.Latest = t.N
			}
		}
	})
	return b
}

func walk(t *filter.Tree, f func(*filter.Tree)) {
	if t == nil {
		return
	}
	f(t)
	for _, s := range t.Sub {
		walk(s, f)
	}
}

// Verdict says in words what a read does for a declared family.
func Verdict(r *evidence.Read, f *registry.Family) string {
	switch {
	case f == nil:
		return ""
	case !r.Known:
		return "unknown: " + r.Reason
	case !f.Strategy.NeedsFilter():
		return "needs no bound"
	}
	v := filter.Judge(r.Tree, f)
	switch {
	case v.Verdict == filter.Unknown:
		return "unknown"
	case v.Verdict == filter.Bounded && v.Problem == filter.None:
		return "keeps dead cells out"
	case r.Checked:
		return "checked by hand"
	case v.Verdict == filter.Excluded:
		return "reads none of it"
	}
	switch v.Problem {
	case filter.ExpiredOnly:
		return "reads dead cells only"
	case filter.Ends, filter.HidesNewer:
		return "hides live cells"
	case filter.WrongBound:
		return "has the bound of another strategy"
	case filter.LimitsBefore:
		return "dead cells use up its limit"
	}
	return "lets dead cells pass"
}
