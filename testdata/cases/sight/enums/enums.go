// Package enums takes names of families from enumerations.
package enums

import (
	"context"

	"cloud.google.com/go/bigtable"
	"example.com/cases/sight/enums/kind"
)

// Use writes each family by every kind of name.
func Use(ctx context.Context, c *bigtable.Client, m *bigtable.Mutation) {
	t := c.Open("sessions")
	m.Set(kind.Token.Array(), "1", bigtable.Now(), nil)       // want `write-time: .*"token" of table "sessions"`
	m.Set(kind.Token.Checked(), "2", bigtable.Now(), nil)     // want `write-time: .*"token" of table "sessions"`
	m.Set(kind.Token.Keyed(), "3", bigtable.Now(), nil)       // want `write-time: .*"token" of table "sessions"`
	m.Set(kind.Token.Local(), "4", bigtable.Now(), nil)       // want `write-time: .*"token" of table "sessions"`
	m.Set(kind.Token.Local2(), "5", bigtable.Now(), nil)      // want `write-time: .*"token" of table "sessions"`
	m.Set(kind.Token.Slice(), "6", bigtable.Now(), nil)       // want `write-time: .*"token" of table "sessions"`
	m.Set(kind.Token.Map(), "7", bigtable.Now(), nil)         // want `write-time: .*"token" of table "sessions"`
	m.Set(kind.Token.MapOk(), "8", bigtable.Now(), nil)       // want `write-time: .*"token" of table "sessions"`
	m.Set(kind.Token.Switch(), "9", bigtable.Now(), nil)      // want `write-time: .*"token" of table "sessions"`
	m.Set(kind.Token.Stringer(), "10", bigtable.Now(), nil)   // want `write-time: .*"token" of table "sessions"`
	m.Set(kind.Token.Stringer2(), "11", bigtable.Now(), nil)  // want `write-time: .*"token" of table "sessions"`
	m.Set(kind.Token.Spec().Name, "12", bigtable.Now(), nil)  // want `write-time: .*"token" of table "sessions"`
	m.Set(kind.Token.Spec2().Name, "13", bigtable.Now(), nil) // want `write-time: .*"token" of table "sessions"`
	m.Set(kind.TextToken.String(), "14", bigtable.Now(), nil) // want `write-time: .*"token" of table "sessions"`
	m.Set(kind.Profile.Array(), "1", bigtable.Now(), nil)
	m.Set(kind.Profile.Checked(), "2", bigtable.Now(), nil)
	m.Set(kind.Profile.Keyed(), "3", bigtable.Now(), nil)
	m.Set(kind.Profile.Local(), "4", bigtable.Now(), nil)
	m.Set(kind.Profile.Local2(), "5", bigtable.Now(), nil)
	m.Set(kind.Profile.Slice(), "6", bigtable.Now(), nil)
	m.Set(kind.Profile.Map(), "7", bigtable.Now(), nil)
	m.Set(kind.Profile.MapOk(), "8", bigtable.Now(), nil)
	m.Set(kind.Profile.Switch(), "9", bigtable.Now(), nil)
	m.Set(kind.Profile.Stringer(), "10", bigtable.Now(), nil)
	m.Set(kind.Profile.Stringer2(), "11", bigtable.Now(), nil)
	m.Set(kind.Profile.Spec().Name, "12", bigtable.Now(), nil)
	m.Set(kind.Profile.Spec2().Name, "13", bigtable.Now(), nil)
	t.Apply(ctx, "k", m)
}

func put(m *bigtable.Mutation, k kind.Kind) {
	m.Set(k.Array(), "1", bigtable.Now(), nil)
	m.Set(k.Checked(), "2", bigtable.Now(), nil)
	m.Set(k.Stringer(), "3", bigtable.Now(), nil)
	m.Set(k.Map(), "4", bigtable.Now(), nil)
	m.Set(k.Switch(), "5", bigtable.Now(), nil)
	m.Set(k.Spec().Name, "6", bigtable.Now(), nil)
}

// Use2 writes what is only wrong for one of the families.
func Use2(ctx context.Context, c *bigtable.Client) {
	t := c.Open("sessions")
	m := bigtable.NewMutation()
	put(m, kind.Token) // want `write-time: .*"token" of table "sessions"`
	put(m, kind.Profile)
	t.Apply(ctx, "k", m)
}
