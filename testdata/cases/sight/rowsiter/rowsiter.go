// Package rowsiter dates cells of a family with two meanings in rows that come from
// iterators.
package rowsiter

import (
	"context"
	"iter"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/cases/sight/rowsiter/rows"
)

type standing struct{ UpdatedAt time.Time }

func latest() bigtable.ReadOption { return bigtable.RowFilter(bigtable.LatestNFilter(1)) }

func all(ctx context.Context, t *bigtable.Table) iter.Seq2[bigtable.Row, error] {
	return func(yield func(bigtable.Row, error) bool) {
		err := t.ReadRows(ctx, bigtable.PrefixRange(""), func(r bigtable.Row) bool { return yield(r, nil) }, latest())
		if err != nil {
			yield(nil, err)
		}
	}
}

func inline(ctx context.Context, c *bigtable.Client) (out []standing) {
	for row := range all(ctx, c.Open("a-diary")) {
		for _, it := range row["page"] {
			out = append(out, standing{UpdatedAt: it.Timestamp.Time()}) // want `not-write-time: .*"page" of table "\*-diary"`
		}
	}
	return out
}

func okInline(ctx context.Context, c *bigtable.Client) (out []standing) {
	for row := range all(ctx, c.Open("diaries")) {
		for _, it := range row["page"] {
			out = append(out, standing{UpdatedAt: it.Timestamp.Time()})
		}
	}
	return out
}

// rank is given an iterator, of rows of one table.
func rank(rs iter.Seq2[bigtable.Row, error]) (out []standing) {
	for row, err := range rs {
		if err != nil {
			break
		}
		for _, it := range row["page"] {
			out = append(out, standing{UpdatedAt: it.Timestamp.Time()}) // want `not-write-time: .*"page" of table "\*-diary"`
		}
	}
	return out
}

func top(ctx context.Context, c *bigtable.Client) []standing {
	return rank(all(ctx, c.Open("a-diary")))
}

// okRank is given rows of the table of which the times are those of writing.
func okRank(rs iter.Seq2[bigtable.Row, error]) (out []standing) {
	for row := range rs {
		for _, it := range row["page"] {
			out = append(out, standing{UpdatedAt: it.Timestamp.Time()})
		}
	}
	return out
}

func okTop(ctx context.Context, c *bigtable.Client) []standing {
	return okRank(all(ctx, c.Open("diaries")))
}

// okAny is given an iterator by nobody in view.
func okAny(rs iter.Seq2[bigtable.Row, error]) (out []standing) {
	for row := range rs {
		for _, it := range row["page"] {
			out = append(out, standing{UpdatedAt: it.Timestamp.Time()})
		}
	}
	return out
}

// some hands rows of another iterator on.
func some(rs iter.Seq2[bigtable.Row, error], prefix string) iter.Seq[bigtable.Row] {
	return func(yield func(bigtable.Row) bool) {
		for row, err := range rs {
			if err != nil || len(row.Key()) < len(prefix) {
				continue
			}
			if !yield(row) {
				return
			}
		}
	}
}

func filtered(ctx context.Context, c *bigtable.Client) (age time.Duration) {
	for row := range some(all(ctx, c.Open("a-diary")), "k") {
		for _, it := range row["page"] {
			age = time.Since(it.Timestamp.Time()) // want `not-write-time: .*"page" of table "\*-diary"`
		}
	}
	return age
}

// The table is in a field; the iterator is a method's, or the method.
type store struct{ tbl *bigtable.Table }

func newStore(c *bigtable.Client) *store { return &store{c.Open("a-diary")} }

func (s *store) rows(ctx context.Context) iter.Seq[bigtable.Row] {
	return func(yield func(bigtable.Row) bool) {
		_ = s.tbl.ReadRows(ctx, bigtable.PrefixRange(""), func(r bigtable.Row) bool {
			if len(r["page"]) == 0 {
				return true
			}
			return yield(r)
		}, latest())
	}
}

func (s *store) load(ctx context.Context) (out []standing) {
	for row := range s.rows(ctx) {
		for _, it := range row["page"] {
			out = append(out, standing{UpdatedAt: it.Timestamp.Time()}) // want `not-write-time: .*"page" of table "\*-diary"`
		}
	}
	return out
}

