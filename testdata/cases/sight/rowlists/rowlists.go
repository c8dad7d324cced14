// Package rowlists keeps rows in lists and in variables that closures assign.
package rowlists

import (
	"context"
	"errors"
	"time"

	"cloud.google.com/go/bigtable"
	"golang.org/x/sync/errgroup"
)

type store struct{ tbl *bigtable.Table }

func newStore(c *bigtable.Client) *store { return &store{c.Open("sessions")} }

// A list with one row appended under a condition.

func (s *store) merged(ctx context.Context, key, alias string) (string, error) {
	row, err := s.tbl.ReadRow(ctx, key) // want `missing-filter: .*"token"`
	if err != nil {
		return "", err
	}
	rows := []bigtable.Row{row}
	if alias != "" {
		other, err := s.tbl.ReadRow(ctx, alias) // want `missing-filter: .*"token"`
		if err != nil {
			return "", err
		}
		rows = append(rows, other)
	}
	for _, r := range rows {
		for _, it := range r["token"] {
			return string(it.Value), nil
		}
	}
	return "", nil
}

func (s *store) okMerged(ctx context.Context, key, alias string) (out []string, err error) {
	row, err := s.tbl.ReadRow(ctx, key)
	if err != nil {
		return nil, err
	}
	rows := []bigtable.Row{row}
	if alias != "" {
		other, err := s.tbl.ReadRow(ctx, alias)
		if err != nil {
			return nil, err
		}
		rows = append(rows, other)
	}
	for _, r := range rows {
		for _, it := range r["profile"] {
			out = append(out, string(it.Value))
		}
	}
	return out, nil
}

func (s *store) okMergedByHand(ctx context.Context, key, alias string) (out []string, err error) {
	now := bigtable.Now()
	row, err := s.tbl.ReadRow(ctx, key)
	if err != nil {
		return nil, err
	}
	rows := []bigtable.Row{row}
	if alias != "" {
		other, err := s.tbl.ReadRow(ctx, alias)
		if err != nil {
			return nil, err
		}
		rows = append(rows, other)
	}
	for _, r := range rows {
		for _, it := range r["token"] {
			if it.Timestamp < now {
				continue
			}
			out = append(out, string(it.Value))
		}
	}
	return out, nil
}

func (s *store) listed(ctx context.Context, keys []string) (out []string, err error) {
	var rows []bigtable.Row
	for _, k := range keys {
		row, err := s.tbl.ReadRow(ctx, k, bigtable.RowFilter(bigtable.LatestNFilter(1))) // want `missing-filter: .*"token"`
		if err != nil {
			return nil, err
		}
		if len(row) > 0 {
			rows = append(rows, row)
		}
	}
	for _, r := range rows {
		if items := r["token"]; len(items) > 0 {
			out = append(out, string(items[0].Value))
		}
	}
	return out, nil
}

func (s *store) okListed(ctx context.Context, keys []string) (out []string, err error) {
	var rows []bigtable.Row
	for _, k := range keys {
		row, err := s.tbl.ReadRow(ctx, k, bigtable.RowFilter(bigtable.LatestNFilter(1)))
		if err != nil {
			return nil, err
		}
		if len(row) > 0 {
			rows = append(rows, row)
		}
	}
	for _, r := range rows {
		if items := r["profile"]; len(items) > 0 {
			out = append(out, string(items[0].Value))
		}
	}
	return out, nil
}

func (s *store) okIndexed(ctx context.Context, keys []string) (out []string, err error) {
	rows := make([]bigtable.Row, len(keys))
	g, ctx := errgroup.WithContext(ctx)
	for i, k := range keys {
		g.Go(func() error {
			row, err := s.tbl.ReadRow(ctx, k)
			if err != nil {
				return err
			}
			rows[i] = row
			return nil
		})
	}
	if err := g.Wait(); err != nil {
		return nil, err
	}
	for _, r := range rows {
		out = append(out, string(r["profile"][0].Value))
	}
	return out, nil
}

func (s *store) indexed(ctx context.Context, keys []string) (out []string, err error) {
	rows := make([]bigtable.Row, len(keys))
	g, ctx := errgroup.WithContext(ctx)
	for i, k := range keys {
		g.Go(func() error {
			row, err := s.tbl.ReadRow(ctx, k) // want `missing-filter: .*"token"`
			if err != nil {
				return err
			}
			rows[i] = row
			return nil
		})
	}
	if err := g.Wait(); err != nil {
		return nil, err
	}
	for _, r := range rows {
		out = append(out, string(r["token"][0].Value))
	}
	return out, nil
}

// A row that a retried closure assigns.

func retry(ctx context.Context, n int, f func(context.Context) error) error {
	err := errors.New("never")
	for i := 0; i < n && err != nil; i++ {
		if i > 0 {
			time.Sleep(time.Duration(i) * time.Millisecond)
		}
		err = f(ctx)
	}
	return err
}

