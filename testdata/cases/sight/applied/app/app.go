// Package app applies what another package made: in which table a family means
// what, is known there.
package app

import (
	"context"

	"cloud.google.com/go/bigtable"

	"example.com/cases/sight/applied/enc"
)

func local(ctx context.Context, c *bigtable.Client) error {
	m := enc.Page("a")
	if err := c.Open("my-diary").Apply(ctx, "k", m); err != nil { // want `clock-in-sequence: .*"page" of table "\*-diary"`
		return err
	}
	d := enc.Page("a")
	return c.Open("diaries").Apply(ctx, "k", d)
}

func inline(ctx context.Context, c *bigtable.Client) error {
	if err := c.Open("diaries").Apply(ctx, "k", enc.Page("a")); err != nil {
		return err
	}
	return c.Open("my-diary").Apply(ctx, "k", enc.Page("a")) // want `clock-in-sequence: .*"page" of table "\*-diary"`
}

// both applies one mutation to two tables.
func both(ctx context.Context, c *bigtable.Client) error {
	m := enc.Page("a")
	if err := c.Open("diaries").Apply(ctx, "k", m); err != nil {
		return err
	}
	return c.Open("my-diary").Apply(ctx, "k", m) // want `clock-in-sequence: .*"page" of table "\*-diary"`
}

func filled(ctx context.Context, c *bigtable.Client) error {
	m, d := bigtable.NewMutation(), bigtable.NewMutation()
	enc.Fill(m, "a")
	enc.Fill(d, "a")
	if err := c.Open("diaries").Apply(ctx, "k", d); err != nil {
		return err
	}
	return c.Open("my-diary").Apply(ctx, "k", m) // want `clock-in-sequence: .*"page" of table "\*-diary"`
}

func bulk(ctx context.Context, c *bigtable.Client) error {
	m := enc.Page("a")
	_, err := c.Open("my-diary").ApplyBulk(ctx, []string{"k"}, []*bigtable.Mutation{m}) // want `clock-in-sequence: .*"page" of table "\*-diary"`
	return err
}

func conditional(ctx context.Context, c *bigtable.Client) error {
	m := enc.Text{Body: "a"}.Mutation()
	cond := bigtable.NewCondMutation(bigtable.FamilyFilter("page"), nil, m)
	return c.Open("my-diary").Apply(ctx, "k", cond) // want `clock-in-sequence: .*"page" of table "\*-diary"`
}

func put(ctx context.Context, t *bigtable.Table, m *bigtable.Mutation) error {
	return t.Apply(ctx, "k", m)
}

func helped(ctx context.Context, c *bigtable.Client) error {
	m, d := enc.Page("a"), enc.Page("a")
	if err := put(ctx, c.Open("diaries"), d); err != nil {
		return err
	}
	return put(ctx, c.Open("my-diary"), m) // want `clock-in-sequence: .*"page" of table "\*-diary"`
}

// given is given the table, and its callers say which.
func given(ctx context.Context, t *bigtable.Table) error {
	m := enc.Page("a")
	return t.Apply(ctx, "k", m)
}

func gives(ctx context.Context, c *bigtable.Client) error {
	if err := given(ctx, c.Open("diaries")); err != nil {
		return err
	}
	return given(ctx, c.Open("my-diary")) // want `clock-in-sequence: .*"page" of table "\*-diary"`
}

func made() *bigtable.Mutation {
	m := enc.Page("a")
	m.DeleteCellsInColumn("page", "other")
	return m
}

func returned(ctx context.Context, c *bigtable.Client) error {
	m, d := made(), made()
	if err := c.Open("diaries").Apply(ctx, "k", d); err != nil {
		return err
	}
	return c.Open("my-diary").Apply(ctx, "k", m) // want `clock-in-sequence: .*"page" of table "\*-diary"`
}

type store struct{ t *bigtable.Table }

func newStore(c *bigtable.Client) *store { return &store{c.Open("my-diary")} }

func (s *store) put(ctx context.Context, m *bigtable.Mutation) error { return s.t.Apply(ctx, "k", m) }

func (s *store) page(ctx context.Context) error {
	m := enc.Page("a")
	return s.put(ctx, m) // want `clock-in-sequence: .*"page" of table "\*-diary"`
}

// supplied is wrong where the time is supplied.
func supplied(ctx context.Context, c *bigtable.Client) error {
	m := enc.At(bigtable.Now()) // want `clock-in-sequence: .*"page" of table "\*-diary"`
	n := enc.At(1000)
	d := enc.At(bigtable.Now())
	if err := c.Open("diaries").Apply(ctx, "k", d); err != nil {
		return err
	}
	if err := c.Open("my-diary").Apply(ctx, "k", n); err != nil {
		return err
	}
	return c.Open("my-diary").Apply(ctx, "k", m)
}

// okToken applies what is wrong already where it is made.
func okToken(ctx context.Context, c *bigtable.Client) error {
	m := enc.Token()
	return c.Open("sessions").Apply(ctx, "k", m)
}

func okUnknown(ctx context.Context, t *bigtable.Table) error {
	m := enc.Page("a")
	return t.Apply(ctx, "k", m)
}
