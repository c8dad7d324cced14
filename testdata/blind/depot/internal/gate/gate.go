// Package gate issues the passes with which drivers open the gates, and
// checks them.
package gate

import (
	"context"
	"crypto/rand"
	"encoding/base32"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"strconv"
	"strings"
	"sync"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/depot/internal/bt"
	"example.com/depot/internal/names"
	"example.com/depot/internal/seqx"
)

// Kind is what a pass is for.
type Kind string

// Kinds of passes.
const (
	Driver  Kind = "driver"
	Visitor Kind = "visitor"
	Crew    Kind = "crew"
)

// Lifetime is how long a pass of a kind lasts.
func (k Kind) Lifetime() time.Duration {
	switch k {
	case Visitor:
		return 4 * time.Hour
	case Crew:
		return 30 * 24 * time.Hour
	}
	return 12 * time.Hour
}

// Pass is a pass.
type Pass struct {
	Code    string
	Kind    Kind
	Bearer  string
	Issued  time.Time
	Expires time.Time
}

// ErrNoPass says that a code opens nothing.
var ErrNoPass = errors.New("pass does not open this gate")

const (
	colBearer = "bearer"
	colKind   = "kind"
	colUses   = "uses"
	colIssued = "issued"
)

// Office issues passes.
type Office struct {
	tbl   bt.Table
	clock bt.Clock
	log   *slog.Logger
}

// Option changes an office.
type Option func(*Office)

// WithClock gives an office another clock.
func WithClock(c bt.Clock) Option { return func(o *Office) { o.clock = c } }

// WithLogger gives an office a logger.
func WithLogger(l *slog.Logger) Option { return func(o *Office) { o.log = l } }

// NewOffice opens an office.
func NewOffice(c *bigtable.Client, opts ...Option) *Office {
	o := &Office{tbl: c.Open(names.GatePasses), clock: time.Now, log: slog.Default()}
	for _, opt := range opts {
		opt(o)
	}
	return o
}

// NewCode makes up a code.
func NewCode() string {
	var b [10]byte
	rand.Read(b[:])
	return base32.StdEncoding.EncodeToString(b[:])
}

// Issue makes a pass.
func (o *Office) Issue(ctx context.Context, k Kind, bearer string) (Pass, error) {
	now := o.clock()
	p := Pass{Code: NewCode(), Kind: k, Bearer: bearer, Issued: now, Expires: now.Add(k.Lifetime())}
	end := bigtable.Time(p.Expires)
	m := bigtable.NewMutation()
	m.Set("pass", colBearer, end, []byte(bearer))                // ok ttlwrite/write-time
	m.Set("pass", colKind, end, []byte(k))                       // ok ttlwrite/same-timestamp
	m.Set("info", colIssued, bigtable.Time(now), []byte(bearer)) // ok ttlwrite/write-time
	if err := o.tbl.Apply(ctx, p.Code, m); err != nil {
		return Pass{}, fmt.Errorf("issue: %w", err)
	}
	o.log.InfoContext(ctx, "pass issued", "kind", k, "expires", p.Expires)
	return p, nil
}

// IssueDay makes a pass that lasts until midnight.
func (o *Office) IssueDay(ctx context.Context, bearer string) (Pass, error) {
	now := o.clock()
	y, mo, d := now.Date()
	midnight := time.Date(y, mo, d+1, 0, 0, 0, 0, now.Location())
	p := Pass{Code: NewCode(), Kind: Visitor, Bearer: bearer, Issued: now, Expires: midnight}
	m := bigtable.NewMutation()
	m.Set("pass", colBearer, bigtable.Time(midnight), []byte(bearer)) // ok ttlwrite/write-time
	m.Set("pass", colKind, bigtable.Time(p.Issued), []byte(p.Kind))   // want ttlwrite/write-time
	return p, o.tbl.Apply(ctx, p.Code, m)
}

