// Package failures asks whether what it looks up fails, of names that decide it.
package failures

import (
	"context"
	"errors"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/cases/sight/failures/lib"
)

var errNone = errors.New("no such family")

func find(family string) (time.Duration, error) {
	if family == "token" {
		return time.Minute, nil
	}
	return 0, errNone
}

var ages = map[string]time.Duration{"token": time.Minute, "ticket": time.Hour}

func lookUp(family string) (time.Duration, error) {
	if d, ok := ages[family]; ok {
		return d, nil
	}
	return 0, errNone
}

func put(m *bigtable.Mutation, family string) {
	ts := bigtable.Now()
	if d, err := find(family); err == nil {
		ts = bigtable.Time(time.Now().Add(d))
	}
	m.Set(family, "a", ts, nil)
}

func putFound(m *bigtable.Mutation, family string) {
	ts := bigtable.Now()
	if d, err := lookUp(family); err == nil {
		ts = bigtable.Time(time.Now().Add(d))
	}
	m.Set(family, "b", ts, nil)
}

func putAbroad(m *bigtable.Mutation, family string) {
	d, err := lib.Find(family)
	ts := bigtable.Time(time.Now().Add(d))
	if err != nil {
		ts = bigtable.Now()
	}
	m.Set(family, "c", ts, nil)
}

func all(ctx context.Context, c *bigtable.Client) {
	m := bigtable.NewMutation()
	put(m, "token")
	putFound(m, "token")
	putAbroad(m, "token")
	_ = c.Open("sessions").Apply(ctx, "k", m)
	m = bigtable.NewMutation()
	put(m, "code")       // want `write-time: .*"code"`
	putFound(m, "code")  // want `write-time: .*"code"`
	putAbroad(m, "code") // want `write-time: .*"code"`
	_ = c.Open("otp").Apply(ctx, "k", m)
}

// Names that are known where it is asked.
func here(ctx context.Context, c *bigtable.Client) {
	m := bigtable.NewMutation()
	ts := bigtable.Now()
	if d, err := lib.Find("token"); err == nil {
		ts = bigtable.Time(time.Now().Add(d))
	}
	m.Set("token", "a", ts, nil)
	_ = c.Open("sessions").Apply(ctx, "k", m)
	m = bigtable.NewMutation()
	ts = bigtable.Time(time.Now().Add(time.Hour))
	if _, err := find("code"); err != nil {
		ts = bigtable.Now()
	}
	m.Set("code", "b", ts, nil) // want `write-time: .*"code"`
	_ = c.Open("otp").Apply(ctx, "k", m)
}

// Why this fails nobody says: both happen.
func tried(ctx context.Context, c *bigtable.Client) {
	m := bigtable.NewMutation()
	ts := bigtable.Time(time.Now().Add(time.Hour))
	if _, err := parsed("token"); err != nil {
		ts = bigtable.Now()
	}
	m.Set("token", "a", ts, nil) // want `write-time: .*"token"`
	_ = c.Open("sessions").Apply(ctx, "k", m)
}

func parsed(text string) (time.Duration, error) { return time.ParseDuration(text) }
