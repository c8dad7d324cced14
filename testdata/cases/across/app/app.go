// Package app uses lib and lib2. Findings stand at the outermost call that
// supplies the bad value.
package app

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/cases/across/lib"
	"example.com/cases/across/lib2"
)

// Timestamps that come from another package.

func nowTS(mut *bigtable.Mutation) {
	mut.Set("token", "jwt", lib.NowTS(), nil) // want `write-time: .*"token"`
}

func okNowTS(mut *bigtable.Mutation) {
	mut.Set("profile", "name", lib.NowTS(), nil)
}

func okExpiry(mut *bigtable.Mutation) {
	mut.Set("token", "jwt", lib.Expiry(time.Hour), nil)
}

func expiryOfNothing(mut *bigtable.Mutation) {
	mut.Set("token", "jwt", lib.Expiry(0), nil) // want `write-time: .*"token"`
}

func expiryInThePast(mut *bigtable.Mutation) {
	mut.Set("token", "jwt", lib.Expiry(-time.Hour), nil) // want `already-expired: .*"token"`
}

func toTS(mut *bigtable.Mutation) {
	mut.Set("token", "jwt", lib.ToTS(time.Now()), nil) // want `write-time: .*"token"`
}

func okToTS(mut *bigtable.Mutation, t time.Time) {
	mut.Set("token", "jwt", lib.ToTS(t), nil)
}

func okNumber(muts []*bigtable.Mutation) {
	for i, mut := range muts {
		mut.Set("entry", "amount", lib.Number(int64(i)), nil)
	}
}

func expiryInSequence(mut *bigtable.Mutation) {
	mut.Set("entry", "amount", lib.Expiry(time.Hour), nil) // want `clock-in-sequence: .*"entry"`
}

// Families that come from another package.

func familyConstant(mut *bigtable.Mutation) {
	mut.Set(lib.TokenFamily, "jwt", bigtable.ServerTime, nil) // want `server-timestamp: .*"token"`
}

func okFamilyConstant(mut *bigtable.Mutation) {
	mut.Set(lib.ProfileFamily, "name", bigtable.ServerTime, nil)
}

// Writes.

func put(mut *bigtable.Mutation) {
	lib.Put(mut, "token", bigtable.ServerTime) // want `server-timestamp: .*"token"`
	lib.Put(mut, "profile", bigtable.ServerTime)
	lib.Put(mut, "ticket", lib.Expiry(time.Hour))
}

func putNow(mut *bigtable.Mutation) {
	lib.PutNow(mut, "token")  // want `write-time: .*"token"`
	lib.PutNow(mut, "entry")  // want `clock-in-sequence: .*"entry"`
	lib.PutNow(mut, "latest") // want `clock-in-zero: .*"latest"`
	lib.PutNow(mut, "event")
	lib.PutNow(mut, "profile")
}

func putOr(mut *bigtable.Mutation) {
	lib.PutOr(mut, "token", 0) // want `write-time: .*"token"`
	lib.PutOr(mut, "ticket", lib.Expiry(time.Hour))
}

func okGuarded(mut *bigtable.Mutation) {
	lib.PutGuarded(mut, "token", bigtable.ServerTime)
}

func bump(rmw *bigtable.ReadModifyWrite) {
	lib.Bump(rmw, "token") // want `read-modify-write: .*"token"`
	lib.Bump(rmw, "event")
}

func clearAfter(mut *bigtable.Mutation) {
	lib.Put(mut, "token", lib.Expiry(time.Hour))
	lib.Clear(mut, "token", "value") // want `delete-after-set: .*"token"`
}

func okClearBefore(mut *bigtable.Mutation) {
	lib.Clear(mut, "token", "value")
	lib.Put(mut, "token", lib.Expiry(time.Hour))
}

func twice(mut *bigtable.Mutation) {
	lib.Put(mut, "latest", 0)
	lib.Put(mut, "latest", 0) // want `same-timestamp: .*"latest"`
}

