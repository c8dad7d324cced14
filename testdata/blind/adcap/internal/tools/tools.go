// Package tools has the newer services on the typed layer.
package tools

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"time"

	"cloud.google.com/go/bigtable"

	"adcap.example/platform/internal/filters"
	"adcap.example/platform/internal/mutate"
	"adcap.example/platform/internal/schema"
	"adcap.example/platform/internal/typed"
)

// Note is a JSON value.
type Note struct {
	By   string `json:"by"`
	Text string `json:"text"`
}

var (
	capNote  = typed.Column[Note, typed.Expires]{Family: schema.FamCap, Name: "note", Codec: typed.JSON[Note]{}, Stamper: typed.Expires{After: schema.CapWindow}}
	segNote  = typed.Column[Note, typed.Wall]{Family: schema.FamSeg, Name: "note", Codec: typed.JSON[Note]{}}
	curNote  = typed.Column[Note, typed.Zero]{Family: schema.FamCur, Name: "note", Codec: typed.JSON[Note]{}}
	holdNote = typed.Column[Note, typed.Wall]{Family: schema.FamHold, Name: "note", Codec: typed.JSON[Note]{}}      // want ttlwrite/write-time[holdnote]
	revNote  = typed.Column[Note, typed.ServerSide]{Family: schema.FamRev, Name: "note", Codec: typed.JSON[Note]{}} // want ttlwrite/clock-in-sequence[revnote]
)

// Notes writes notes.
type Notes struct {
	caps, consent *bigtable.Table
	log           *slog.Logger
}

// NewNotes opens the tables.
func NewNotes(c *bigtable.Client, log *slog.Logger) *Notes {
	return &Notes{caps: c.Open(schema.TableFreqCap), consent: c.Open(schema.TableConsent), log: log}
}

// Annotate writes notes of the caps table.
func (n *Notes) Annotate(ctx context.Context, user string, note Note) error {
	m := bigtable.NewMutation()
	err := errors.Join(
		capNote.Put(m, note), // ok ttlwrite/write-time
		segNote.Put(m, note), // ok ttlwrite/write-time
	)
	if err != nil {
		return err
	}
	return n.caps.Apply(ctx, user, m)
}

// AnnotateConsent writes notes of the consent table.
func (n *Notes) AnnotateConsent(ctx context.Context, user string, note Note) error {
	m := bigtable.NewMutation()
	if err := curNote.Put(m, note); err != nil { // ok ttlwrite/clock-in-zero
		return err
	}
	if err := revNote.Put(m, note); err != nil { // want ttlwrite/clock-in-sequence[revnote]
		return err
	}
	return n.consent.Apply(ctx, user, m)
}

// AnnotateHold writes a note beside a hold.
func AnnotateHold(ctx context.Context, c *bigtable.Client, market, campaign string, note Note) error {
	m := bigtable.NewMutation()
	if err := holdNote.Put(m, note); err != nil { // want ttlwrite/write-time[holdnote]
		return err
	}
	return c.Open(market+schema.BudgetSuffix).Apply(ctx, campaign, m)
}

// Silence uses a session.
func (n *Notes) Silence(ctx context.Context, user string, d time.Duration) error {
	return typed.Begin(n.caps, user).
		SetFor(schema.FamCap, "silence", d, []byte("1")). // ok ttlwrite/write-time
		SetNow(schema.FamSeg, "silenced", nil).           // ok ttlwrite/write-time
		SetNow(schema.FamSeen, "silenced", nil).          // ok ttlwrite/write-time
		Commit(ctx)
}

// SilenceNow uses it wrongly.
func (n *Notes) SilenceNow(ctx context.Context, user string) error {
	s := typed.Begin(n.caps, user)
	s.SetNow(schema.FamCap, "silence", []byte("1"))                    // want ttlwrite/write-time
	s.SetAt(schema.FamCap, "by", bigtable.ServerTime, []byte("tools")) // want ttlwrite/server-timestamp
	s.SetAt(schema.FamSeg, "by", bigtable.ServerTime, []byte("tools")) // ok ttlwrite/server-timestamp
	return s.Commit(ctx)
}

// Resilence drops the column after it was set.
func (n *Notes) Resilence(ctx context.Context, user string) error {
	s := typed.Begin(n.caps, user).Drop(schema.FamCap, "silence") // ok ttlwrite/delete-after-set
	s.SetFor(schema.FamCap, "silence", time.Hour, []byte("2"))    // ok ttlwrite/write-time
	s.SetFor(schema.FamCap, "loud", time.Hour, []byte("0"))
	s.Drop(schema.FamCap, "loud") // want ttlwrite/delete-after-set
	return s.Commit(ctx)
}

