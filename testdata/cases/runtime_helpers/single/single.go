// Package single declares its tables itself, and uses them in methods.
package single

import (
	"context"
	"sync"
	"time"

	"cloud.google.com/go/bigtable"

	"github.com/ttlvet/ttlvet/runtime/ttl"
)

var (
	ticket  = ttl.OneSecond("pass", 15*time.Minute)
	holder  = ttl.RealTime("holder")
	tickets = ttl.NewTable("passes", ticket, holder)

	score  = ttl.Sequence("score", 2)
	scores = ttl.NewTable("scores", score)

	flag  = ttl.Zero("switch")
	flags = ttl.NewTable("switches", flag)

	view  = ttl.Default("view", 48*time.Hour)
	views = ttl.NewTable("views", view)
)

type store struct {
	tickets, scores, views *bigtable.Table

	once sync.Once
	live bigtable.ReadOption
}

func open(c *bigtable.Client) *store {
	return &store{tickets: c.Open(tickets.Name()), scores: c.Open(scores.Name()), views: c.Open(views.Name())}
}

func (s *store) issue(ctx context.Context, key string, d time.Duration) error {
	mut := bigtable.NewMutation()
	if err := ticket.Replace(mut, "seat", nil, d); err != nil {
		return err
	}
	return s.tickets.Apply(ctx, key, mut)
}

func (s *store) score(ctx context.Context, key string) error {
	mut := bigtable.NewMutation()
	if err := score.Set(mut, "points", nil, time.Now().UnixMilli()); err != nil { // want `clock-in-sequence: .*"score"`
		return err
	}
	return s.scores.Apply(ctx, key, mut)
}

func (s *store) end(ctx context.Context, key string) error {
	mut := bigtable.NewMutation()
	if err := ticket.SetUntil(mut, "seat", nil, time.Now()); err != nil { // want `write-time: .*"pass"`
		return err
	}
	return s.tickets.Apply(ctx, key, mut)
}

func (s *store) wrongTable(ctx context.Context, key string) (bigtable.Row, error) {
	return s.tickets.ReadRow(ctx, key, views.Live()) // want `hides-other-families: .*"views"`
}

func (s *store) twoFilters(ctx context.Context, key string) (bigtable.Row, error) {
	opts := []bigtable.ReadOption{tickets.Live()}
	opts = append(opts, bigtable.RowFilter(bigtable.ColumnFilter("seat")))
	return s.tickets.ReadRow(ctx, key, opts...) // want `overridden-filter: `
}

var (
	once sync.Once
	all  bigtable.ReadOption
)

func (s *store) readOnce(ctx context.Context, key string) (bigtable.Row, error) {
	once.Do(func() { all = tickets.Live() })
	return s.tickets.ReadRow(ctx, key, all) // want `stale-bound: .*"pass"`
}

func (s *store) unlock(ctx context.Context, key string) error {
	taken := bigtable.NewMutation()
	if err := ticket.Set(taken, "lock", nil); err != nil {
		return err
	}
	return s.tickets.Apply(ctx, key, bigtable.NewCondMutation(bigtable.FamilyFilter(ticket.Name()), nil, taken)) // want `conditional-mutation: .*"pass"`
}

func (s *store) late(mut *bigtable.Mutation) error {
	err := flag.Set(mut, "dark", nil)
	mut.DeleteRow() // want `delete-after-set: `
	return err
}

func (s *store) okAll(ctx context.Context, key string) (bigtable.Row, error) {
	return s.tickets.ReadRow(ctx, key, tickets.LiveAnd(bigtable.LatestNFilter(1)))
}

func (s *store) okFlag(mut *bigtable.Mutation) error { return flag.Set(mut, "dark", nil) }

func (s *store) okScores(ctx context.Context, key string, n int64) (int64, error) {
	mut := bigtable.NewMutation()
	if err := score.Set(mut, "points", nil, n); err != nil {
		return 0, err
	}
	if err := s.scores.Apply(ctx, key, mut); err != nil {
		return 0, err
	}
	row, err := s.scores.ReadRow(ctx, key, scores.Live())
	if err != nil || len(row[score.Name()]) == 0 {
		return 0, err
	}
	return score.Number(row[score.Name()][0]) + 1, nil
}

func create(ctx context.Context, ac *bigtable.AdminClient) error {
	for _, t := range []*ttl.Table{tickets, scores, flags, views} {
		if err := ac.CreateTableFromConf(ctx, t.Conf()); err != nil {
			return err
		}
	}
	return nil
}
