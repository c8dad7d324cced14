package schema

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/chirpnest/internal/config"
	"example.com/chirpnest/internal/tables"
)

// Migration is one step, numbered.
type Migration struct {
	ID   int
	Name string
	Up   func(ctx context.Context, admin *bigtable.AdminClient) error
}

var perFamily = map[string]bigtable.GCPolicy{
	tables.FamLease:  bigtable.MaxAgeGCPolicy(time.Second),                                                      // ok ttlgc/age-mismatch
	tables.FamWindow: bigtable.MaxAgeGCPolicy(time.Hour),                                                        // want ttlgc/age-mismatch
	tables.FamBadge:  bigtable.MaxAgeGCPolicy(180 * day),                                                        // ok ttlgc/age-mismatch
	tables.FamState:  bigtable.IntersectionPolicy(bigtable.MaxVersionsPolicy(3), bigtable.MaxAgePolicy(30*day)), // want ttlgc/age-on-sequence
	tables.FamEvent:  bigtable.MaxVersionsGCPolicy(3),                                                           // ok ttlgc/age-on-sequence
	tables.FamCard:   bigtable.UnionPolicy(bigtable.MaxVersionsPolicy(1), bigtable.MaxAgePolicy(365*day)),       // want ttlgc/age-on-zero
	tables.FamTotal:  bigtable.UnionPolicy(bigtable.MaxVersionsPolicy(1), bigtable.MaxAgePolicy(365*day)),       // ok ttlgc/age-on-zero
}

var homeOf = map[string]string{
	tables.FamLease:  tables.Jobs,
	tables.FamWindow: tables.Counters,
	tables.FamBadge:  tables.Profiles,
	tables.FamState:  tables.Jobs,
	tables.FamEvent:  "prod" + tables.OutboxSuffix,
	tables.FamCard:   tables.Profiles,
	tables.FamTotal:  tables.Counters,
}

func upPresence(ctx context.Context, admin *bigtable.AdminClient) error {
	if err := admin.CreateTable(ctx, tables.Presence); err != nil {
		return err
	}
	if err := admin.CreateColumnFamily(ctx, tables.Presence, tables.FamOnline); err != nil { // ok ttlgc/no-policy
		return err
	}
	if err := admin.CreateColumnFamily(ctx, tables.Presence, tables.FamTyping); err != nil { // want ttlgc/no-policy
		return err
	}
	return admin.SetGCPolicy(ctx, tables.Presence, tables.FamOnline, bigtable.MaxAgePolicy(time.Second)) // ok ttlgc/age-mismatch
}

func upPosts(ctx context.Context, admin *bigtable.AdminClient) error {
	if err := admin.CreateTable(ctx, tables.Posts); err != nil {
		return err
	}
	if err := AddFamily(ctx, admin, tables.Posts, tables.FamStats); err != nil { // ok ttlgc/no-policy
		return err
	}
	if err := AddFamily(ctx, admin, tables.Posts, tables.FamRev); err != nil { // want ttlgc/no-policy
		return err
	}
	return EnsureFamily(ctx, admin, tables.Posts, tables.FamBody, bigtable.MaxVersionsPolicy(1)) // ok ttlgc/no-policy
}

