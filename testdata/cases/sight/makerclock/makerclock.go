// Package makerclock makes objects of another package: which tables they are given makes
// what they write by their clock wrong. It is told where they are made, and not again where
// their methods are called, unless a call says what decides it.
package makerclock

import (
	"context"

	"cloud.google.com/go/bigtable"

	"example.com/cases/sight/makerclock/book"
)

type app struct{ books []*book.Book }

func provide(c *bigtable.Client) *app {
	var clock book.Clock = book.Wall{}
	return &app{books: []*book.Book{
		book.New(c.Open("mixed"), clock),
		book.New(c.Open("icu-diary"), clock), // want `clock-in-sequence: .*"page" of table "\*-diary"`
	}}
}

func (a *app) remark(ctx context.Context) {
	for _, b := range a.books {
		_ = b.Remark(ctx, "k")
	}
}

func local(ctx context.Context, c *bigtable.Client) error {
	b := book.New(c.Open("icu-diary"), book.Wall{}) // want `clock-in-sequence: .*"page" of table "\*-diary"`
	return b.Remark(ctx, "k")
}

func okLocal(ctx context.Context, c *bigtable.Client) error {
	return book.New(c.Open("mixed"), book.Wall{}).Remark(ctx, "k")
}

var _, _, _, _ = provide, (*app).remark, local, okLocal