// IssueMany makes the passes of a crew.
func (o *Office) IssueMany(ctx context.Context, bearers iter.Seq[string]) error {
	writes := seqx.Map(bearers, func(name string) bt.Write {
		return bt.Write{Key: NewCode(), Mut: bt.Cells(bt.Cell{Family: names.Pass, Column: colBearer, At: bigtable.Now(), Value: []byte(name)})} // want ttlwrite/write-time
	})
	return bt.Bulk(ctx, o.tbl, writes, 50)
}

// IssueCrew is IssueMany for the long passes.
func (o *Office) IssueCrew(ctx context.Context, bearers iter.Seq[string]) error {
	end := bt.In(Crew.Lifetime())
	writes := seqx.Map(bearers, func(name string) bt.Write {
		return bt.Write{Key: NewCode(), Mut: bt.Cells(
			bt.Cell{Family: names.Pass, Column: colBearer, At: end.Timestamp(), Value: []byte(name)}, // ok ttlwrite/write-time
			bt.Cell{Family: names.Info, Column: colIssued, At: bigtable.Now(), Value: []byte(name)},  // ok ttlwrite/write-time
		)}
	})
	return bt.Bulk(ctx, o.tbl, writes, 50)
}

// Revoke ends a pass at once.
func (o *Office) Revoke(ctx context.Context, code string) error {
	m := bigtable.NewMutation()
	m.Set("pass", colBearer, bigtable.Time(o.clock().Add(-time.Minute)), nil) // want ttlwrite/already-expired
	return o.tbl.Apply(ctx, code, m)
}

// RevokeNow ends a pass by deleting it.
func (o *Office) RevokeNow(ctx context.Context, code, why string) error {
	m := bigtable.NewMutation()
	m.DeleteCellsInFamily("pass")
	m.Set("info", "revoked", bigtable.Time(o.clock()), []byte(why)) // ok ttlwrite/delete-after-set
	return o.tbl.Apply(ctx, code, m)
}

// Block makes a code unusable for good.
func (o *Office) Block(ctx context.Context, code string) error {
	m := bigtable.NewMutation()
	m.Set("pass", "blocked", 0, []byte{1})                   // want ttlwrite/already-expired
	m.Set("info", "blocked", bigtable.ServerTime, []byte{1}) // ok ttlwrite/server-timestamp
	return o.tbl.Apply(ctx, code, m)
}

// Suspend blocks a code for a time.
func (o *Office) Suspend(ctx context.Context, code string, d time.Duration) error {
	until := o.clock().Add(d)
	m := bigtable.NewMutation()
	m.Set("pass", "suspended", bigtable.Timestamp(until.Unix()), []byte{1}) // want ttlunit/wrong-unit|ttlwrite/already-expired
	return o.tbl.Apply(ctx, code, m)
}

// SuspendUntil blocks a code until a moment.
func (o *Office) SuspendUntil(ctx context.Context, code string, until time.Time) error {
	m := bigtable.NewMutation()
	m.Set("pass", "suspended", bigtable.Timestamp(until.UnixMicro()), []byte{1}) // ok ttlunit/wrong-unit
	return o.tbl.Apply(ctx, code, m)
}

// Use notes that a pass opened a gate.
func (o *Office) Use(ctx context.Context, code, gate string) error {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment("pass", colUses, 1)                   // want ttlwrite/read-modify-write
	rmw.AppendValue("info", "gates", []byte(gate+"\n")) // ok ttlwrite/read-modify-write
	row, err := o.tbl.(*bigtable.Table).ApplyReadModifyWrite(ctx, code, rmw)
	if err != nil {
		return err
	}
	o.log.DebugContext(ctx, "pass used", "cells", len(row["info"]))
	return nil
}

// Check finds the pass of a code.
func (o *Office) Check(ctx context.Context, code string) (Pass, error) {
	live := bigtable.ChainFilters(
		bigtable.FamilyFilter("pass"),
		bigtable.TimestampRangeFilter(o.clock(), time.Time{}),
		bigtable.LatestNFilter(1),
	)
	row, err := bt.One(ctx, o.tbl, code, bigtable.RowFilter(live)) // ok ttlread/missing-filter
	if err != nil {
		return Pass{}, errors.Join(ErrNoPass, err)
	}
	return passOf(code, row), nil
}

