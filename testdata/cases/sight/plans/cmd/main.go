// Command cmd carries out its own plans by another package's function.
package main

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/cases/sight/plans/plan"
)

func main() {
	ctx := context.Background()
	admin, err := bigtable.NewAdminClient(ctx, "p", "i")
	if err != nil {
		panic(err)
	}
	for _, p := range []plan.Plan{
		plan.Mirror(),
		{Table: "clicks", Families: map[string]bigtable.GCPolicy{"event": bigtable.MaxAgePolicy(720 * time.Hour)}},
		{Table: "clicks", Families: map[string]bigtable.GCPolicy{"event": bigtable.MaxAgePolicy(time.Hour)}}, // want `sets the age 1h on default-expiration family "event" of table "clicks"`
		{Table: "copies", Families: map[string]bigtable.GCPolicy{"event": bigtable.MaxAgePolicy(time.Hour)}},
	} {
		if err := plan.Apply(ctx, admin, p); err != nil {
			panic(err)
		}
	}
}
