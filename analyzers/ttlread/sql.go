package ttlread

import (
	"fmt"
	"time"

	"github.com/ttlvet/ttlvet/analyzers/internal/check"
	"github.com/ttlvet/ttlvet/analyzers/internal/registry"
	"github.com/ttlvet/ttlvet/analyzers/internal/sql"
	"github.com/ttlvet/ttlvet/analyzers/internal/trace"
)

// statement judges a GoogleSQL statement that is given as a constant.
func statement(p *check.Pass, e *trace.Event, c trace.Case) []check.Finding {
	text, ok := c.Args[2].IsStr()
	if !ok {
		return nil
	}
	q, ok := sql.Parse(text)
	if !ok || q.Explicit {
		return nil
	}
	table, _ := p.Model.Table(registry.Ref{Name: q.Table})
	if table == nil {
		return nil
	}
	var out []check.Finding
	for _, f := range table.Families {
		if !q.Reads(f.Name) {
			continue
		}
		if what := judgeSQL(q, f); what != "" {
			t := check.Target{Family: f, Table: table}
			finding := check.Finding{Category: "sql", Family: f.Name, Message: "statement reads " + t.Name() + " " + what}
			if arg := e.Arg(c, 2); arg != nil {
				finding.At = arg
			}
			out = append(out, finding)
		}
	}
	return out
}

// judgeSQL says what is wrong with a statement for a family, "" for nothing
// that is certain.
func judgeSQL(q *sql.Query, f *registry.Family) string {
	switch f.Strategy {
	case registry.Sequence:
		if q.History && (q.LatestN == 0 || f.Versions > 0 && q.LatestN > f.Versions) && q.From == nil && q.To == nil {
			return fmt.Sprintf("with its history: superseded versions are returned until garbage collection removes them; add latest_n => %d", max(f.Versions, 1))
		}
	case registry.OneSecond:
		return expiringSQL(q, f, 0, "CURRENT_TIMESTAMP()")
	case registry.Default:
		return expiringSQL(q, f, -f.TTL, "TIMESTAMP_SUB(CURRENT_TIMESTAMP(), INTERVAL "+interval(f.TTL)+")")
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

// expiringSQL judges the time range of a statement over a family whose cells
// live from now plus life on.
func expiringSQL(q *sql.Query, f *registry.Family, life time.Duration, bound string) string {
	remedy := "; write FROM table(with_history => TRUE, after_or_equal => " + bound + ")"
	switch {
	case q.From == nil && q.To == nil:
		return "without a time range: expired cells are returned until garbage collection removes them" + remedy
	case q.From == nil && q.To.Known && q.To.Offset <= life:
		return "as of a time before which every cell has expired: expired cells only are returned" + remedy
	case q.From == nil || !q.From.Known:
		return ""
	case q.From.Offset > life+time.Second && f.Strategy == registry.Default, q.From.Offset > life+time.Second:
		return "from a time after life begins: live cells are hidden" + remedy
	case q.From.Offset < life-slack(f):
		return "from a time before life begins: expired cells are returned until garbage collection removes them" + remedy
	}
	return ""
}

// slack is how far before the moment of expiry a bound may lie: what garbage
// collection leaves for that long anyway.
func slack(f *registry.Family) time.Duration {
	if f.Strategy == registry.OneSecond {
		return f.MaxAge
	}
	return time.Second
}
