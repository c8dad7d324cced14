package attrib

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"cloud.google.com/go/bigtable"
)

// Model spreads a conversion over events.
type Model interface {
	Name() string
	Weights(events []Event, at time.Time) []float64
}

type lastTouch struct{}

func (lastTouch) Name() string { return "last" }

func (lastTouch) Weights(events []Event, _ time.Time) []float64 {
	w := make([]float64, len(events))
	if len(w) > 0 {
		w[len(w)-1] = 1
	}
	return w
}

type linear struct{}

func (linear) Name() string { return "linear" }

func (linear) Weights(events []Event, _ time.Time) []float64 {
	w := make([]float64, len(events))
	for i := range w {
		w[i] = 1 / float64(len(w))
	}
	return w
}

type timeDecay struct{ half time.Duration }

func (m timeDecay) Name() string { return fmt.Sprintf("decay-%s", m.half) }

func (m timeDecay) Weights(events []Event, at time.Time) []float64 {
	w := make([]float64, len(events))
	sum := 0.0
	for i, e := range events {
		age := at.Sub(e.At)
		w[i] = 1 / (1 + float64(age)/float64(m.half))
		sum += w[i]
	}
	for i := range w {
		w[i] /= sum
	}
	return w
}

// Models by name.
func Models() map[string]Model {
	out := map[string]Model{}
	for _, m := range []Model{lastTouch{}, linear{}, timeDecay{24 * time.Hour}, timeDecay{7 * 24 * time.Hour}} {
		out[m.Name()] = m
	}
	return out
}

// Share is a campaign's share of a conversion.
type Share struct {
	Campaign string
	Weight   float64
}

// Attribute spreads a conversion.
func (s *Store) Attribute(ctx context.Context, visitor string, at time.Time, m Model) ([]Share, error) {
	events, err := s.Events(ctx, visitor)
	if err != nil {
		return nil, err
	}
	slices.SortFunc(events, func(a, b Event) int { return a.At.Compare(b.At) })
	byCampaign := map[string]float64{}
	for i, w := range m.Weights(events, at) {
		byCampaign[events[i].Campaign] += w
	}
	out := make([]Share, 0, len(byCampaign))
	for c, w := range byCampaign {
		out = append(out, Share{c, w})
	}
	slices.SortFunc(out, func(a, b Share) int { return cmp.Compare(b.Weight, a.Weight) })
	return out, nil
}

// Lag is the time from the first click to the conversion, as the dashboards show it.
func (s *Store) Lag(ctx context.Context, visitor string, at time.Time) (time.Duration, error) {
	row, err := s.clicks.ReadRow(ctx, visitor, bigtable.RowFilter(s.liveEvents())) // ok ttlread/missing-filter
	if err != nil {
		return 0, err
	}
	var first time.Time
	for _, it := range row[eventFamily] {
		if t := it.Timestamp.Time(); first.IsZero() || t.Before(first) {
			first = t
		}
	}
	return at.Sub(first), nil // maybe ttlage/not-write-time
}

// Expiring lists the events that end within d.
func (s *Store) Expiring(ctx context.Context, visitor string, d time.Duration) ([]string, error) {
	row, err := s.clicks.ReadRow(ctx, visitor, bigtable.RowFilter(s.liveEvents())) // ok ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	var out []string
	for _, it := range row[eventFamily] {
		ends := it.Timestamp.Time().Add(EventTTL)
		if time.Until(ends) < d { // ok ttlage/not-write-time
			out = append(out, it.Column)
		}
	}
	return out, nil
}

// Counter is what the dashboards' totals need.
type Counter interface {
	Add(ctx context.Context, visitor, name string, n int64) error
}

// rmwCounter counts on the server.
type rmwCounter struct {
	tbl *bigtable.Table
	fam string
}

// Add counts.
func (c rmwCounter) Add(ctx context.Context, visitor, name string, n int64) error {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment(c.fam, name, n) // want ttlwrite/read-modify-write[ctr]
	_, err := c.tbl.ApplyReadModifyWrite(ctx, visitor, rmw)
	return err
}

// Views counts views; these may be lost after two weeks.
func (s *Store) Views() Counter {
	return rmwCounter{s.clicks, eventFamily} // ok ttlwrite/read-modify-write
}

// Bursts counts clicks within the dedup window.
func (s *Store) Bursts() Counter {
	return rmwCounter{s.clicks, dedupFamily} // want ttlwrite/read-modify-write[ctr]
}
