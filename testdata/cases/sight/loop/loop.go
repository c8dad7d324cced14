// Package loop writes to one cell turn after turn.
package loop

import (
	"context"
	"errors"
	"iter"
	"maps"
	"sort"
	"strconv"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/cases/sight/loop/lib"
)

func zero(ctx context.Context, c *bigtable.Client, vals [][]byte) error {
	m := bigtable.NewMutation()
	for _, v := range vals {
		m.Set("latest", "v", 0, v) // want `same-timestamp: .*in a loop`
	}
	return c.Open("catalog").Apply(ctx, "s", m)
}

func expiry(rates []string, ttl time.Duration) *bigtable.Mutation {
	m := bigtable.NewMutation()
	ts := bigtable.Time(time.Now().Add(ttl))
	for _, r := range rates {
		m.Set("token", "rate", ts, []byte(r)) // want `same-timestamp`
	}
	return m
}

func counting(rates []string) *bigtable.Mutation {
	m := bigtable.NewMutation()
	for i := 0; i < len(rates); i++ {
		m.Set("entry", "rate", 5000, []byte(rates[i])) // want `same-timestamp`
	}
	return m
}

func ints(n int) *bigtable.Mutation {
	m := bigtable.NewMutation()
	for i := range n {
		m.Set("entry", "n", 1000, []byte(strconv.Itoa(i))) // want `same-timestamp`
	}
	return m
}

func overMap(fields map[string][]byte, expires time.Time) *bigtable.Mutation {
	m := bigtable.NewMutation()
	for _, v := range fields {
		m.Set("ticket", "field", bigtable.Time(expires), v) // want `same-timestamp`
	}
	return m
}

func overSequence(vals iter.Seq[[]byte], at bigtable.Timestamp) *bigtable.Mutation {
	m := bigtable.NewMutation()
	for v := range vals {
		m.Set("entry", "v", at, v) // want `same-timestamp`
	}
	return m
}

func overValues(vals map[string][]byte, n int64) *bigtable.Mutation {
	m := bigtable.NewMutation()
	for v := range maps.Values(vals) {
		m.Set("entry", "v", bigtable.Timestamp(n*1000), v) // want `same-timestamp`
	}
	return m
}

func overChannel(ch <-chan []byte, n int64) *bigtable.Mutation {
	m := bigtable.NewMutation()
	for v := range ch {
		m.Set("entry", "v", bigtable.Timestamp(n)*1000, v) // want `same-timestamp`
	}
	return m
}

// The mutation and the time come from the caller.
func fill(m *bigtable.Mutation, at time.Time, vals [][]byte) {
	for _, v := range vals {
		m.Set("ticket", "v", bigtable.Time(at.Add(time.Hour)), v) // want `same-timestamp`
	}
}

// The family too: only the caller knows that it is wrong.
func fillFamily(m *bigtable.Mutation, family string, at time.Time, vals [][]byte) {
	for _, v := range vals {
		m.Set(family, "v", bigtable.Time(at), v)
	}
}

func filled(m *bigtable.Mutation, at time.Time, vals [][]byte) {
	fillFamily(m, "ticket", at, vals) // want `same-timestamp`
	fillFamily(m, "profile", at, vals)
}

type event struct {
	Expires time.Time
	Lines   []line
}

type line struct {
	Name    string
	Value   []byte
	Expires time.Time
}

func (e *event) mutation() *bigtable.Mutation {
	m := bigtable.NewMutation()
	for _, l := range e.Lines {
		if len(l.Value) == 0 {
			continue
		}
		m.Set("ticket", "line", bigtable.Time(e.Expires), l.Value) // want `same-timestamp`
	}
	return m
}

type ledger struct{ next int64 }

func (l *ledger) number() int64 { l.next++; return l.next }

func (l *ledger) balance(vals [][]byte) (*bigtable.Mutation, error) {
	m := bigtable.NewMutation()
	last := l.number()
	for _, v := range vals {
		if v == nil {
			return nil, errors.New("no value")
		}
		m.Set("entry", "balance", bigtable.Timestamp(last*1000), v) // want `same-timestamp`
	}
	return m, nil
}

func put(m *bigtable.Mutation, column string, at bigtable.Timestamp, v []byte) {
	m.Set("entry", column, at, v)
}

func puts(m *bigtable.Mutation, at bigtable.Timestamp, lines []line) {
	for _, l := range lines {
		put(m, "line", at, l.Value) // want `same-timestamp`
	}
}

func inner(rows map[string][]line) []*bigtable.Mutation {
	var out []*bigtable.Mutation
	for _, lines := range rows {
		m := bigtable.NewMutation()
		for _, l := range lines {
			put(m, "line", 2000, l.Value) // want `same-timestamp`
		}
		out = append(out, m)
	}
	return out
}

func nested(m *bigtable.Mutation, groups [][]line, n int64) {
	for _, g := range groups {
		for _, l := range g {
			m.Set("entry", "line", bigtable.Timestamp(n*1000), l.Value) // want `same-timestamp`
		}
	}
}

func literal(m *bigtable.Mutation, n int64, lines []line) {
	add := func(v []byte) {
		m.Set("entry", "line", bigtable.Timestamp(n*1000), v) // want `same-timestamp`
	}
	for _, l := range lines {
		add(l.Value)
	}
}

