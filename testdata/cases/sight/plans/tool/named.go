package tool

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"
)

type column int

const (
	colEntry column = iota
	colToken
)

var columnNames = [...]string{"entry", "token"}

func (c column) String() string { return columnNames[c] }

type familySpec struct {
	table, name string
	gc          bigtable.GCPolicy
}

// What is wrong stands in the row, also where a method names the family.
var specs = []familySpec{
	{"eu-ledger", colEntry.String(), bigtable.MaxVersionsPolicy(3)},
	{"us-ledger", colEntry.String(), bigtable.MaxAgePolicy(time.Hour)}, // want `age-on-sequence: .*"entry"`
	{"sessions", colToken.String(), bigtable.MaxAgePolicy(time.Hour)},  // want `age-mismatch: .*"token"`
	{"mirror", colEntry.String(), bigtable.MaxAgePolicy(time.Hour)},
}

func setUp(ctx context.Context, a *bigtable.AdminClient) error {
	for _, s := range specs {
		if err := a.SetGCPolicy(ctx, s.table, s.name, s.gc); err != nil {
			return err
		}
	}
	return a.CreateTableFromConf(ctx, &bigtable.TableConf{
		TableID: "sessions",
		ColumnFamilies: map[string]bigtable.Family{
			colToken.String(): {GCPolicy: bigtable.MaxAgePolicy(time.Minute)}, // want `age-mismatch: .*"token"`
		},
	})
}
