// Package deepcopies writes what copies of an object say, which are made by way of two
// pointers.
package deepcopies

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/cases/sight/deepcopies/api"
)

type spec struct {
	family string
	stamp  bigtable.Timestamp
}

func (in *spec) copyInto(out *spec) { *out = *in }

func (in *spec) copy() *spec {
	out := new(spec)
	in.copyInto(out)
	return out
}

func write(ctx context.Context, t *bigtable.Table, s *spec) error {
	s = s.copy()
	m := bigtable.NewMutation()
	m.Set(s.family, "a", s.stamp, nil)
	return t.Apply(ctx, "r", m)
}

func run(ctx context.Context, t *bigtable.Table) {
	_ = write(ctx, t, &spec{"token", bigtable.Now()}) // want `write-time: .*"token"`
	_ = write(ctx, t, &spec{"profile", bigtable.Now()})
}

// A copy that is changed has nothing of what it was a copy of.
func changed(ctx context.Context, t *bigtable.Table, s *spec) error {
	var out spec
	s.copyInto(&out)
	out.stamp = bigtable.Time(time.Now().Add(time.Hour))
	m := bigtable.NewMutation()
	m.Set(out.family, "a", out.stamp, nil)
	return t.Apply(ctx, "r", m)
}

func okChanged(ctx context.Context, t *bigtable.Table) {
	_ = changed(ctx, t, &spec{"token", bigtable.Now()})
}

func writeAbroad(ctx context.Context, t *bigtable.Table, s *api.Spec) error {
	s = s.DeepCopy()
	m := bigtable.NewMutation()
	m.Set(s.Family, "a", s.Stamp, nil)
	return t.Apply(ctx, "r", m)
}

func across(ctx context.Context, t *bigtable.Table) {
	_ = writeAbroad(ctx, t, &api.Spec{Family: "token", Stamp: bigtable.Now()}) // want `write-time: .*"token"`
	_ = writeAbroad(ctx, t, &api.Spec{Family: "profile", Stamp: bigtable.Now()})
}
