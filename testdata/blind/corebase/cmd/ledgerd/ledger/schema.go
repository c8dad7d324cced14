package ledger

import (
	"context"
	"fmt"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/corebase/pkg/btstore"
)

// Setup creates the tables of a site.
func Setup(ctx context.Context, s *btstore.Store, site string) error {
	return s.Ensure(ctx, // want ttlgc/age-mismatch[setupsnap] ttlgc/age-on-sequence[setuplvl]
		btstore.TableSpec{
			Name: site + "-ledger",
			Families: []btstore.FamilySpec{
				btstore.Of(entries), // ok ttlgc/policy-mismatch
				btstore.Of(heads),   // ok ttlgc/age-on-zero
				btstore.Of(holds),   // ok ttlgc/age-mismatch
				btstore.Of(notes),   // ok ttlgc/no-policy
			},
		},
		btstore.TableSpec{
			Name: stockTable,
			Families: []btstore.FamilySpec{
				{Name: famLevel, Versions: 1, MaxAge: snapTTL}, // want ttlgc/age-on-sequence[setuplvl]
				{Name: famSnap, MaxAge: 30 * 24 * time.Hour},   // want ttlgc/age-mismatch[setupsnap]
				{Name: famD, MaxAge: time.Second},              // ok ttlgc/age-mismatch
			},
		},
		btstore.TableSpec{
			Name: legacyTable,
			Families: []btstore.FamilySpec{
				{Name: famLevel, MaxAge: snapTTL}, // ok ttlgc/age-on-sequence
				{Name: famSnap, Versions: 1},      // ok ttlgc/no-policy
				{Name: famD, Versions: 1},         // ok ttlgc/no-policy
			},
		},
	)
}

// tune is what operators call by hand, a site at a time.
func tune(ctx context.Context, admin *bigtable.AdminClient, family string, gc bigtable.GCPolicy) error {
	return btstore.EnsureFamily(ctx, admin, stockTable, family, gc)
}

// Tune2022 sets what seemed right.
func Tune2022(ctx context.Context, admin *bigtable.AdminClient) error {
	for _, step := range []func() error{
		func() error { return tune(ctx, admin, famLevel, bigtable.MaxVersionsPolicy(1)) },       // ok ttlgc/policy-mismatch
		func() error { return tune(ctx, admin, famLevel, bigtable.MaxVersionsPolicy(3)) },       // want ttlgc/policy-mismatch
		func() error { return tune(ctx, admin, famLevel, bigtable.MaxAgePolicy(time.Hour)) },    // want ttlgc/age-on-sequence
		func() error { return tune(ctx, admin, famSnap, bigtable.MaxAgePolicy(snapTTL)) },       // ok ttlgc/age-mismatch
		func() error { return tune(ctx, admin, famSnap, bigtable.NoGcPolicy()) },                // want ttlgc/no-policy
		func() error { return tune(ctx, admin, famD, bigtable.MaxAgePolicy(lockTTL)) },          // want ttlgc/age-mismatch
		func() error { return tune(ctx, admin, famD, bigtable.MaxAgePolicy(time.Millisecond)) }, // ok ttlgc/age-mismatch
		func() error { return tune(ctx, admin, famD, nil) },                                     // ok ttlgc/no-policy
		func() error {
			return tune(ctx, admin, famSnap, bigtable.UnionPolicy(bigtable.MaxVersionsPolicy(1), bigtable.MaxAgePolicy(snapTTL))) // want ttlgc/versions-with-expiry
		},
	} {
		if err := step(); err != nil {
			return fmt.Errorf("tune: %w", err)
		}
	}
	return nil
}

// Sites creates the ledgers of known sites the way the first script did.
func Sites(ctx context.Context, admin *bigtable.AdminClient) error {
	for _, site := range []string{"basel", "bern"} {
		conf := &bigtable.TableConf{
			TableID: site + "-ledger",
			ColumnFamilies: map[string]bigtable.Family{
				famEntry: {GCPolicy: bigtable.UnionGCPolicy{Children: []bigtable.GCPolicy{bigtable.MaxVersionsGCPolicy(entryVersions), bigtable.MaxAgeGCPolicy(snapTTL)}}}, // want ttlgc/age-on-sequence
				famHead:  {GCPolicy: bigtable.MaxVersionsGCPolicy(1)},                                                                                                      // ok ttlgc/age-on-zero
				famHold:  {GCPolicy: bigtable.MaxAgeGCPolicy(time.Second)},                                                                                                 // ok ttlgc/age-mismatch
				famNote:  {GCPolicy: bigtable.MaxAgeGCPolicy(snapTTL)},                                                                                                     // ok ttlgc/policy-mismatch
			},
		}
		if err := admin.CreateTableFromConf(ctx, conf); err != nil {
			return err
		}
	}
	if err := admin.SetGCPolicy(ctx, "bern-ledger", famHold, bigtable.MaxAgePolicy(holdTTL)); err != nil { // want ttlgc/age-mismatch
		return err
	}
	if err := admin.SetGCPolicy(ctx, "bern-ledger", famHead, bigtable.MaxAgePolicy(holdTTL)); err != nil { // want ttlgc/age-on-zero
		return err
	}
	return admin.SetGCPolicy(ctx, legacyTable, famSnap, bigtable.MaxAgePolicy(-time.Hour)) // want ttlunit/age-unit
}
