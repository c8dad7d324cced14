// Package scopes holds a query by a pointer, whose methods add filters to it.
package scopes

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/cases/sight/scopes/relation"
)

var clicks *bigtable.Table

func Init(c *bigtable.Client) { clicks = c.Open("clicks") }

type Scope struct{ relation *relation.Relation }

func Clicks() *Scope { return &Scope{relation.From(clicks)} }

func (s *Scope) Live() *Scope {
	s.relation.Where(bigtable.TimestampRangeFilter(time.Now().Add(-720*time.Hour), time.Time{}))
	return s
}

func (s *Scope) Since(t time.Time) *Scope {
	s.relation.Where(bigtable.TimestampRangeFilter(t, time.Time{}))
	return s
}

func (s *Scope) Find(ctx context.Context) (out []string, err error) {
	err = s.relation.Each(ctx, func(row bigtable.Row) bool {
		for _, it := range row["event"] {
			out = append(out, string(it.Value))
		}
		return true
	})
	return out, err
}

// Nobody calls it: what filters its query has, others say.
func (s *Scope) Values(ctx context.Context) ([]string, error) { return s.relation.Pluck(ctx, "event") }

func all(ctx context.Context) ([]string, error) { return Clicks().Find(ctx) } // want `missing-filter: .*"event"`

func live(ctx context.Context) ([]string, error) { return Clicks().Live().Find(ctx) }

func recent(ctx context.Context) ([]string, error) {
	return Clicks().Since(time.Now().Add(-2000 * time.Hour)).Find(ctx) // want `wrong-bound: .*"event"`
}

func inSteps(ctx context.Context) ([]string, error) {
	s := &Scope{relation.From(clicks)}
	s.Live()
	return s.Find(ctx)
}

func byHand(ctx context.Context) error {
	s := &Scope{relation.From(clicks)}
	s.relation.Where(bigtable.TimestampRangeFilter(time.Now().Add(-720*time.Hour), time.Time{}))
	return s.relation.Each(ctx, func(row bigtable.Row) bool { println(string(row["event"][0].Value)); return true })
}

func byHandWithout(ctx context.Context) error {
	s := &Scope{relation.From(clicks)}
	return s.relation.Each(ctx, func(row bigtable.Row) bool { println(string(row["event"][0].Value)); return true }) // want `missing-filter: .*"event"`
}
