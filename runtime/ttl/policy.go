package ttl

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"cloud.google.com/go/bigtable"
)

// A condition is what a GC policy asks of a cell to delete it: to be older than
// the age, and to have at least so many newer cells in its column.
type condition struct {
	age      time.Duration // negative for any
	versions int           // 0 for any
}

// implies reports whether what satisfies c satisfies d too.
func (c condition) implies(d condition) bool { return c.age >= d.age && c.versions >= d.versions }

// A rule is a GC policy in normal form: it deletes what satisfies one of the
// conditions, of which none implies another. Policies that mean the same are
// the same rule. None is the rule that deletes nothing.
//
// https://cloud.google.com/bigtable/docs/garbage-collection#types
type rule []condition

func ruleOf(policy bigtable.GCPolicy) rule {
	var all rule
	switch p := policy.(type) {
	case bigtable.MaxAgeGCPolicy:
		return rule{{age: time.Duration(p)}}
	case bigtable.MaxVersionsGCPolicy:
		return rule{{age: -1, versions: int(p)}}
	case bigtable.UnionGCPolicy:
		for _, child := range p.Children {
			all = append(all, ruleOf(child)...)
		}
	case bigtable.IntersectionGCPolicy:
		for i, child := range p.Children {
			if i == 0 {
				all = ruleOf(child)
			} else {
				all = both(all, ruleOf(child))
			}
		}
	}
	return all.normal()
}

// both returns the conditions of cells that each of two rules deletes.
func both(a, b rule) rule {
	var all rule
	for _, c := range a {
		for _, d := range b {
			all = append(all, condition{max(c.age, d.age), max(c.versions, d.versions)})
		}
	}
	return all.normal()
}

// normal returns the rule without conditions that imply another, ages first.
func (r rule) normal() rule {
	var out rule
	for i, c := range r {
		redundant := false
		for j, d := range r {
			if c.implies(d) && (j < i || !d.implies(c)) {
				redundant = true
			}
		}
		if !redundant {
			out = append(out, c)
		}
	}
	slices.SortFunc(out, func(c, d condition) int { return cmp.Compare(c.versions, d.versions) })
	return out
}

// cut returns the rule with ages cut to seconds, as the client reports them.
func (r rule) cut() rule {
	out := slices.Clone(r)
	for i := range out {
		out[i].age = out[i].age.Truncate(time.Second)
		if r[i].age < 0 {
			out[i].age = -1
		}
	}
	return out.normal()
}

// same compares as far as the client reports policies.
func (r rule) same(other rule) bool { return slices.Equal(r.cut(), other.cut()) }

// covers reports whether r deletes all that the other rule deletes.
func (r rule) covers(other rule) bool {
	for _, c := range other {
		if !slices.ContainsFunc(r, c.implies) {
			return false
		}
	}
	return true
}

// never is the end of a cell that stays.
const never = math.MaxInt64

// end returns, in microseconds since 1970, when the life of a cell ends that
// has so many newer ones in its column. An age of up to a second is no
// lifetime: the timestamp is the end.
func (r rule) end(ts bigtable.Timestamp, newer int) int64 {
	end := int64(never)
	for _, c := range r {
		switch age := c.age.Microseconds(); {
		case newer < c.versions:
		case c.age < 0:
			return 0
		case c.age <= time.Second:
			end = min(end, int64(ts))
		case int64(ts) < never-age:
			end = min(end, int64(ts)+age)
		}
	}
	return end
}

// live returns the filter that passes what the rule does not delete at the
// time, each cell once.
func (r rule) live(now time.Time) bigtable.Filter {
	var all []bigtable.Filter
	for _, c := range r {
		bound := now.Add(-c.age)
		latest := bigtable.LatestNFilter(c.versions)
		switch {
		case c.age < 0:
			all = append(all, latest)
		case c.versions == 0:
			all = append(all, since(bound))
		case bound.UnixMilli() > 0:
			// An end of 0 would be no end.
			end := bigtable.Timestamp(bound.UnixMilli() * 1000)
			older := bigtable.ChainFilters(latest, bigtable.TimestampRangeFilterMicros(0, end))
			all = append(all, bigtable.InterleaveFilters(since(bound), older))
		}
	}
	return chain(all...)
}

// String returns the rule as text, for messages.
func (r rule) String() string {
	if len(r) == 0 {
		return "no policy"
	}
	var parts []string
	for _, c := range r {
		age, versions := fmt.Sprintf("max age %v", c.age), fmt.Sprintf("max versions %d", c.versions)
		switch {
		case c.age < 0:
			parts = append(parts, versions)
		case c.versions == 0:
			parts = append(parts, age)
		default:
			parts = append(parts, "("+age+" and "+versions+")")
		}
	}
	if len(parts) == 1 {
		return parts[0]
	}
	return "(" + strings.Join(parts, " or ") + ")"
}

// checkPolicy holds a policy to what the service accepts.
func checkPolicy(policy bigtable.GCPolicy) error {
	var children []bigtable.GCPolicy
	switch p := policy.(type) {
	case nil:
		return errors.New("the policy is nil: for none, use bigtable.NoGcPolicy()")
	case bigtable.MaxAgeGCPolicy:
		return checkAge("max age", time.Duration(p))
	case bigtable.MaxVersionsGCPolicy:
		return checkVersions(int(p))
	case bigtable.UnionGCPolicy:
		children = p.Children
	case bigtable.IntersectionGCPolicy:
		children = p.Children
	default:
		if policy != bigtable.NoGcPolicy() {
			return fmt.Errorf("the policy is of type %T, which is not known", policy)
		}
		return nil
	}
	if len(children) == 0 {
		return errors.New("the policy is a union or intersection of nothing")
	}
	for _, child := range children {
		if err := checkPolicy(child); err != nil {
			return err
		}
		if child == bigtable.NoGcPolicy() {
			return errors.New("the policy has no policy as a part")
		}
	}
	return nil
}

// since returns the filter for timestamps of t or later. Before 1970 there are
// none, and the service accepts no negative bound.
func since(t time.Time) bigtable.Filter {
	return bigtable.TimestampRangeFilterMicros(bigtable.Timestamp(max(0, t.UnixMicro())), 0)
}

// chain is bigtable.ChainFilters, which needs two, for any number of filters.
// One that is nil passes everything.
func chain(filters ...bigtable.Filter) bigtable.Filter {
	filters = slices.DeleteFunc(slices.Clone(filters), func(f bigtable.Filter) bool { return f == nil })
	switch len(filters) {
	case 0:
		return bigtable.PassAllFilter()
	case 1:
		return filters[0]
	}
	return bigtable.ChainFilters(filters...)
}
