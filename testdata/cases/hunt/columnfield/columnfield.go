// Package columnfield reads a family whose name is a field: a constant, unless
// an option says otherwise.
package columnfield

import (
	"context"
	"net/url"

	"cloud.google.com/go/bigtable"
)

type store struct {
	tbl    *bigtable.Table
	family string
}

func open(c *bigtable.Client, dsn *url.URL) *store {
	s := &store{tbl: c.Open(dsn.Path)}
	s.family = "token"
	if name := dsn.Query().Get("family"); name != "" {
		s.family = name
	}
	return s
}

func (s *store) put(mut *bigtable.Mutation) {
	mut.Set(s.family, "v", bigtable.Now(), nil) // want `write-time: .*"token"`
}

func (s *store) get(ctx context.Context, key string) ([]byte, error) {
	row, err := s.tbl.ReadRow(ctx, key, bigtable.RowFilter(bigtable.LatestNFilter(1))) // want `missing-filter: .*"token"`
	if err != nil {
		return nil, err
	}
	return row[s.family][0].Value, nil
}

// A family that is certainly read, from a row that is handed on as well.
func handedOn(ctx context.Context, tbl *bigtable.Table, prefix string, each func(bigtable.Row) bool) error {
	return tbl.ReadRows(ctx, bigtable.PrefixRange(prefix), func(row bigtable.Row) bool { // want `missing-filter: .*"token"`
		if len(row["token"]) > 0 && row["token"][0].Value != nil {
			return each(row)
		}
		return true
	})
}
