package api

import (
	"context"
	"fmt"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/depot/internal/bt"
	"example.com/depot/internal/names"
)

// Kiosk is the terminal at the gate: it has its own way to the tables, from
// before there were services.
type Kiosk struct {
	Passes *bt.Repo[string, string]
	Seals  *bt.Repo[string, string]
	Rates  *bt.Repo[string, string]
	Marks  *bt.Repo[string, string]
	client *bigtable.Client
}

var plain = bt.Codec[string]{
	Encode: func(s string) []byte { return []byte(s) },
	Decode: func(b []byte) (string, error) { return string(b), nil },
}

func after(d time.Duration) func(time.Time) bigtable.Timestamp {
	return func(now time.Time) bigtable.Timestamp { return bigtable.Time(now.Add(d)) }
}

func serverClock(time.Time) bigtable.Timestamp { return bigtable.ServerTime }

func lastOne(time.Time) bigtable.Filter { return bigtable.LatestNFilter(1) }

// NewKiosk makes a kiosk.
func NewKiosk(c *bigtable.Client) *Kiosk {
	passes, quotes := c.Open(names.GatePasses), c.Open(names.Quotes)
	return &Kiosk{
		client: c,
		Passes: bt.NewRepo[string](passes, plain, bt.RepoConfig{Family: names.Pass, Column: "kiosk", Live: bt.Live, Stamp: after(time.Hour)}), // ok ttlwrite/write-time ttlread/missing-filter
		Seals:  bt.NewRepo[string](passes, plain, bt.RepoConfig{Family: names.Pass, Column: "seal", Live: bt.Live, Stamp: serverClock}),       // want ttlwrite/server-timestamp
		Rates:  bt.NewRepo[string](quotes, plain, bt.RepoConfig{Family: names.Rate, Column: "kiosk", Live: lastOne, Stamp: serverClock}),      // want ttlread/missing-filter // ok ttlwrite/server-timestamp
		Marks:  bt.NewRepo[string](passes, plain, bt.RepoConfig{Family: names.Info, Column: "marks", Live: lastOne, Stamp: serverClock}),      // ok ttlwrite/server-timestamp ttlread/missing-filter
	}
}

// Badge prints a badge: the pass, and for how long it has been good.
func (k *Kiosk) Badge(ctx context.Context, code string) (string, error) {
	tbl := k.client.Open(names.GatePasses)
	now := time.Now()
	row, err := bt.One(ctx, tbl, code, bt.With(bt.LiveOnly(names.Pass, now))) // ok ttlread/missing-filter
	if err != nil {
		return "", err
	}
	for it := range bt.Items(row, names.Pass) {
		left := it.Timestamp.Time().Sub(now).Round(time.Minute) // ok ttlage/not-write-time
		used := now.Sub(it.Timestamp.Time()).Round(time.Minute) // want ttlage/not-write-time
		return fmt.Sprintf("%s %s (%s)", it.Value, left, used), nil
	}
	return "", bt.ErrNoRow
}

// Stamp marks a pass at the kiosk.
func (k *Kiosk) Stamp(ctx context.Context, code string) error {
	tbl := k.client.Open(names.GatePasses)
	m := bigtable.NewMutation()
	for column, ts := range map[string]bigtable.Timestamp{"kiosk-at": bigtable.Now(), "kiosk-by": bigtable.ServerTime} {
		m.Set(string(names.Info), column, ts, []byte(code)) // ok ttlwrite/write-time ttlwrite/server-timestamp
	}
	m.Set(string(names.Pass), "stamped", bigtable.Now(), []byte(code)) // want ttlwrite/write-time
	return tbl.Apply(ctx, code, m)
}

// Door opens a door for a minute.
func (k *Kiosk) Door(ctx context.Context, code, door string) error {
	tbl := k.client.Open(names.GatePasses)
	cell := bt.Cell{Family: names.Pass, Column: "door", At: bigtable.Time(time.Now().Add(time.Minute)), Value: []byte(door)}
	return tbl.Apply(ctx, code, bt.Cells(cell)) // ok ttlwrite/write-time
}

// Doors opens some doors.
func (k *Kiosk) Doors(ctx context.Context, code string, doors ...string) error {
	tbl := k.client.Open(names.GatePasses)
	var cells []bt.Cell
	for _, d := range doors {
		cells = append(cells, bt.Cell{Family: names.Pass, Column: "door-" + d, At: bigtable.ServerTime, Value: []byte(d)}) // want ttlwrite/server-timestamp[doors]
	}
	return tbl.Apply(ctx, code, bt.Cells(cells...)) // want ttlwrite/server-timestamp[doors]
}

// Extend gives a pass another hour: it is moved from where it is.
func (k *Kiosk) Extend(ctx context.Context, code string) error {
	tbl := k.client.Open(names.GatePasses)
	row, err := bt.One(ctx, tbl, code, bt.With(bt.LiveOnly(names.Pass, time.Now())))
	if err != nil {
		return err
	}
	m := bigtable.NewMutation()
	for it := range bt.Items(row, names.Pass) {
		later := it.Timestamp.Time().Add(time.Hour)
		bt.Replace(m, names.Pass, bt.Qualifier(it), bt.At(later), it.Value) // ok ttlwrite/write-time
		bt.Put(m, names.Pass, "extended", bt.Written(time.Now()), nil)      // want ttlwrite/write-time // maybe ttlwrite/*
		bt.Put(m, names.Info, "extended", bt.Written(time.Now()), nil)      // ok ttlwrite/write-time
	}
	return tbl.Apply(ctx, code, m)
}
