// Package server puts what reads and what is read by together.
package server

import (
	"context"

	"cloud.google.com/go/bigtable"

	"example.com/cases/sight/consumedreads/cells"
	"example.com/cases/sight/consumedreads/web"
)

func served(c *bigtable.Client) []any {
	s := cells.New(c.Open("sessions"))
	return []any{
		web.NewDebug(s), // want `missing-filter: .*"token" of table "sessions"`
		web.NewDebug(&cells.Fake{}),
		web.NewDebug(cells.New(c.Open("unregistered"))),
		web.NewAll(s), // want `missing-filter: .*"token" of table "sessions"`
		web.NewProfiles(s),
		web.NewBounded(s),
		web.NewChecked(s),
		web.NewFinds(s), // want `missing-filter: .*"token" of table "sessions"`
		web.NewFinds(cells.NewLive(c.Open("sessions"))),
		web.NewFinds(&cells.Fake{}),
		web.NewToken(s), // want `missing-filter: .*"token" of table "sessions"`
		web.NewRows(s),
		web.NewHelped(s),
		web.NewHelpedToken(s),     // want `missing-filter: .*"token" of table "sessions"`
		web.NewFamily(s, "token"), // want `missing-filter: .*"token" of table "sessions"`
		web.NewFamily(s, "profile"),
		web.NewReturning(s), // want `missing-filter: .*"token" of table "sessions"`
	}
}

func decorated(c *bigtable.Client) []any {
	s := cells.New(c.Open("sessions"))
	return []any{
		web.NewDebug(web.Logged{Next: s}), // want `missing-filter: .*"token" of table "sessions"`
		web.NewDebug(web.Logged{Next: &cells.Fake{}}),
		web.NewDebug(web.Living{Next: s}),
		web.NewBounded(web.Logged{Next: s}),
		web.NewProfiles(web.Logged{Next: s}),
		web.NewCalled(s.Get), // want `missing-filter: .*"token" of table "sessions"`
		web.NewCalled((&cells.Fake{}).Get),
		web.NewCalled(web.Living{Next: s}.Get),
	}
}

// either may be the one or the other.
func either(c *bigtable.Client, demo bool) *web.Debug {
	if demo {
		return web.NewDebug(&cells.Fake{})
	}
	s := cells.New(c.Open("sessions"))
	return web.NewDebug(s) // want `missing-filter: .*"token" of table "sessions"`
}

func given(ctx context.Context, c *bigtable.Client) {
	s := cells.New(c.Open("sessions"))
	_, _ = web.Count(ctx, s, "k") // want `missing-filter: .*"token" of table "sessions"`
	_, _ = web.Count(ctx, &cells.Fake{}, "k")
	_, _ = web.NewBounded(s).Tokens(ctx, "k")
	if row, err := web.Load(ctx, s, "k"); err == nil { // want `missing-filter: .*"token" of table "sessions"`
		_ = row["token"]
	}
	if row, err := web.Load(ctx, s, "k"); err == nil {
		_ = row["profile"]
	}
}
