// Package unknownelements has lists of which some elements are known: what others hold,
// no other list's elements tell.
package unknownelements

import (
	"context"
	"encoding/json"
	"sort"
	"time"

	"cloud.google.com/go/bigtable"
)

type row struct {
	key, column string
	family      string
	at          bigtable.Timestamp
}

func load(b []byte) (rows []row) {
	_ = json.Unmarshal(b, &rows)
	return rows
}

func okLoaded(ctx context.Context, c *bigtable.Client, b []byte) {
	rows := append(load(b), row{key: "k", at: bigtable.Time(time.Now().Add(time.Hour))})
	for _, r := range rows {
		mut := bigtable.NewMutation()
		mut.Set("token", "v", r.at, nil)
		_ = c.Open("sessions").Apply(ctx, r.key, mut)
	}
}

func loaded(ctx context.Context, c *bigtable.Client, b []byte) {
	rows := append(load(b), row{key: "k", at: bigtable.ServerTime})
	for _, r := range rows {
		mut := bigtable.NewMutation()
		mut.Set("token", "v", r.at, nil) // want `server-timestamp`
		_ = c.Open("sessions").Apply(ctx, r.key, mut)
	}
}

func okOrdinary(ctx context.Context, c *bigtable.Client) {
	for _, r := range []row{{key: "k", at: bigtable.Now(), family: "profile"}, {key: "k", at: bigtable.ServerTime, family: "profile"}} {
		mut := bigtable.NewMutation()
		mut.Set("profile", "v", r.at, nil)
		_ = c.Open("sessions").Apply(ctx, r.key, mut)
	}
}

func okFamily(ctx context.Context, c *bigtable.Client, b []byte) {
	for _, r := range append(load(b), row{family: "profile"}) {
		mut := bigtable.NewMutation()
		mut.Set(r.family, "v", bigtable.Now(), nil)
		_ = c.Open("sessions").Apply(ctx, r.key, mut)
	}
}

func okToken(ctx context.Context, c *bigtable.Client) {
	for _, r := range []row{{family: "token", at: bigtable.Time(time.Now().Add(time.Hour))}} {
		mut := bigtable.NewMutation()
		mut.Set(r.family, "v", r.at, nil)
		_ = c.Open("sessions").Apply(ctx, r.key, mut)
	}
}

// The whole list is not known.
func okOf(ctx context.Context, c *bigtable.Client, b []byte) {
	for _, r := range load(b) {
		mut := bigtable.NewMutation()
		mut.Set("token", "v", r.at, nil)
		_ = c.Open("sessions").Apply(ctx, r.key, mut)
	}
}

var history = []row{
	{key: "a", family: "token", at: bigtable.ServerTime},
	{key: "b", family: "profile", at: bigtable.Now()},
}

// An element of a part of a list is one of the list.
func replay(ctx context.Context, c *bigtable.Client, from string) {
	i := sort.Search(len(history), func(i int) bool { return history[i].key >= from })
	for _, r := range history[i:] {
		mut := bigtable.NewMutation()
		mut.Set(r.family, "v", r.at, nil) // want `server-timestamp: .*"token"`
		_ = c.Open("sessions").Apply(ctx, r.key, mut)
	}
}
