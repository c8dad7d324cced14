// Package store opens many tables with a client of many settings.
package store

import (
	"context"

	"cloud.google.com/go/bigtable"
)

type Options struct{ Project, Instance, Profile string }

// Tables are together too large for a fact; each of them is not.
type Tables struct{ Cache, History, A, B, C, D, E, F, G, H, I, J, K, L *bigtable.Table }

func Open(ctx context.Context, o *Options) (*Tables, error) {
	c, err := bigtable.NewClientWithConfig(ctx, o.Project, o.Instance, bigtable.ClientConfig{AppProfile: o.Profile})
	if err != nil {
		return nil, err
	}
	return &Tables{
		Cache: c.Open("cache"), History: c.Open("history"),
		A: c.Open("a"), B: c.Open("b"), C: c.Open("c"), D: c.Open("d"), E: c.Open("e"),
		F: c.Open("f"), G: c.Open("g"), H: c.Open("h"), I: c.Open("i"), J: c.Open("j"), K: c.Open("k"), L: c.Open("l"),
	}, nil
}

// A Base has the table of who embeds it.
type Base struct{ Table *bigtable.Table }

func NewBase(t *bigtable.Table) Base { return Base{t} }
