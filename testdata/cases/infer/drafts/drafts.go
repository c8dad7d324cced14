// Package drafts builds tables that no registry names: what one draft is given says
// nothing of the table of another.
package drafts

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"
)

type family struct {
	name   string
	policy bigtable.GCPolicy
}

type draft struct {
	name     string
	families []family
}

func (d draft) with(name string, p bigtable.GCPolicy) draft {
	families := make([]family, 0, len(d.families)+1)
	families = append(families, d.families...)
	d.families = append(families, family{name, p})
	return d
}

func (d draft) create(ctx context.Context, ac *bigtable.AdminClient) error {
	for _, f := range d.families {
		if err := ac.SetGCPolicy(ctx, d.name, f.name, f.policy); err != nil {
			return err
		}
	}
	return nil
}

func create(ctx context.Context, ac *bigtable.AdminClient) error {
	parcels := draft{name: "parcels"}
	parcels = parcels.with("eta", bigtable.MaxAgePolicy(time.Second))
	if err := parcels.create(ctx, ac); err != nil {
		return err
	}
	stops := draft{name: "stops"}
	stops = stops.with("order", bigtable.MaxVersionsPolicy(1))
	return stops.create(ctx, ac)
}

func read(ctx context.Context, c *bigtable.Client, key string) (bool, error) {
	row, err := c.Open("parcels").ReadRow(ctx, key) // want `missing-filter: .*"eta"`
	return len(row) > 0, err
}

func okRead(ctx context.Context, c *bigtable.Client, key string) (bool, error) {
	row, err := c.Open("stops").ReadRow(ctx, key)
	return len(row) > 0, err
}
