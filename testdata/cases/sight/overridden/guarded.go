package overridden

import (
	"context"
	"errors"
	"fmt"

	"cloud.google.com/go/bigtable"
)

// A storage opens its table once it has a client.
type storage struct {
	client *bigtable.Client
	name   string
}

func (s *storage) table() (*bigtable.Table, error) {
	if s.client == nil {
		return nil, errors.New("no client")
	}
	return s.client.Open(s.name), nil
}

func (s *storage) keys(ctx context.Context) (keys []string, err error) {
	t, err := s.table()
	if err != nil {
		return nil, err
	}
	err = t.ReadRows(ctx, bigtable.InfiniteRange(""), func(row bigtable.Row) bool { // want `overridden-filter: read of .*"token"`
		keys = append(keys, row.Key())
		return true
	}, bigtable.RowFilter(bigtable.FamilyFilter("token")), bigtable.RowFilter(bigtable.StripValueFilter()))
	return keys, err
}

func (s *storage) okKeys(ctx context.Context) (keys []string, err error) {
	t, err := s.table()
	if err != nil {
		return nil, err
	}
	err = t.ReadRows(ctx, bigtable.InfiniteRange(""), func(row bigtable.Row) bool {
		keys = append(keys, row.Key())
		return true
	}, bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter("token"), bigtable.StripValueFilter())))
	return keys, err
}

// Stored lists the keys of a storage.
func Stored(ctx context.Context, c *bigtable.Client) ([]string, error) {
	s := &storage{client: c, name: "sessions"}
	if keys, err := s.okKeys(ctx); err == nil {
		return keys, nil
	}
	return s.keys(ctx)
}

type other struct{ storage }

func (o *other) keys(ctx context.Context) (keys []string, err error) {
	t, err := o.table()
	if err != nil {
		return nil, err
	}
	err = t.ReadRows(ctx, bigtable.InfiniteRange(""), func(row bigtable.Row) bool { // want `overridden-filter: read has 2`
		keys = append(keys, row.Key())
		return true
	}, bigtable.RowFilter(bigtable.FamilyFilter("token")), bigtable.RowFilter(bigtable.StripValueFilter()))
	return keys, err
}

// Others lists those of any table.
func Others(ctx context.Context, c *bigtable.Client, name string) ([]string, error) {
	o := &other{storage{client: c, name: name}}
	return o.keys(ctx)
}

// afterScan reads on once a scan has not failed, which its caller does not decide.
func afterScan(ctx context.Context, s *storage, _ *bigtable.Table) error {
	t := s.client.Open("sessions")
	f := bigtable.FamilyFilter("profile")
	err := t.ReadRows(ctx, bigtable.PrefixRange("a"), func(row bigtable.Row) bool {
		del := bigtable.NewMutation()
		del.DeleteRow()
		return t.Apply(ctx, row.Key(), del) == nil
	}, bigtable.RowFilter(f))
	if err != nil {
		return err
	}
	row, err := func() *bigtable.Table { return t }().ReadRow(ctx, "k", // want `overridden-filter: read of .*"token"`
		bigtable.RowFilter(bigtable.FamilyFilter("token")), bigtable.RowFilter(bigtable.LatestNFilter(1)))
	if err != nil {
		return err
	}
	for range row["token"] {
		s.name += "."
	}
	row, err = t.ReadRow(ctx, "k", bigtable.RowFilter(f))
	if err != nil {
		return err
	}
	fmt.Println(row["profile"])
	mut := bigtable.NewMutation()
	mut.Set("profile", "a", bigtable.Now(), nil)
	return t.Apply(ctx, "k", mut)
}

var repairs = map[string]func(ctx context.Context, s *storage, t *bigtable.Table) error{
	"sessions": afterScan,
	"weather":  func(ctx context.Context, s *storage, t *bigtable.Table) error { return nil },
}

func repair(ctx context.Context, s *storage, name string) error {
	if f := repairs[name]; f != nil {
		return f(ctx, s, s.client.Open(name))
	}
	return nil
}

// Repair repairs a table that is asked for.
func Repair(ctx context.Context, c *bigtable.Client, name string) error {
	return repair(ctx, &storage{client: c}, name)
}
