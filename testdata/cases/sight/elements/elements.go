// Package elements writes several cells by one call: what is wrong with one of
// them stands there.
package elements

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/cases/sight/elements/kv"
)

type family string

const (
	token   family = "token"
	profile family = "profile"
)

type cell struct {
	family, column string
	at             bigtable.Timestamp
	value          []byte
}

func put(ctx context.Context, tbl *bigtable.Table, key string, cells []*cell) error {
	m := bigtable.NewMutation()
	for _, c := range cells {
		m.Set(c.family, c.column, c.at, c.value)
	}
	return tbl.Apply(ctx, key, m)
}

func start(ctx context.Context, c *bigtable.Client, id string, until time.Time) error {
	tbl := c.Open("sessions")
	now := time.Now()
	if err := kv.Store(ctx, tbl, id,
		kv.Cell[family]{Family: token, Name: "until", At: bigtable.Time(until)},
		kv.Cell[family]{Family: token, Name: "agent", At: bigtable.Time(now)}, // want `write-time: .*"token"`
		kv.Cell[family]{
			Family: token,
			Name:   "peer",
			At:     bigtable.ServerTime, // want `server-timestamp: .*"token"`
		},
		kv.Cell[family]{Family: profile, Name: "login", At: bigtable.Time(now)},
	); err != nil {
		return err
	}
	if err := kv.Store(ctx, tbl, id, kv.Cell[family]{Family: token, Name: "agent", At: bigtable.Now()}); err != nil { // want `write-time: .*"token"`
		return err
	}
	return put(ctx, tbl, id, []*cell{
		{"token", "until", bigtable.Time(until), nil},
		{"token", "since", bigtable.Now(), nil}, // want `write-time: .*"token"`
		{family: "profile", column: "name"},
		{family: "token", column: "name"}, // want `already-expired: .*"token"`
	})
}