// Number writes a revision with the clock, and one with a number.
func (n *Notes) Number(ctx context.Context, user string, number int64) error {
	s := typed.Begin(n.consent, user)
	s.SetNow(schema.FamRev, "note", nil)                     // want ttlwrite/clock-in-sequence
	s.SetAt(schema.FamRev, "other", mutate.Seq(number), nil) // ok ttlwrite/clock-in-sequence
	s.SetNow(schema.FamMeta, "note", nil)                    // ok ttlwrite/clock-in-sequence
	s.SetAt(schema.FamRev, "small", 42, nil)                 // want ttlwrite/unscaled-sequence
	s.SetAt(schema.FamRev, "large", 42_000, nil)             // ok ttlwrite/unscaled-sequence
	return s.Commit(ctx)
}

// Readers are built with options.
type Readers struct {
	caps, seen, grants, open, revs *typed.Filtered
}

// NewReaders builds them.
func NewReaders(c *bigtable.Client) *Readers {
	freq := c.Open(schema.TableFreqCap)
	cons := c.Open(schema.TableConsent)
	return &Readers{
		caps:   typed.NewReader(freq, typed.Bounded(func(now time.Time) bigtable.Filter { return filters.LiveFamily(schema.FamCap, now) }), typed.AtMost(500)), // ok ttlread/missing-filter
		seen:   typed.NewReader(freq, typed.Bounded(filters.Seen)),                                                                                             // ok ttlread/wrong-bound
		grants: typed.NewReader(cons, typed.Bounded(func(now time.Time) bigtable.Filter { return filters.LiveFamily(schema.FamGrant, now) })),                  // ok ttlread/missing-filter
		open:   typed.NewReader(cons, typed.Bounded(func(time.Time) bigtable.Filter { return bigtable.FamilyFilter(schema.FamGrant) })),                        // want ttlread/missing-filter[openreader]
		revs:   typed.NewReader(cons, typed.Bounded(func(time.Time) bigtable.Filter { return filters.Versions(schema.FamRev, 1) })),                            // ok ttlread/version-limit
	}
}

// Counts counts cells.
func (r *Readers) Counts(ctx context.Context) (live, exposures, grants, stored, revs int) {
	all := bigtable.InfiniteRange("")
	for range r.caps.Cells(ctx, all, schema.FamCap) { // ok ttlread/missing-filter
		live++
	}
	for range r.seen.Cells(ctx, all, schema.FamSeen) { // ok ttlread/missing-filter
		exposures++
	}
	for range r.grants.Cells(ctx, all, schema.FamGrant) { // ok ttlread/missing-filter
		grants++
	}
	for range r.open.Cells(ctx, all, schema.FamGrant) { // want ttlread/missing-filter[openreader]
		stored++
	}
	for range r.revs.Cells(ctx, all, schema.FamRev) { // ok ttlread/version-limit
		revs++
	}
	return live, exposures, grants, stored, revs
}

// readFunc is the method value that jobs are given.
type readFunc func(ctx context.Context, row string, opts ...bigtable.ReadOption) (bigtable.Row, error)

func count(ctx context.Context, read readFunc, key, family string, opts ...bigtable.ReadOption) (int, error) {
	row, err := read(ctx, key, opts...)
	return len(row[family]), err
}

// Stored compares what is stored with what lives.
func (n *Notes) Stored(ctx context.Context, user string) (dead int, err error) {
	all, err := count(ctx, n.caps.ReadRow, user, schema.FamCap, bigtable.RowFilter(bigtable.FamilyFilter(schema.FamCap))) // want ttlread/missing-filter
	if err != nil {
		return 0, err
	}
	live, err := count(ctx, n.caps.ReadRow, user, schema.FamCap, bigtable.RowFilter(filters.LiveFamily(schema.FamCap, time.Now()))) // ok ttlread/missing-filter
	return all - live, err
}

// StoredSegments counts the ordinary family.
func (n *Notes) StoredSegments(ctx context.Context, user string) (int, error) {
	return count(ctx, n.caps.ReadRow, user, schema.FamSeg) // ok ttlread/missing-filter
}

// choose returns family and timestamp together.
func choose(short bool, now time.Time) (string, bigtable.Timestamp) {
	if short {
		return schema.FamCap, bigtable.Time(now.Add(time.Hour))
	}
	return schema.FamSeen, bigtable.Time(now)
}

// Pair writes what choose chose.
func (n *Notes) Pair(ctx context.Context, user string, short bool) error {
	family, ts := choose(short, time.Now())
	m := bigtable.NewMutation()
	m.Set(family, "pair", ts, nil) // ok ttlwrite/write-time
	return n.caps.Apply(ctx, user, m)
}

// chooseWrong has one pair that is wrong.
func chooseWrong(hot map[string]bool, user string) (string, bigtable.Timestamp) {
	if hot[user] {
		return schema.FamCap, bigtable.Now() // want ttlwrite/write-time[choosewrong]
	}
	return schema.FamSeg, bigtable.Now()
}