func built(ctx context.Context, client *bigtable.Client) error {
	if err := client.Open("sessions").Apply(ctx, "k", lib.Token(lib.Expiry(time.Hour))); err != nil {
		return err
	}
	return client.Open("sessions").Apply(ctx, "k", lib.Token(bigtable.ServerTime)) // want `server-timestamp: .*"token"`
}

// A mutation of an ambiguous family leaves its package: the finding stands at
// the Apply where its table becomes known.

func ambiguousCache(ctx context.Context, client *bigtable.Client) error {
	return client.Open("cache").Apply(ctx, "k", lib.NowVal()) // want `write-time: .*"val"`
}

func ambiguousHistory(ctx context.Context, client *bigtable.Client) error {
	return client.Open("history").Apply(ctx, "k", lib.NowVal()) // want `clock-in-sequence: .*"val"`
}

func okAmbiguousElsewhere(ctx context.Context, client *bigtable.Client) error {
	return client.Open("plain").Apply(ctx, "k", lib.NowVal())
}

func okAmbiguousStill(ctx context.Context, tbl *bigtable.Table) error {
	return tbl.Apply(ctx, "k", lib.NowVal())
}

func ambiguousTimestamp(ctx context.Context, client *bigtable.Client) error {
	if err := client.Open("cache").Apply(ctx, "k", lib.Val(lib.Expiry(time.Hour))); err != nil {
		return err
	}
	if err := client.Open("history").Apply(ctx, "k", lib.Val(8000)); err != nil {
		return err
	}
	return client.Open("cache").Apply(ctx, "k", lib.Val(bigtable.ServerTime)) // want `server-timestamp: .*"val"`
}

// Two packages deep.

func deep(mut *bigtable.Mutation) {
	lib2.At(mut, "token", bigtable.Now()) // want `write-time: .*"token"`
	lib2.At(mut, "profile", bigtable.Now())
}

func deepStamp(mut *bigtable.Mutation) {
	lib2.Stamp(mut, "token") // want `write-time: .*"token"`
	lib2.Stamp(mut, "profile")
}

func deepExpire(mut *bigtable.Mutation) {
	lib2.Expire(mut, "token", time.Hour)
	lib2.Expire(mut, "ticket", 0)        // want `write-time: .*"ticket"`
	lib2.Expire(mut, "entry", time.Hour) // want `clock-in-sequence: .*"entry"`
}

func deepUntil(mut *bigtable.Mutation) {
	lib2.Until(mut, time.Now()) // want `write-time: .*"token"`
}

func okDeepUntil(mut *bigtable.Mutation, t time.Time) {
	lib2.Until(mut, t)
	lib2.Until(mut, time.Now().Add(time.Hour))
}

// Filters and options.

func okLive(ctx context.Context, c *bigtable.Client) (bigtable.Row, error) {
	return c.Open("otp").ReadRow(ctx, "k", bigtable.RowFilter(lib.Live()))
}

func okLiveOnly(ctx context.Context, c *bigtable.Client) (bigtable.Row, error) {
	return c.Open("otp").ReadRow(ctx, "k", lib.LiveOnly(bigtable.LimitRows(1))...)
}

func latestOnly(ctx context.Context, c *bigtable.Client) (bigtable.Row, error) {
	return c.Open("otp").ReadRow(ctx, "k", lib.LatestOnly()...) // want `missing-filter: .*"code"`
}

func overridden(ctx context.Context, c *bigtable.Client) (bigtable.Row, error) {
	return c.Open("otp").ReadRow(ctx, "k", lib.LatestOnly(bigtable.RowFilter(lib.Live()))...) // want `overridden-filter: `
}

func okReadFilter(ctx context.Context, c *bigtable.Client) (bigtable.Row, error) {
	return c.Open("otp").ReadRow(ctx, "k", bigtable.RowFilter(lib.ReadFilter(false)))
}

