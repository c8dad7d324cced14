// Package schema names tables and families and creates them.
package schema

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"cloud.google.com/go/bigtable"

	"studio.example/leaderbd/internal/kit"
)

// Tables.
const (
	Players      = "players"
	Lobbies      = "lobbies"
	Scores       = "scores"
	ScoreArchive = "score-archive"
	Vault        = "vault"
	Verdicts     = "verdicts"
	Analytics    = "analytics" // the data team's; they keep what they want as long as they want
	EventsSuffix = "-events"
)

// Families.
const (
	FamProfile  = "profile"
	FamSession  = "session"
	FamWallet   = "wallet"
	FamTicket   = "ticket"
	FamRoom     = "room"
	FamMeta     = "meta"
	FamBoard    = "board"
	FamSeason   = "season"
	FamAbout    = "about"
	FamItems    = "items"
	FamClaim    = "claim"
	FamLock     = "lock"
	FamCatalog  = "catalog"
	FamFlag     = "flag"
	FamHold     = "hold"
	FamEvidence = "evidence"
	FamEvent    = "event"
	FamCursor   = "cursor"
	FamLease    = "lease"
)

// Lifetimes and limits.
const (
	SessionTTL    = 2 * time.Hour
	TicketTTL     = 90 * time.Second
	RoomTTL       = 30 * time.Minute
	ClaimTTL      = 24 * time.Hour
	FlagTTL       = 7 * 24 * time.Hour
	HoldTTL       = 15 * time.Minute
	LeaseTTL      = 30 * time.Second
	EvidenceTTL   = 30 * 24 * time.Hour
	BoardVersions = 3
	ItemVersions  = 5
	EventVersions = 2
)

type spec struct {
	family string
	policy bigtable.GCPolicy
}

// plan is the schema, table by table.
var plan = map[string][]spec{
	Players: {
		{FamProfile, bigtable.NoGcPolicy()},              // ok ttlgc/no-policy
		{FamSession, bigtable.MaxAgePolicy(time.Second)}, // ok ttlgc/age-mismatch
		{FamWallet, bigtable.MaxVersionsPolicy(1)},       // ok ttlgc/age-on-zero
	},
	Lobbies: {
		{FamTicket, bigtable.MaxAgePolicy(TicketTTL)}, // want ttlgc/age-mismatch
		{FamRoom, bigtable.MaxAgePolicy(RoomTTL)},     // ok ttlgc/age-mismatch
		{FamMeta, bigtable.MaxVersionsPolicy(1)},      // ok ttlgc/policy-mismatch
	},
	Scores: {
		{FamBoard, bigtable.UnionPolicy(bigtable.MaxVersionsPolicy(BoardVersions), bigtable.MaxAgePolicy(90*24*time.Hour))}, // want ttlgc/age-on-sequence
		{FamSeason, bigtable.MaxVersionsPolicy(1)}, // ok ttlgc/age-on-zero
		{FamAbout, bigtable.NoGcPolicy()},          // ok ttlgc/no-policy
	},
	ScoreArchive: {
		{FamBoard, bigtable.MaxAgePolicy(365 * 24 * time.Hour)}, // ok ttlgc/age-on-sequence // ok ttlgc/policy-mismatch
	},
	Vault: {
		{FamItems, bigtable.MaxVersionsPolicy(3)},                                                        // want ttlgc/policy-mismatch
		{FamClaim, bigtable.UnionPolicy(bigtable.MaxAgePolicy(ClaimTTL), bigtable.MaxVersionsPolicy(1))}, // want ttlgc/versions-with-expiry
		{FamLock, bigtable.MaxAgePolicy(time.Second)},                                                    // ok ttlgc/age-mismatch
		{FamCatalog, bigtable.MaxVersionsPolicy(1)},                                                      // ok ttlgc/policy-mismatch
	},
	Verdicts: {
		{FamFlag, bigtable.MaxAgePolicy(FlagTTL)},         // ok ttlgc/age-mismatch
		{FamHold, bigtable.MaxAgePolicy(time.Second)},     // want ttlgc/age-mismatch
		{FamEvidence, bigtable.MaxAgePolicy(EvidenceTTL)}, // ok ttlgc/policy-mismatch
	},
}