// Migrations lists the steps in order.
func Migrations(cfg config.Config) []Migration {
	return []Migration{
		{1, "sessions", func(ctx context.Context, admin *bigtable.AdminClient) error {
			return admin.CreateTableFromConf(ctx, &bigtable.TableConf{
				TableID: tables.Sessions,
				ColumnFamilies: map[string]bigtable.Family{
					tables.FamSess:    {GCPolicy: bigtable.MaxAgePolicy(time.Second)}, // ok ttlgc/age-mismatch
					tables.FamRefresh: {GCPolicy: bigtable.NoGcPolicy()},              // want ttlgc/no-policy
					tables.FamMeta:    {GCPolicy: bigtable.NoGcPolicy()},              // ok ttlgc/no-policy
				},
			})
		}},
		{2, "notifications", func(ctx context.Context, admin *bigtable.AdminClient) error {
			return admin.CreateTableFromConf(ctx, &bigtable.TableConf{
				TableID: tables.Notifications,
				ColumnFamilies: map[string]bigtable.Family{
					tables.FamInbox:  {GCPolicy: bigtable.MaxAgePolicy(cfg.Notify.InboxTTL)},                                                       // ok ttlgc/age-mismatch
					tables.FamDigest: {GCPolicy: bigtable.UnionPolicy(bigtable.MaxAgePolicy(cfg.Notify.DigestTTL), bigtable.MaxVersionsPolicy(1))}, // want ttlgc/versions-with-expiry
					tables.FamPrefs:  {GCPolicy: bigtable.UnionPolicy(bigtable.MaxAgePolicy(365*day), bigtable.MaxVersionsPolicy(1))},              // ok ttlgc/versions-with-expiry
				},
			})
		}},
		{3, "presence", upPresence},
		{4, "posts", upPosts},
		{5, "keep fewer revisions", func(ctx context.Context, admin *bigtable.AdminClient) error {
			return EnsureFamily(ctx, admin, tables.Posts, tables.FamRev, bigtable.MaxVersionsPolicy(2)) // want ttlgc/policy-mismatch
		}},
		{6, "keep five again", func(ctx context.Context, admin *bigtable.AdminClient) error {
			return EnsureFamily(ctx, admin, tables.Posts, tables.FamRev, bigtable.MaxVersionsPolicy(5)) // ok ttlgc/policy-mismatch
		}},
		{7, "clean old revisions", func(ctx context.Context, admin *bigtable.AdminClient) error {
			return EnsureFamily(ctx, admin, tables.Posts, tables.FamRev, bigtable.MaxAgePolicy(90*day)) // want ttlgc/age-on-sequence
		}},
		{8, "clean old captions", func(ctx context.Context, admin *bigtable.AdminClient) error {
			return EnsureFamily(ctx, admin, tables.Stories, tables.FamRev, bigtable.MaxAgePolicy(90*day)) // ok ttlgc/age-on-sequence
		}},
		{9, "story frames", func(ctx context.Context, admin *bigtable.AdminClient) error {
			return EnsureFamily(ctx, admin, tables.Stories, tables.FamFrame, bigtable.MaxAgePolicy(2*day)) // want ttlgc/age-mismatch
		}},
		{10, "timelines", func(ctx context.Context, admin *bigtable.AdminClient) error {
			if err := EnsureFamily(ctx, admin, tables.Timelines, tables.FamEntry, bigtable.MaxVersionsPolicy(1)); err != nil { // want ttlgc/no-policy
				return err
			}
			return EnsureFamily(ctx, admin, tables.Timelines, tables.FamCursor, bigtable.MaxVersionsPolicy(1)) // ok ttlgc/no-policy
		}},
		{11, "the rest", func(ctx context.Context, admin *bigtable.AdminClient) error {
			for family, policy := range perFamily {
				if err := EnsureFamily(ctx, admin, homeOf[family], family, policy); err != nil {
					return err
				}
			}
			return nil
		}},
		{12, "job payloads", func(ctx context.Context, admin *bigtable.AdminClient) error {
			return admin.SetGCPolicy(ctx, tables.Jobs, tables.FamPayload, bigtable.MaxVersionsPolicy(10)) // want ttlgc/policy-mismatch
		}},
		{13, "profile meta", func(ctx context.Context, admin *bigtable.AdminClient) error {
			return admin.SetGCPolicy(ctx, tables.Profiles, tables.FamMeta, bigtable.MaxAgePolicy(30*day)) // want ttlgc/policy-mismatch
		}},
		{14, "badges forever", func(ctx context.Context, admin *bigtable.AdminClient) error {
			return admin.SetGCPolicyWithOptions(ctx, tables.Profiles, tables.FamBadge, bigtable.MaxAgePolicy(730*day), bigtable.IgnoreWarnings()) // want ttlgc/age-mismatch
		}},
		{15, "presence ages", func(ctx context.Context, admin *bigtable.AdminClient) error {
			if err := admin.UpdateFamily(ctx, tables.Presence, tables.FamOnline, bigtable.Family{GCPolicy: bigtable.MaxAgePolicy(90)}); err != nil { // want ttlunit/age-unit
				return err
			}
			return admin.UpdateFamily(ctx, tables.Presence, tables.FamTyping, bigtable.Family{GCPolicy: bigtable.MaxAgePolicy(1 * time.Second)}) // ok ttlunit/age-unit
		}},
		{16, "outbox", func(ctx context.Context, admin *bigtable.AdminClient) error {
			outbox := cfg.Env + tables.OutboxSuffix
			if err := EnsureFamily(ctx, admin, outbox, tables.FamEvent, bigtable.UnionPolicy(bigtable.MaxAgePolicy(7*day), bigtable.MaxVersionsPolicy(3))); err != nil { // want ttlgc/age-on-sequence
				return err
			}
			return EnsureFamily(ctx, admin, outbox, tables.FamClaim, bigtable.MaxAgePolicy(time.Second)) // ok ttlgc/age-mismatch
		}},
		{17, "analytics", func(ctx context.Context, admin *bigtable.AdminClient) error {
			if err := EnsureFamily(ctx, admin, tables.Analytics, tables.FamWindow, bigtable.MaxAgePolicy(30*day)); err != nil { // ok ttlgc/age-mismatch
				return err
			}
			return EnsureFamily(ctx, admin, tables.Archive, tables.FamRev, bigtable.MaxAgePolicy(86400)) // want ttlunit/age-unit
		}},
	}
}

// Pending cuts what was applied already.
func Pending(all []Migration, applied int) []Migration {
	for i, m := range all {
		if m.ID > applied {
			return all[i:]
		}
	}
	return nil
}
