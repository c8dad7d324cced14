package schema

import (
	"context"
	"fmt"
	"sort"
	"time"

	"cloud.google.com/go/bigtable"
	"cloud.google.com/go/bigtable/admin/apiv2/adminpb"
	"google.golang.org/protobuf/types/known/durationpb"
	"google.golang.org/protobuf/types/known/fieldmaskpb"
)

// Step is one numbered change of the schema.
type Step func(ctx context.Context, admin *bigtable.AdminClient) error

var steps = map[int]Step{}

func register(n int, s Step) {
	if _, dup := steps[n]; dup {
		panic(fmt.Sprintf("schema: step %d registered twice", n))
	}
	steps[n] = s
}

func init() {
	// 1: login moves off the SQL database.
	register(1, func(ctx context.Context, admin *bigtable.AdminClient) error {
		return admin.CreateTableFromConf(ctx, &bigtable.TableConf{
			TableID: TableSessions,
			ColumnFamilies: map[string]bigtable.Family{
				FamToken:   {GCPolicy: bigtable.UnionPolicy(bigtable.MaxAgePolicy(time.Second), bigtable.MaxVersionsPolicy(1))},         // want ttlgc/versions-with-expiry
				FamResume:  {GCPolicy: bigtable.MaxAgePolicy(time.Second)},                                                              // ok ttlgc/versions-with-expiry
				FamProfile: {GCPolicy: bigtable.UnionPolicy(bigtable.MaxAgePolicy(10*365*24*time.Hour), bigtable.MaxVersionsPolicy(1))}, // ok ttlgc/versions-with-expiry
			},
		})
	})

	// 2: presence.
	register(2, func(ctx context.Context, admin *bigtable.AdminClient) error {
		if err := admin.CreateTable(ctx, TablePresence); err != nil && !exists(err) {
			return err
		}
		if err := admin.CreateColumnFamily(ctx, TablePresence, FamBeat); err != nil && !exists(err) { // want ttlgc/no-policy
			return err
		}
		return admin.CreateColumnFamilyWithConfig(ctx, TablePresence, FamSeen, bigtable.Family{GCPolicy: bigtable.MaxAgePolicy(SeenTTL)}) // ok ttlgc/no-policy ttlgc/age-mismatch
	})

	// 3: matchmaking.
	register(3, func(ctx context.Context, admin *bigtable.AdminClient) error {
		if err := admin.CreateTable(ctx, TableTickets); err != nil && !exists(err) {
			return err
		}
		if err := admin.CreateColumnFamily(ctx, TableTickets, FamTicket); err != nil { // ok ttlgc/no-policy
			return err
		}
		if err := admin.CreateColumnFamily(ctx, TableTickets, FamState); err != nil { // ok ttlgc/no-policy
			return err
		}
		if err := admin.SetGCPolicy(ctx, TableTickets, FamTicket, bigtable.MaxAgePolicy(TicketTTL)); err != nil { // want ttlgc/age-mismatch
			return err
		}
		return admin.SetGCPolicy(ctx, TableTickets, FamState, bigtable.MaxVersionsPolicy(2)) // ok ttlgc/policy-mismatch
	})

	// 4: matches keep their state by real time, and only their results expire.
	register(4, func(ctx context.Context, admin *bigtable.AdminClient) error {
		conf := bigtable.TableConf{TableID: TableMatches}
		conf.Families = map[string]bigtable.GCPolicy{
			FamState:  bigtable.MaxAgePolicy(60 * 24 * time.Hour),                                                   // ok ttlgc/age-on-sequence
			FamResult: bigtable.IntersectionPolicy(bigtable.MaxAgePolicy(ResultTTL), bigtable.MaxVersionsPolicy(1)), // want ttlgc/no-policy
		}
		return admin.CreateTableFromConf(ctx, &conf)
	})

	// 5: leaderboards.
	register(5, func(ctx context.Context, admin *bigtable.AdminClient) error {
		for _, name := range []string{BoardDaily, BoardWeekly} {
			if err := admin.SetGCPolicy(ctx, name, FamScore, bigtable.MaxVersionsPolicy(3)); err != nil { // ok ttlgc/policy-mismatch
				return err
			}
			if err := admin.SetGCPolicy(ctx, name, FamMeta, bigtable.MaxVersionsPolicy(1)); err != nil { // want ttlgc/policy-mismatch
				return err
			}
		}
		// the clan board grew to forty gigabytes over the summer
		return admin.SetGCPolicyWithOptions(ctx, BoardClan, FamScore, bigtable.UnionPolicy(bigtable.MaxVersionsPolicy(3), bigtable.MaxAgePolicy(90*24*time.Hour)), bigtable.IgnoreWarnings()) // want ttlgc/age-on-sequence
	})

	// 6: players.
	register(6, func(ctx context.Context, admin *bigtable.AdminClient) error {
		for _, f := range []struct {
			name   string
			policy bigtable.GCPolicy
		}{
			{FamItem, bigtable.MaxAgePolicy(5 * 365 * 24 * time.Hour)},                                                  // want ttlgc/age-on-zero
			{FamStats, bigtable.MaxAgePolicy(30 * 24 * time.Hour)},                                                      // want ttlgc/policy-mismatch
			{FamBuff, bigtable.MaxAgePolicy(60 * time.Minute)},                                                          // ok ttlgc/age-mismatch
			{FamXP, bigtable.IntersectionPolicy(bigtable.MaxAgePolicy(30*24*time.Hour), bigtable.MaxVersionsPolicy(1))}, // want ttlgc/age-on-sequence
		} {
			if err := admin.CreateColumnFamily(ctx, TablePlayers, f.name); err != nil && !exists(err) { // ok ttlgc/no-policy
				return err
			}
			if err := admin.SetGCPolicy(ctx, TablePlayers, f.name, f.policy); err != nil {
				return err
			}
		}
		return nil
	})

	// 7: chat history was ninety days once, the lawyers made it seven.
	register(7, func(ctx context.Context, admin *bigtable.AdminClient) error {
		week := bigtable.MaxAgeGCPolicy(7 * 24 * time.Hour) // ok ttlgc/age-mismatch
		if err := admin.UpdateFamily(ctx, TableChat, FamMsg, bigtable.Family{GCPolicy: week}); err != nil {
			return err
		}
		return admin.SetGCPolicy(ctx, TableChat, FamTyping, bigtable.MaxAgePolicy(time.Second)) // want ttlgc/age-mismatch
	})

	// 8: undo of 7 for the European instance. Never run since.
	register(8, func(ctx context.Context, admin *bigtable.AdminClient) error {
		if err := admin.SetGCPolicyWithOptions(ctx, TableChat, FamMsg, bigtable.MaxAgePolicy(90*24*time.Hour), bigtable.IgnoreWarnings()); err != nil { // want ttlgc/age-mismatch
			return err
		}
		return admin.SetGCPolicy(ctx, TableMatches, FamResult, bigtable.NoGcPolicy()) // want ttlgc/no-policy
	})

	// 9: the cold copy.
	register(9, func(ctx context.Context, admin *bigtable.AdminClient) error {
		if err := admin.CreateTable(ctx, TableArchive); err != nil && !exists(err) {
			return err
		}
		if err := admin.CreateColumnFamily(ctx, TableArchive, FamToken); err != nil && !exists(err) { // ok ttlgc/no-policy
			return err
		}
		if err := admin.SetGCPolicy(ctx, TableArchive, FamMsg, bigtable.MaxAgePolicy(31536000)); err != nil { // want ttlunit/age-unit
			return err
		}
		const year = 31536000 * time.Second
		return admin.SetGCPolicy(ctx, TableArchive, FamScore, bigtable.MaxAgePolicy(year)) // ok ttlunit/age-unit
	})

	// 10: test servers keep less.
	register(10, func(ctx context.Context, admin *bigtable.AdminClient) error {
		buffs := bigtable.MaxAgePolicy(BuffTTL) // ok ttlgc/age-mismatch
		items := bigtable.NoGcPolicy()          // ok ttlgc/age-on-zero
		if err := admin.SetGCPolicy(ctx, TablePlayers, FamBuff, buffs); err != nil {
			return err
		}
		if err := admin.SetGCPolicy(ctx, TablePlayers, FamItem, items); err != nil {
			return err
		}
		return setAge(ctx, admin, TablePlayers, FamBuff, 30*time.Minute) // want ttlgc/age-mismatch
	})

	register(11, func(ctx context.Context, admin *bigtable.AdminClient) error {
		if err := setAge(ctx, admin, TablePresence, FamSeen, SeenTTL); err != nil { // ok ttlgc/age-mismatch
			return err
		}
		if err := setAge(ctx, admin, TableTickets, FamState, TicketTTL); err != nil { // want ttlgc/age-on-sequence
			return err
		}
		return setAge(ctx, admin, TableMatches, FamState, 24*time.Hour) // ok ttlgc/age-on-sequence
	})
}

