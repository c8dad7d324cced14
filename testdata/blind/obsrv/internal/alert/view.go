package alert

import (
	"context"
	"fmt"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/lumen/internal/bt"
	"example.com/lumen/internal/names"
)

// View is a row of the alert page.
type View struct {
	Key       string
	Status    string
	Age       time.Duration
	Left      time.Duration
	UpdatedAt string
	Expires   string
	Rule      string
	RuleSaved time.Time
}

func (s *Store) Views(ctx context.Context, tenant string) ([]View, error) {
	rows, _, err := s.List(ctx, ListOptions{Tenant: tenant, Limit: 100, WithMeta: true})
	if err != nil {
		return nil, err
	}
	now := s.now()
	out := make([]View, 0, len(rows))
	for _, r := range rows {
		v := View{Key: r.Key()}
		if it, ok := bt.Cell(r, names.FamState, colStatus); ok {
			v.Status = string(it.Value)
			v.Age = now.Sub(it.Timestamp.Time())                   // want ttlage/not-write-time
			v.Left = it.Timestamp.Time().Sub(now)                  // ok ttlage/not-write-time
			v.UpdatedAt = it.Timestamp.Time().Format(time.RFC3339) // want ttlage/not-write-time
			v.Expires = it.Timestamp.Time().Format(time.RFC3339)   // ok ttlage/not-write-time
		}
		if it, ok := bt.Cell(r, names.FamMeta, colRule); ok {
			v.Rule = string(it.Value)
			v.RuleSaved = it.Timestamp.Time() // ok ttlage/not-write-time
		}
		out = append(out, v)
	}
	return out, nil
}

func (s *Store) Stuck(ctx context.Context, tenant string) ([]string, error) {
	var stuck []string
	rows, err := bt.Collect(ctx, s.states, bt.Query{
		Rows:    bigtable.PrefixRange(tenant + "#"),
		Filters: []bigtable.Filter{bigtable.FamilyFilter(names.FamState), bt.Live()},
	})
	if err != nil {
		return nil, err
	}
	for _, r := range rows {
		for _, it := range r[names.FamState] {
			if time.Since(it.Timestamp.Time()) > time.Minute { // want ttlage/not-write-time
				stuck = append(stuck, r.Key())
			}
		}
	}
	return stuck, nil
}

func (s *Store) StuckRules(ctx context.Context, tenant string) ([]string, error) {
	var stuck []string
	err := s.states.ReadRows(ctx, bigtable.PrefixRange(tenant+"#"), func(r bigtable.Row) bool { // ok ttlread/missing-filter
		for _, it := range r[names.FamMeta] {
			if time.Since(it.Timestamp.Time()) > 24*time.Hour { // ok ttlage/not-write-time
				stuck = append(stuck, r.Key())
			}
		}
		return true
	}, bigtable.RowFilter(bigtable.FamilyFilter(names.FamMeta)))
	return stuck, err
}

func (s *Store) Timeline(ctx context.Context, tenant, id string) (string, error) {
	row, err := bt.One(ctx, s.silences, tenant+"#"+id, bt.InFamily(names.FamSilence, bt.Live())) // ok ttlread/missing-filter
	if err != nil {
		return "", err
	}
	it, ok := bt.Cell(row, names.FamSilence, colSilence)
	if !ok {
		return "", bt.ErrNoRow
	}
	if it.Timestamp == bigtable.ServerTime { // want ttlage/server-sentinel
		return "never ends", nil
	}
	created := it.Timestamp.Time()                                                                                // want ttlage/not-write-time[timeline]
	return fmt.Sprintf("created %s, %s left", created.Format(time.Kitchen), time.Until(it.Timestamp.Time())), nil // want ttlage/not-write-time[timeline]
}
