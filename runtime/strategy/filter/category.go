package filter

import "github.com/ttlvet/ttlvet/runtime/strategy"

// Category names the rule of ttlread that a read breaks for a family of the
// strategy, "" for nothing that is certain. filtered reports whether the read
// has a filter at all.
func (r Result) Category(of strategy.Strategy, filtered bool) string {
	if r.Verdict == Excluded {
		return ""
	}
	switch r.Problem {
	case NoBound, NoLimit:
		switch {
		case r.Verdict != Unbounded || !of.NeedsFilter():
			return ""
		case r.Branch != nil:
			return "unfiltered-branch"
		case of == strategy.Sequence && filtered:
			return "version-limit"
		}
		return "missing-filter"
	case TooMany, LateLimit:
		return "version-limit"
	case WrongBound, HidesNewer:
		return "wrong-bound"
	case Stale:
		return "stale-bound"
	case ExpiredOnly:
		return "expired-only"
	case Ends:
		return "upper-bound"
	case LimitsBefore:
		return "limit-before-filter"
	}
	return ""
}