// PairWrong writes what chooseWrong chose.
func (n *Notes) PairWrong(ctx context.Context, user string, hot map[string]bool) error {
	family, ts := chooseWrong(hot, user)
	m := bigtable.NewMutation()
	m.Set(family, "pair", ts, nil) // want ttlwrite/write-time[choosewrong]
	return n.caps.Apply(ctx, user, m)
}

// Guarded replaces the server's time by a real one.
func (n *Notes) Guarded(ctx context.Context, user string, ts bigtable.Timestamp) error {
	if ts == bigtable.ServerTime {
		ts = bigtable.Time(time.Now().Add(schema.CapWindow))
	}
	m := bigtable.NewMutation()
	m.Set(schema.FamCap, "guarded", ts, nil) // ok ttlwrite/server-timestamp
	return n.caps.Apply(ctx, user, m)
}

// GuardedDefault calls it with the server's time.
func (n *Notes) GuardedDefault(ctx context.Context, user string) error {
	return n.Guarded(ctx, user, bigtable.ServerTime) // ok ttlwrite/server-timestamp
}

// Newest keeps the newest notes of a scan; dead ones among them.
func (n *Notes) Newest(ctx context.Context, prefix string, k int) ([]string, error) {
	type hit struct {
		key string
		at  bigtable.Timestamp
	}
	var hits []hit
	err := n.caps.ReadRows(ctx, bigtable.PrefixRange(prefix), func(r bigtable.Row) bool { // want ttlread/missing-filter[newest]
		for _, it := range r[schema.FamCap] {
			hits = append(hits, hit{r.Key(), it.Timestamp})
		}
		return true
	}, bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter(schema.FamCap), bigtable.ColumnFilter("note")))) // want ttlread/missing-filter[newest]
	if err != nil {
		return nil, err
	}
	slices.SortFunc(hits, func(a, b hit) int { return int(b.at - a.at) })
	var out []string
	for _, h := range hits[:min(k, len(hits))] {
		out = append(out, h.key)
	}
	return out, nil
}

// ReadNote reads the note by the rule of its family.
func (n *Notes) ReadNote(ctx context.Context, user string) (Note, bool, error) {
	row, err := n.caps.ReadRow(ctx, user, bigtable.RowFilter(filters.FreqCap(time.Now()))) // ok ttlread/missing-filter
	if err != nil {
		return Note{}, false, err
	}
	return capNote.Get(row)
}

// ReadNoteFast reads it from everything that is there.
func (n *Notes) ReadNoteFast(ctx context.Context, user string) (Note, bool, error) {
	row, err := n.caps.ReadRow(ctx, user, bigtable.RowFilter(bigtable.ColumnFilter("note"))) // want ttlread/missing-filter
	if err != nil {
		return Note{}, false, err
	}
	return capNote.Get(row)
}

// ReadSegNote reads the note of the ordinary family.
func (n *Notes) ReadSegNote(ctx context.Context, user string) (Note, bool, error) {
	row, err := n.caps.ReadRow(ctx, user, bigtable.RowFilter(bigtable.ColumnFilter("note"))) // ok ttlread/missing-filter
	if err != nil {
		return Note{}, false, err
	}
	return segNote.Get(row)
}

// Swap is a conditional write of the hold family, whose predicate sees dead holds.
func Swap(ctx context.Context, c *bigtable.Client, market, campaign, id string) error {
	tbl := c.Open(market + schema.BudgetSuffix)
	set := bigtable.NewMutation()
	set.Set(schema.FamHold, id, mutate.Until(time.Now(), schema.HoldLifetime), nil) // ok ttlwrite/write-time
	pred := bigtable.ChainFilters(bigtable.FamilyFilter(schema.FamHold), bigtable.ColumnFilter(id), bigtable.LatestNFilter(1))
	return tbl.Apply(ctx, campaign, bigtable.NewCondMutation(pred, nil, set)) // want ttlread/conditional-mutation
}

// SwapLive sees only live ones.
func SwapLive(ctx context.Context, c *bigtable.Client, market, campaign, id string) error {
	tbl := c.Open(market + schema.BudgetSuffix)
	set := bigtable.NewMutation()
	set.Set(schema.FamHold, id, mutate.Until(time.Now(), schema.HoldLifetime), nil) // ok ttlwrite/write-time
	pred := filters.For(schema.FamHold).Column(id).From(time.Now()).Build()
	return tbl.Apply(ctx, campaign, bigtable.NewCondMutation(pred, nil, set)) // ok ttlread/conditional-mutation
}

// Upsert sets or prolongs; nil matches every row.
func Upsert(ctx context.Context, c *bigtable.Client, user string) error {
	tbl := c.Open(schema.TableConsent)
	set := bigtable.NewMutation()
	set.Set(schema.FamGrant, "p1", mutate.Until(time.Now(), schema.GrantLifetime), nil) // ok ttlwrite/write-time
	return tbl.Apply(ctx, user, bigtable.NewCondMutation(nil, set, nil))                // want ttlread/conditional-mutation
}