// Peek is Check for the screens, which show what was there too.
func (o *Office) Peek(ctx context.Context, code string) (Pass, error) {
	row, err := bt.One(ctx, o.tbl, code, bigtable.RowFilter(bigtable.LatestNFilter(1))) // want ttlread/missing-filter
	if err != nil {
		return Pass{}, err
	}
	p := passOf(code, row)
	for it := range bt.Items(row, names.Info) {
		if bt.Qualifier(it) == colIssued {
			p.Issued = it.Timestamp.Time() // ok ttlage/not-write-time
		}
	}
	return p, nil
}

// Bearer is who has a pass: only the newest cell of the live ones.
func (o *Office) Bearer(ctx context.Context, code string) (string, error) {
	row, err := o.tbl.ReadRow(ctx, code, // want ttlread/overridden-filter[bearer] // maybe ttlread/missing-filter
		bigtable.RowFilter(bt.LiveOnly(names.Pass, o.clock())), // want ttlread/overridden-filter[bearer] // maybe ttlread/missing-filter
		bigtable.RowFilter(bigtable.LatestNFilter(1)),          // want ttlread/overridden-filter[bearer] // maybe ttlread/missing-filter
	)
	if err != nil {
		return "", err
	}
	return passOf(code, row).Bearer, nil
}

func passOf(code string, row bigtable.Row) Pass {
	p := Pass{Code: code}
	for it := range bt.Items(row, names.Pass) {
		switch bt.Qualifier(it) {
		case colBearer:
			p.Bearer = string(it.Value)
			p.Expires = it.Timestamp.Time() // ok ttlage/not-write-time
		case colKind:
			p.Kind = Kind(it.Value)
		}
	}
	return p
}

// History tells when a pass was made and what was done with it.
func (o *Office) History(ctx context.Context, code string) ([]string, error) {
	row, err := bt.One(ctx, o.tbl, code, bt.With(bt.LiveOnly(names.Pass, o.clock()))) // ok ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	var lines []string
	for it := range bt.Items(row, names.Pass) {
		created := it.Timestamp.Time().Format(time.RFC3339) // want ttlage/not-write-time
		lines = append(lines, created+" "+bt.Qualifier(it))
	}
	return lines, nil
}

// Stamps tells until when the parts of a pass are good.
func (o *Office) Stamps(ctx context.Context, code string) (map[string]string, error) {
	row, err := bt.One(ctx, o.tbl, code, bt.With(bt.LiveOnly(names.Pass, o.clock()))) // ok ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	out := map[string]string{}
	for it := range bt.Items(row, names.Pass) {
		validUntil := it.Timestamp.Time().Format(time.RFC3339) // ok ttlage/not-write-time
		out[bt.Qualifier(it)] = validUntil
	}
	return out, nil
}

// Forever says whether a pass has no end.
func Forever(it bigtable.ReadItem) bool {
	return it.Timestamp == bigtable.ServerTime // want ttlage/server-sentinel
}

// Fresh says whether a write leaves its timestamp to the server.
func Fresh(c bt.Cell) bool {
	return c.At == bigtable.ServerTime // ok ttlage/server-sentinel
}

// Passes yields the passes of a kind.
func (o *Office) Passes(ctx context.Context, k Kind) iter.Seq2[Pass, error] {
	live := bt.Live(o.clock()) // want ttlread/hides-other-families[passes]
	return func(yield func(Pass, error) bool) {
		for row, err := range bt.Rows(ctx, o.tbl, bigtable.InfiniteRange(""), bigtable.RowFilter(live)) { // want ttlread/hides-other-families[passes]
			if err != nil {
				yield(Pass{}, err)
				return
			}
			p := passOf(row.Key(), row)
			if v, ok := bt.Value(row, names.Info, colIssued); ok {
				p.Bearer = strings.TrimSpace(string(v))
			}
			if p.Kind == k && !yield(p, nil) {
				return
			}
		}
	}
}