// Each row that is read writes to one cell.
func perRow(ctx context.Context, tbl *bigtable.Table, m *bigtable.Mutation, n int64) error {
	return tbl.ReadRows(ctx, bigtable.PrefixRange("a"), func(r bigtable.Row) bool {
		m.Set("entry", "line", bigtable.Timestamp(n*1000), []byte(r.Key())) // want `same-timestamp`
		return true
	}, bigtable.RowFilter(bigtable.StripValueFilter()))
}

func across(m *bigtable.Mutation, n int64, lines []line) {
	for _, l := range lines {
		lib.Last(m, "last", n, l.Value) // not seen: same-timestamp
	}
}

func acrossAll(m *bigtable.Mutation, vs [][]byte) {
	lib.All(m, "latest", 0, vs) // want `same-timestamp`
	lib.All(m, "profile", 0, vs)
}

func acrossBatch(lines []line) *lib.Batch {
	b := lib.NewBatch(4000)
	for _, l := range lines {
		b.Put("entry", "line", l.Value) // not seen: same-timestamp
	}
	return b
}

func flush(ctx context.Context, tbl *bigtable.Table, lines []line) error {
	m := bigtable.NewMutation()
	n := 0
	for _, l := range lines {
		m.Set("entry", "line", 7000, l.Value) // want `same-timestamp`
		if n++; n%100 == 0 {
			if err := tbl.Apply(ctx, "k", m); err != nil {
				return err
			}
			m = bigtable.NewMutation()
		}
	}
	return tbl.Apply(ctx, "k", m)
}

// Silent: column, time or mutation change from turn to turn.
func changing(m *bigtable.Mutation, lines []line, byName map[string]line, n int64) []*bigtable.Mutation {
	for _, l := range lines {
		m.Set("entry", l.Name, 2000, l.Value)
		m.Set("ticket", "v", bigtable.Time(l.Expires), l.Value)
		put(m, l.Name, 3000, l.Value)
		lib.Last(m, l.Name, n, l.Value)
	}
	for i, l := range lines {
		m.Set("entry", "a", bigtable.Timestamp(int64(i+1)*1000), l.Value)
		put(m, "b", bigtable.Timestamp(int64(i+1)*1000), l.Value)
		lib.Last(m, "c", int64(i), l.Value)
	}
	for _, l := range lines {
		n++
		m.Set("entry", "d", bigtable.Timestamp(n*1000), l.Value)
	}
	num := &ledger{}
	for _, l := range lines {
		m.Set("entry", "e", bigtable.Timestamp(num.number()*1000), l.Value)
		num.next++
		m.Set("entry", "f", bigtable.Timestamp(num.next*1000), l.Value)
	}
	for _, column := range []string{"x", "y"} {
		m.Set("entry", column, 1000, nil)
	}
	b := lib.NewBatch(1000)
	for _, l := range lines {
		b.Next("entry", "g", l.Value)
		b.Put("entry", l.Name, l.Value)
	}
	var out []*bigtable.Mutation
	for _, l := range byName {
		m := bigtable.NewMutation()
		m.Set("entry", "h", 1000, l.Value)
		lib.Last(m, "h2", n, l.Value)
		out = append(out, m)
	}
	muts := make([]*bigtable.Mutation, len(lines))
	for i := range lines {
		muts[i] = bigtable.NewMutation()
	}
	for i, l := range lines {
		muts[i].Set("entry", "i", 1000, l.Value)
	}
	for _, m := range muts {
		m.Set("entry", "j", 1000, nil)
	}
	return append(out, muts...)
}

// Silent: in one turn only.
func once(m *bigtable.Mutation, fields map[string][]byte, lines []line) {
	for k, v := range fields {
		switch k {
		case "name":
			m.Set("entry", "name", 1000, v)
		case "mail":
			put(m, "mail", 1000, v)
		}
	}
	for _, l := range lines {
		if l.Name == "total" {
			m.Set("entry", "total", 1000, l.Value)
			break
		}
	}
	for i, l := range lines {
		if i == 0 {
			m.Set("entry", "first", 1000, l.Value)
		}
		if i == len(lines)-1 {
			m.Set("entry", "end", 1000, l.Value)
		}
	}
	seen := false
	for _, l := range lines {
		if !seen {
			m.Set("entry", "once", 1000, l.Value)
			seen = true
		}
	}
	for {
		m.Set("entry", "one", 1000, nil)
		if len(lines) > 0 {
			return
		}
		break
	}
}

// Silent: the last of them is meant, and the largest.
func best(m *bigtable.Mutation, lines []line) {
	largest := 0
	for _, l := range lines {
		if n := len(l.Value); n > largest {
			largest = n
			m.Set("entry", "best", 1000, l.Value)
		}
	}
}

// Silent: sent in each turn.
func retry(ctx context.Context, tbl *bigtable.Table, v []byte) (err error) {
	m := bigtable.NewMutation()
	for range 3 {
		m.Set("entry", "retried", 1000, v)
		if err = tbl.Apply(ctx, "k", m); err == nil {
			return nil
		}
	}
	return err
}

// Silent: the columns are those of a list.
func sorted(m *bigtable.Mutation, fields map[string][]byte) {
	var names []string
	for name := range fields {
		names = append(names, name)
	}
	sort.Strings(names)
	for _, name := range names {
		m.Set("latest", name, 0, fields[name])
	}
}
