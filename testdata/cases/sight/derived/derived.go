// Package derived decides by what helpers make of a constant.
package derived

import (
	"context"
	"slices"
	"strings"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/cases/sight/derived/lib"
)

type class int

const (
	ordinary class = iota
	expiring
	shifted
)

func classOf(fam string) class {
	switch fam {
	case "token", "code":
		return expiring
	case "event":
		return shifted
	}
	return ordinary
}

func put(m *bigtable.Mutation, fam, col string) {
	ts := bigtable.ServerTime
	if classOf(fam) == expiring {
		ts = bigtable.Time(time.Now().Add(time.Hour))
	}
	m.Set(fam, col, ts, nil)
}

func putBySwitch(m *bigtable.Mutation, fam, col string) {
	switch classOf(fam) {
	case expiring:
		m.Set(fam, col, bigtable.Time(time.Now().Add(time.Hour)), nil)
	case shifted, ordinary:
		m.Set(fam, col, bigtable.Now(), nil)
	}
}

// wrong asks for the other class.
func wrong(m *bigtable.Mutation, fam, col string) {
	if classOf(fam) != shifted {
		m.Set(fam, col, bigtable.ServerTime, nil)
	}
}

type plan struct {
	age  time.Duration
	live bool
}

func planFor(fam string) plan {
	if fam == "token" {
		return plan{age: time.Second, live: true}
	}
	return plan{}
}

func policy(fam string) bigtable.GCPolicy {
	p := planFor(fam)
	if p.live {
		return bigtable.MaxAgePolicy(p.age)
	}
	return bigtable.MaxVersionsPolicy(1)
}

func kindName(fam string) string {
	if fam == "profile" {
		return "plain"
	}
	return "short"
}

func byName(m *bigtable.Mutation, fam string) {
	if strings.HasPrefix(kindName(fam), "sh") {
		m.Set(fam, "n", bigtable.Time(time.Now().Add(time.Hour)), nil)
	} else {
		m.Set(fam, "n", bigtable.Now(), nil)
	}
}

func lifetime(fam string) *time.Duration {
	if fam == "token" {
		d := time.Hour
		return &d
	}
	return nil
}

func byPointer(m *bigtable.Mutation, fam string) {
	ts := bigtable.ServerTime
	if d := lifetime(fam); d != nil {
		ts = bigtable.Time(time.Now().Add(*d))
	}
	m.Set(fam, "p", ts, nil)
}

func writes(m *bigtable.Mutation) {
	soon := bigtable.Time(time.Now().Add(time.Hour))
	put(m, "token", "a")
	put(m, "profile", "b")
	putBySwitch(m, "token", "c")
	putBySwitch(m, "profile", "d")
	wrong(m, "token", "e") // want `server-timestamp: .*"token"`
	wrong(m, "profile", "f")
	byName(m, "token")
	byName(m, "profile")
	byPointer(m, "token")
	byPointer(m, "profile")
	for _, f := range []string{"token", "profile"} {
		ts := bigtable.ServerTime
		if slices.Contains([]string{"token", "code"}, f) {
			ts = soon
		}
		m.Set(f, "g", ts, nil)
	}
	for _, f := range []string{"token", "profile"} {
		ts := bigtable.ServerTime
		if !slices.Contains([]string{"token", "code"}, f) {
			ts = soon
		}
		m.Set(f, "h", ts, nil) // want `server-timestamp: .*"token"`
	}
	for _, f := range []string{"token", "profile"} {
		ts := bigtable.ServerTime
		if slices.Index([]string{"event", "token"}, f) >= 0 {
			ts = soon
		}
		m.Set(f, "i", ts, nil)
	}
	for _, f := range []string{"token", "profile"} {
		ts := bigtable.ServerTime
		switch {
		case strings.HasSuffix(f, "ken"), strings.Contains(f, "od"):
			ts = soon
		}
		m.Set(f, "j", ts, nil)
	}
	for _, f := range []string{"token", "profile"} {
		m.Set(f, "k", lib.Stamp(f), nil)
		m.Set(f, "l", lib.Prefixed(f), nil)
	}
	for _, f := range []string{"code", "profile"} {
		m.Set(f, "m", lib.Prefixed(f), nil) // want `server-timestamp: .*"code"`
	}
}

func policies(ctx context.Context, a *bigtable.AdminClient) error {
	for _, f := range []string{"token", "profile"} {
		if err := a.SetGCPolicy(ctx, "sessions", f, policy(f)); err != nil {
			return err
		}
		if err := a.SetGCPolicy(ctx, "sessions", f, lib.Policy(f)); err != nil {
			return err
		}
	}
	if err := a.SetGCPolicy(ctx, "tickets", "ticket", policy("ticket")); err != nil { // want `no-policy: .*"ticket"`
		return err
	}
	if err := a.SetGCPolicy(ctx, "clicks", "event", lib.Policy("event")); err != nil {
		return err
	}
	return a.SetGCPolicy(ctx, "tickets", "ticket", lib.Policy("ticket")) // want `no-policy: .*"ticket"`
}

var _ = []any{writes, policies}
