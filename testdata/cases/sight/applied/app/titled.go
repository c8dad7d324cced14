package app

import (
	"context"
	"errors"

	"cloud.google.com/go/bigtable"

	"example.com/cases/sight/applied/enc"
)

// twice applies one mutation, of a column that it names, to two tables.
func twice(ctx context.Context, c *bigtable.Client, title string) error {
	m, err := enc.Titled(title, "a")
	if err != nil {
		return err
	}
	return errors.Join(
		c.Open("my-diary").Apply(ctx, "k", m), // want `clock-in-sequence: .*"page" of table "\*-diary"`
		c.Open("diaries").Apply(ctx, "k", m),
	)
}

// chosen applies it to the one or the other.
func chosen(ctx context.Context, c *bigtable.Client, title string, private bool) error {
	m, err := enc.Titled(title, "a")
	if err != nil {
		return err
	}
	if private {
		return c.Open("my-diary").Apply(ctx, "k", m) // want `clock-in-sequence: .*"page" of table "\*-diary"`
	}
	return c.Open("diaries").Apply(ctx, "k", m)
}

type tables struct{ private, public *bigtable.Table }

func openTables(c *bigtable.Client) *tables {
	return &tables{private: c.Open("my-diary"), public: c.Open("diaries")}
}

// send is given by its callers to which table.
func (t *tables) send(ctx context.Context, to *bigtable.Table) error {
	m, err := enc.Titled("b", "a")
	if err != nil {
		return err
	}
	return to.Apply(ctx, "k", m)
}

func (t *tables) sendPrivate(ctx context.Context) error {
	return t.send(ctx, t.private) // want `clock-in-sequence: .*"page" of table "\*-diary"`
}

func (t *tables) okPublic(ctx context.Context) error { return t.send(ctx, t.public) }

// pick says which table a flag means.
func (t *tables) pick(private bool) *bigtable.Table {
	if private {
		return t.private
	}
	return t.public
}

func (t *tables) sendPicked(ctx context.Context) error {
	m, err := enc.Titled("b", "a")
	if err != nil {
		return err
	}
	return t.pick(true).Apply(ctx, "k", m) // want `clock-in-sequence: .*"page" of table "\*-diary"`
}

func (t *tables) okPicked(ctx context.Context) error {
	m, err := enc.Titled("b", "a")
	if err != nil {
		return err
	}
	return t.pick(false).Apply(ctx, "k", m)
}
