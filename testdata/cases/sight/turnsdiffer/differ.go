// Package turnsdiffer has loops that run another function in each turn.
package turnsdiffer

import (
	"context"

	"cloud.google.com/go/bigtable"
)

type action func(m *bigtable.Mutation)

func begin(m *bigtable.Mutation) { m.Set("latest", "flow", 0, []byte("a")) }

func lock(m *bigtable.Mutation) { m.Set("latest", "lock", 0, []byte("b")) }

func end(m *bigtable.Mutation) { m.Set("latest", "end", 0, nil) }

var always = []action{begin, lock}

// All runs each once.
func All(ctx context.Context, c *bigtable.Client, k string) error {
	m := bigtable.NewMutation()
	for _, do := range always {
		do(m)
	}
	return c.Open("catalog").Apply(ctx, k, m)
}

var edges = map[string][]action{"start": {begin, lock}, "stop": {end}}

// Some runs those of an edge.
func Some(ctx context.Context, c *bigtable.Client, edge, k string) error {
	m := bigtable.NewMutation()
	for _, do := range edges[edge] {
		do(m)
	}
	return c.Open("catalog").Apply(ctx, k, m)
}

type part interface{ write(m *bigtable.Mutation) }

type head struct{}

func (head) write(m *bigtable.Mutation) { m.Set("latest", "head", 0, nil) }

type tail struct{}

func (tail) write(m *bigtable.Mutation) { m.Set("latest", "tail", 0, nil) }

// Parts writes each object once.
func Parts(ctx context.Context, c *bigtable.Client, k string) error {
	m := bigtable.NewMutation()
	for _, p := range []part{head{}, tail{}} {
		p.write(m)
	}
	return c.Open("catalog").Apply(ctx, k, m)
}

// Same runs one function for each of the values: only the last is left.
func Same(ctx context.Context, c *bigtable.Client, k string, values [][]byte) error {
	do := begin
	if len(values) > 3 {
		do = lock
	}
	m := bigtable.NewMutation()
	for range values {
		do(m) // want `same-timestamp: .*"latest"`
	}
	return c.Open("catalog").Apply(ctx, k, m)
}
