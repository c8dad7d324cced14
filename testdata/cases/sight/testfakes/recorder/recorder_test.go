package recorder

import (
	"context"
	"testing"

	"cloud.google.com/go/bigtable"
)

type recorder struct{ sets []string }

func (r *recorder) Set(family, _ string, _ bigtable.Timestamp, _ []byte) {
	r.sets = append(r.sets, family)
}

func TestPutAt(t *testing.T) {
	rec := &recorder{}
	putAt(rec, "token", "c", bigtable.ServerTime)
	if len(rec.sets) != 1 {
		t.Error(rec.sets)
	}
}

// logged writes into a mutation, too.
type logged struct {
	*bigtable.Mutation
	n int
}

func (l *logged) Set(family, column string, ts bigtable.Timestamp, value []byte) {
	l.n++
	l.Mutation.Set(family, column, ts, value)
}

func TestReal(t *testing.T) {
	var c *bigtable.Client
	mut := bigtable.NewMutation()
	putAt(mut, "token", "c", bigtable.ServerTime) // want `server-timestamp`
	log := &logged{Mutation: mut}
	putAt(log, "token", "d", bigtable.ServerTime) // want `server-timestamp`
	if err := c.Open("sessions").Apply(context.Background(), "k", mut); err != nil {
		t.Error(err)
	}
}

func TestInterface(t *testing.T) {
	var w cells = &recorder{}
	w.Set("token", "c", bigtable.ServerTime, nil)
}