func (s *store) each(yield func(bigtable.Row) bool) {
	_ = s.tbl.ReadRows(context.Background(), bigtable.PrefixRange(""), yield, latest())
}

func (s *store) loadEach() (out []standing) {
	for row := range s.each {
		for _, it := range row["page"] {
			out = append(out, standing{UpdatedAt: it.Timestamp.Time()}) // want `not-write-time: .*"page" of table "\*-diary"`
		}
	}
	return out
}

// Pulled instead of ranged over.
func pulled(ctx context.Context, c *bigtable.Client) (out []standing) {
	next, stop := iter.Pull2(all(ctx, c.Open("a-diary")))
	defer stop()
	for {
		row, err, ok := next()
		if !ok || err != nil {
			return out
		}
		for _, it := range row["page"] {
			out = append(out, standing{UpdatedAt: it.Timestamp.Time()}) // want `not-write-time: .*"page" of table "\*-diary"`
		}
	}
}

// Of another package.
func elsewhere(ctx context.Context, c *bigtable.Client) (out []standing) {
	for row := range rows.All(ctx, c.Open("a-diary")) {
		for _, it := range row["page"] {
			out = append(out, standing{UpdatedAt: it.Timestamp.Time()}) // want `not-write-time: .*"page" of table "\*-diary"`
		}
	}
	return out
}

func okElsewhere(ctx context.Context, c *bigtable.Client) (out []standing) {
	for row := range rows.All(ctx, c.Open("diaries")) {
		for _, it := range row["page"] {
			out = append(out, standing{UpdatedAt: it.Timestamp.Time()})
		}
	}
	return out
}

func ranked(ctx context.Context, c *bigtable.Client) []time.Time {
	return rows.Times(rows.All(ctx, c.Open("a-diary")))
}

func rankedElsewhere(ctx context.Context, c *bigtable.Client) []rows.Standing {
	return rows.Rank(rows.All(ctx, c.Open("a-diary"))) // want `not-write-time: .*"page" of table "\*-diary"`
}

func okRankedElsewhere(ctx context.Context, c *bigtable.Client) []rows.Standing {
	return rows.Rank(rows.All(ctx, c.Open("diaries")))
}

// Decoded by what a generic iterator is given.
func decoded[T any](ctx context.Context, t *bigtable.Table, decode func(bigtable.Row) T) iter.Seq[T] {
	return func(yield func(T) bool) {
		_ = t.ReadRows(ctx, bigtable.PrefixRange(""), func(r bigtable.Row) bool { return yield(decode(r)) }, latest())
	}
}

func decode(row bigtable.Row) (s standing) {
	for _, it := range row["page"] {
		s.UpdatedAt = it.Timestamp.Time() // want `not-write-time: .*"page" of table "\*-diary"`
	}
	return s
}

func okDecode(row bigtable.Row) (s standing) {
	for _, it := range row["page"] {
		s.UpdatedAt = it.Timestamp.Time()
	}
	return s
}

func all1(ctx context.Context, c *bigtable.Client) (n int) {
	for s := range decoded(ctx, c.Open("a-diary"), decode) {
		n += s.UpdatedAt.Year()
	}
	for s := range decoded(ctx, c.Open("diaries"), okDecode) {
		n += s.UpdatedAt.Year()
	}
	return n
}

// Rows of a list, which a function is given.
func list(ctx context.Context, t *bigtable.Table) (out []bigtable.Row, err error) {
	err = t.ReadRows(ctx, bigtable.PrefixRange(""), func(r bigtable.Row) bool {
		out = append(out, r)
		return true
	}, latest())
	return out, err
}

func listed(rs []bigtable.Row) (out []standing) {
	for _, row := range rs {
		for _, it := range row["page"] {
			out = append(out, standing{UpdatedAt: it.Timestamp.Time()}) // want `not-write-time: .*"page" of table "\*-diary"`
		}
	}
	return out
}

func topListed(ctx context.Context, c *bigtable.Client) []standing {
	rs, _ := list(ctx, c.Open("a-diary"))
	return listed(rs)
}
