// Package stepped hands what a function returns, in more ways than are followed, to the same
// call again.
package stepped

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"
)

type state struct {
	mode, shard, zone, kind string
	at                      bigtable.Timestamp
}

func now() state { return state{mode: "a", at: bigtable.Now()} }

// next has more results than are followed one by one.
func next(s state, n int) state {
	if s.mode == "a" {
		s.mode = "b"
	}
	if s.mode == "c" {
		s.shard = "1"
	}
	if s.shard == "1" && n > 1 {
		s.zone = "eu"
	}
	if s.zone == "eu" {
		s.kind = "x"
	}
	switch n {
	case 1:
		s.mode = "c"
	case 2:
		s.shard = "2"
	case 3:
		s.zone = "us"
	case 4:
		s.kind = "y"
	case 5:
		s.kind, s.zone = s.zone, s.kind
	case 6:
		s.mode, s.shard = s.shard, s.mode
	case 7:
		s.mode = s.zone
	}
	return s
}

func write(ctx context.Context, tbl *bigtable.Table, steps []int) error {
	s := now()
	for _, n := range steps {
		s = next(s, n)
	}
	mut := bigtable.NewMutation()
	mut.Set("token", s.mode, s.at, nil)                                       // want `uses the current time`
	mut.Set("token", "fixed", bigtable.Time(time.Now().Add(-time.Hour)), nil) // want `uses a time 1h before now`
	return tbl.Apply(ctx, s.shard, mut)
}
