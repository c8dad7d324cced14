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

func okHelped(ctx context.Context, c *bigtable.Client) (*bigtable.PreparedStatement, error) {
	return c.PrepareStatement(ctx, "SELECT code['otp'] FROM otp"+wrap.Live(), nil)
}

func helped(ctx context.Context, c *bigtable.Client) (*bigtable.PreparedStatement, error) {
	return c.PrepareStatement(ctx, "SELECT code['otp'] FROM otp"+wrap.Of("k"), nil) // want `sql: .*"code"`
}

// A scan whose helper decides by the times of cells what is kept.
func okScanned(ctx context.Context, c *bigtable.Client) (values []string, err error) {
	keep := wrap.Alive(time.Now())
	err = c.Open("sessions").ReadRows(ctx, bigtable.InfiniteRange(""), func(row bigtable.Row) bool {
		for _, it := range row["token"] {
			if keep(it) {
				values = append(values, string(it.Value))
			}
		}
		return true
	})
	return values, err
}

func scanned(ctx context.Context, c *bigtable.Client) (values []string, err error) {
	err = c.Open("sessions").ReadRows(ctx, bigtable.InfiniteRange(""), func(row bigtable.Row) bool { // want `missing-filter: .*"token"`
		for _, it := range row["token"] {
			if wrap.Filled(it) {
				values = append(values, string(it.Value))
			}
		}
		return true
	})
	return values, err
}

func alive(now time.Time) func(bigtable.ReadItem) bool {
	return func(it bigtable.ReadItem) bool { return it.Timestamp.Time().After(now) }
}

func okScannedHere(ctx context.Context, c *bigtable.Client) (values []string, err error) {
	keep := alive(time.Now())
	err = c.Open("sessions").ReadRows(ctx, bigtable.InfiniteRange(""), func(row bigtable.Row) bool {
		for _, it := range row["token"] {
			if keep(it) {
				values = append(values, string(it.Value))
			}
		}
		return true
	})
	return values, err
}

// What is given beside a statement does not make it wrong.
func preparedAbroad(ctx context.Context, c *bigtable.Client, one, two bigtable.PrepareOption) {
	_, _ = wrap.Prepare(ctx, c, "SELECT code['x'] FROM otp WHERE _key = @key", // want `sql: .*"code"`
		map[string]bigtable.SQLType{"key": bigtable.StringSQLType{}})
	_, _ = wrap.Prepare(ctx, c,
		"SELECT code['x'] FROM otp WHERE _key = @key", // want `sql: .*"code"`
		nil,
		one, two)
}

func okPreparedAbroad(ctx context.Context, c *bigtable.Client) {
	_, _ = wrap.Prepare(ctx, c, "SELECT profile['name'] FROM sessions WHERE _key = @key",
		map[string]bigtable.SQLType{"key": bigtable.StringSQLType{}})
}
