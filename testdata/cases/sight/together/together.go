// Package together overwrites values together under a flag.
package together

import (
	"context"
	"errors"
	"time"

	"cloud.google.com/go/bigtable"
)

type store struct {
	sessions, catalog, mixed *bigtable.Table
	pinned                   map[string]bool
	strict                   bool
}

func newStore(c *bigtable.Client, strict bool) *store {
	return &store{sessions: c.Open("sessions"), catalog: c.Open("catalog"), mixed: c.Open("mixed"), pinned: map[string]bool{}, strict: strict}
}

func (s *store) okPair(ctx context.Context, key string, remember bool) error {
	family, ts := "profile", bigtable.Now()
	if remember {
		family, ts = "token", bigtable.Time(time.Now().Add(time.Hour))
	}
	m := bigtable.NewMutation()
	m.Set(family, "v", ts, nil)
	return s.sessions.Apply(ctx, key, m)
}

func (s *store) pair(ctx context.Context, key string) error {
	family, ts := "profile", bigtable.Now()
	if s.pinned[key] {
		family, ts = "token", bigtable.ServerTime
	}
	m := bigtable.NewMutation()
	m.Set(family, "v", ts, nil) // want `server-timestamp: .*"token"`
	return s.sessions.Apply(ctx, key, m)
}

func (s *store) okLooked(ctx context.Context, key string) error {
	family, ts := "profile", bigtable.Now()
	if s.pinned[key] {
		family, ts = "token", bigtable.Time(time.Now().Add(time.Hour))
	}
	m := bigtable.NewMutation()
	m.Set(family, "v", ts, nil)
	return s.sessions.Apply(ctx, key, m)
}

// One by one, in one block.
func (s *store) okOneByOne(ctx context.Context, key string) error {
	family := "profile"
	ts := bigtable.Now()
	column := "v"
	if s.strict {
		family = "token"
		column = "w"
		ts = bigtable.Time(time.Now().Add(time.Hour))
	}
	m := bigtable.NewMutation()
	m.Set(family, column, ts, nil)
	return s.sessions.Apply(ctx, key, m)
}

// Captured by a closure that writes.
func (s *store) okCaptured(ctx context.Context, key string, remember bool) error {
	family, ts := "profile", bigtable.Now()
	if remember {
		family, ts = "token", bigtable.Time(time.Now().Add(time.Hour))
	}
	write := func(col string) error {
		m := bigtable.NewMutation()
		m.Set(family, col, ts, nil)
		return s.sessions.Apply(ctx, key, m)
	}
	return errors.Join(write("a"), write("b"))
}

func (s *store) captured(ctx context.Context, key string) error {
	family, ts := "profile", bigtable.Time(time.Now().Add(time.Hour))
	if s.strict {
		family, ts = "token", bigtable.Now()
	}
	return retry(func() error {
		m := bigtable.NewMutation()
		m.Set(family, "v", ts, nil) // want `write-time: .*"token"`
		return s.sessions.Apply(ctx, key, m)
	})
}

func (s *store) okCapturedLooked(ctx context.Context, key string) error {
	family, ts := "profile", bigtable.Now()
	if s.strict {
		family, ts = "token", bigtable.Time(time.Now().Add(time.Hour))
	}
	return retry(func() error {
		m := bigtable.NewMutation()
		m.Set(family, "v", ts, nil)
		return s.sessions.Apply(ctx, key, m)
	})
}

func retry(f func() error) error {
	for range 3 {
		if err := f(); err == nil {
			return nil
		}
	}
	return errors.New("gave up")
}

// In the fields of a local struct.
type target struct {
	tbl    *bigtable.Table
	family string
	ts     bigtable.Timestamp
}

func (s *store) okFields(ctx context.Context, key string) error {
	t := target{tbl: s.sessions, family: "profile", ts: bigtable.Now()}
	if s.strict {
		t.family, t.ts = "token", bigtable.Time(time.Now().Add(time.Hour))
	}
	m := bigtable.NewMutation()
	m.Set(t.family, "v", t.ts, nil)
	return t.tbl.Apply(ctx, key, m)
}

func (s *store) okFieldsPtr(ctx context.Context, key string) error {
	t := &target{tbl: s.sessions, family: "profile", ts: bigtable.Now()}
	if s.pinned[key] {
		t.family = "token"
		t.ts = bigtable.Time(time.Now().Add(time.Hour))
	}
	return t.write(ctx, key)
}

func (t *target) write(ctx context.Context, key string) error {
	m := bigtable.NewMutation()
	m.Set(t.family, "v", t.ts, nil)
	return t.tbl.Apply(ctx, key, m)
}

func (s *store) fields(ctx context.Context, key string) error {
	t := target{tbl: s.sessions, family: "profile", ts: bigtable.Now()}
	if s.strict {
		t.family, t.ts = "token", bigtable.Now()
	}
	m := bigtable.NewMutation()
	m.Set(t.family, "v", t.ts, nil) // want `write-time: .*"token"`
	return t.tbl.Apply(ctx, key, m)
}

func (s *store) okWhole(ctx context.Context, key string) error {
	t := target{s.sessions, "token", bigtable.Time(time.Now().Add(time.Hour))}
	if s.strict {
		t = target{s.catalog, "latest", 0}
	}
	m := bigtable.NewMutation()
	m.Set(t.family, "v", t.ts, nil)
	return t.tbl.Apply(ctx, key, m)
}

