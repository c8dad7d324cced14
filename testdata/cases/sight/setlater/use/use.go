// Package use saves what model makes.
package use

import (
	"context"

	"cloud.google.com/go/bigtable"

	"example.com/cases/sight/setlater/model"
)

func signIn(ctx context.Context, tbl *bigtable.Table) error {
	s := model.New("x")
	return s.Save(ctx, tbl)
}

func bare(ctx context.Context, tbl *bigtable.Table) error {
	s := model.Bare("x")    // want `already-expired: .*"token"`
	return s.Save(ctx, tbl) // want `out-of-range`
}
