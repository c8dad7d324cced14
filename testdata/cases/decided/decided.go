// Package decided has what was decided of code that could be judged in two ways.
package decided

import (
	"context"
	"fmt"
	"time"

	"cloud.google.com/go/bigtable"
)

const genesis = 1606824023

// A sequence number that arithmetic turns into a moment is a moment.
func okMoment(row bigtable.Row) time.Duration {
	for _, item := range row["entry"] {
		slot := int64(item.Timestamp) / 1000
		return time.Since(time.Unix(genesis+slot*12, 0))
	}
	return 0
}

func okPeriods(start time.Time, row bigtable.Row) time.Duration {
	for _, item := range row["entry"] {
		return time.Since(start.Add(time.Duration(item.Timestamp/1000) * 12 * time.Second))
	}
	return 0
}

func notMoment(row bigtable.Row) time.Duration {
	for _, item := range row["entry"] {
		return time.Since(item.Timestamp.Time()) // want `\(ttlage/not-write-time\)`
	}
	return 0
}

// A time that does not come needs no new reading of the clock.
var (
	never = time.Now().AddDate(100, 0, 0)
	soon  = time.Now().AddDate(1, 0, 0)
)

func okNever(mut *bigtable.Mutation) {
	mut.Set("token", "c", bigtable.Time(never), nil)
}

func notNever(mut *bigtable.Mutation) {
	mut.Set("token", "c", bigtable.Time(soon), nil) // want `\(ttlwrite/stale-clock\)`
}

// A family that is matched by name because table not known.
func byName(mut *bigtable.Mutation) {
	mut.Set("token", "c", bigtable.Now(), nil) // want `family "token" \(table not known\) uses the current time`
}

func okOtherTable(ctx context.Context, client *bigtable.Client) error {
	mut := bigtable.NewMutation()
	mut.Set("token", "c", bigtable.Now(), nil)
	return client.Open("of-others").Apply(ctx, "k", mut)
}

// What comes with an error is no row.
func okLogged(ctx context.Context, client *bigtable.Client) (string, error) {
	row, err := client.Open("sessions").ReadRow(ctx, "k")
	if err != nil {
		return "", fmt.Errorf("%v: %w", row, err)
	}
	return string(row["profile"][0].Value), nil
}

func logged(ctx context.Context, client *bigtable.Client) (string, error) {
	row, err := client.Open("sessions").ReadRow(ctx, "k") // want `\(ttlread/missing-filter\)`
	if err == nil {
		return fmt.Sprint(row), nil
	}
	return "", err
}

// A policy that only some rows of a table get is not the others'.
type retention struct {
	family string
	days   int
}

func policyOf(r retention) bigtable.GCPolicy {
	p := bigtable.MaxAgePolicy(time.Duration(r.days) * 24 * time.Hour)
	if r.days > 0 {
		return p
	}
	return bigtable.NoGcPolicy()
}

func okPolicies(ctx context.Context, admin *bigtable.AdminClient) error {
	for _, r := range []retention{{"event", 30}, {"other", 0}} {
		if err := admin.SetGCPolicy(ctx, "clicks", r.family, policyOf(r)); err != nil {
			return err
		}
	}
	return nil
}

func anyPolicy(r retention) bigtable.GCPolicy {
	p := bigtable.MaxAgePolicy(time.Duration(r.days) * 24 * time.Hour)
	if r.days > 5 {
		fmt.Println(p)
	}
	return p
}

func policies(ctx context.Context, admin *bigtable.AdminClient) error {
	for _, r := range []retention{{"event", 30}, {"other", 0}} {
		if err := admin.SetGCPolicy(ctx, "clicks", r.family, anyPolicy(r)); err != nil { // want `\(ttlunit/age-unit\)`
			return err
		}
	}
	return nil
}
