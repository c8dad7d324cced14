// Package use gives bits.
package use

import (
	"context"

	"cloud.google.com/go/bigtable"

	"example.com/cases/sight/optionbits"
)

func use(ctx context.Context, c *bigtable.Client, given optionbits.Bits) error {
	q := optionbits.New(c)
	keep(q.Read(ctx, "k", optionbits.Raw))                  // want `missing-filter: .*"token" of table "sessions"`
	keep(q.Read(ctx, "k", optionbits.Raw|optionbits.Wide))  // want `missing-filter: .*"token" of table "sessions"`
	keep(q.Read(ctx, "k", optionbits.Meta|optionbits.Wide)) //
	keep(q.Read(ctx, "k", given))
	keep(q.Read(ctx, "k", given|optionbits.Wide))
	if err := q.Write(ctx, "k", optionbits.Meta); err != nil {
		return err
	}
	return q.Write(ctx, "k", optionbits.Raw) // want `write-time: .*"token"`
}

func keep(r bigtable.Row) { kept = r }

var kept bigtable.Row
