// Package steplists runs the functions of a list on one object, one after the other: each
// finds what those before it have left.
package steplists

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/cases/sight/steplists/plan"
)

type state struct {
	m   *bigtable.Mutation
	exp bigtable.Timestamp
}

func prepare(st *state) error { st.exp = bigtable.Time(time.Now().Add(time.Hour)); return nil }

func wall(st *state) error { st.exp = bigtable.Now(); return nil }

func early(st *state) error {
	st.m.Set("token", "a", st.exp, nil) // want `already-expired: .*"token"`
	return nil
}

func okPrepared(st *state) error {
	st.m.Set("token", "b", st.exp, nil)
	return nil
}

func late(st *state) error {
	st.m.Set("token", "c", st.exp, nil) // want `write-time: .*"token"`
	return nil
}

func run(ctx context.Context, c *bigtable.Client) error {
	st := &state{m: bigtable.NewMutation()}
	for _, step := range []func(*state) error{early, prepare, okPrepared, wall, late} {
		if err := step(st); err != nil {
			return err
		}
	}
	return c.Open("sessions").Apply(ctx, "r", st.m)
}

// What stands behind the call of a turn finds what that has left.
func within(ctx context.Context, t *bigtable.Table) error {
	st := &state{m: bigtable.NewMutation()}
	for _, step := range []func(*state) error{prepare, wall} {
		_ = step(st)
		st.m.Set("token", "d", st.exp, nil) // want `write-time: .*"token"`
	}
	for _, step := range []func(*state) error{prepare, okPrepared} {
		_ = step(st)
		st.m.Set("token", "e", st.exp, nil)
	}
	return t.Apply(ctx, "r", st.m)
}

// An object of each turn's own has nothing of the turns before.
func each(ctx context.Context, t *bigtable.Table) {
	for _, step := range []func(*state) error{prepare, ofEach} {
		st := &state{m: bigtable.NewMutation(), exp: bigtable.ServerTime}
		_ = step(st)
		_ = t.Apply(ctx, "r", st.m)
	}
}

func ofEach(st *state) error {
	st.m.Set("token", "f", st.exp, nil) // want `server-timestamp: .*"token"`
	return nil
}

func okAbroad(st *plan.State) { st.M.Set("token", "g", st.Exp, nil) }

func abroad(st *plan.State) {
	st.M.Set("token", "h", st.Exp, nil) // want `write-time: .*"token"`
}

func across(ctx context.Context, t *bigtable.Table) error {
	st := &plan.State{M: bigtable.NewMutation()}
	for _, step := range []plan.Step{plan.Prepare, okAbroad, plan.Wall, abroad} {
		step(st)
	}
	return t.Apply(ctx, "r", st.M)
}
