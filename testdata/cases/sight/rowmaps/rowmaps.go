// Package rowmaps collects rows in maps and structs that are returned beside
// an error, and puts times of cells into structs that generic functions of
// another package take.
package rowmaps

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/cases/sight/rowmaps/opt"
)

type store struct{ tbl *bigtable.Table }

func open(c *bigtable.Client) *store { return &store{c.Open("sessions")} }

// ByKey returns rows by their keys.
func (s *store) ByKey(ctx context.Context, prefix string) (map[string]bigtable.Row, error) {
	rows := map[string]bigtable.Row{}
	err := s.tbl.ReadRows(ctx, bigtable.PrefixRange(prefix), func(row bigtable.Row) bool { // want `missing-filter: .*"token"`
		rows[row.Key()] = row
		return true
	})
	if err != nil {
		return nil, err
	}
	return rows, nil
}

// grouped returns lists of rows by a part of their keys.
func (s *store) grouped(ctx context.Context, prefix string) (map[string][]bigtable.Row, error) {
	rows := map[string][]bigtable.Row{}
	err := s.tbl.ReadRows(ctx, bigtable.PrefixRange(prefix), func(row bigtable.Row) bool { // want `missing-filter: .*"token"`
		rows[row.Key()[:2]] = append(rows[row.Key()[:2]], row)
		return true
	})
	return rows, err
}

// okGrouped is asked for profiles alone.
func (s *store) okGrouped(ctx context.Context, prefix string) (map[string][]bigtable.Row, error) {
	rows := map[string][]bigtable.Row{}
	err := s.tbl.ReadRows(ctx, bigtable.PrefixRange(prefix), func(row bigtable.Row) bool {
		rows[row.Key()[:2]] = append(rows[row.Key()[:2]], row)
		return true
	})
	return rows, err
}

// Grouped returns the newest tokens and profiles.
func (s *store) Grouped(ctx context.Context) (tokens, profiles []string) {
	byKey, _ := s.grouped(ctx, "u#")
	for _, rows := range byKey {
		for _, row := range rows {
			tokens = append(tokens, string(row["token"][0].Value))
		}
	}
	byKey, _ = s.okGrouped(ctx, "u#")
	for _, row := range byKey["a#"] {
		profiles = append(profiles, string(row["profile"][0].Value))
	}
	return tokens, profiles
}

// Page is some rows, and the key of the next.
type Page struct {
	Rows []bigtable.Row
	Next string
}

// Page returns some rows.
func (s *store) Page(ctx context.Context, prefix string) (*Page, error) {
	p := &Page{}
	err := s.tbl.ReadRows(ctx, bigtable.PrefixRange(prefix), func(row bigtable.Row) bool { // want `missing-filter: .*"token"`
		p.Rows = append(p.Rows, row)
		p.Next = row.Key()
		return true
	})
	return p, err
}

// One returns a row in a struct.
func (s *store) One(ctx context.Context, key string) (struct{ Row bigtable.Row }, error) {
	row, err := s.tbl.ReadRow(ctx, key) // want `missing-filter: .*"token"`
	return struct{ Row bigtable.Row }{row}, err
}

// OkLive returns those that live.
func (s *store) OkLive(ctx context.Context, prefix string) (map[string]bigtable.Row, error) {
	rows := map[string]bigtable.Row{}
	now := bigtable.Time(time.Now())
	err := s.tbl.ReadRows(ctx, bigtable.PrefixRange(prefix), func(row bigtable.Row) bool {
		for _, it := range row["token"] {
			if it.Timestamp > now {
				rows[row.Key()] = row
			}
		}
		return true
	})
	return rows, err
}

type outcome struct {
	value   []byte
	expires time.Time
}

// Outcome is returned with its time, which nothing compares.
func (s *store) Outcome(ctx context.Context, key string) (opt.Option[outcome], error) {
	row, err := s.tbl.ReadRow(ctx, key, bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter("token"), bigtable.LatestNFilter(1)))) // want `missing-filter: .*"token"`
	if err != nil || len(row["token"]) == 0 {
		return opt.None[outcome](), err
	}
	it := row["token"][0]
	return opt.Some(outcome{it.Value, it.Timestamp.Time()}), nil
}

type claim struct {
	value   []byte
	expires time.Time
}

// OkClaim compares it when it is got.
func (s *store) claim(ctx context.Context, key string) (opt.Option[claim], error) {
	row, err := s.tbl.ReadRow(ctx, key, bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter("token"), bigtable.LatestNFilter(1))))
	if err != nil || len(row["token"]) == 0 {
		return opt.None[claim](), err
	}
	it := row["token"][0]
	return opt.Some(claim{it.Value, it.Timestamp.Time()}), nil
}

func (s *store) okClaim(ctx context.Context, key string) ([]byte, error) {
	o, err := s.claim(ctx, key)
	if err != nil {
		return nil, err
	}
	if c, ok := o.Get(); ok && c.expires.After(time.Now()) {
		return c.value, nil
	}
	return nil, nil
}
