// Package apply sets the policies of another package.
package apply

import (
	"context"
	"slices"

	"cloud.google.com/go/bigtable"

	"example.com/cases/sight/policytable/defs"
)

// All sets them in the tables that there are.
func All(ctx context.Context, a *bigtable.AdminClient) error {
	have, err := a.Tables(ctx)
	if err != nil {
		return err
	}
	for _, name := range have {
		for _, d := range defs.Of(name) {
			if slices.Contains(have, d.Family) {
				continue
			}
			if err := a.SetGCPolicy(ctx, name, d.Family, d.Policy); err != nil {
				return err
			}
		}
	}
	return nil
}
