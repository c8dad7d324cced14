// Package app uses Bigtable in the shapes of real code, with what comes from
// another package. Each shape has a mistake and a twin that is right.
package app

import (
	"context"
	"flag"
	"time"

	cbt "cloud.google.com/go/bigtable"

	"example.com/cases/corpus/lib"
)

// use does what nobody knows with a row.
var use func(row cbt.Row, err error)

// The family of a Set.

func constant(mut *cbt.Mutation) {
	mut.Set(lib.Token, "v", cbt.ServerTime, nil)          // want `server-timestamp: .*"token"`
	mut.Set(string(lib.Ticket), "v", cbt.ServerTime, nil) // want `server-timestamp: .*"ticket"`
}

func index(mut *cbt.Mutation) {
	family := lib.Families[lib.TokenAt]
	mut.Set(family, "v", cbt.ServerTime, nil) // want `server-timestamp: .*"token"`
	mut.Set(lib.Families[lib.ProfileAt], "v", cbt.ServerTime, nil)
	mut.Set(lib.Families[2], "v", cbt.Now(), nil) // want `clock-in-sequence: .*"entry"`
}

func lookup(mut *cbt.Mutation) {
	mut.Set(lib.ByKind["session"], "v", cbt.ServerTime, nil) // want `server-timestamp: .*"token"`
	mut.Set(lib.ByKind["user"], "v", cbt.ServerTime, nil)
}

func ranged(mut *cbt.Mutation) {
	for _, c := range lib.Columns {
		mut.Set(c.Family, c.Name, cbt.ServerTime, nil) // want `server-timestamp: .*"token"`
	}
	for _, c := range lib.Quiet {
		mut.Set(c.Family, c.Name, cbt.ServerTime, nil)
	}
}

func variable(mut *cbt.Mutation) {
	mut.Set(lib.JWT.Family, lib.JWT.Name, cbt.ServerTime, nil) // want `server-timestamp: .*"token"`
	mut.Set(lib.JWT.Family, lib.JWT.Name, lib.In(time.Hour), nil)
}

func branch(mut *cbt.Mutation) {
	mut.Set(lib.FamilyOf(true), "v", cbt.ServerTime, nil) // want `server-timestamp: .*"token"`
	mut.Set(lib.FamilyOf(false), "v", cbt.ServerTime, nil)
}

func okUnknownBranch(mut *cbt.Mutation, session bool) {
	mut.Set(lib.FamilyOf(session), "v", cbt.ServerTime, nil)
}

func field(mut *cbt.Mutation) {
	cfg := lib.Default()
	mut.Set(cfg.Family, "v", cbt.ServerTime, nil) // want `server-timestamp: .*"token"`
	mut.Set(cfg.Family, "v", cbt.Time(time.Now().Add(cfg.TTL)), nil)
	cfg.Family = "profile"
	mut.Set(cfg.Family, "v", cbt.ServerTime, nil)
}

var familyFlag = flag.String("family", "token", "the family")

func okFlag(mut *cbt.Mutation) {
	mut.Set(*familyFlag, "v", cbt.ServerTime, nil)
}

// Its timestamp.

func now(mut *cbt.Mutation) {
	ts := cbt.Now()
	mut.Set("token", "v", ts, nil) // want `write-time: .*"token"`
	mut.Set("profile", "v", ts, nil)
}

func zero(mut *cbt.Mutation) {
	mut.Set("token", "v", lib.Unset, nil) // want `already-expired: .*"token"`
	mut.Set("latest", "v", lib.Unset, nil)
}

func encoded(mut *cbt.Mutation, at int64) {
	mut.Set("token", "v", lib.Stamp(1600000000), nil) // want `already-expired: .*"token"`
	mut.Set("token", "v", lib.Stamp(at), nil)
}

func added(mut *cbt.Mutation, expires time.Time) {
	mut.Set("token", "a", lib.In(lib.Lifetime), nil)
	mut.Set("token", "b", lib.In(-lib.Lifetime), nil)  // want `already-expired: .*"token"`
	mut.Set("token", "c", lib.Until(time.Now()), nil)  // want `write-time: .*"token"`
	mut.Set("token", "d", lib.Until(time.Time{}), nil) // want `already-expired: .*"token"`
	mut.Set("token", "e", lib.Until(expires), nil)
}

func clock(mut *cbt.Mutation) {
	c := lib.NewClock()
	mut.Set("entry", "v", cbt.Time(c.Now()), nil) // want `clock-in-sequence: .*"entry"`
	mut.Set("profile", "v", cbt.Time(c.Now()), nil)
	mut.Set("token", "v", cbt.Time(c.Now()), nil) // want `write-time: .*"token"`
	mut.Set("token", "w", cbt.Time(c.Now().Add(time.Hour)), nil)
}

// The table of a read.

type service struct {
	db  *lib.DB
	tbl *cbt.Table
}

func newService(c *cbt.Client) *service {
	db := lib.Open(c, "prod")
	return &service{db: db, tbl: db.Codes()}
}

func (s *service) reads(ctx context.Context) {
	use(s.tbl.ReadRow(ctx, "k"))                  // want `missing-filter: .*"code"`
	use(s.db.OTP.ReadRow(ctx, "k"))               // want `missing-filter: .*"code"`
	use(s.db.Codes().ReadRow(ctx, "k"))           // want `missing-filter: .*"code"`
	use(s.db.Ledger().ReadRow(ctx, "k"))          // want `missing-filter: .*"entry"`
	use(s.db.Sprintf("ledger").ReadRow(ctx, "k")) // want `missing-filter: .*"entry"`
	use(s.db.Plain().ReadRow(ctx, "k"))
	use(s.db.Sprintf("other").ReadRow(ctx, "k"))
	use(lib.Global.ReadRow(ctx, "k")) // want `missing-filter: .*"code"`
	use(s.tbl.ReadRow(ctx, "k", cbt.RowFilter(lib.Alive())))
}

