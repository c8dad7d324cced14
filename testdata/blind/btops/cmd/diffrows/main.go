// diffrows compares rows of two instances: after a migration, after a restore,
// and when somebody says that replication has lost something.
//
//	diffrows -other riders-restored sessions|passcodes|journeys|ledger|audit
package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"cloud.google.com/go/bigtable"

	"github.com/tramway/btops/internal/btx"
	"github.com/tramway/btops/internal/schema"
	"github.com/tramway/btops/internal/tenant"
)

var (
	opts   btx.Options
	other  = flag.String("other", "", "the other instance")
	prefix = flag.String("key-prefix", "", "rows that start so")
	most   = flag.Int("most", 100, "differences that are printed")
)

// reader is one side.
type reader interface {
	ReadRows(ctx context.Context, arg bigtable.RowSet, f func(bigtable.Row) bool, opts ...bigtable.ReadOption) error
}

// counted is a reader that counts.
type counted struct {
	reader
	rows int
}

func (c *counted) ReadRows(ctx context.Context, arg bigtable.RowSet, f func(bigtable.Row) bool, opts ...bigtable.ReadOption) error {
	return c.reader.ReadRows(ctx, arg, func(r bigtable.Row) bool {
		c.rows++
		return f(r)
	}, opts...)
}

// pair is both sides of one table.
type pair struct {
	name string
	a, b *counted
}

func main() {
	opts.Register(flag.CommandLine)
	flag.Parse()
	if *other == "" {
		btx.Fatal(errors.New("-other?"))
	}
	ctx, cancel := opts.Context()
	defer cancel()
	ca, err := opts.Client(ctx)
	btx.Fatal(err)
	defer ca.Close()
	second := opts
	second.Instance = *other
	cb, err := second.Client(ctx)
	btx.Fatal(err)
	defer cb.Close()
	both := func(table string) pair {
		return pair{table, &counted{reader: ca.Open(table)}, &counted{reader: cb.Open(table)}}
	}
	var n int
	switch flag.Arg(0) {
	case "sessions":
		n, err = sessions(ctx, both(schema.Sessions))
	case "passcodes":
		n, err = passcodes(ctx, ca.Open(schema.Passcodes), cb.Open(schema.Passcodes))
	case "journeys":
		n, err = journeys(ctx, ca.Open(schema.Journeys), cb.Open(schema.Journeys))
	case "ledger":
		n, err = ledger(ctx, ca.Open(tenant.LedgerName("prod", "north")), cb.Open(tenant.LedgerName("prod", "north")))
	case "audit":
		n, err = all(ctx, both(schema.Audit))
	case "any":
		n, err = all(ctx, both(flag.Arg(1)))
	default:
		err = errors.New("which table?")
	}
	btx.Fatal(err)
	fmt.Println(n, "differences")
	if n > 0 {
		os.Exit(1)
	}
}

// stream sends rows to a channel and closes it.
func stream(ctx context.Context, t reader, ro ...bigtable.ReadOption) (<-chan bigtable.Row, <-chan error) {
	rows, errs := make(chan bigtable.Row, 16), make(chan error, 1)
	go func() {
		defer close(rows)
		errs <- t.ReadRows(ctx, bigtable.PrefixRange(*prefix), func(r bigtable.Row) bool {
			select {
			case rows <- r:
				return true
			case <-ctx.Done():
				return false
			}
		}, ro...)
	}()
	return rows, errs
}

// merge walks both sides in the order of keys.
func merge(a, b <-chan bigtable.Row, f func(ra, rb bigtable.Row)) {
	ra, oka := <-a
	rb, okb := <-b
	for oka || okb {
		switch {
		case !okb || oka && ra.Key() < rb.Key():
			f(ra, nil)
			ra, oka = <-a
		case !oka || rb.Key() < ra.Key():
			f(nil, rb)
			rb, okb = <-b
		default:
			f(ra, rb)
			ra, oka = <-a
			rb, okb = <-b
		}
	}
}

