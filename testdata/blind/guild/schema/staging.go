package schema

import (
	"context"
	"fmt"
	"time"

	"cloud.google.com/go/bigtable"
)

// stagingOverrides keep less, since staging is small.
var stagingOverrides = map[string]map[string]bigtable.GCPolicy{
	Sessions: {
		FamToken:  bigtable.MaxAgePolicy(time.Minute), // want ttlgc/age-mismatch
		FamDevice: bigtable.MaxAgePolicy(7 * day),     // ok ttlgc/age-mismatch ttlgc/policy-mismatch
	},
	Presence: {
		FamOnline: bigtable.UnionPolicy(bigtable.MaxVersionsPolicy(1), bigtable.MaxAgePolicy(5*time.Minute)), // want ttlgc/versions-with-expiry
	},
	Matches: {
		FamState: bigtable.MaxVersionsPolicy(1),         // want ttlgc/policy-mismatch
		FamEvent: bigtable.MaxAgePolicy(24 * time.Hour), // want ttlgc/age-on-sequence
		FamMeta:  bigtable.MaxAgePolicy(24 * time.Hour), // want ttlgc/policy-mismatch
	},
	Mailbox2: {
		FamMail: bigtable.MaxAgePolicy(7 * day), // want ttlgc/age-mismatch
		FamFlag: bigtable.MaxVersionsPolicy(1),  // ok ttlgc/policy-mismatch
	},
	Telemetry: {
		FamToken: bigtable.MaxAgePolicy(day), // ok ttlgc/age-mismatch
		FamState: bigtable.MaxAgePolicy(day), // ok ttlgc/age-on-sequence
	},
}

// ApplyStaging sets the policies of staging.
func ApplyStaging(ctx context.Context, admin *bigtable.AdminClient) error {
	for table, families := range stagingOverrides {
		for family, policy := range families {
			if err := admin.SetGCPolicy(ctx, table, family, policy); err != nil {
				return fmt.Errorf("policy of %s in %s: %w", family, table, err)
			}
		}
	}
	return nil
}

// LoadTest creates the tables of the load test. They are dropped after it.
func LoadTest(ctx context.Context, admin *bigtable.AdminClient) error {
	confs := []*bigtable.TableConf{
		{
			TableID: Lobbies,
			ColumnFamilies: map[string]bigtable.Family{
				FamState: {GCPolicy: bigtable.MaxAgeGCPolicy(time.Second)}, // ok ttlgc/age-mismatch ttlgc/age-on-sequence
				FamHost:  {GCPolicy: bigtable.MaxVersionsGCPolicy(1)},      // ok ttlgc/policy-mismatch
			},
		},
		{
			TableID: Matches,
			ColumnFamilies: map[string]bigtable.Family{
				FamState: {GCPolicy: bigtable.MaxAgeGCPolicy(time.Second)},     // want ttlgc/age-on-sequence
				FamEvent: {GCPolicy: bigtable.MaxVersionsGCPolicy(1)},          // ok ttlgc/age-on-sequence ttlgc/policy-mismatch
				FamMeta:  {GCPolicy: bigtable.MaxAgeGCPolicy(720 * time.Hour)}, // ok ttlgc/policy-mismatch
			},
		},
		{
			TableID: Profiles,
			ColumnFamilies: map[string]bigtable.Family{
				FamCur: {GCPolicy: bigtable.MaxVersionsGCPolicy(1)},  // ok ttlgc/age-on-zero
				FamRev: {GCPolicy: bigtable.MaxVersionsGCPolicy(10)}, // want ttlgc/policy-mismatch
			},
		},
	}
	for _, conf := range confs {
		if err := admin.CreateTableFromConf(ctx, conf); err != nil {
			return err
		}
	}
	return nil
}
