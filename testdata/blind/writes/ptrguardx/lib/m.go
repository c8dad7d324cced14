package lib

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"
)

type Req struct {
	Family  string
	Expires *time.Time
	TTL     time.Duration
}

func Put(ctx context.Context, t *bigtable.Table, q Req) error {
	ts := bigtable.ServerTime
	if q.Expires != nil {
		ts = bigtable.Time(*q.Expires)
	}
	m := bigtable.NewMutation()
	m.Set(q.Family, "a", ts, nil)
	return t.Apply(ctx, "k", m)
}

func PutTTL(ctx context.Context, t *bigtable.Table, q *Req) error {
	ts := bigtable.ServerTime
	if q.TTL > 0 {
		ts = bigtable.Time(time.Now().Add(q.TTL))
	}
	m := bigtable.NewMutation()
	m.Set(q.Family, "a", ts, nil)
	return t.Apply(ctx, "k", m)
}