type differences struct{ n int }

func (d *differences) add(format string, args ...any) {
	if d.n++; d.n <= *most {
		fmt.Printf(format+"\n", args...)
	}
}

func same(x, y []bigtable.ReadItem) bool {
	return slices.EqualFunc(x, y, func(p, q bigtable.ReadItem) bool {
		return p.Column == q.Column && p.Timestamp == q.Timestamp && bytes.Equal(p.Value, q.Value) // ok ttlage/server-sentinel
	})
}

// all compares every cell.
func all(ctx context.Context, p pair) (int, error) {
	var d differences
	ra, ea := stream(ctx, p.a) // ok ttlread/missing-filter
	rb, eb := stream(ctx, p.b) // ok ttlread/missing-filter
	merge(ra, rb, func(x, y bigtable.Row) {
		families := map[string]bool{}
		for f := range x {
			families[f] = true
		}
		for f := range y {
			families[f] = true
		}
		for _, f := range slices.Sorted(maps.Keys(families)) {
			if !same(x[f], y[f]) {
				d.add("%s %s differs", cmp.Or(x.Key(), y.Key()), f)
			}
		}
	})
	fmt.Fprintln(os.Stderr, p.name, p.a.rows, p.b.rows)
	return d.n, errors.Join(<-ea, <-eb)
}

// sessions compares profiles, and tokens that live.
func sessions(ctx context.Context, p pair) (int, error) {
	var d differences
	now := time.Now()
	dead := func(it bigtable.ReadItem) bool { return it.Timestamp.Time().Before(now) } // ok ttlage/not-write-time
	left := map[string][]bigtable.ReadItem{}
	err := p.a.ReadRows(ctx, bigtable.PrefixRange(*prefix), func(r bigtable.Row) bool { // ok ttlread/missing-filter
		left[r.Key()] = slices.DeleteFunc(r[schema.Token], dead)
		return true
	}, bigtable.RowFilter(bigtable.FamilyFilter(schema.Token)))
	if err != nil {
		return 0, err
	}
	err = p.b.ReadRows(ctx, bigtable.PrefixRange(*prefix), func(r bigtable.Row) bool { // want ttlread/missing-filter[difftokens]
		if !same(left[r.Key()], r[schema.Token]) {
			d.add("%s: tokens differ", r.Key())
		}
		delete(left, r.Key())
		return true
	}, bigtable.RowFilter(bigtable.FamilyFilter(schema.Token))) // want ttlread/missing-filter[difftokens]
	if err != nil {
		return d.n, err
	}
	for k := range left {
		d.add("%s is missing", k)
	}
	// Profiles, one by one.
	names := map[string]string{}
	err = p.a.ReadRows(ctx, bigtable.PrefixRange(*prefix), func(r bigtable.Row) bool { // ok ttlread/missing-filter
		names[r.Key()] = btx.Value(r, schema.Profile, "name")
		return true
	}, btx.Newest())
	if err != nil {
		return d.n, err
	}
	err = p.b.ReadRows(ctx, bigtable.PrefixRange(*prefix), func(r bigtable.Row) bool { // ok ttlread/missing-filter
		if v := btx.Value(r, schema.Profile, "name"); v != names[r.Key()] {
			d.add("%s: %q, %q", r.Key(), names[r.Key()], v)
		}
		return true
	}, btx.Newest())
	return d.n, err
}