func readFilter(ctx context.Context, c *bigtable.Client) (bigtable.Row, error) {
	return c.Open("otp").ReadRow(ctx, "k", bigtable.RowFilter(lib.ReadFilter(true))) // want `missing-filter: .*"code"`
}

func okSince(ctx context.Context, c *bigtable.Client) (bigtable.Row, error) {
	return c.Open("clicks").ReadRow(ctx, "k", bigtable.RowFilter(lib.Since(time.Now().Add(-720*time.Hour))))
}

func since(ctx context.Context, c *bigtable.Client) (bigtable.Row, error) {
	return c.Open("clicks").ReadRow(ctx, "k", bigtable.RowFilter(lib.Since(time.Now()))) // want `wrong-bound: .*"event"`
}

func options(ctx context.Context, c *bigtable.Client) (bigtable.Row, error) {
	return c.Open("otp").ReadRow(ctx, "k", lib2.Options(false)...) // want `missing-filter: .*"code"`
}

func okOptions(ctx context.Context, c *bigtable.Client) (bigtable.Row, error) {
	return c.Open("otp").ReadRow(ctx, "k", lib2.Options(true)...)
}

// Reads.

func read(ctx context.Context, c *bigtable.Client) (bigtable.Row, error) {
	return lib.Read(ctx, c.Open("otp"), "k") // want `missing-filter: .*"code"`
}

func okRead(ctx context.Context, c *bigtable.Client) (bigtable.Row, error) {
	return lib.Read(ctx, c.Open("otp"), "k", lib.LiveOnly()...)
}

func okReadElsewhere(ctx context.Context, c *bigtable.Client) (bigtable.Row, error) {
	return lib.Read(ctx, c.Open("plain"), "k")
}

func okGet(ctx context.Context, c *bigtable.Client) (bigtable.Row, error) {
	return lib2.Get(ctx, c.Open("otp"))
}

func getLatest(ctx context.Context, c *bigtable.Client) (bigtable.Row, error) {
	return lib2.GetLatest(ctx, c.Open("otp")) // want `missing-filter: .*"code"`
}

func okGetLatest(ctx context.Context, c *bigtable.Client) (bigtable.Row, error) {
	return lib2.GetLatest(ctx, c.Open("bank-ledger"))
}

func tokens(ctx context.Context, tbl *bigtable.Table) ([]bigtable.ReadItem, error) {
	row, err := lib.Read(ctx, tbl, "k") // want `missing-filter: .*"token"`
	return row["token"], err
}

func tokensByHelper(ctx context.Context, tbl *bigtable.Table) ([]bigtable.ReadItem, error) {
	row, err := tbl.ReadRow(ctx, "k") // want `missing-filter: .*"token"`
	return lib.Tokens(row), err
}

// Stores.

func storeRead(ctx context.Context, c *bigtable.Client) (bigtable.Row, error) {
	s := lib.New(c, "otp")
	return s.Read(ctx, "k", bigtable.LatestNFilter(1)) // want `missing-filter: .*"code"`
}

func okStoreRead(ctx context.Context, c *bigtable.Client) (bigtable.Row, error) {
	s := lib.New(c, "otp")
	return s.Read(ctx, "k", lib.Live())
}

func okStoreReadLive(ctx context.Context, c *bigtable.Client) (bigtable.Row, error) {
	return lib.New(c, "otp").ReadLive(ctx, "k", bigtable.ColumnFilter("c"))
}

func storeReadWith(ctx context.Context, c *bigtable.Client) (bigtable.Row, error) {
	return lib.New(c, "otp").ReadWith(ctx, "k", bigtable.LimitRows(1)) // want `missing-filter: .*"code"`
}

func storeTable(ctx context.Context, c *bigtable.Client) (bigtable.Row, error) {
	return lib.New(c, "otp").Table().ReadRow(ctx, "k") // want `missing-filter: .*"code"`
}

