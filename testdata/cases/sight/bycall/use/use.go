// Package use is package bycall with the helpers and objects of another package.
package use

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/cases/sight/bycall/lib"
)

func scans(ctx context.Context, c *bigtable.Client) {
	tbl := c.Open("sessions")
	_, _ = lib.Scan(ctx, tbl, lib.Opts{Family: "token", Keep: lib.Alive})
	_, _ = lib.Scan(ctx, tbl, lib.Opts{Family: "token", Keep: func(it bigtable.ReadItem) bool { return it.Timestamp > bigtable.Now() }})
	_, _ = lib.Scan(ctx, tbl, lib.Opts{Family: "token", Keep: lib.Long(3)}) // want `missing-filter: .*"token"`
	_, _ = lib.Scan(ctx, tbl, lib.Opts{Family: "token"})                    // want `missing-filter: .*"token"`
	_, _ = lib.Scan(ctx, tbl, lib.Opts{Family: "profile", Keep: lib.Long(3)})
}

func okSelect(ctx context.Context, c *bigtable.Client) int {
	row, _ := c.Open("sessions").ReadRow(ctx, "k")
	return len(lib.Select(row["token"], lib.Alive))
}

func okSelectAt(ctx context.Context, c *bigtable.Client) int {
	row, _ := c.Open("sessions").ReadRow(ctx, "k")
	return len(lib.Select(row["token"], lib.AliveAt(time.Now())))
}

func badSelect(ctx context.Context, c *bigtable.Client) int {
	row, _ := c.Open("sessions").ReadRow(ctx, "k") // want `missing-filter: .*"token"`
	return len(lib.Select(row["token"], lib.Long(1)))
}

func badSelect2(ctx context.Context, c *bigtable.Client) int {
	row, _ := c.Open("sessions").ReadRow(ctx, "k") // want `missing-filter: .*"token"`
	return len(lib.Select(row["token"], func(it bigtable.ReadItem) bool { return it.Column != "" }))
}

type profile struct{ name string }

func (p *profile) Decode(r bigtable.Row) error {
	for _, it := range r["profile"] {
		p.name = string(it.Value)
	}
	return nil
}

type token struct {
	jwt   string
	until time.Time
}

func (t *token) Decode(r bigtable.Row) error {
	for _, it := range r["token"] {
		t.jwt, t.until = string(it.Value), it.Timestamp.Time()
	}
	return nil
}

func decodes(ctx context.Context, c *bigtable.Client) (string, error) {
	r := lib.NewReader(c.Open("sessions"))
	var p profile
	if err := r.Into(ctx, "k", &p); err != nil {
		return "", err
	}
	var t token
	if err := r.Into(ctx, "k", &t); err != nil { // want `missing-filter: .*"token"`
		return "", err
	}
	return p.name + t.jwt, nil
}

func okDecodeChecked(ctx context.Context, c *bigtable.Client) (string, error) {
	r := lib.NewReader(c.Open("sessions"))
	var t token
	if err := r.Into(ctx, "k", &t); err != nil {
		return "", err
	}
	if t.until.Before(time.Now()) {
		return "", nil
	}
	return t.jwt, nil
}

type mine struct{ lib.Record }

func (m mine) name() string { return m.Text("profile") }

func okMine(ctx context.Context, c *bigtable.Client) string {
	row, _ := c.Open("sessions").ReadRow(ctx, "k")
	return mine{lib.Record{Row: row}}.name()
}

func okText(ctx context.Context, c *bigtable.Client) string {
	r, _ := lib.Read(ctx, c.Open("sessions"))
	return r.Text("profile")
}

func okAlive(ctx context.Context, c *bigtable.Client) bool {
	r, _ := lib.Read(ctx, c.Open("sessions"))
	return r.Alive("token")
}

func badText(ctx context.Context, c *bigtable.Client) string {
	r, _ := lib.Read(ctx, c.Open("sessions")) // want `missing-filter: .*"token"`
	return r.Text("token")
}

func okField(ctx context.Context, c *bigtable.Client) int {
	r, _ := lib.Read(ctx, c.Open("sessions"))
	return len(r.Row["profile"])
}

func badOldest(ctx context.Context, c *bigtable.Client) time.Time {
	row, _ := c.Open("sessions").ReadRow(ctx, "k") // want `missing-filter: .*"token"`
	return lib.Oldest(row["token"])
}

func badEarlier(ctx context.Context, c *bigtable.Client) (t time.Time) {
	row, _ := c.Open("sessions").ReadRow(ctx, "k") // want `missing-filter: .*"token"`
	for _, it := range row["token"] {
		t = lib.Earlier(t, it.Timestamp.Time())
	}
	return t
}

func okEarlier(ctx context.Context, c *bigtable.Client) (n int) {
	row, _ := c.Open("sessions").ReadRow(ctx, "k")
	now := time.Now()
	for _, it := range row["token"] {
		if lib.Earlier(now, it.Timestamp.Time()).Equal(now) {
			n++
		}
	}
	return n
}

func okLeft(ctx context.Context, c *bigtable.Client) (n int) {
	row, _ := c.Open("sessions").ReadRow(ctx, "k")
	for _, it := range row["token"] {
		if lib.Left(it, time.Now()) > 0 {
			n++
		}
	}
	return n
}

func badLeft(ctx context.Context, c *bigtable.Client) (d time.Duration) {
	row, _ := c.Open("sessions").ReadRow(ctx, "k") // want `missing-filter: .*"token"`
	for _, it := range row["token"] {
		d += lib.Left(it, time.Now())
	}
	return d
}

func okUntil(ctx context.Context, c *bigtable.Client) (n int) {
	row, _ := c.Open("sessions").ReadRow(ctx, "k")
	for _, it := range row["token"] {
		if lib.Until(it).After(time.Now()) {
			n++
		}
	}
	return n
}

func badUntil(ctx context.Context, c *bigtable.Client) (t time.Time) {
	row, _ := c.Open("sessions").ReadRow(ctx, "k") // want `missing-filter: .*"token"`
	for _, it := range row["token"] {
		if lib.Until(it).After(t) {
			t = lib.Until(it)
		}
	}
	return t
}

var _ = []any{scans, okSelect}