// passcodes compares what is there of codes.
func passcodes(ctx context.Context, a, b *bigtable.Table) (int, error) {
	var d differences
	count := func(t *bigtable.Table, f bigtable.Filter) (n int, err error) {
		err = t.ReadRows(ctx, bigtable.PrefixRange(*prefix), func(r bigtable.Row) bool { // want ttlread/missing-filter[diffcodes]
			n += len(r[schema.Code])
			return true
		}, bigtable.RowFilter(f))
		return n, err
	}
	na, err := count(a, bigtable.LatestNFilter(1)) // want ttlread/missing-filter[diffcodes]
	if err != nil {
		return 0, err
	}
	nb, err := count(b, bigtable.ChainFilters(btx.Live(), bigtable.LatestNFilter(1))) // ok ttlread/missing-filter
	if err != nil {
		return 0, err
	}
	if na != nb {
		d.add("%d and %d codes", na, nb)
	}
	var ka, kb []string
	keys := func(into *[]string) func(bigtable.Row) bool {
		return func(r bigtable.Row) bool { *into = append(*into, r.Key()); return true }
	}
	strip := bigtable.RowFilter(bigtable.StripValueFilter())
	if err := a.ReadRows(ctx, bigtable.PrefixRange(*prefix), keys(&ka), strip); err != nil { // ok ttlread/missing-filter
		return d.n, err
	}
	if err := b.ReadRows(ctx, bigtable.PrefixRange(*prefix), keys(&kb), strip); err != nil { // ok ttlread/missing-filter
		return d.n, err
	}
	if !slices.Equal(ka, kb) {
		d.add("keys: %s / %s", strings.Join(ka, " "), strings.Join(kb, " "))
	}
	return d.n, nil
}

// journeys compares the legs of the last thirty days.
func journeys(ctx context.Context, a, b *bigtable.Table) (int, error) {
	var d differences
	thirty := bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter(schema.Leg), btx.Within(30*24*time.Hour)))
	seven := bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter(schema.Leg), btx.Within(7*24*time.Hour))) // want ttlread/wrong-bound[diffseven]
	ra, ea := stream(ctx, a, thirty)                                                                                  // ok ttlread/wrong-bound
	rb, eb := stream(ctx, b, seven)                                                                                   // want ttlread/wrong-bound[diffseven]
	merge(ra, rb, func(x, y bigtable.Row) {
		if !same(x[schema.Leg], y[schema.Leg]) {
			d.add("%s differs", cmp.Or(x.Key(), y.Key()))
		}
		for _, it := range y[schema.Leg] {
			if written := it.Timestamp.Time(); written.Year() < 2020 { // want ttlage/not-write-time
				d.add("%s written %s", it.Row, written.Format(time.DateOnly)) // maybe ttlage/not-write-time
			}
		}
	})
	return d.n, errors.Join(<-ea, <-eb)
}

// ledger compares entries and copies what is missing.
func ledger(ctx context.Context, a, b *bigtable.Table) (int, error) {
	var d differences
	five := bigtable.RowFilter(bigtable.LatestNFilter(5))
	ra, ea := stream(ctx, a, five) // ok ttlread/version-limit
	rb, eb := stream(ctx, b, five) // ok ttlread/version-limit
	var aerr error
	merge(ra, rb, func(x, y bigtable.Row) {
		if same(x[schema.Entry], y[schema.Entry]) && same(x[schema.Total], y[schema.Total]) {
			return
		}
		d.add("%s differs", cmp.Or(x.Key(), y.Key()))
		if x == nil || opts.DryRun || aerr != nil {
			return
		}
		m := bigtable.NewMutation()
		for _, it := range x[schema.Entry] {
			m.Set(schema.Entry, strings.TrimPrefix(it.Column, "entry:"), it.Timestamp, it.Value) // ok ttlwrite/unscaled-sequence
		}
		for _, it := range x[schema.Total] {
			m.Set(schema.Total, strings.TrimPrefix(it.Column, "total:"), 0, it.Value) // ok ttlwrite/clock-in-zero
		}
		m.Set(schema.Total, "copied", bigtable.Now(), nil)          // want ttlwrite/clock-in-zero
		m.Set(schema.Entry, "copied", bigtable.Timestamp(d.n), nil) // want ttlwrite/unscaled-sequence
		aerr = b.Apply(ctx, x.Key(), m)
	})
	return d.n, errors.Join(<-ea, <-eb, aerr)
}
