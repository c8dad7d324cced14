package schema

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sort"
	"time"

	"cloud.google.com/go/bigtable"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// Admin is the part of the admin client that migrations use.
type Admin interface {
	Tables(ctx context.Context) ([]string, error)
	CreateTable(ctx context.Context, table string) error
	CreateTableFromConf(ctx context.Context, conf *bigtable.TableConf) error
	CreateColumnFamily(ctx context.Context, table, family string) error
	CreateColumnFamilyWithConfig(ctx context.Context, table, family string, config bigtable.Family) error
	SetGCPolicy(ctx context.Context, table, family string, policy bigtable.GCPolicy) error
	UpdateFamily(ctx context.Context, table, familyName string, family bigtable.Family, opts ...bigtable.UpdateFamilyOption) error
}

// policies is the shape of today.
var policies = map[string]map[string]bigtable.GCPolicy{
	TableCarts: {
		FamItem: bigtable.MaxAgePolicy(Expiring), // ok ttlgc/age-mismatch
		FamHold: bigtable.MaxAgePolicy(HoldTTL),  // want ttlgc/age-mismatch
		FamMeta: bigtable.MaxVersionsPolicy(1),   // ok ttlgc/policy-mismatch
	},
	TableSessions: {
		FamTok:    bigtable.MaxAgePolicy(SessionTTL),          // ok ttlgc/age-mismatch
		FamDevice: bigtable.MaxAgePolicy(90 * 24 * time.Hour), // ok ttlgc/policy-mismatch
	},
	TableLocations: {
		FamLast: bigtable.MaxVersionsPolicy(1), // ok ttlgc/age-on-zero
	},
	TablePrices: {
		FamHist: bigtable.MaxAgePolicy(HistAge),        // ok ttlgc/policy-mismatch
		FamHold: bigtable.MaxAgePolicy(24 * time.Hour), // ok ttlgc/age-mismatch
	},
	TableListings: {
		FamCore:  bigtable.MaxVersionsPolicy(10),             // ok ttlgc/policy-mismatch
		FamPromo: bigtable.MaxAgePolicy(14 * 24 * time.Hour), // want ttlgc/age-mismatch
		FamRev: bigtable.UnionPolicy( // want ttlgc/age-on-sequence[revunion]
			bigtable.MaxVersionsPolicy(RevVersions),
			bigtable.MaxAgePolicy(180*24*time.Hour)), // want ttlgc/age-on-sequence[revunion]
	},
	TableLegacyCarts: {
		FamItem: bigtable.MaxAgePolicy(30 * 24 * time.Hour), // ok ttlgc/age-mismatch
		FamHold: bigtable.MaxAgePolicy(24 * time.Hour),      // ok ttlgc/age-mismatch
	},
}

