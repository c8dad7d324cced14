package app

import (
	"context"

	"cloud.google.com/go/bigtable"

	"example.com/cases/memory/outparam/lib"
)

// Tables are opened one after the other, each into its field.
type tables struct{ sessions, clicks, bench *bigtable.Table }

func (t *tables) Init(c *bigtable.Client) {
	list := []struct {
		name string
		tbl  **bigtable.Table
	}{
		{"sessions", &t.sessions},
		{"clicks", &t.clicks},
		{"bench", &t.bench},
	}
	for i := range list {
		*list[i].tbl = c.Open(list[i].name)
	}
}

func (t *tables) Sessions(ctx context.Context) bigtable.Row {
	row, _ := t.sessions.ReadRow(ctx, "k") // want `missing-filter: .*"token" of table "sessions"`
	return row
}

func (t *tables) Clicks(ctx context.Context) bigtable.Row {
	row, _ := t.clicks.ReadRow(ctx, "k") // want `missing-filter: .*"event" of table "clicks"`
	return row
}

func (t *tables) Bench(ctx context.Context) bigtable.Row {
	row, _ := t.bench.ReadRow(ctx, "k")
	return row
}

func (t *tables) Write(ctx context.Context) {
	mut := bigtable.NewMutation()
	mut.Set("token", "a", bigtable.ServerTime, nil)
	t.bench.Apply(ctx, "k", mut)
}

// Ports are opened by a function of another package, in a loop over values.
type ports struct{ sessions, bench *bigtable.Table }

func (t *ports) Init(p *lib.Port) error {
	for _, e := range []struct {
		name string
		tbl  **bigtable.Table
	}{
		{"sessions", &t.sessions},
		{"bench", &t.bench},
	} {
		if err := p.Open(e.name, e.tbl); err != nil {
			return err
		}
	}
	return nil
}

func (t *ports) Sessions(ctx context.Context) bigtable.Row {
	row, _ := t.sessions.ReadRow(ctx, "k") // want `missing-filter: .*"token" of table "sessions"`
	return row
}

func (t *ports) Write(ctx context.Context) {
	mut := bigtable.NewMutation()
	mut.Set("token", "a", bigtable.ServerTime, nil)
	t.bench.Apply(ctx, "k", mut)
}
