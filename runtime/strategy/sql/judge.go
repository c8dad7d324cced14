package sql

import (
	"fmt"
	"time"

	"github.com/ttlvet/ttlvet/runtime/strategy"
)

// Judge says what is wrong with a statement for a family that it reads, with
// the remedy, "" for nothing that is certain.
func (q *Query) Judge(f *strategy.Family) string {
	switch f.Strategy {
	case strategy.Sequence:
		if q.History && (q.LatestN == 0 || f.Versions > 0 && q.LatestN > f.Versions) && q.From == nil && q.To == nil {
			return fmt.Sprintf("with its history, and returns superseded versions; add latest_n => %d", max(f.Versions, 1))
		}
	case strategy.OneSecond:
		return q.expiring(f, 0, "CURRENT_TIMESTAMP()")
	case strategy.Default:
		return q.expiring(f, -f.TTL, "TIMESTAMP_SUB(CURRENT_TIMESTAMP(), INTERVAL "+interval(f.TTL)+")")
	}
	return ""
}

// interval writes a duration as SQL does.
func interval(d time.Duration) string {
	const day = 24 * time.Hour
	if d%day == 0 {
		return fmt.Sprintf("%d DAY", d/day)
	}
	return fmt.Sprintf("%d SECOND", d/time.Second)
}

// expiring judges the time range of a statement over a family whose cells
// live from now plus life on.
func (q *Query) expiring(f *strategy.Family, life time.Duration, bound string) string {
	remedy := "; write FROM table(with_history => TRUE, after_or_equal => " + bound + ")"
	switch {
	case q.From == nil && q.To == nil:
		return "without a time range, and returns expired cells" + remedy
	case q.From == nil && q.To.Known && q.To.Offset <= life:
		return "as of a time before which every cell has expired: expired cells only are returned" + remedy
	case q.From == nil:
		return "with an upper bound only, and returns expired cells" + remedy
	case !q.From.Known:
		return ""
	case q.From.Offset > life+time.Second:
		return "from a later time than the oldest live cell has: live cells are hidden" + remedy
	case q.From.Offset < life-slack(f):
		return "from an earlier time than the oldest live cell has, and returns expired cells" + remedy
	}
	return ""
}

// slack is how far before the moment of expiry a bound may lie: what garbage
// collection leaves for that long anyway.
func slack(f *strategy.Family) time.Duration {
	if f.Strategy == strategy.OneSecond {
		return f.MaxAge
	}
	return time.Second
}
