// Package own gives its functions the addresses of its variables and fields.
package own

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"
)

func put(ctx context.Context, tbl *bigtable.Table, mut *bigtable.Mutation) { tbl.Apply(ctx, "k", mut) }

func table(ctx context.Context, p *Port) {
	var tbl *bigtable.Table
	if err := p.Open("sessions", &tbl); err != nil {
		return
	}
	mut := bigtable.NewMutation()
	mut.Set("token", "a", bigtable.ServerTime, nil) // want `server-timestamp: .*"token" of table "sessions" uses the server timestamp`
	tbl.Apply(ctx, "k", mut)
}

func okTable(ctx context.Context, p *Port) {
	var tbl *bigtable.Table
	p.Open("bench", &tbl)
	mut := bigtable.NewMutation()
	mut.Set("token", "a", bigtable.ServerTime, nil)
	tbl.Apply(ctx, "k", mut)
}

func mounted(ctx context.Context, p *Port) {
	var tbl, bench *bigtable.Table
	p.Mount("sessions", &tbl)
	p.Mount("bench", &bench)
	mut := bigtable.NewMutation()
	mut.Set("token", "a", bigtable.ServerTime, nil) // want `server-timestamp: .*"token" of table "sessions" uses the server timestamp`
	put(ctx, tbl, mut)
	mut = bigtable.NewMutation()
	mut.Set("token", "a", bigtable.ServerTime, nil)
	bench.Apply(ctx, "k", mut)
}

// A store has its tables opened into its fields.
type store struct{ sessions, bench *bigtable.Table }

func (s *store) Init(p *Port) error {
	if err := p.Open("sessions", &s.sessions); err != nil {
		return err
	}
	return p.Mount("bench", &s.bench)
}

func (s *store) Close() { s.sessions, s.bench = nil, nil }

func (s *store) Read(ctx context.Context) bigtable.Row {
	row, _ := s.sessions.ReadRow(ctx, "k") // want `missing-filter: .*"token" of table "sessions"`
	return row
}

func (s *store) Bench(ctx context.Context) bigtable.Row {
	row, _ := s.bench.ReadRow(ctx, "k")
	return row
}

func (s *store) Write(ctx context.Context) {
	mut := bigtable.NewMutation()
	mut.Set("token", "a", bigtable.ServerTime, nil)
	s.bench.Apply(ctx, "k", mut)
	mut = bigtable.NewMutation()
	mut.Set("token", "a", bigtable.ServerTime, nil) // want `server-timestamp: .*"token" of table "sessions" uses the server timestamp`
	s.sessions.Apply(ctx, "k", mut)
}

// A view is made with its tables.
type view struct{ tbl, bench *bigtable.Table }

func newView(p *Port) (*view, error) {
	v := &view{}
	if err := p.Open("sessions", &v.tbl); err != nil {
		return nil, err
	}
	if err := p.Open("bench", &v.bench); err != nil {
		return nil, err
	}
	return v, nil
}

func (v *view) read(ctx context.Context) bigtable.Row {
	row, _ := v.tbl.ReadRow(ctx, "k") // want `missing-filter: .*"token" of table "sessions"`
	return row
}

func (v *view) okBench(ctx context.Context) bigtable.Row {
	row, _ := v.bench.ReadRow(ctx, "k")
	return row
}

var tbl *bigtable.Table

var bench *bigtable.Table

func Init(p *Port) {
	p.Open("sessions", &tbl)
	p.Open("bench", &bench)
}

func global(ctx context.Context) bigtable.Row {
	row, _ := tbl.ReadRow(ctx, "k") // want `missing-filter: .*"token" of table "sessions"`
	return row
}

func okGlobal(ctx context.Context) {
	mut := bigtable.NewMutation()
	mut.Set("token", "a", bigtable.ServerTime, nil)
	bench.Apply(ctx, "k", mut)
}

func filter(ctx context.Context, c *bigtable.Client) []byte {
	var f bigtable.Filter
	Filter(false, "token", &f)
	row, _ := c.Open("sessions").ReadRow(ctx, "k", bigtable.RowFilter(f)) // want `missing-filter`
	return row["token"][0].Value
}

func okFilter(ctx context.Context, c *bigtable.Client) []byte {
	var f bigtable.Filter
	Filter(true, "token", &f)
	row, _ := c.Open("sessions").ReadRow(ctx, "k", bigtable.RowFilter(f))
	return row["token"][0].Value
}

func okFilterByParam(ctx context.Context, c *bigtable.Client, live bool) []byte {
	f := bigtable.LatestNFilter(1)
	Filter(live, "token", &f)
	row, _ := c.Open("sessions").ReadRow(ctx, "k", bigtable.RowFilter(f))
	return row["token"][0].Value
}

func item(ctx context.Context, c *bigtable.Client) time.Duration {
	row, _ := c.Open("sessions").ReadRow(ctx, "k", bigtable.RowFilter(bigtable.TimestampRangeFilter(time.Now(), time.Time{})))
	var it bigtable.ReadItem
	if !First(row, "token", &it) {
		return 0
	}
	return time.Since(it.Timestamp.Time()) // want `not-write-time`
}

func okItem(ctx context.Context, c *bigtable.Client) time.Duration {
	row, _ := c.Open("sessions").ReadRow(ctx, "k", bigtable.RowFilter(bigtable.TimestampRangeFilter(time.Now(), time.Time{})))
	var it bigtable.ReadItem
	if !First(row, "profile", &it) {
		return 0
	}
	return time.Since(it.Timestamp.Time())
}

