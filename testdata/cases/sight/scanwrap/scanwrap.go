// Package scanwrap dates cells of a family with two meanings in functions that are
// handed to a wrapper of ReadRows, which gives them to the client as they are.
package scanwrap

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/cases/sight/scanwrap/scan"
)

type visit struct{ Modified time.Time }

func each(ctx context.Context, t *bigtable.Table, f func(bigtable.Row) bool, opts ...bigtable.ReadOption) error {
	return t.ReadRows(ctx, bigtable.PrefixRange(""), f, opts...)
}

func latest() bigtable.ReadOption { return bigtable.RowFilter(bigtable.LatestNFilter(1)) }

func wrapped(ctx context.Context, c *bigtable.Client) (out []visit, err error) {
	err = each(ctx, c.Open("a-diary"), func(r bigtable.Row) bool {
		for _, it := range r["page"] {
			out = append(out, visit{Modified: it.Timestamp.Time()}) // want `not-write-time: .*"page" of table "\*-diary"`
		}
		return true
	}, latest())
	return out, err
}

// formatted is handed to it, too.
func formatted(ctx context.Context, c *bigtable.Client) (out []string, err error) {
	err = each(ctx, c.Open("a-diary"), func(r bigtable.Row) bool {
		for _, it := range r["page"] {
			out = append(out, "written "+it.Timestamp.Time().Format(time.RFC3339)) // want `not-write-time: .*"page" of table "\*-diary"`
			println(time.Now().Sub(it.Timestamp.Time()))                           // want `not-write-time: .*"page" of table "\*-diary"`
		}
		return true
	}, latest())
	return out, err
}

func okWrapped(ctx context.Context, c *bigtable.Client) (out []visit, err error) {
	err = each(ctx, c.Open("diaries"), func(r bigtable.Row) bool {
		for _, it := range r["page"] {
			out = append(out, visit{Modified: it.Timestamp.Time()})
		}
		return true
	})
	return out, err
}

// twice is handed on by two wrappers, as an argument of a named type.
type handler func(bigtable.Row) bool

func through(ctx context.Context, t *bigtable.Table, f handler) error {
	return each(ctx, t, f, latest())
}

func twice(ctx context.Context, c *bigtable.Client) (age time.Duration, err error) {
	err = through(ctx, c.Open("a-diary"), func(r bigtable.Row) bool {
		for _, it := range r["page"] {
			age = time.Since(it.Timestamp.Time()) // want `not-write-time: .*"page" of table "\*-diary"`
		}
		return true
	})
	return age, err
}

// store has its table in a field, and keeps rows by a method.
type store struct {
	tbl *bigtable.Table
	out []visit
}

func (s *store) scan(ctx context.Context, f func(bigtable.Row) bool) error {
	return s.tbl.ReadRows(ctx, bigtable.PrefixRange(""), f, latest())
}

func (s *store) keep(r bigtable.Row) bool {
	for _, it := range r["page"] {
		s.out = append(s.out, visit{Modified: it.Timestamp.Time()}) // want `not-write-time: .*"page" of table "\*-diary"`
	}
	return true
}

func newStore(c *bigtable.Client) *store { return &store{tbl: c.Open("a-diary")} }

func (s *store) load(ctx context.Context) error { return s.scan(ctx, s.keep) }

func elsewhere(ctx context.Context, c *bigtable.Client) (out []visit, err error) {
	err = scan.Each(ctx, c.Open("a-diary"), func(r bigtable.Row) bool {
		for _, it := range r["page"] {
			out = append(out, visit{Modified: it.Timestamp.Time()}) // want `not-write-time: .*"page" of table "\*-diary"`
		}
		return true
	})
	return out, err
}

func okElsewhere(ctx context.Context, c *bigtable.Client) (out []visit, err error) {
	err = scan.Each(ctx, c.Open("diaries"), func(r bigtable.Row) bool {
		for _, it := range r["page"] {
			out = append(out, visit{Modified: it.Timestamp.Time()})
		}
		return true
	})
	return out, err
}

// okEither is handed rows of both tables: of which one a cell is, is not known here.
func okEither(ctx context.Context, c *bigtable.Client, name string) (out []visit, err error) {
	err = each(ctx, c.Open(name), func(r bigtable.Row) bool {
		for _, it := range r["page"] {
			out = append(out, visit{Modified: it.Timestamp.Time()})
		}
		return true
	})
	return out, err
}

// okCopies writes into another table what it is handed: it is a fault of the write, if
// one, and not of the call that hands over the rows.
func okCopies(ctx context.Context, c *bigtable.Client) error {
	var keys []string
	var muts []*bigtable.Mutation
	err := scan.Each(ctx, c.Open("sessions"), func(r bigtable.Row) bool {
		m := bigtable.NewMutation()
		for _, it := range r["token"] {
			if it.Timestamp.Time().Before(time.Now()) {
				m.Set("token", it.Column, bigtable.Now(), it.Value)
			}
		}
		keys, muts = append(keys, r.Key()), append(muts, m)
		return true
	})
	if err != nil {
		return err
	}
	return (&archive{c.Open("token-archive")}).many(ctx, keys, muts)
}

type archive struct{ tbl *bigtable.Table }

func (a *archive) many(ctx context.Context, keys []string, muts []*bigtable.Mutation) error {
	_, err := a.tbl.ApplyBulk(ctx, keys, muts)
	return err
}
