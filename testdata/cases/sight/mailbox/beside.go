package mailbox

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"
)

// A sink is started by its maker: what one of them is sent goes to its table.
type sink struct {
	tbl *bigtable.Table
	q   chan pending
}

type pending struct {
	key string
	mut *bigtable.Mutation
}

func newSink(tbl *bigtable.Table) *sink {
	s := &sink{tbl: tbl, q: make(chan pending, 100)}
	go func() {
		for p := range s.q {
			_ = s.tbl.Apply(context.Background(), p.key, p.mut)
		}
	}()
	return s
}

func (s *sink) put(key string, m *bigtable.Mutation) { s.q <- pending{key, m} }

// Tokens are declared.
type Tokens struct{ sink *sink }

// NewTokens starts a sink.
func NewTokens(c *bigtable.Client) *Tokens { return &Tokens{newSink(c.Open("sessions"))} }

// Put lives a minute.
func (t *Tokens) Put(key string) {
	m := bigtable.NewMutation()
	m.Set("token", "l", bigtable.Time(time.Now().Add(time.Minute)), nil)
	t.sink.put(key, m)
}

// Drop is dead at once.
func (t *Tokens) Drop(key string) {
	m := bigtable.NewMutation()
	m.Set("token", "l", bigtable.Now(), nil) // want `write-time: .*"token" of table "sessions"`
	t.sink.put(key, m)
}

// Replays are of a table that is not declared.
type Replays struct{ sink *sink }

// NewReplays starts a sink.
func NewReplays(c *bigtable.Client) *Replays { return &Replays{newSink(c.Open("replay"))} }

// Put is dated.
func (r *Replays) Put(key string) {
	m := bigtable.NewMutation()
	m.Set("token", "q", bigtable.Now(), nil)
	r.sink.put(key, m)
}
