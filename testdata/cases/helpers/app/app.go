// Package app uses the helpers.
package app

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/cases/helpers/clock"
	"example.com/cases/helpers/conf"
	"example.com/cases/helpers/gen"
	"example.com/cases/helpers/schema"
)

// Names.

func stringer(mut *bigtable.Mutation, v []byte) {
	mut.Set(schema.Token.String(), "jwt", bigtable.Now(), v) // want `write-time: .*"token"`
	mut.Set(schema.Profile.String(), "bio", bigtable.Now(), v)
}

func of(mut *bigtable.Mutation, v []byte) {
	mut.Set(schema.Of("jwt"), "jwt", bigtable.Now(), v) // want `write-time: .*"token"`
	mut.Set(schema.Of("bio"), "bio", bigtable.Now(), v)
}

func looked(mut *bigtable.Mutation, v []byte) {
	mut.Set(schema.Name(schema.Token), "jwt", bigtable.Now(), v) // want `write-time: .*"token"`
	mut.Set(schema.Name(schema.Profile), "bio", bigtable.Now(), v)
}

func indexed(mut *bigtable.Mutation, v []byte) {
	mut.Set(schema.Families[0], "jwt", bigtable.Now(), v) // want `write-time: .*"token"`
	mut.Set(schema.Families[1], "bio", bigtable.Now(), v)
}

func columns(mut *bigtable.Mutation, v []byte) {
	mut.Set(schema.JWT.Family, schema.JWT.Qualifier, bigtable.Now(), v) // want `write-time: .*"token"`
	mut.Set(schema.Bio().Family, schema.Bio().Qualifier, bigtable.Now(), v)
}

func table(ctx context.Context, client *bigtable.Client, id string) {
	row, _ := client.Open(schema.Sessions("prod")).ReadRow(ctx, schema.Key("user", id)) // want `missing-filter: .*"token".*"sessions"`
	println(string(row["token"][0].Value))
	row, _ = client.Open("metrics").ReadRow(ctx, schema.Key("user", id))
	println(string(row["token"][0].Value))
}

// Clocks.

func now(mut *bigtable.Mutation, v []byte) {
	mut.Set("token", "jwt", bigtable.Time(clock.Now()), v) // want `write-time: .*"token"`
	mut.Set("token", "jwt2", bigtable.Time(clock.In(time.Hour)), v)
	mut.Set("token", "jwt3", bigtable.Time(clock.In(-clock.Minutes(5))), v) // want `already-expired: .*"token"`
	mut.Set("token", "jwt4", bigtable.Time(clock.In(clock.Minutes(5))), v)
}

type store struct{ clock clock.Clock }

func newStore() *store { return &store{clock: clock.System{}} }

func (s *store) put(mut *bigtable.Mutation, v []byte) {
	mut.Set("token", "jwt", bigtable.Time(s.clock.Now()), v) // want `write-time: .*"token"`
	mut.Set("token", "jwt2", bigtable.Time(s.clock.Now().Add(time.Hour)), v)
}

func micros(mut *bigtable.Mutation, v []byte) {
	mut.Set("token", "jwt", bigtable.Timestamp(clock.Micros(clock.In(time.Hour))), v)
	mut.Set("token", "jwt2", bigtable.Timestamp(clock.Millis(clock.In(time.Hour))), v) // want `wrong-unit: `
}

func byHand(ctx context.Context, tbl *bigtable.Table) []byte {
	row, _ := tbl.ReadRow(ctx, "k")
	for _, item := range row["token"] {
		if !clock.Expired(item.Timestamp.Time()) {
			return item.Value
		}
	}
	return nil
}

func byHandNot(ctx context.Context, tbl *bigtable.Table) []byte {
	row, _ := tbl.ReadRow(ctx, "k") // want `missing-filter: .*"token"`
	for _, item := range row["token"] {
		if clock.Micros(item.Timestamp.Time()) != 0 {
			return item.Value
		}
	}
	return nil
}

// Configuration.

func configured(mut *bigtable.Mutation, v []byte) {
	c := conf.Default()
	mut.Set(c.Family, "jwt", bigtable.Now(), v) // want `write-time: .*"token"`
	mut.Set(c.Family, "jwt2", bigtable.Time(time.Now().Add(c.TTL)), v)
	d := conf.New(conf.WithFamily("profile"))
	mut.Set(d.Family, "bio", bigtable.Now(), v)
	e := conf.New()
	mut.Set(e.Family, "jwt3", bigtable.Now(), v) // want `write-time: .*"token"`
	f := conf.New().SetFamily("profile")
	mut.Set(f.Family, "bio2", bigtable.Now(), v)
	g := conf.New(conf.WithFamily("profile")).SetFamily("token")
	mut.Set(g.Family, "jwt4", bigtable.Now(), v) // want `write-time: .*"token"`
}

func lifetime(mut *bigtable.Mutation, v []byte) {
	mut.Set("token", "jwt", bigtable.Time(time.Now().Add(conf.New().Lifetime())), v)
	mut.Set("token", "jwt2", bigtable.Time(time.Now().Add(-conf.New().Lifetime())), v) // want `already-expired: .*"token"`
}

// Generic helpers.

func generic(mut *bigtable.Mutation, v []byte) {
	mut.Set(gen.Or("", "token"), "jwt", bigtable.Now(), v) // want `write-time: .*"token"`
	mut.Set(gen.Or("profile", "token"), "name", bigtable.Now(), v)
	mut.Set("token", "jwt2", gen.Deref(gen.Ptr(bigtable.Now())), v) // want `write-time: .*"token"`
	mut.Set("token", "jwt3", gen.Deref(gen.Ptr(bigtable.Time(clock.In(time.Hour)))), v)
	mut.Set("token", "jwt4", bigtable.Time(gen.Must(time.Now(), nil)), v) // want `write-time: .*"token"`
	mut.Set(gen.If(true, "profile", "token"), "bio2", bigtable.Now(), v)
}
