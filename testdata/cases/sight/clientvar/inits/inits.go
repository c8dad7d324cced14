// Package inits keeps its client in a variable that an Init function assigns.
package inits

import (
	"context"

	"cloud.google.com/go/bigtable"
)

var Client *bigtable.Client

func Init(ctx context.Context) error {
	c, err := bigtable.NewClient(ctx, "p", "i")
	if err != nil {
		return err
	}
	Client = c
	return nil
}

func T(name string) *bigtable.Table { return Client.Open(name) }

func Get(ctx context.Context, table, key, family string) (bigtable.Row, error) {
	return T(table).ReadRow(ctx, key, bigtable.RowFilter(bigtable.FamilyFilter(family)))
}

func GetDirect(ctx context.Context, table, key, family string) (bigtable.Row, error) {
	return Client.Open(table).ReadRow(ctx, key, bigtable.RowFilter(bigtable.FamilyFilter(family)))
}

func GetFrom(ctx context.Context, t *bigtable.Table, key, family string) (bigtable.Row, error) {
	return t.ReadRow(ctx, key, bigtable.RowFilter(bigtable.FamilyFilter(family)))
}

func Incr(ctx context.Context, table, key, family string) error {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment(family, "n", 1)
	_, err := T(table).ApplyReadModifyWrite(ctx, key, rmw)
	return err
}

func Put(ctx context.Context, table, key, family string) error {
	m := bigtable.NewMutation()
	m.Set(family, "n", bigtable.Now(), nil)
	return T(table).Apply(ctx, key, m)
}

func PutAll(ctx context.Context, table, family string, keys []string) error {
	var ms []*bigtable.Mutation
	for range keys {
		m := bigtable.NewMutation()
		m.Set(family, "n", bigtable.Now(), nil)
		ms = append(ms, m)
	}
	_, err := T(table).ApplyBulk(ctx, keys, ms)
	return err
}

func PutIf(ctx context.Context, table, key, family string) error {
	m := bigtable.NewMutation()
	m.Set(family, "n", bigtable.Now(), nil)
	return T(table).Apply(ctx, key, bigtable.NewCondMutation(bigtable.CellsPerRowLimitFilter(1), nil, m))
}
