// Package keyedstatements takes statements from a map by a key, parses constant
// dates, and reads by wrappers of wrappers.
package keyedstatements

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/cases/sight/keyedstatements/wrap"
)

var statements = map[string]string{
	"all": "SELECT _key, token FROM sessions", // want `sql: .*"token"`
	"one": "SELECT _key, profile FROM sessions WHERE _key = @key",
}

var ordinary = map[string]string{
	"all": "SELECT _key, profile FROM sessions",
	"one": "SELECT _key, profile FROM sessions WHERE _key = @key",
}

func query(ctx context.Context, c *bigtable.Client, name string) (*bigtable.PreparedStatement, error) {
	return c.PrepareStatement(ctx, statements[name], nil)
}

func okQuery(ctx context.Context, c *bigtable.Client, name string) (*bigtable.PreparedStatement, error) {
	return c.PrepareStatement(ctx, ordinary[name], nil)
}

func mustParse(s string) time.Time {
	t, err := time.Parse(time.RFC3339, s)
	if err != nil {
		panic(err)
	}
	return t
}

func dated(ctx context.Context, c *bigtable.Client) error {
	t, err := time.Parse("2006-01-02", "2021-03-04")
	if err != nil {
		return err
	}
	mut := bigtable.NewMutation()
	mut.Set("token", "a", bigtable.Time(t), nil)                                 // want `already-expired: .*2021-03-04`
	mut.Set("token", "b", bigtable.Time(mustParse("2020-01-02T03:04:05Z")), nil) // want `already-expired: .*2020-01-02`
	mut.Set("profile", "b", bigtable.Time(mustParse("2020-01-02T03:04:05Z")), nil)
	return c.Open("sessions").Apply(ctx, "k", mut)
}

func okDated(ctx context.Context, c *bigtable.Client, s string) error {
	t, err := time.Parse(time.RFC3339, s)
	if err != nil {
		return err
	}
	mut := bigtable.NewMutation()
	mut.Set("token", "a", bigtable.Time(t), nil)
	mut.Set("token", "b", bigtable.Time(mustParse("2299-01-02T03:04:05Z")), nil) // want `out-of-range: `
	mut.Set("token", "c", bigtable.Time(mustParse("2199-01-02T03:04:05Z")), nil)
	return c.Open("sessions").Apply(ctx, "k", mut)
}

func latest(ctx context.Context, c *bigtable.Client) (int, error) {
	row, err := wrap.One(ctx, c.Open("sessions"), "k") // want `missing-filter: .*"token"`
	return len(row["token"]), err
}

func okLatest(ctx context.Context, c *bigtable.Client) (string, error) {
	row, err := wrap.One(ctx, c.Open("eth-ledger"), "k")
	for _, it := range row["entry"] {
		return string(it.Value), nil
	}
	return "", err
}

func okOrdinary(ctx context.Context, c *bigtable.Client) (string, error) {
	row, err := wrap.One(ctx, c.Open("sessions"), "k")
	for _, it := range row["profile"] {
		return string(it.Value), nil
	}
	return "", err
}

type predicate func(family string) string

func live(family string) string { return "WHERE " + wrap.Live() }