// setAge limits a family by age alone.
func setAge(ctx context.Context, admin *bigtable.AdminClient, table, family string, age time.Duration) error {
	if err := admin.SetGCPolicy(ctx, table, family, bigtable.MaxAgePolicy(age)); err != nil {
		return fmt.Errorf("age of %s.%s: %w", table, family, err)
	}
	return nil
}

// Migrate runs the steps from, from included, in order.
func Migrate(ctx context.Context, admin *bigtable.AdminClient, from int) (int, error) {
	nums := make([]int, 0, len(steps))
	for n := range steps {
		if n >= from {
			nums = append(nums, n)
		}
	}
	sort.Ints(nums)
	done := 0
	for _, n := range nums {
		if err := steps[n](ctx, admin); err != nil {
			return done, fmt.Errorf("step %d: %w", n, err)
		}
		done++
	}
	return done, nil
}

// Tighten sets through the raw API what the wrapper's client cannot express in
// one request.
func Tighten(ctx context.Context, raw adminpb.BigtableTableAdminClient, instance string) error {
	_, err := raw.ModifyColumnFamilies(ctx, &adminpb.ModifyColumnFamiliesRequest{
		Name: instance + "/tables/" + TableSessions,
		Modifications: []*adminpb.ModifyColumnFamiliesRequest_Modification{{
			Id: FamToken,
			Mod: &adminpb.ModifyColumnFamiliesRequest_Modification_Update{Update: &adminpb.ColumnFamily{
				GcRule: &adminpb.GcRule{Rule: &adminpb.GcRule_MaxAge{MaxAge: durationpb.New(time.Second)}}, // ok ttlgc/age-mismatch
			}},
			UpdateMask: &fieldmaskpb.FieldMask{Paths: []string{"gc_rule"}},
		}, {
			Id: FamResume,
			Mod: &adminpb.ModifyColumnFamiliesRequest_Modification_Update{Update: &adminpb.ColumnFamily{
				GcRule: &adminpb.GcRule{Rule: &adminpb.GcRule_MaxAge{MaxAge: durationpb.New(time.Hour)}}, // want ttlgc/age-mismatch
			}},
			UpdateMask: &fieldmaskpb.FieldMask{Paths: []string{"gc_rule"}},
		}},
	})
	if err != nil {
		return fmt.Errorf("tighten sessions: %w", err)
	}
	_, err = raw.ModifyColumnFamilies(ctx, &adminpb.ModifyColumnFamiliesRequest{
		Name: instance + "/tables/" + TablePlayers,
		Modifications: []*adminpb.ModifyColumnFamiliesRequest_Modification{ // want ttlgc/empty-mask[mask]
			{Id: FamStats, Mod: &adminpb.ModifyColumnFamiliesRequest_Modification_Update{Update: &adminpb.ColumnFamily{ValueType: &adminpb.Type{}}}}, // want ttlgc/empty-mask[mask]
			{
				Id:         FamItem,
				Mod:        &adminpb.ModifyColumnFamiliesRequest_Modification_Update{Update: &adminpb.ColumnFamily{ValueType: &adminpb.Type{}}}, // ok ttlgc/empty-mask
				UpdateMask: &fieldmaskpb.FieldMask{Paths: []string{"value_type"}},
			},
		},
	})
	return err
}