func row(ctx context.Context, c *bigtable.Client) []byte {
	var row bigtable.Row
	if Get(ctx, c.Open("sessions"), "k", &row) != nil { // want `missing-filter`
		return nil
	}
	return row["token"][0].Value
}

func okRow(ctx context.Context, c *bigtable.Client) []byte {
	var row bigtable.Row
	if Get(ctx, c.Open("sessions"), "k", &row) != nil {
		return nil
	}
	return row["profile"][0].Value
}

func okRowChecked(ctx context.Context, c *bigtable.Client) []byte {
	var row bigtable.Row
	if Get(ctx, c.Open("sessions"), "k", &row) != nil {
		return nil
	}
	if it := row["token"][0]; it.Timestamp > bigtable.Now() {
		return it.Value
	}
	return nil
}

func rowAll(ctx context.Context, c *bigtable.Client) (row bigtable.Row) {
	Get(ctx, c.Open("sessions"), "k", &row) // want `missing-filter`
	return row
}

func stamp(mut *bigtable.Mutation) {
	var ts bigtable.Timestamp
	Expiry(0, &ts)
	mut.Set("token", "a", ts, nil) // want `write-time`
}

func okStamp(mut *bigtable.Mutation) {
	ts := bigtable.Now()
	Expiry(time.Hour, &ts)
	mut.Set("token", "a", ts, nil)
}

func after(mut *bigtable.Mutation) {
	var ts bigtable.Timestamp
	Expiry(time.Hour, &ts)
	ts = bigtable.Now()
	mut.Set("token", "a", ts, nil) // want `write-time`
}

func element(mut *bigtable.Mutation) {
	var ts [2]bigtable.Timestamp
	Expiry(0, &ts[1])
	mut.Set("token", "a", ts[1], nil) // want `write-time`
}

func elements(mut *bigtable.Mutation) {
	var ts [2]bigtable.Timestamp
	Expiry(0, &ts[0])
	Expiry(time.Hour, &ts[1])
	mut.Set("token", "a", ts[0], nil) // want `write-time`
	mut.Set("token", "b", ts[1], nil)
}

func part(mut *bigtable.Mutation) {
	var w struct{ now, later Write }
	Expiry(0, &w.now.Stamp)
	Expiry(time.Hour, &w.later.Stamp)
	mut.Set("token", "a", w.now.Stamp, nil) // want `write-time`
	mut.Set("token", "b", w.later.Stamp, nil)
}

func whole(mut *bigtable.Mutation) {
	var now, later Write
	Fill(0, &now)
	Fill(time.Hour, &later)
	mut.Set(now.Family, "a", now.Stamp, nil) // want `write-time`
	mut.Set(later.Family, "b", later.Stamp, nil)
	later.Stamp = 0
	mut.Set(later.Family, "c", later.Stamp, nil) // want `already-expired`
}

func names(ctx context.Context, c *bigtable.Client) {
	var table, family string
	Names(&table, &family)
	mut := bigtable.NewMutation()
	mut.Set(family, "a", bigtable.Now(), nil) // want `write-time: .*"sessions"`
	c.Open(table).Apply(ctx, "k", mut)
}

// What is there before stays where it is not zero.
func okEnds(mut *bigtable.Mutation) {
	ends := time.Now().Add(time.Hour)
	Ends(0, &ends)
	mut.Set("token", "a", bigtable.Time(ends), nil)
}

func endsNow(mut *bigtable.Mutation) {
	var ends time.Time
	Ends(0, &ends)
	mut.Set("token", "a", bigtable.Time(ends), nil) // want `write-time`
}

func okOverride(mut *bigtable.Mutation) {
	ts := bigtable.Time(time.Now().Add(time.Minute))
	Override(&ts)
	mut.Set("token", "a", ts, nil)
}

func okParse(mut *bigtable.Mutation, s string) {
	var ts bigtable.Timestamp
	Parse(s, &ts)
	mut.Set("token", "a", ts, nil)
}

func okCall(mut *bigtable.Mutation, f func(*bigtable.Timestamp)) {
	var ts bigtable.Timestamp
	Call(f, &ts)
	mut.Set("token", "a", ts, nil)
}

func okFunc(mut *bigtable.Mutation, f func(*bigtable.Timestamp)) {
	var ts bigtable.Timestamp
	f(&ts)
	mut.Set("token", "a", ts, nil)
}

func okEither(mut *bigtable.Mutation, first bool) {
	var a, b bigtable.Timestamp
	Either(first, &a, &b)
	mut.Set("token", "a", a, nil)
}

func okKept(mut *bigtable.Mutation) {
	var ts bigtable.Timestamp
	Keep(&ts)
	Renew()
	mut.Set("token", "a", ts, nil)
}

func okInLoop(mut *bigtable.Mutation, n int) {
	ts := bigtable.Time(time.Now().Add(time.Hour))
	for i := range n {
		mut.Set("token", string(rune(i)), ts, nil)
		Expiry(time.Hour, &ts)
	}
}

func inLoop(mut *bigtable.Mutation, ds []time.Duration) {
	var ts bigtable.Timestamp
	for range ds {
		Expiry(0, &ts)
		mut.Set("token", "a", ts, nil) // want `write-time`
	}
}

func okLater(mut *bigtable.Mutation) {
	var ts bigtable.Timestamp
	Later(&ts)
	mut.Set("token", "a", ts, nil)
}