// Apply creates what is missing and sets every policy.
func Apply(ctx context.Context, ac *bigtable.AdminClient, log *slog.Logger) error {
	have, err := ac.Tables(ctx)
	if err != nil {
		return fmt.Errorf("list tables: %w", err)
	}
	for _, table := range kit.SortedKeys(plan) {
		if !slices.Contains(have, table) {
			if err := ac.CreateTable(ctx, table); err != nil {
				return fmt.Errorf("create %s: %w", table, err)
			}
		}
		info, err := ac.TableInfo(ctx, table)
		if err != nil {
			return err
		}
		for _, s := range plan[table] {
			if !slices.Contains(info.Families, s.family) {
				if err := ac.CreateColumnFamily(ctx, table, s.family); err != nil { // ok ttlgc/no-policy
					return fmt.Errorf("create %s:%s: %w", table, s.family, err)
				}
			}
			if err := ac.SetGCPolicy(ctx, table, s.family, s.policy); err != nil {
				return fmt.Errorf("policy of %s:%s: %w", table, s.family, err)
			}
			log.Info("policy set", "table", table, "family", s.family, "policy", s.policy.String())
		}
	}
	return nil
}

// EventsConf is the table of one region's live events.
func EventsConf(region string) *bigtable.TableConf {
	return &bigtable.TableConf{
		TableID: region + EventsSuffix,
		ColumnFamilies: map[string]bigtable.Family{
			FamEvent:  {GCPolicy: bigtable.IntersectionPolicy(bigtable.MaxVersionsPolicy(EventVersions), bigtable.MaxAgePolicy(48*time.Hour))}, // want ttlgc/age-on-sequence
			FamCursor: {GCPolicy: bigtable.MaxVersionsPolicy(1)},                                                                               // ok ttlgc/age-on-zero
			FamLease:  {GCPolicy: bigtable.MaxAgePolicy(time.Second)},                                                                          // ok ttlgc/age-mismatch
		},
	}
}

// DevConf is the same for developers' emulators, where nothing has to last.
func DevConf(table string) *bigtable.TableConf {
	fam := func(p bigtable.GCPolicy) bigtable.Family { return bigtable.Family{GCPolicy: p} }
	switch table {
	case Scores:
		return &bigtable.TableConf{
			TableID: Scores,
			ColumnFamilies: map[string]bigtable.Family{
				FamBoard:  fam(bigtable.MaxAgePolicy(time.Hour)),     // want ttlgc/age-on-sequence
				FamSeason: fam(bigtable.MaxAgePolicy(6 * time.Hour)), // want ttlgc/age-on-zero
				FamAbout:  fam(bigtable.MaxAgePolicy(time.Hour)),     // ok ttlgc/policy-mismatch
			},
		}
	case ScoreArchive:
		return &bigtable.TableConf{
			TableID: ScoreArchive,
			ColumnFamilies: map[string]bigtable.Family{
				FamBoard: fam(bigtable.MaxAgePolicy(8760 * time.Hour)), // ok ttlgc/age-on-sequence
			},
		}
	case Vault:
		return &bigtable.TableConf{
			TableID: Vault,
			ColumnFamilies: map[string]bigtable.Family{
				FamItems:   fam(bigtable.MaxVersionsPolicy(ItemVersions)), // ok ttlgc/policy-mismatch
				FamClaim:   fam(bigtable.MaxAgePolicy(time.Hour)),         // want ttlgc/age-mismatch
				FamLock:    {},                                            // want ttlgc/no-policy
				FamCatalog: {},                                            // ok ttlgc/no-policy
			},
		}
	}
	return &bigtable.TableConf{TableID: table}
}