func parameter(ctx context.Context, tbl *cbt.Table) {
	use(tbl.ReadRow(ctx, "k"))
}

func opened(ctx context.Context, c *cbt.Client) {
	parameter(ctx, c.Open("plain"))
	parameter(ctx, c.Open("otp")) // want `missing-filter: .*"code"`
}

// A mutation and its table.

func (s *service) passed(ctx context.Context) {
	mut := cbt.NewMutation()
	mut.Set("val", "v", cbt.Now(), nil)
	s.db.ApplyPlain(ctx, "k", mut)
}

func (s *service) returned(ctx context.Context, c *cbt.Client) {
	key, mut := lib.Row("val", cbt.Now()) // want `write-time: .*"val"`
	c.Open("cache").Apply(ctx, key, mut)
	key, mut = lib.Row("val", lib.In(time.Hour))
	c.Open("cache").Apply(ctx, key, mut)
	key, mut = lib.Row("val", cbt.Now())
	s.db.Plain().Apply(ctx, key, mut)
}

// The filter of a read.

func (s *service) filters(ctx context.Context, deep bool) {
	f := lib.Newest(1)
	use(s.tbl.ReadRow(ctx, "k", cbt.RowFilter(f))) // want `missing-filter: .*"code"`
	if deep {
		f = cbt.ChainFilters(lib.Alive(), lib.Newest(3))
	} else {
		f = lib.Alive()
	}
	use(s.tbl.ReadRow(ctx, "k", cbt.RowFilter(f)))
	use(s.tbl.ReadRow(ctx, "k", cbt.RowFilter(lib.ReadFilter(false)))) // want `missing-filter: .*"code"`
	use(s.tbl.ReadRow(ctx, "k", cbt.RowFilter(lib.ReadFilter(true))))
	var opts []cbt.ReadOption
	opts = append(opts, cbt.LimitRows(1))
	use(s.tbl.ReadRow(ctx, "k", opts...)) // want `missing-filter: .*"code"`
	opts = append(opts, cbt.RowFilter(lib.Alive()))
	use(s.tbl.ReadRow(ctx, "k", opts...))
	use(s.tbl.ReadRow(ctx, "k", lib.With(nil, lib.Newest(1))...)) // want `missing-filter: .*"code"`
	use(s.tbl.ReadRow(ctx, "k", lib.With(nil, lib.Alive())...))
}

func (s *service) generic(ctx context.Context) {
	lib.Get(ctx, s.tbl, "k", lib.Tokens, cbt.RowFilter(lib.Alive()))
	lib.Get(ctx, s.tbl, "k", func(r cbt.Row) int { return len(r["code"]) }) // want `missing-filter: .*"code"`
	lib.Get(ctx, s.db.Plain(), "k", func(r cbt.Row) int { return len(r["code"]) })
}

func (s *service) scans(ctx context.Context, tbl *cbt.Table) {
	lib.Scan(ctx, s.tbl, lib.Newest(1), func(r cbt.Row) bool { use(r, nil); return true }) // want `missing-filter: .*"code"`
	lib.Scan(ctx, s.tbl, lib.Alive(), func(r cbt.Row) bool { use(r, nil); return true })
}

// The family of a read.

func (s *service) families(ctx context.Context, tbl *cbt.Table) (int, int) {
	row, _ := tbl.ReadRow(ctx, "k") // want `missing-filter: .*"token"`
	quiet, _ := tbl.ReadRow(ctx, "k")
	return lib.Tokens(row), lib.Names(quiet)
}

func (s *service) checked(ctx context.Context) []cbt.ReadItem {
	row, _ := s.tbl.ReadRow(ctx, "k")
	return lib.Live(row["code"], time.Now())
}

func (s *service) unchecked(ctx context.Context) []cbt.ReadItem {
	row, _ := s.tbl.ReadRow(ctx, "k") // want `missing-filter: .*"code"`
	return row["code"]
}

// Policies.

func policies(ctx context.Context, ac *cbt.AdminClient) {
	for family, p := range lib.Policies {
		ac.SetGCPolicy(ctx, "sessions", family, p)
	}
	for family, p := range lib.Wrong {
		ac.SetGCPolicy(ctx, "bank-ledger", family, p) // want `age-on-sequence: .*"entry"`
	}
	for _, s := range lib.Schemas {
		ac.SetGCPolicy(ctx, s.Table, s.Family, s.Policy)
	}
	ac.SetGCPolicy(ctx, "clicks", "event", lib.Month)
	ac.SetGCPolicy(ctx, "bank-ledger", "entry", lib.Month)                     // want `age-on-sequence: .*"entry"`
	ac.SetGCPolicy(ctx, "sessions", "token", cbt.MaxAgeGCPolicy(lib.Lifetime)) // want `age-mismatch: .*"token"`
	lib.Create(ctx, ac, "bank-ledger", "entry", 3, 0)
	lib.Create(ctx, ac, "bank-ledger", "entry", 3, time.Hour) // want `age-on-sequence: .*"entry"`
	lib.Create(ctx, ac, "plain", "other", 3, time.Hour)
}

// Predicates.

func (s *service) conditional(ctx context.Context) {
	set := cbt.NewMutation()
	set.Set("profile", "v", cbt.ServerTime, nil)
	s.tbl.Apply(ctx, "k", cbt.NewCondMutation(lib.Newest(1), set, nil)) // want `conditional-mutation: .*"code"`
	s.tbl.Apply(ctx, "k", cbt.NewCondMutation(lib.Alive(), set, nil))
}
