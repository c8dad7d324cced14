// Package main gives a service the repositories that another package has made: what is wrong
// with them was told there.
package main

import (
	"context"

	"cloud.google.com/go/bigtable"

	"example.com/cases/sight/wiredinmain/repos"
)

func main() {
	ctx := context.Background()
	c, err := bigtable.NewClient(ctx, "p", "i")
	if err != nil {
		panic(err)
	}
	s := repos.New(repos.NewRepos(c))
	_, _ = s.Note(ctx), s.Phase(ctx)
	k := repos.NewKeeper(repos.Filled(c)) // want `clock-in-zero`
	_ = k.Keep(ctx)
	of := repos.New(repos.Of(c, "latest")) // want `clock-in-zero`
	_ = of.Note(ctx)
}
