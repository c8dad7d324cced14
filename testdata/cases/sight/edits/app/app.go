// Package app sets cells by another package's functions.
package app

import (
	"context"

	"cloud.google.com/go/bigtable"

	"example.com/cases/sight/edits/edit"
)

func put(family string, ts bigtable.Timestamp) edit.Edit {
	return func(m *bigtable.Mutation) { m.Set(family, "own", ts, nil) }
}

func variadic(ctx context.Context, c *bigtable.Client) {
	diary, diaries := c.Open("my-diary"), c.Open("diaries")
	_ = edit.Change(ctx, diaries, "k", edit.Put("page", "a", bigtable.Now()))
	_ = edit.Change(ctx, diary, "k", edit.Put("page", "a", bigtable.Now())) // want `clock-in-sequence: .*"page" of table "\*-diary"`
	_ = edit.Change(ctx, diary, "k", edit.Put("page", "a", 1))              // want `unscaled-sequence: .*"page" of table "\*-diary"`
	_ = edit.Change(ctx, diary, "k", put("page", bigtable.Now()))           // want `clock-in-sequence: .*"page" of table "\*-diary"`
	_ = edit.Change(ctx, diaries, "k", put("page", bigtable.Now()))
	_ = edit.Change(ctx, diary, "k", edit.Put("page", "a", 1000))
	_ = edit.Change(ctx, diary, "k",
		edit.Put("page", "a", 2000),
		edit.Put("page", "b", bigtable.ServerTime), // want `clock-in-sequence: .*"page" of table "\*-diary"`
		edit.Page(bigtable.Now()),                  // want `clock-in-sequence: .*"page" of table "\*-diary"`
	)
	_ = edit.Change(ctx, diaries, "k", edit.Page(bigtable.Now()))
	_ = edit.One(ctx, diary, "k", edit.Put("page", "a", bigtable.Now())) // want `clock-in-sequence: .*"page" of table "\*-diary"`
	_ = edit.One(ctx, diaries, "k", edit.Put("page", "a", bigtable.Now()))
}

// stamped is wrong at the call that tells the table.
func stamped(ctx context.Context, c *bigtable.Client) {
	_ = edit.Change(ctx, c.Open("diaries"), "k", edit.Stamp())
	_ = edit.Change(ctx, c.Open("my-diary"), "k", edit.Stamp()) // want `clock-in-sequence: .*"page" of table "\*-diary"`
}

func touched(ctx context.Context, c *bigtable.Client) {
	_ = edit.Change(ctx, c.Open("diaries"), "k", edit.Touch)
	_ = edit.Change(ctx, c.Open("my-diary"), "k", edit.Touch) // want `clock-in-sequence: .*"page" of table "\*-diary"`
}

func together(ctx context.Context, c *bigtable.Client, on bool) {
	_ = edit.Change(ctx, c.Open("diaries"), "k", edit.All(edit.Put("page", "a", bigtable.Now()), edit.Put("page", "b", 1000)))
	_ = edit.Change(ctx, c.Open("my-diary"), "k", edit.All(
		edit.Put("page", "a", bigtable.Now()), // want `clock-in-sequence: .*"page" of table "\*-diary"`
		edit.Put("page", "b", 1),              // want `unscaled-sequence: .*"page" of table "\*-diary"`
		edit.Put("page", "c", 1000)))
	_ = edit.Change(ctx, c.Open("diaries"), "k", edit.When(on, edit.Put("page", "a", bigtable.Now())))
	_ = edit.Change(ctx, c.Open("my-diary"), "k", edit.When(on, edit.Put("page", "a", bigtable.Now()))) // want `clock-in-sequence: .*"page" of table "\*-diary"`
}

// valued has edits that are structs with a method.
func valued(ctx context.Context, c *bigtable.Client) {
	_ = edit.Each(ctx, c.Open("diaries"), "k", edit.Cell{Family: "page", Column: "a", At: bigtable.Now()})
	_ = edit.Each(ctx, c.Open("my-diary"), "k", edit.Cell{Family: "page", Column: "a", At: bigtable.Now()}) // want `clock-in-sequence: .*"page" of table "\*-diary"`
	_ = edit.Each(ctx, c.Open("my-diary"), "k", edit.Cell{Family: "page", Column: "a", At: 1000})
	_ = edit.Each(ctx, c.Open("sessions"), "k", edit.Cell{Family: "token", Column: "a", At: bigtable.Now()})       // want `write-time: .*"token" of table "sessions"`
	_ = edit.Change(ctx, c.Open("my-diary"), "k", edit.Cell{Family: "page", Column: "a", At: bigtable.Now()}.Edit) // want `clock-in-sequence: .*"page" of table "\*-diary"`
	_ = edit.Change(ctx, c.Open("diaries"), "k", edit.Cell{Family: "page", Column: "a", At: bigtable.Now()}.Edit)
}

func fields(ctx context.Context, c *bigtable.Client) {
	_ = edit.Run(ctx, c.Open("my-diary"), edit.Op{Key: "k", Edits: []edit.Edit{
		edit.Put("page", "a", 1000),
		edit.Put("page", "b", bigtable.Now()), // want `clock-in-sequence: .*"page" of table "\*-diary"`
	}})
	_ = edit.Run(ctx, c.Open("diaries"), edit.Op{Key: "k", Edits: []edit.Edit{edit.Put("page", "b", bigtable.Now())}})
}

func batched(ctx context.Context, c *bigtable.Client) error {
	b := edit.NewBatch(c.Open("my-diary"))
	b.Add("k", edit.Put("page", "a", bigtable.Now())) // want `clock-in-sequence: .*"page" of table "\*-diary"`
	b.Add("k", edit.Put("page", "a", 1000))
	return b.Flush(ctx)
}

func okBatched(ctx context.Context, c *bigtable.Client) error {
	b := edit.NewBatch(c.Open("diaries"))
	b.Add("k", edit.Put("page", "a", bigtable.Now()))
	return b.Flush(ctx)
}

func stored(ctx context.Context, c *bigtable.Client) {
	diary, diaries := edit.NewStore(c.Open("my-diary")), edit.NewStore(c.Open("diaries"))
	_ = diary.Change(ctx, "k", edit.Put("page", "a", bigtable.Now())) // want `clock-in-sequence: .*"page" of table "\*-diary"`
	_ = diaries.Change(ctx, "k", edit.Put("page", "a", bigtable.Now()))
}

func okFilled(ctx context.Context, c *bigtable.Client) error {
	return edit.Each(ctx, c.Open("archive"), "k", edit.Cell{Family: "token", Column: "a", At: bigtable.Now()})
}

// okUndeclared writes to a table that nobody declares.
func okUndeclared(ctx context.Context, c *bigtable.Client) error {
	return edit.Change(ctx, c.Open("archive"), "k", edit.Put("token", "a", bigtable.Now()))
}

// okOpen does not know the table.
func okOpen(ctx context.Context, t *bigtable.Table) error {
	return edit.Change(ctx, t, "k", edit.Put("page", "a", bigtable.Now()))
}