func okOtherStore(ctx context.Context, c *bigtable.Client) (bigtable.Row, error) {
	return lib.New(c, "plain").ReadWith(ctx, "k")
}

func okStoreDefaults(ctx context.Context, c *bigtable.Client) error {
	return lib.New(c, "sessions").Put(ctx, "k")
}

func storeFamily(ctx context.Context, c *bigtable.Client) error {
	return lib.New(c, "sessions", lib.WithFamily("token")).Put(ctx, "k") // want `server-timestamp: .*"token"`
}

func okStoreOptions(ctx context.Context, c *bigtable.Client) error {
	return lib.New(c, "sessions", lib.WithFamily("token"), lib.WithTimestamp(lib.Expiry(time.Hour))).Put(ctx, "k")
}

func storePutAt(ctx context.Context, c *bigtable.Client) error {
	s := lib.New(c, "cache")
	if err := s.PutAt(ctx, "k", "val", lib.Expiry(time.Minute)); err != nil {
		return err
	}
	return s.PutAt(ctx, "k", "val", lib.NowTS()) // want `write-time: .*"val"`
}

func storePutAtSequence(ctx context.Context, c *bigtable.Client) error {
	s := lib.New(c, "history")
	if err := s.PutAt(ctx, "k", "val", lib.Number(7)); err != nil {
		return err
	}
	return s.PutAt(ctx, "k", "val", 7) // want `unscaled-sequence: .*"val"`
}

func storeApply(ctx context.Context, c *bigtable.Client) error {
	mut := bigtable.NewMutation()
	mut.Set("val", "x", bigtable.Now(), nil) // want `write-time: .*"val"`
	return lib.New(c, "cache").Apply(ctx, "k", mut)
}

func find(ctx context.Context, c *bigtable.Client) (bigtable.Row, error) {
	return lib2.NewService(c, "otp").Find(ctx, bigtable.LatestNFilter(1)) // want `missing-filter: .*"code"`
}

func okFind(ctx context.Context, c *bigtable.Client) (bigtable.Row, error) {
	return lib2.NewService(c, "otp").Find(ctx, lib.Live())
}

func promoted(ctx context.Context, c *bigtable.Client) (bigtable.Row, error) {
	return lib2.NewService(c, "otp").ReadWith(ctx, "k") // want `missing-filter: .*"code"`
}

// An interface with its implementation.

func viaInterface(mut *bigtable.Mutation) {
	w := lib.NewWriter()
	w.Write(mut, "token", bigtable.ServerTime) // want `server-timestamp: .*"token"`
	w.Write(mut, "profile", bigtable.ServerTime)
}

func okUnknownWriter(mut *bigtable.Mutation, w lib.Writer) {
	w.Write(mut, "profile", bigtable.ServerTime)
}

// Policies.

func policy(ctx context.Context, ac *bigtable.AdminClient) error {
	if err := lib.SetPolicy(ctx, ac, "clicks", "event", lib.KeepFor(720*time.Hour)); err != nil {
		return err
	}
	return lib.SetPolicy(ctx, ac, "bank-ledger", "entry", lib.KeepFor(720*time.Hour)) // want `age-on-sequence: .*"entry"`
}

func deepPolicy(ctx context.Context, ac *bigtable.AdminClient) error {
	if err := lib2.Keep(ctx, ac, "clicks", "event", 720*time.Hour); err != nil {
		return err
	}
	return lib2.Keep(ctx, ac, "clicks", "event", 24*time.Hour) // want `age-mismatch: .*"event"`
}

// Method values and expressions of another package.

func methodValue(ctx context.Context, c *bigtable.Client) (bigtable.Row, error) {
	get := lib.New(c, "otp").ReadWith
	return get(ctx, "k") // want `missing-filter: .*"code"`
}

func functionValue(mut *bigtable.Mutation) {
	stamp := lib.PutNow
	stamp(mut, "token") // want `write-time: .*"token"`
}