// Migrate brings an instance to the shape of today.
func Migrate(ctx context.Context, admin Admin, log *slog.Logger) error {
	have, err := admin.Tables(ctx)
	if err != nil {
		return fmt.Errorf("listing tables: %w", err)
	}
	known := map[string]bool{}
	for _, t := range have {
		known[t] = true
	}
	var errs []error
	for table, families := range policies {
		if !known[table] {
			if err := admin.CreateTable(ctx, table); err != nil && status.Code(err) != codes.AlreadyExists {
				errs = append(errs, fmt.Errorf("creating %s: %w", table, err))
				continue
			}
		}
		for family, policy := range families {
			if err := ensureFamily(ctx, admin, table, family, policy); err != nil {
				errs = append(errs, err)
				continue
			}
			log.Info("family is up to date", "table", table, "family", family)
		}
	}
	for _, region := range Regions {
		if known[OffersTable(region)] {
			continue
		}
		if err := CreateBook(ctx, admin, region); err != nil {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

// ensureFamily creates a family if need be and sets its policy.
func ensureFamily(ctx context.Context, admin Admin, table, family string, policy bigtable.GCPolicy) error {
	if err := admin.CreateColumnFamily(ctx, table, family); err != nil && status.Code(err) != codes.AlreadyExists { // ok ttlgc/no-policy
		return fmt.Errorf("creating %s.%s: %w", table, family, err)
	}
	if err := admin.SetGCPolicy(ctx, table, family, policy); err != nil {
		return fmt.Errorf("policy of %s.%s: %w", table, family, err)
	}
	return nil
}

// CreateBook makes the offer book of a region.
func CreateBook(ctx context.Context, admin Admin, region string) error {
	err := admin.CreateTableFromConf(ctx, &bigtable.TableConf{
		TableID: OffersTable(region),
		ColumnFamilies: map[string]bigtable.Family{
			FamBid:  {GCPolicy: bigtable.MaxVersionsPolicy(BidVersions)},    // ok ttlgc/policy-mismatch
			FamAsk:  {GCPolicy: bigtable.MaxAgePolicy(30 * 24 * time.Hour)}, // want ttlgc/age-on-sequence
			FamNote: {GCPolicy: bigtable.MaxAgePolicy(30 * 24 * time.Hour)}, // ok ttlgc/age-on-sequence
		},
	})
	if status.Code(err) == codes.AlreadyExists {
		return nil
	}
	return err
}

// step is one entry of the history of changes, applied in order on instances that were restored from old backups.
type step struct {
	name   string
	table  string
	family string
	policy bigtable.GCPolicy
}

var history = []step{
	{"0007-hold-window", TableCarts, FamHold, bigtable.MaxAgePolicy(time.Second)},                                                        // ok ttlgc/age-mismatch
	{"0009-item-keep-one", TableCarts, FamItem, bigtable.UnionPolicy(bigtable.MaxAgePolicy(time.Second), bigtable.MaxVersionsPolicy(1))}, // want ttlgc/versions-with-expiry
	{"0010-sessions-shorter", TableSessions, FamTok, bigtable.MaxAgePolicy(14 * 24 * time.Hour)},                                         // want ttlgc/age-mismatch
	{"0011-devices", TableSessions, FamDevice, bigtable.MaxAgeGCPolicy(180 * 24 * time.Hour)},                                            // ok ttlgc/age-mismatch
	{"0013-last-seen", TableLocations, FamLast, bigtable.MaxAgePolicy(7 * 24 * time.Hour)},                                               // want ttlgc/age-on-zero
	{"0014-eu-bids", "eu-offers", FamBid, bigtable.MaxVersionsPolicy(10)},                                                                // want ttlgc/policy-mismatch
	{"0015-us-bids", "us-offers", FamBid, bigtable.MaxVersionsGCPolicy(BidVersions)},                                                     // ok ttlgc/policy-mismatch
	{"0016-eu-asks", "eu-offers", FamAsk, bigtable.MaxAgeGCPolicy(24 * time.Hour)},                                                       // want ttlgc/age-on-sequence
	{"0017-hist-year", TablePrices, FamHist, bigtable.MaxAgePolicy(90 * 24 * time.Hour)},                                                 // want ttlgc/policy-mismatch
	{"0018-price-holds", TablePrices, FamHold, bigtable.MaxAgePolicy(time.Hour)},                                                         // ok ttlgc/age-mismatch
	{"0019-rev-keep", TableListings, FamRev, bigtable.MaxVersionsPolicy(RevVersions)},                                                    // ok ttlgc/age-on-sequence
	{"0020-promo", TableListings, FamPromo, bigtable.MaxAgePolicy(PromoTTL)},                                                             // ok ttlgc/age-mismatch
	{"0021-meta", TableCarts, FamMeta, bigtable.MaxAgePolicy(7776000)},                                                                   // want ttlunit/age-unit
	{"0022-item-again", TableCarts, FamItem, bigtable.MaxAgeGCPolicy(time.Millisecond)},                                                  // ok ttlgc/age-mismatch
	{"0023-scratch", TableScratch, FamBid, bigtable.MaxAgePolicy(24 * time.Hour)},                                                        // ok ttlgc/age-on-sequence
}

// Replay applies the history from a step on.
func Replay(ctx context.Context, admin Admin, from string, log *slog.Logger) error {
	i := sort.Search(len(history), func(i int) bool { return history[i].name >= from })
	for _, s := range history[i:] {
		if err := admin.SetGCPolicy(ctx, s.table, s.family, s.policy); err != nil {
			return fmt.Errorf("%s: %w", s.name, err)
		}
		log.Info("applied", "step", s.name)
	}
	return nil
}

// Bootstrap prepares an emulator for the developers.
func Bootstrap(ctx context.Context, admin Admin) error {
	for _, table := range []string{TableCarts, TableSessions, "eu-offers"} {
		if err := admin.CreateTable(ctx, table); err != nil {
			return err
		}
	}
	if err := admin.CreateColumnFamilyWithConfig(ctx, TableCarts, FamItem, bigtable.Family{GCPolicy: bigtable.MaxAgePolicy(time.Second)}); err != nil { // ok ttlgc/age-mismatch
		return err
	}
	if err := admin.CreateColumnFamilyWithConfig(ctx, TableCarts, FamHold, bigtable.Family{}); err != nil { // want ttlgc/no-policy
		return err
	}
	if err := admin.CreateColumnFamily(ctx, TableCarts, FamMeta); err != nil { // ok ttlgc/no-policy
		return err
	}
	if err := admin.CreateColumnFamily(ctx, TableSessions, FamTok); err != nil { // want ttlgc/no-policy
		return err
	}
	if err := admin.CreateColumnFamily(ctx, TableSessions, FamDevice); err != nil { // ok ttlgc/no-policy
		return err
	}
	if err := admin.CreateColumnFamily(ctx, "eu-offers", FamBid); err != nil { // ok ttlgc/no-policy
		return err
	}
	return admin.SetGCPolicy(ctx, "eu-offers", FamBid, bigtable.MaxVersionsPolicy(BidVersions)) // ok ttlgc/policy-mismatch
}

// Split gives the busy tables their split points when a region starts.
func Split(ctx context.Context, admin Admin, region string) error {
	splits := []string{"2", "4", "6", "8", "a", "c", "e"}
	seq := bigtable.IntersectionPolicy(bigtable.MaxVersionsPolicy(BidVersions), bigtable.MaxAgePolicy(7*24*time.Hour)) // want ttlgc/age-on-sequence[splitseq]
	conf := bigtable.TableConf{
		TableID:   OffersTable(region),
		SplitKeys: splits,
		Families: map[string]bigtable.GCPolicy{
			FamBid:  seq,                                                                                               // want ttlgc/age-on-sequence[splitseq]
			FamAsk:  bigtable.MaxVersionsPolicy(AskVersions),                                                           // ok ttlgc/policy-mismatch
			FamNote: bigtable.IntersectionPolicy(bigtable.MaxVersionsPolicy(1), bigtable.MaxAgePolicy(7*24*time.Hour)), // ok ttlgc/age-on-sequence
		},
	}
	return admin.CreateTableFromConf(ctx, &conf)
}

// AdoptCarts creates the cart table in a partner's instance.
func AdoptCarts(ctx context.Context, admin Admin) error {
	return admin.CreateTableFromConf(ctx, &bigtable.TableConf{
		TableID: TableCarts,
		ColumnFamilies: map[string]bigtable.Family{
			FamItem: {GCPolicy: bigtable.MaxVersionsPolicy(1)},   // want ttlgc/no-policy
			FamHold: {GCPolicy: bigtable.MaxAgePolicy(Expiring)}, // ok ttlgc/no-policy
			FamMeta: {GCPolicy: bigtable.NoGcPolicy()},           // ok ttlgc/no-policy
		},
	})
}

// Retune is what the nightly job calls with the limits that operations agreed on.
func Retune(ctx context.Context, admin Admin) error {
	if err := keepFor(ctx, admin, TableSessions, FamTok, 60*24*time.Hour); err != nil { // want ttlgc/age-mismatch
		return err
	}
	if err := keepFor(ctx, admin, TableListings, FamPromo, PromoTTL); err != nil { // ok ttlgc/age-mismatch
		return err
	}
	if err := keepFor(ctx, admin, TableSessions, FamDevice, 60*24*time.Hour); err != nil { // ok ttlgc/age-mismatch
		return err
	}
	if err := keepFor(ctx, admin, TableListings, FamRev, 365*24*time.Hour); err != nil { // want ttlgc/age-on-sequence
		return err
	}
	if err := keepLast(ctx, admin, TableListings, FamRev, RevVersions); err != nil { // ok ttlgc/policy-mismatch
		return err
	}
	return keepLast(ctx, admin, "ap-offers", FamAsk, 5) // want ttlgc/policy-mismatch
}

func keepFor(ctx context.Context, admin Admin, table, family string, age time.Duration) error {
	return admin.UpdateFamily(ctx, table, family, bigtable.Family{GCPolicy: bigtable.MaxAgePolicy(age)})
}

func keepLast(ctx context.Context, admin Admin, table, family string, n int) error {
	return admin.SetGCPolicy(ctx, table, family, bigtable.MaxVersionsPolicy(n))
}
