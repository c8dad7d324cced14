// Package genericrow has helpers use only those cells of a row that are of the
// family which the method of an argument names.
package genericrow

import (
	"context"

	"cloud.google.com/go/bigtable"

	"example.com/cases/sight/genericrow/repo"
)

type profile struct{ name string }

func (*profile) Family() string { return "profile" }

type token struct{ s string }

func (*token) Family() string { return "token" }

// A dated entity's family hangs on what it is.
type dated struct{ family string }

func (d *dated) Family() string { return d.family }

func okGeneric(ctx context.Context, c *bigtable.Client) (p profile, err error) {
	err = repo.Get(ctx, c.Open("sessions"), &p, func(p *profile, b []byte) { p.name = string(b) })
	return p, err
}

func generic(ctx context.Context, c *bigtable.Client) (t token, err error) {
	err = repo.Get(ctx, c.Open("sessions"), &t, func(t *token, b []byte) { t.s = string(b) }) // want `missing-filter: .*"token" of table "sessions"`
	return t, err
}

func okIface(ctx context.Context, c *bigtable.Client) (p profile, err error) {
	err = repo.GetIface(ctx, c.Open("sessions"), &p, func(b []byte) { p.name = string(b) })
	return p, err
}

func iface(ctx context.Context, c *bigtable.Client) (t token, err error) {
	err = repo.GetIface(ctx, c.Open("sessions"), &t, func(b []byte) { t.s = string(b) }) // want `missing-filter: .*"token" of table "sessions"`
	return t, err
}

// What the caller's caller says.
func okThrough(ctx context.Context, c *bigtable.Client, set func([]byte)) error {
	return through(ctx, c.Open("sessions"), &profile{}, set)
}

func throughToken(ctx context.Context, c *bigtable.Client, set func([]byte)) error {
	return through(ctx, c.Open("sessions"), &token{}, set) // want `missing-filter: .*"token" of table "sessions"`
}

func through(ctx context.Context, tbl *bigtable.Table, e repo.Entity, set func([]byte)) error {
	return repo.GetIface(ctx, tbl, e, set)
}

func okEach(ctx context.Context, c *bigtable.Client, set func([]byte)) error {
	return repo.Each(ctx, c.Open("sessions"), &profile{}, set)
}

func each(ctx context.Context, c *bigtable.Client, set func([]byte)) error {
	return repo.Each(ctx, c.Open("sessions"), &token{}, set) // want `missing-filter: .*"token" of table "sessions"`
}

func okDecode(ctx context.Context, c *bigtable.Client, set func([]byte)) error {
	row, err := c.Open("sessions").ReadRow(ctx, "k")
	repo.Decode(row, &profile{}, set)
	return err
}

func decode(ctx context.Context, c *bigtable.Client, set func([]byte)) error {
	row, err := c.Open("sessions").ReadRow(ctx, "k") // want `missing-filter: .*"token" of table "sessions"`
	repo.Decode(row, &token{}, set)
	return err
}

func okQuery(ctx context.Context, c *bigtable.Client) ([]byte, error) {
	return repo.Run(ctx, c.Open("sessions"), repo.Query{Into: &profile{}, Key: "k"})
}

func query(ctx context.Context, c *bigtable.Client) ([]byte, error) {
	return repo.Run(ctx, c.Open("sessions"), repo.Query{Into: &token{}, Key: "k"}) // want `missing-filter: .*"token" of table "sessions"`
}

func okMethod(ctx context.Context, c *bigtable.Client) (p profile, err error) {
	err = repo.New[*profile](c.Open("sessions")).Get(ctx, &p, func(p *profile, b []byte) { p.name = string(b) })
	return p, err
}

func method(ctx context.Context, c *bigtable.Client) (t token, err error) {
	err = repo.New[*token](c.Open("sessions")).Get(ctx, &t, func(t *token, b []byte) { t.s = string(b) }) // want `missing-filter: .*"token" of table "sessions"`
	return t, err
}

func okMethodName(ctx context.Context, c *bigtable.Client, set func([]byte)) error {
	return repo.New[*profile](c.Open("sessions")).GetName(ctx, "profile", set)
}

func methodName(ctx context.Context, c *bigtable.Client, set func([]byte)) error {
	return repo.New[*profile](c.Open("sessions")).GetName(ctx, "token", set) // want `missing-filter: .*"token" of table "sessions"`
}

// A repository that is kept.
type store struct{ profiles, tokens *repo.Repo[repo.Entity] }

func newStore(c *bigtable.Client) *store {
	return &store{
		profiles: repo.New[repo.Entity](c.Open("sessions")),
		tokens:   repo.New[repo.Entity](c.Open("sessions")),
	}
}

func (s *store) okProfile(ctx context.Context, set func(repo.Entity, []byte)) error {
	return s.profiles.Get(ctx, &profile{}, set)
}

func (s *store) token(ctx context.Context, set func(repo.Entity, []byte)) error {
	return s.tokens.Get(ctx, &token{}, set) // want `missing-filter: .*"token" of table "sessions"`
}

func okTyped(ctx context.Context, c *bigtable.Client, set func([]byte)) error {
	return repo.NewTyped[*profile](c.Open("sessions")).Get(ctx, set)
}

func typed(ctx context.Context, c *bigtable.Client, set func([]byte)) error {
	return repo.NewTyped[*token](c.Open("sessions")).Get(ctx, set) // want `missing-filter: .*"token" of table "sessions"`
}

func okSessions(ctx context.Context, c *bigtable.Client, set func([]byte)) error {
	return repo.Sessions(ctx, c, &profile{}, set)
}

func okSessionsToken(ctx context.Context, c *bigtable.Client, set func([]byte)) error {
	return repo.Sessions(ctx, c, &token{}, set)
}

func okAll(ctx context.Context, c *bigtable.Client, set func([]byte)) error {
	return repo.All(ctx, c.Open("sessions"), &profile{}, &profile{}, set)
}

func all(ctx context.Context, c *bigtable.Client, set func([]byte)) error {
	return repo.All(ctx, c.Open("sessions"), &profile{}, &token{}, set) // want `missing-filter: .*"token" of table "sessions"`
}

func whole(ctx context.Context, c *bigtable.Client, set func([]byte)) error {
	return repo.Whole(ctx, c.Open("sessions"), &profile{}, set, nil) // want `missing-filter: .*"token" of table "sessions"`
}

func okDated(ctx context.Context, c *bigtable.Client, set func([]byte)) error {
	return repo.GetIface(ctx, c.Open("sessions"), &dated{"profile"}, set)
}

// In one package.
func okSame(ctx context.Context, c *bigtable.Client) (p profile, err error) {
	err = same(ctx, c.Open("sessions"), &p, func(p *profile, b []byte) { p.name = string(b) })
	return p, err
}

func sameToken(ctx context.Context, c *bigtable.Client) (t token, err error) {
	err = same(ctx, c.Open("sessions"), &t, func(t *token, b []byte) { t.s = string(b) }) // want `missing-filter: .*"token" of table "sessions"`
	return t, err
}

func same[T repo.Entity](ctx context.Context, tbl *bigtable.Table, into T, set func(T, []byte)) error {
	row, err := tbl.ReadRow(ctx, "k")
	for _, it := range row[into.Family()] {
		set(into, it.Value)
	}
	return err
}
