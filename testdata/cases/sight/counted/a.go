// Package counted asks how many entries a map has that a loop fills, and how many
// elements a list has that a loop over such a map fills.
package counted

import (
	"context"

	"cloud.google.com/go/bigtable"
)

func inline(ctx context.Context, c *bigtable.Client, in []string) error {
	seen := map[string]bool{}
	for _, s := range in {
		seen[s] = true
	}
	m := bigtable.NewMutation()
	for s := range seen {
		m.Set("entry", s, bigtable.Now(), nil) // want `clock-in-sequence`
	}
	if len(seen) > 5 {
		m.Set("entry", "many", bigtable.Now(), nil) // want `clock-in-sequence`
	}
	return c.Open("a-ledger").Apply(ctx, "k", m)
}

func unique(in []string) []string {
	seen := map[string]*string{}
	for _, s := range in {
		if seen[s] == nil {
			seen[s] = &s
		}
	}
	out := make([]string, 0, len(seen))
	for _, s := range seen {
		out = append(out, *s)
	}
	return out
}

func few(ctx context.Context, c *bigtable.Client, in []string) error {
	if u := unique(in); len(u) < 5 {
		return nil
	}
	m := bigtable.NewMutation()
	m.Set("entry", "body", bigtable.Now(), nil) // want `clock-in-sequence`
	return c.Open("a-ledger").Apply(ctx, "k", m)
}

func keys(in []string) []string {
	seen := make(map[string]bool)
	for _, s := range in {
		seen[s] = true
	}
	var out []string
	for s := range seen {
		out = append(out, s)
	}
	return out
}

func some(ctx context.Context, c *bigtable.Client, in []string) error {
	u := keys(in)
	if len(u) == 0 {
		return nil
	}
	m := bigtable.NewMutation()
	m.Set("entry", "body", bigtable.Now(), nil) // want `clock-in-sequence`
	if len(u) > 1 {
		m.Set("entry", "more", bigtable.Now(), nil) // want `clock-in-sequence`
	}
	return c.Open("a-ledger").Apply(ctx, "k", m)
}

func conditional(ctx context.Context, c *bigtable.Client, a, b bool) error {
	set := map[string]bool{}
	if a {
		set["a"] = true
	}
	if b {
		set["b"] = true
	}
	m := bigtable.NewMutation()
	if len(set) == 1 {
		m.Set("entry", "one", bigtable.Now(), nil) // want `clock-in-sequence`
	}
	if len(set) == 2 {
		m.Set("entry", "two", bigtable.Now(), nil) // want `clock-in-sequence`
	}
	return c.Open("a-ledger").Apply(ctx, "k", m)
}

// What a literal holds is counted.

var families = map[string]bool{"entry": true, "other": true}

func okLiteral(ctx context.Context, c *bigtable.Client) error {
	names := map[string]int64{"a": 1, "b": 2}
	m := bigtable.NewMutation()
	if len(names) > 2 {
		m.Set("entry", "never", bigtable.Now(), nil)
	}
	return c.Open("a-ledger").Apply(ctx, "k", m)
}
