// Package schema names the arena's tables and column families and brings them
// into the state that the services expect.
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

// Tables.
const (
	TableSessions = "sessions"
	TablePresence = "presence"
	TableTickets  = "tickets"
	TableMatches  = "matches"
	TablePlayers  = "players"
	TableChat     = "chat"

	// TableArchive is the cold copy; nothing there is collected.
	TableArchive = "archive"
	// TableLegacySessions is what the old login server still reads.
	TableLegacySessions = "legacy_sessions"
)

// Boards, one table each.
const (
	BoardDaily  = "daily-board"
	BoardWeekly = "weekly-board"
	BoardClan   = "clan-board"
)

// Families.
const (
	FamToken   = "token"
	FamResume  = "resume"
	FamProfile = "profile"
	FamBeat    = "beat"
	FamSeen    = "seen"
	FamTicket  = "ticket"
	FamState   = "state"
	FamResult  = "result"
	FamScore   = "score"
	FamMeta    = "meta"
	FamItem    = "item"
	FamStats   = "stats"
	FamBuff    = "buff"
	FamXP      = "xp"
	FamMsg     = "msg"
	FamTyping  = "typing"
)

// Lifetimes.
const (
	TokenTTL  = 30 * time.Minute
	ResumeTTL = 2 * time.Minute
	SeenTTL   = 24 * time.Hour
	TicketTTL = 5 * time.Minute
	ResultTTL = 30 * 24 * time.Hour
	BuffTTL   = time.Hour
	MsgTTL    = 7 * 24 * time.Hour
	TypingTTL = 10 * time.Second
	StatsAge  = 90 * 24 * time.Hour
)

// expireNow is the age of families whose cells carry their own expiry.
const expireNow = time.Second

// policies is the wanted state, table by table.
var policies = map[string]map[string]bigtable.GCPolicy{
	TableSessions: {
		FamToken:   bigtable.MaxAgePolicy(expireNow), // ok ttlgc/age-mismatch
		FamResume:  bigtable.MaxAgePolicy(ResumeTTL), // want ttlgc/age-mismatch
		FamProfile: bigtable.MaxVersionsPolicy(1),    // ok ttlgc/policy-mismatch
	},
	TablePresence: {
		FamBeat: bigtable.MaxAgePolicy(expireNow),      // ok ttlgc/age-mismatch
		FamSeen: bigtable.MaxAgePolicy(48 * time.Hour), // want ttlgc/age-mismatch
	},
	TableTickets: {
		FamTicket: bigtable.MaxAgePolicy(expireNow),                                                            // ok ttlgc/age-mismatch
		FamState:  bigtable.UnionPolicy(bigtable.MaxVersionsPolicy(2), bigtable.MaxAgePolicy(14*24*time.Hour)), // want ttlgc/age-on-sequence
	},
	TableMatches: {
		FamState:  bigtable.UnionPolicy(bigtable.MaxVersionsPolicy(2), bigtable.MaxAgePolicy(14*24*time.Hour)), // ok ttlgc/age-on-sequence
		FamResult: bigtable.MaxAgePolicy(ResultTTL),                                                            // ok ttlgc/age-mismatch
	},
	TablePlayers: {
		FamItem:  bigtable.MaxVersionsPolicy(1),   // ok ttlgc/age-on-zero
		FamStats: bigtable.MaxAgePolicy(StatsAge), // ok ttlgc/policy-mismatch
		FamBuff:  bigtable.MaxAgePolicy(BuffTTL),  // ok ttlgc/age-mismatch
		FamXP:    bigtable.MaxVersionsPolicy(1),   // ok ttlgc/age-on-sequence ttlgc/policy-mismatch
	},
	TableChat: {
		FamMsg:    bigtable.UnionPolicy(bigtable.MaxAgePolicy(MsgTTL), bigtable.MaxVersionsPolicy(1)), // want ttlgc/versions-with-expiry
		FamTyping: bigtable.MaxAgePolicy(time.Millisecond),                                            // ok ttlgc/age-mismatch
	},
	TableArchive: {
		FamToken: bigtable.NoGcPolicy(),                       // ok ttlgc/no-policy
		FamMsg:   bigtable.MaxVersionsPolicy(1),               // ok ttlgc/no-policy
		FamScore: bigtable.MaxAgePolicy(365 * 24 * time.Hour), // ok ttlgc/age-on-sequence
	},
}

