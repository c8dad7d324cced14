// Package use appends cells for another package's writer, and reads rows with its retries.
package use

import (
	"context"
	"sort"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/cases/sight/rowlists/lib"
)

type store struct {
	tbl *bigtable.Table
	w   *lib.Writer
}

func newStore(c *bigtable.Client) *store {
	tbl := c.Open("sessions")
	return &store{tbl: tbl, w: lib.NewWriter(tbl)}
}

func (s *store) put(ctx context.Context, key string, values map[string][]byte) error {
	var cells []lib.Cell
	for col, v := range values {
		cells = append(cells, lib.Cell{Family: "token", Column: col, TS: bigtable.Now(), Value: v})
	}
	return s.w.Write(ctx, key, cells) // want `write-time: .*"token"|write to one-second-expiration family "token" of table "sessions" uses the current time`
}

func (s *store) okPut(ctx context.Context, key string, values map[string][]byte) error {
	exp := bigtable.Time(time.Now().Add(30 * time.Minute))
	cells := make([]lib.Cell, 0, len(values))
	for col, v := range values {
		cells = append(cells, lib.Cell{Family: "token", Column: col, TS: exp, Value: v})
	}
	return s.w.Write(ctx, key, cells)
}

func (s *store) okPutProfile(ctx context.Context, key string, cols []string) error {
	cells := make([]lib.Cell, 0, len(cols))
	for _, col := range cols {
		cells = append(cells, lib.Cell{Family: "profile", Column: col, TS: bigtable.Now()})
	}
	return s.w.Write(ctx, key, cells)
}

// Two families, one of them wrong, filled by field.
func (s *store) putBoth(ctx context.Context, key string, cols []string) error {
	cells := make([]lib.Cell, 0, 2*len(cols))
	for _, col := range cols {
		cells = append(cells, lib.Cell{Family: "profile", Column: col, TS: bigtable.Now()})
		c := lib.Cell{Family: "token", Column: col}
		c.TS = bigtable.ServerTime
		cells = append(cells, c)
	}
	return s.w.Write(ctx, key, cells) // want `write to one-second-expiration family "token" of table "sessions" uses the server timestamp`
}

func (s *store) putSome(ctx context.Context, key string, cols []string, bare bool) error {
	cells := make([]lib.Cell, len(cols))
	for i, col := range cols {
		cells[i] = lib.Cell{Family: "token", Column: col, TS: bigtable.Time(time.Now().Add(time.Hour))}
	}
	if !bare {
		cells = append(cells, lib.Cell{Family: "token", Column: "at", TS: bigtable.Now()})
	}
	return s.w.Write(ctx, key, cells) // want `write to one-second-expiration family "token" of table "sessions" uses the current time`
}

func (s *store) putSorted(ctx context.Context, key string, cols []string) error {
	var cells []*lib.Cell
	for _, col := range cols {
		cells = append(cells, &lib.Cell{Family: "token", Column: col, TS: bigtable.Now()})
	}
	sort.Slice(cells, func(i, j int) bool { return cells[i].Column < cells[j].Column })
	return s.tbl.Apply(ctx, key, lib.Mutation(cells...)) // want `write to one-second-expiration family "token" of table "sessions" uses the current time`
}

func cellsOf(cols []string, ts bigtable.Timestamp) (out []lib.Cell) {
	for _, c := range cols {
		out = append(out, lib.Cell{Family: "token", Column: c, TS: ts})
	}
	return out
}

func (s *store) putHelped(ctx context.Context, key string, cols []string) error {
	if err := s.w.Write(ctx, key, cellsOf(cols, bigtable.Time(time.Now().Add(time.Hour)))); err != nil {
		return err
	}
	return s.w.Write(ctx, key, cellsOf(cols, bigtable.Now())) // want `write to one-second-expiration family "token" of table "sessions" uses the current time`
}

func (s *store) okRetried(ctx context.Context, key string) (string, error) {
	var row bigtable.Row
	err := lib.Do(ctx, func(ctx context.Context) (err error) {
		row, err = s.tbl.ReadRow(ctx, key)
		return err
	})
	if err != nil {
		return "", err
	}
	if p := row["profile"]; len(p) > 0 {
		return string(p[0].Value), nil
	}
	return "", nil
}

func (s *store) retried(ctx context.Context, key string) (string, error) {
	var row bigtable.Row
	err := lib.Do(ctx, func(ctx context.Context) (err error) {
		row, err = s.tbl.ReadRow(ctx, key) // want `missing-filter: .*"token"`
		return err
	})
	if err != nil {
		return "", err
	}
	if p := row["token"]; len(p) > 0 {
		return string(p[0].Value), nil
	}
	return "", nil
}

func (s *store) listed(ctx context.Context, keys []string, deep bool) ([]string, error) {
	var rows []bigtable.Row
	for _, k := range keys {
		row, err := s.tbl.ReadRow(ctx, k) // want `missing-filter: .*"token"`
		if err != nil {
			return nil, err
		}
		if deep || len(row["profile"]) > 0 {
			rows = append(rows, row)
		}
	}
	return lib.Values(rows, "token"), nil
}

func (s *store) okListed(ctx context.Context, keys []string, deep bool) ([]string, error) {
	var rows []bigtable.Row
	for _, k := range keys {
		row, err := s.tbl.ReadRow(ctx, k)
		if err != nil {
			return nil, err
		}
		if deep || len(row["profile"]) > 0 {
			rows = append(rows, row)
		}
	}
	return lib.Values(rows, "profile"), nil
}

func (s *store) okListedAlive(ctx context.Context, keys []string, deep bool) ([]string, error) {
	var rows []bigtable.Row
	for _, k := range keys {
		row, err := s.tbl.ReadRow(ctx, k)
		if err != nil {
			return nil, err
		}
		if deep {
			rows = append(rows, row)
		}
	}
	return lib.Alive(rows, "token", time.Now()), nil
}