// Bearers yields who has a pass; nothing else of the rows is looked at.
func (o *Office) Bearers(ctx context.Context) iter.Seq2[string, error] {
	live := bt.Live(o.clock())
	return func(yield func(string, error) bool) {
		for row, err := range bt.Rows(ctx, o.tbl, bigtable.InfiniteRange(""), bigtable.RowFilter(live)) { // ok ttlread/hides-other-families
			if err != nil {
				yield("", err)
				return
			}
			if v, ok := bt.Value(row, names.Pass, colBearer); ok && !yield(string(v), nil) {
				return
			}
		}
	}
}

// Log yields what the gates noted of a pass.
func (o *Office) Log(ctx context.Context, code string) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		row, err := o.tbl.ReadRow(ctx, code, bigtable.RowFilter(bigtable.FamilyFilter("info"))) // ok ttlread/missing-filter
		if err != nil {
			yield("", err)
			return
		}
		v, _ := bt.Value(row, names.Info, "gates")
		for line := range strings.Lines(string(v)) {
			if !yield(strings.TrimSuffix(line, "\n"), nil) {
				return
			}
		}
	}
}

// opened is when the gates opened today; it is asked for once.
var opened = sync.OnceValue(time.Now) // want ttlwrite/stale-clock[opened]

// Shift makes a pass that lasts a shift of eight hours.
func (o *Office) Shift(ctx context.Context, bearer string, n int) error {
	m := bigtable.NewMutation()
	m.Set("pass", colBearer, bigtable.Time(opened().Add(8*time.Hour)), []byte(bearer)) // want ttlwrite/stale-clock[opened]
	m.Set("info", "shift", bigtable.Now(), []byte(strconv.Itoa(n)))                    // ok ttlwrite/write-time
	return o.tbl.Apply(ctx, NewCode(), m)
}

// never is far enough.
var never = sync.OnceValue(func() time.Time { return time.Now().AddDate(100, 0, 0) })

// Master makes a pass for the fire brigade.
func (o *Office) Master(ctx context.Context, bearer string) error {
	m := bigtable.NewMutation()
	m.Set("pass", colBearer, bigtable.Time(never()), []byte(bearer)) // ok ttlwrite/stale-clock
	return o.tbl.Apply(ctx, NewCode(), m)
}

// Cleanup deletes the passes that are over.
func (o *Office) Cleanup(ctx context.Context, gone iter.Seq[string]) error {
	dead := bigtable.ChainFilters(bt.Only(names.Pass), bigtable.TimestampRangeFilter(time.Unix(0, 0), o.clock()))
	wipe := bigtable.NewMutation()
	wipe.DeleteCellsInFamily("pass")
	return seqx.Each(ctx, 4, gone, func(ctx context.Context, code string) error {
		return o.tbl.Apply(ctx, code, bigtable.NewCondMutation(dead, wipe, nil)) // ok ttlread/conditional-mutation
	})
}

// Mark notes on a pass that it was seen, when there is one.
func (o *Office) Mark(ctx context.Context, code string) error {
	seen := bt.Cells(bt.Cell{Family: names.Info, Column: "seen", At: bigtable.Time(o.clock()), Value: []byte{1}}) // ok ttlwrite/write-time
	there := bigtable.ChainFilters(bt.Only(names.Pass), bigtable.LatestNFilter(1))                                // want ttlread/conditional-mutation[mark]
	return o.tbl.Apply(ctx, code, bigtable.NewCondMutation(there, seen, nil))                                     // want ttlread/conditional-mutation[mark]
}

// MarkLive is Mark for passes that are still good.
func (o *Office) MarkLive(ctx context.Context, code string) error {
	seen := bt.Cells(bt.Cell{Family: names.Info, Column: "seen", At: bigtable.Time(o.clock()), Value: []byte{1}})
	there := bigtable.ChainFilters(bt.LiveOnly(names.Pass, o.clock()), bigtable.LatestNFilter(1))
	return o.tbl.Apply(ctx, code, bigtable.NewCondMutation(there, seen, nil)) // ok ttlread/conditional-mutation
}
