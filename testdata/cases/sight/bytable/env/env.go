// Package env has the tables of commands, one of which nobody registered.
package env

import (
	"context"

	"cloud.google.com/go/bigtable"
)

// Env has them.
type Env struct{ Sessions, Archive *bigtable.Table }

// Open opens them.
func Open(ctx context.Context) (*Env, error) {
	c, err := bigtable.NewClient(ctx, "p", "i")
	if err != nil {
		return nil, err
	}
	return &Env{Sessions: c.Open("sessions"), Archive: c.Open("sessions_archive")}, nil
}

// Main runs a command.
func Main(run func(ctx context.Context, e *Env, args []string) error, args []string) error {
	e, err := Open(context.Background())
	if err != nil {
		return err
	}
	return run(context.Background(), e, args)
}
