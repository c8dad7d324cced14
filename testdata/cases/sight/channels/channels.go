// Package channels sends rows through channels that carry the same to writers
// of different tables.
package channels

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"
)

type row struct {
	key string
	mut *bigtable.Mutation
}

type pipes struct {
	sessions, ledger     *bigtable.Table
	toSessions, toLedger chan row
}

func newPipes(c *bigtable.Client) *pipes {
	return &pipes{c.Open("history"), c.Open("archive"), make(chan row), make(chan row)}
}

func (p *pipes) run(ctx context.Context) {
	go write(ctx, p.sessions, p.toSessions)
	go write(ctx, p.ledger, p.toLedger)
}

func write(ctx context.Context, t *bigtable.Table, in <-chan row) {
	for {
		select {
		case r, ok := <-in:
			if !ok {
				return
			}
			_ = t.Apply(ctx, r.key, r.mut)
		case <-ctx.Done():
			return
		}
	}
}

func (p *pipes) history(ctx context.Context) {
	m := bigtable.NewMutation()
	m.Set("val", "a", bigtable.Now(), nil) // want `of table "history"`
	select {
	case p.toSessions <- row{"h", m}:
	case <-ctx.Done():
	}
}

func (p *pipes) archive() {
	m := bigtable.NewMutation()
	m.Set("val", "a", bigtable.Now(), nil)
	p.toLedger <- row{"l", m}
}

// Values come out of a select.
type job struct {
	family string
	at     bigtable.Timestamp
}

var jobs, others = make(chan job), make(chan job)

func produce() {
	jobs <- job{"token", bigtable.Now()}
	others <- job{"profile", bigtable.Now()}
}

func consume(ctx context.Context, t *bigtable.Table) {
	tick := time.NewTicker(time.Second)
	for {
		m := bigtable.NewMutation()
		select {
		case j := <-jobs:
			m.Set(j.family, "a", j.at, nil) // want `uses the current time`
		case j := <-others:
			m.Set(j.family, "a", j.at, nil)
		case <-tick.C:
			continue
		}
		_ = t.Apply(ctx, "k", m)
	}
}