// boardSpec is one leaderboard.
type boardSpec struct {
	name   string
	scores bigtable.GCPolicy
	meta   bigtable.GCPolicy
}

var boardSpecs = []boardSpec{
	{name: BoardDaily, scores: bigtable.MaxAgePolicy(48 * time.Hour), meta: bigtable.MaxVersionsPolicy(5)}, // want ttlgc/age-on-sequence
	{name: BoardWeekly, scores: bigtable.MaxVersionsPolicy(3), meta: bigtable.MaxVersionsPolicy(5)},        // ok ttlgc/age-on-sequence ttlgc/policy-mismatch
	{name: BoardClan, scores: bigtable.MaxVersionsGCPolicy(1), meta: bigtable.MaxVersionsGCPolicy(5)},      // want ttlgc/policy-mismatch
}

// Bootstrapper creates what is missing.
type Bootstrapper struct {
	admin *bigtable.AdminClient
	log   *slog.Logger
	tries int
}

// NewBootstrapper returns a Bootstrapper on admin.
func NewBootstrapper(admin *bigtable.AdminClient, log *slog.Logger) *Bootstrapper {
	return &Bootstrapper{admin: admin, log: log, tries: 3}
}

// Run brings every table into its wanted state. It may be run again.
func (b *Bootstrapper) Run(ctx context.Context) error {
	have, err := b.admin.Tables(ctx)
	if err != nil {
		return fmt.Errorf("list tables: %w", err)
	}
	known := make(map[string]bool, len(have))
	for _, t := range have {
		known[t] = true
	}
	tables := make([]string, 0, len(policies))
	for t := range policies {
		tables = append(tables, t)
	}
	sort.Strings(tables)
	for _, table := range tables {
		if !known[table] {
			if err := b.retry(ctx, "create "+table, func(ctx context.Context) error {
				return b.admin.CreateTable(ctx, table)
			}); err != nil {
				return err
			}
		}
		for family, policy := range policies[table] {
			if err := b.ensure(ctx, table, family, policy); err != nil {
				return err
			}
		}
	}
	for _, spec := range boardSpecs {
		if !known[spec.name] {
			if err := b.admin.CreateTable(ctx, spec.name); err != nil && !exists(err) {
				return fmt.Errorf("create board %s: %w", spec.name, err)
			}
		}
		if err := b.ensure(ctx, spec.name, FamScore, spec.scores); err != nil {
			return err
		}
		if err := b.ensure(ctx, spec.name, FamMeta, spec.meta); err != nil {
			return err
		}
	}
	return nil
}

// ensure creates the family if it is not there and sets its policy.
func (b *Bootstrapper) ensure(ctx context.Context, table, family string, policy bigtable.GCPolicy) error {
	err := b.admin.CreateColumnFamily(ctx, table, family) // ok ttlgc/no-policy
	if err != nil && !exists(err) {
		return fmt.Errorf("create %s.%s: %w", table, family, err)
	}
	return b.retry(ctx, "policy of "+table+"."+family, func(ctx context.Context) error {
		return b.admin.SetGCPolicy(ctx, table, family, policy)
	})
}

func (b *Bootstrapper) retry(ctx context.Context, what string, f func(context.Context) error) error {
	wait := 200 * time.Millisecond
	var err error
	for i := 0; i < b.tries; i++ {
		if err = f(ctx); err == nil || exists(err) {
			return nil
		}
		b.log.WarnContext(ctx, "schema step failed", "step", what, "try", i+1, "err", err)
		select {
		case <-ctx.Done():
			return errors.Join(err, ctx.Err())
		case <-time.After(wait):
			wait *= 2
		}
	}
	return fmt.Errorf("%s: %w", what, err)
}

func exists(err error) bool { return status.Code(err) == codes.AlreadyExists }