// The table with the family.
func (s *store) okTable(ctx context.Context, key string, cat bool) error {
	tbl, family, ts := s.sessions, "token", bigtable.Time(time.Now().Add(time.Hour))
	if cat {
		tbl, family, ts = s.catalog, "latest", bigtable.Timestamp(0)
	}
	m := bigtable.NewMutation()
	m.Set(family, "v", ts, nil)
	return tbl.Apply(ctx, key, m)
}

// With a filter.
func (s *store) okRead(ctx context.Context, key string) (bigtable.Row, error) {
	tbl, f := s.catalog, bigtable.FamilyFilter("latest")
	if s.strict {
		tbl, f = s.sessions, bigtable.ChainFilters(bigtable.FamilyFilter("token"), bigtable.TimestampRangeFilter(time.Now(), time.Time{}))
	}
	return tbl.ReadRow(ctx, key, bigtable.RowFilter(f))
}

func (s *store) read(ctx context.Context, key string) (bigtable.Row, error) {
	tbl, f := s.catalog, bigtable.FamilyFilter("latest")
	if s.strict {
		tbl, f = s.sessions, bigtable.FamilyFilter("token")
	}
	return tbl.ReadRow(ctx, key, bigtable.RowFilter(f)) // want `missing-filter: .*"token"`
}

// The flag is asked twice.
func (s *store) okTwice(ctx context.Context, key string, remember bool) error {
	family := "profile"
	if remember {
		family = "token"
	}
	ts := bigtable.Now()
	if remember {
		ts = bigtable.Time(time.Now().Add(time.Hour))
	}
	m := bigtable.NewMutation()
	m.Set(family, "v", ts, nil)
	return s.sessions.Apply(ctx, key, m)
}

func (s *store) okTwiceField(ctx context.Context, key string) error {
	family := "profile"
	if s.strict {
		family = "token"
	}
	ts := bigtable.Now()
	if s.strict {
		ts = bigtable.Time(time.Now().Add(time.Hour))
	}
	m := bigtable.NewMutation()
	m.Set(family, "v", ts, nil)
	return s.sessions.Apply(ctx, key, m)
}

// A switch over a text that is looked up.
func (s *store) okSwitch(ctx context.Context, key, kind string) error {
	family, ts, column := "profile", bigtable.Now(), "v"
	switch kind {
	case "short":
		family, ts = "token", bigtable.Time(time.Now().Add(time.Minute))
	case "long":
		family, ts, column = "token", bigtable.Time(time.Now().Add(time.Hour)), "w"
	}
	m := bigtable.NewMutation()
	m.Set(family, column, ts, nil)
	return s.sessions.Apply(ctx, key, m)
}

// The flag of the loop's element.
type item struct {
	name string
	hot  bool
}

func (s *store) okLoop(ctx context.Context, key string, items []item) error {
	m := bigtable.NewMutation()
	for _, it := range items {
		family, ts := "profile", bigtable.Now()
		if it.hot {
			family, ts = "token", bigtable.Time(time.Now().Add(time.Hour))
		}
		m.Set(family, it.name, ts, nil)
	}
	return s.sessions.Apply(ctx, key, m)
}

func (s *store) loop(ctx context.Context, key string, items []item) error {
	m := bigtable.NewMutation()
	for _, it := range items {
		family, ts := "profile", bigtable.Now()
		if s.pinned[it.name] {
			family, ts = "token", bigtable.ServerTime
		}
		m.Set(family, it.name, ts, nil) // want `server-timestamp: .*"token"`
	}
	return s.sessions.Apply(ctx, key, m)
}

// Handed to a helper.
func put(ctx context.Context, tbl *bigtable.Table, key, family string, ts bigtable.Timestamp) error {
	m := bigtable.NewMutation()
	m.Set(family, "v", ts, nil)
	return tbl.Apply(ctx, key, m)
}

func (s *store) okHelper(ctx context.Context, key string) error {
	family, ts := "profile", bigtable.Now()
	if s.strict {
		family, ts = "token", bigtable.Time(time.Now().Add(time.Hour))
	}
	return put(ctx, s.sessions, key, family, ts)
}

func (s *store) helper(ctx context.Context, key string) error {
	family, ts := "profile", bigtable.Now()
	if s.strict {
		family, ts = "token", bigtable.Now()
	}
	return put(ctx, s.sessions, key, family, ts) // want `write-time: .*"token"|uses the current time`
}

// Named results that are overwritten.
func (s *store) where(key string) (family string, ts bigtable.Timestamp) {
	family, ts = "profile", bigtable.Now()
	if s.pinned[key] {
		family, ts = "token", bigtable.Time(time.Now().Add(time.Hour))
	}
	return
}

func (s *store) okNamed(ctx context.Context, key string) error {
	family, ts := s.where(key)
	m := bigtable.NewMutation()
	m.Set(family, "v", ts, nil)
	return s.sessions.Apply(ctx, key, m)
}

// The defer makes named results live in memory.
func (s *store) whereSafely(key string) (family string, ts bigtable.Timestamp, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = errors.New("panicked")
		}
	}()
	family, ts = "profile", bigtable.Now()
	if s.pinned[key] {
		family, ts = "token", bigtable.Time(time.Now().Add(time.Hour))
	}
	return family, ts, nil
}

func (s *store) okSafely(ctx context.Context, key string) error {
	family, ts, err := s.whereSafely(key)
	if err != nil {
		return err
	}
	m := bigtable.NewMutation()
	m.Set(family, "v", ts, nil)
	return s.sessions.Apply(ctx, key, m)
}
