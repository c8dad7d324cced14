package admin

import (
	"context"

	"cloud.google.com/go/bigtable"
)

type admin interface {
	SetGCPolicy(ctx context.Context, table, family string, policy bigtable.GCPolicy) error
}

type Table struct {
	Name, Family string
	Policy       bigtable.GCPolicy
}

func Apply(ctx context.Context, ac admin, tables []Table) error {
	for _, t := range tables {
		if err := ac.SetGCPolicy(ctx, t.Name, t.Family, t.Policy); err != nil {
			return err
		}
	}
	return nil
}
