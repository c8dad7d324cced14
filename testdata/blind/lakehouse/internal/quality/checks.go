package quality

import (
	"fmt"
	"regexp"
	"time"
	"unicode/utf8"

	"cloud.google.com/go/bigtable"

	"example.com/lakehouse/internal/etl"
	"example.com/lakehouse/internal/schema"
)

// Required reports rows without a column.
type Required struct {
	Table, Family string
	Columns       []string
}

// Name implements Check.
func (r Required) Name() string { return "required:" + r.Table }

// Row implements Check.
func (r Required) Row(row bigtable.Row) []Problem {
	have := map[string]bool{}
	for _, it := range row[r.Family] {
		have[etl.Column(it)] = true
	}
	var out []Problem
	for _, c := range r.Columns {
		if !have[c] {
			out = append(out, Problem{Table: r.Table, Row: row.Key(), Column: r.Family + ":" + c, Severity: Bad, Text: "missing"})
		}
	}
	return out
}

// Pattern reports values that do not match.
type Pattern struct {
	Table, Column string
	RE            *regexp.Regexp
}

// Name implements Check.
func (p Pattern) Name() string { return "pattern:" + p.Column }

// Row implements Check.
func (p Pattern) Row(row bigtable.Row) []Problem {
	var out []Problem
	for _, items := range row {
		for _, it := range items {
			if it.Column == p.Column && !p.RE.Match(it.Value) {
				out = append(out, Problem{Table: p.Table, Row: it.Row, Column: it.Column, Severity: Warn, Text: "no match"})
			}
		}
	}
	return out
}

// UTF8 reports values that are no text.
type UTF8 struct{ Table, Family string }

// Name implements Check.
func (u UTF8) Name() string { return "utf8:" + u.Family }

// Row implements Check.
func (u UTF8) Row(row bigtable.Row) []Problem {
	var out []Problem
	for _, it := range row[u.Family] {
		if !utf8.Valid(it.Value) {
			out = append(out, Problem{Table: u.Table, Row: it.Row, Column: it.Column, Severity: Bad, Text: "no utf-8"})
		}
	}
	return out
}

// Stale reports entities that nobody wrote for Max: ordinary cells, so their
// timestamps are dates.
type Stale struct{ Max time.Duration }

// Name implements Check.
func (Stale) Name() string { return "stale" }

// Row implements Check.
func (s Stale) Row(row bigtable.Row) []Problem {
	var out []Problem
	for _, it := range row[schema.FamEntity] {
		if age := time.Since(it.Timestamp.Time()); age > s.Max { // ok ttlage/not-write-time
			out = append(out, Problem{Table: schema.TableFeatures, Row: it.Row, Column: it.Column, Severity: Info, Text: fmt.Sprintf("%s old", age.Round(time.Hour))})
		}
	}
	return out
}

// StaleOnline is Stale for the online family, copied and not thought about.
type StaleOnline struct{ Max time.Duration }

// Name implements Check.
func (StaleOnline) Name() string { return "stale-online" }

// Row implements Check.
func (s StaleOnline) Row(row bigtable.Row) []Problem {
	var out []Problem
	for _, it := range row[schema.FamOnline] {
		if age := time.Since(it.Timestamp.Time()); age > s.Max { // want ttlage/not-write-time
			out = append(out, Problem{Table: schema.TableFeatures, Row: it.Row, Column: it.Column, Severity: Warn, Text: fmt.Sprintf("%s old", age.Round(time.Minute))})
		}
	}
	return out
}

// Monotonic reports watermarks whose positions go back.
type Monotonic struct{}

// Name implements Check.
func (Monotonic) Name() string { return "monotonic" }

// Row implements Check.
func (Monotonic) Row(row bigtable.Row) []Problem {
	var out []Problem
	items := row[schema.FamWatermark]
	for i := 1; i < len(items); i++ {
		if items[i].Column == items[i-1].Column && string(items[i].Value) > string(items[i-1].Value) && items[i].Timestamp < items[i-1].Timestamp {
			out = append(out, Problem{
				Table: schema.TableOffsets, Row: row.Key(), Column: items[i].Column, Severity: Bad,
				Text:   fmt.Sprintf("number %d is behind number %d", etl.SeqOf(items[i-1].Timestamp), etl.SeqOf(items[i].Timestamp)),
				SeenAt: time.Now().Format(time.RFC3339),
			})
		}
	}
	return out
}
