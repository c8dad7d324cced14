// Package callback gives structs of tables to functions by way of what calls
// them back.
package callback

import (
	"context"

	"cloud.google.com/go/bigtable"
)

type env struct{ archive, cache, either *bigtable.Table }

func start(c *bigtable.Client, f func(ctx context.Context, e *env) error) error {
	return f(context.Background(), &env{archive: c.Open("undeclared"), cache: c.Open("cache"), either: c.Open("cache")})
}

func startOther(c *bigtable.Client, f func(ctx context.Context, e *env) error) error {
	return f(context.Background(), &env{either: c.Open("history")})
}

func startAll(c *bigtable.Client) error {
	for _, f := range []func(*bigtable.Client, func(context.Context, *env) error) error{start, startOther} {
		for _, g := range []func(context.Context, *env) error{okArchive, cached, copied, okEither} {
			if err := f(c, g); err != nil {
				return err
			}
		}
	}
	return start(c, deeper)
}

func Main(c *bigtable.Client) error { return start(c, okArchive) }

// okArchive uses a table that is known and declared nowhere: "token" is a family of
// another.
func okArchive(ctx context.Context, e *env) error {
	m := bigtable.NewMutation()
	m.Set("token", "a", bigtable.Now(), nil)
	if err := e.archive.Apply(ctx, "k", m); err != nil {
		return err
	}
	row, err := e.archive.ReadRow(ctx, "k")
	println(len(row["token"]))
	return err
}

// cached writes "val", which expires in this table and counts in another.
func cached(ctx context.Context, e *env) error {
	m := bigtable.NewMutation()
	m.Set("val", "a", bigtable.Now(), nil) // want `write-time: .*"val" of table "cache"`
	return e.cache.Apply(ctx, "k", m)
}

// copied has its own.
func copied(ctx context.Context, e *env) error {
	mine := &env{cache: e.cache}
	m := bigtable.NewMutation()
	m.Set("val", "a", bigtable.Now(), nil) // want `write-time: .*"val" of table "cache"`
	return mine.cache.Apply(ctx, "k", m)
}

func deeper(ctx context.Context, e *env) error { return okDeeper(ctx, e) }

func okDeeper(ctx context.Context, e *env) error {
	m := bigtable.NewMutation()
	m.Set("token", "a", bigtable.Now(), nil)
	return e.archive.Apply(ctx, "k", m)
}

// okEither may be given either table.
func okEither(ctx context.Context, e *env) error {
	m := bigtable.NewMutation()
	m.Set("val", "a", bigtable.Now(), nil)
	return e.either.Apply(ctx, "k", m)
}
