// Package closures calls functions that another package made.
package closures

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/cases/sight/closures/lib"
)

type store struct {
	c     lib.Clock
	stamp lib.Stamp
}

func newStore() *store { return &store{c: lib.System{}, stamp: lib.StampServer()} }

func (s *store) put(m *bigtable.Mutation) {
	m.Set("token", "a", lib.StampNow(lib.System{})(), nil) // want `write-time`
	m.Set("token", "b", lib.StampNow(s.c)(), nil)          // want `write-time`
	m.Set("token", "c", lib.StampServer()(), nil)          // want `server-timestamp`
	m.Set("token", "d", lib.StampFunc(time.Now)(), nil)    // want `write-time`
	m.Set("token", "e", lib.NowTS(s.c), nil)               // want `write-time`
	m.Set("token", "f", s.stamp(), nil)                    // want `server-timestamp`
	stamp := lib.After(time.Now, time.Hour)
	m.Set("token", "g", stamp(), nil)
	past := lib.After(time.Now, -time.Hour)
	m.Set("token", "h", past(), nil) // want `already-expired`
	m.Set("token", "i", lib.For(time.Hour)(time.Now()), nil)
	m.Set("token", "j", lib.For(0)(time.Now()), nil) // want `write-time`
	at := lib.For(-time.Minute)
	m.Set("token", "k", at(time.Now()), nil)               // want `already-expired`
	m.Set(lib.Family("token")(), "l", bigtable.Now(), nil) // want `write-time`
}

func numbers(m *bigtable.Mutation, lines []string) {
	scaled, plain := lib.Scaled(1000), lib.Scaled(1)
	for i := range lines {
		m.Set("entry", "a", scaled(int64(i)), nil)
		m.Set("entry", "b", plain(int64(i)), nil) // want `unscaled-sequence`
	}
}

func reads(ctx context.Context, tbl *bigtable.Client) error {
	live := lib.Live(time.Now)
	live1, err := tbl.Open("otp").ReadRow(ctx, "k", bigtable.RowFilter(live()))
	if err != nil {
		return err
	}
	println(len(live1["code"]))
	ended := lib.Ended("code")
	row, err := tbl.Open("otp").ReadRow(ctx, "k", bigtable.RowFilter(ended(time.Now()))) // want `expired-only`
	if err == nil {
		println(len(row["code"]))
	}
	return err
}

func policies(ctx context.Context, a *bigtable.AdminClient) error {
	if err := a.SetGCPolicy(ctx, "otp", "code", lib.Age(time.Millisecond)()); err != nil {
		return err
	}
	return a.SetGCPolicy(ctx, "otp", "code", lib.Age(time.Hour)()) // want `age-mismatch`
}

var writeSession = lib.Column("token", "w", lib.StampServer()) // want `server-timestamp`

func writing(m *bigtable.Mutation) {
	w := lib.Column("token", "w", lib.StampServer()) // want `server-timestamp`
	w(m, nil)
	lib.Column("token", "x", lib.StampNow(lib.System{}))(m, nil) // want `write-time`
	lib.Column("token", "y", lib.After(time.Now, time.Hour))(m, nil)
	lib.Column("profile", "w", lib.StampServer())(m, nil)
}