func (s *store) okRetried(ctx context.Context, key string) (string, error) {
	var row bigtable.Row
	err := retry(ctx, 3, func(ctx context.Context) error {
		var err error
		row, err = s.tbl.ReadRow(ctx, key)
		return err
	})
	if err != nil {
		return "", err
	}
	for _, it := range row["profile"] {
		return string(it.Value), nil
	}
	return "", nil
}

func (s *store) retried(ctx context.Context, key string) (string, error) {
	var row bigtable.Row
	err := retry(ctx, 3, func(ctx context.Context) error {
		var err error
		row, err = s.tbl.ReadRow(ctx, key) // want `missing-filter: .*"token"`
		return err
	})
	if err != nil {
		return "", err
	}
	for _, it := range row["token"] {
		return string(it.Value), nil
	}
	return "", nil
}

func (s *store) okRetriedByHand(ctx context.Context, key string) (string, error) {
	var row bigtable.Row
	if err := retry(ctx, 3, func(ctx context.Context) error {
		r, err := s.tbl.ReadRow(ctx, key)
		if err != nil {
			return err
		}
		row = r
		return nil
	}); err != nil {
		return "", err
	}
	for _, it := range row["token"] {
		if it.Timestamp.Time().Before(time.Now()) {
			continue
		}
		return string(it.Value), nil
	}
	return "", nil
}

// The result is a named one.
func (s *store) okNamed(ctx context.Context, key string) (row bigtable.Row, err error) {
	err = retry(ctx, 3, func(ctx context.Context) (rerr error) {
		row, rerr = s.tbl.ReadRow(ctx, key, bigtable.RowFilter(bigtable.FamilyFilter("profile")))
		return rerr
	})
	return row, err
}

func (s *store) named(ctx context.Context, key string) (row bigtable.Row, err error) {
	err = retry(ctx, 3, func(ctx context.Context) (rerr error) {
		row, rerr = s.tbl.ReadRow(ctx, key) // want `missing-filter: .*"token"`
		return rerr
	})
	return row, err
}

// The caller of the function looks.
func (s *store) fetch(ctx context.Context, key string) (row bigtable.Row, err error) {
	err = retry(ctx, 3, func(ctx context.Context) (rerr error) {
		row, rerr = s.tbl.ReadRow(ctx, key)
		return rerr
	})
	return row, err
}

func (s *store) okFetched(ctx context.Context, key string) string {
	row, err := s.fetch(ctx, key)
	if err != nil || len(row["profile"]) == 0 {
		return ""
	}
	return string(row["profile"][0].Value)
}

// Rows in a struct and a map of rows.

type bundle struct {
	rows  []bigtable.Row
	byKey map[string]bigtable.Row
}

func (s *store) okBundled(ctx context.Context, keys []string) (string, error) {
	b := bundle{byKey: map[string]bigtable.Row{}}
	err := s.tbl.ReadRows(ctx, bigtable.RowList(keys), func(r bigtable.Row) bool {
		b.rows = append(b.rows, r)
		b.byKey[r.Key()] = r
		return true
	})
	if err != nil {
		return "", err
	}
	for _, r := range b.rows {
		if p := r["profile"]; len(p) > 0 {
			return string(p[0].Value), nil
		}
	}
	for _, k := range keys {
		if p := b.byKey[k]["profile"]; len(p) > 0 {
			return string(p[0].Value), nil
		}
	}
	return "", nil
}

func (s *store) bundled(ctx context.Context, keys []string) (string, error) {
	b := bundle{byKey: map[string]bigtable.Row{}}
	err := s.tbl.ReadRows(ctx, bigtable.RowList(keys), func(r bigtable.Row) bool { // want `missing-filter: .*"token"`
		b.rows = append(b.rows, r)
		b.byKey[r.Key()] = r
		return true
	})
	if err != nil {
		return "", err
	}
	for _, r := range b.rows {
		if p := r["profile"]; len(p) > 0 {
			return string(p[0].Value), nil
		}
	}
	for _, k := range keys {
		if p := b.byKey[k]["token"]; len(p) > 0 {
			return string(p[0].Value), nil
		}
	}
	return "", nil
}

// Rows of two tables in one list: each read is judged by what is looked up.
type pair struct{ sessions, mixed *bigtable.Table }

func newPair(c *bigtable.Client) *pair { return &pair{c.Open("sessions"), c.Open("mixed")} }

func (p *pair) both(ctx context.Context, key string, deep bool) (n int, err error) {
	a, err := p.sessions.ReadRow(ctx, key)
	if err != nil {
		return 0, err
	}
	rows := []bigtable.Row{a}
	if deep {
		b, err := p.mixed.ReadRow(ctx, key, bigtable.RowFilter(bigtable.FamilyFilter("hot"))) // want `missing-filter: .*"hot"`
		if err != nil {
			return 0, err
		}
		rows = append(rows, b)
	}
	for _, r := range rows {
		n += len(r["hot"]) + len(r["profile"])
	}
	return n, nil
}
