// Package chain writes by chains of calls, in which each link has faults of
// its own.
package chain

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/cases/sight/chain/build"
)

type builder struct{ m *bigtable.Mutation }

func (b *builder) set(family, column string, ts bigtable.Timestamp, v []byte) *builder {
	b.m.Set(family, column, ts, v)
	return b
}

// Local chains calls of this package.
func Local(ctx context.Context, c *bigtable.Client, v []byte) error {
	b := (&builder{bigtable.NewMutation()}).
		set("profile", "name", bigtable.Now(), v).
		set("token", "jwt", bigtable.Now(), v). // want `write-time: .*"token"`
		set("token", "csrf", bigtable.Time(time.Now().Add(time.Hour)), v).
		set("token", "nonce", bigtable.ServerTime, v) // want `server-timestamp: .*"token"`
	return c.Open("sessions").Apply(ctx, "r", b.m)
}

// Across chains those of another.
func Across(ctx context.Context, c *bigtable.Client, v []byte) error {
	m := build.New().
		Set("token", "jwt", bigtable.Now(), v). // want `write-time: .*"token"`
		Set("profile", "name", bigtable.Now(), v).
		Set("token", "nonce", bigtable.Now(), v). // want `write-time: .*"token"`
		Mutation()
	return c.Open("sessions").Apply(ctx, "r", m)
}

// Line has two faults on one line.
func Line(ctx context.Context, c *bigtable.Client, v []byte) error {
	b := &builder{bigtable.NewMutation()}
	b.set("token", "jwt", bigtable.Now(), v).set("token", "nonce", bigtable.Now(), v) // want `write-time: .*"token"` `write-time: .*"token"`
	return c.Open("sessions").Apply(ctx, "r", b.m)
}

// Silenced has one of them silenced where it stands.
func Silenced(ctx context.Context, c *bigtable.Client, v []byte) error {
	b := (&builder{bigtable.NewMutation()}).
		set("token", "jwt", bigtable.Now(), v). // want `write-time: .*"token"`
		//ttlvet:ignore ttlwrite/write-time revokes the nonce
		set("token", "nonce", bigtable.Now(), v)
	return c.Open("sessions").Apply(ctx, "r", b.m)
}

// Whole has them silenced for the whole statement.
func Whole(ctx context.Context, c *bigtable.Client, v []byte) error {
	//ttlvet:ignore ttlwrite/write-time revokes both
	b := (&builder{bigtable.NewMutation()}).
		set("token", "jwt", bigtable.Now(), v).
		set("token", "nonce", bigtable.Now(), v)
	return c.Open("sessions").Apply(ctx, "r", b.m)
}

// Read reads at the end of a chain.
func Read(ctx context.Context, c *bigtable.Client) (bigtable.Row, error) {
	return c.
		Open("sessions").
		ReadRow(ctx, "r") // want `missing-filter: .*"token"`
}
