// Command cmd runs one of several functions with the tables that it has.
package main

import (
	"context"
	"os"

	"cloud.google.com/go/bigtable"

	"example.com/cases/sight/bytable/env"
)

var steps = []struct {
	name string
	run  func(ctx context.Context, e *env.Env) error
}{
	{"mark", mark},
	{"archive", okArchive},
	{"show", show},
	{"showold", okShowOld},
}

func main() {
	if err := env.Main(run, os.Args[1:]); err != nil {
		os.Exit(1)
	}
}

func run(ctx context.Context, e *env.Env, args []string) error {
	for _, s := range steps {
		if s.name != args[0] {
			continue
		}
		if err := s.run(ctx, e); err != nil {
			return err
		}
	}
	return nil
}

func mark(ctx context.Context, e *env.Env) error {
	m := bigtable.NewMutation()
	m.Set("token", "v", bigtable.Now(), nil) // want `write-time: .*"token"`
	return e.Sessions.Apply(ctx, "k", m)
}

func okArchive(ctx context.Context, e *env.Env) error {
	m := bigtable.NewMutation()
	m.Set("token", "v", bigtable.Now(), nil)
	return e.Archive.Apply(ctx, "k", m)
}

func show(ctx context.Context, e *env.Env) error {
	row, err := e.Sessions.ReadRow(ctx, "k") // want `missing-filter: .*"token"`
	println(len(row["token"]))
	return err
}

func okShowOld(ctx context.Context, e *env.Env) error {
	row, err := e.Archive.ReadRow(ctx, "k")
	println(len(row["token"]))
	return err
}
