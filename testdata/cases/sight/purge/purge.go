// Package purge looks for dead cells to delete them.
package purge

import (
	"context"
	"errors"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/cases/sight/purge/queue"
)

const tokens = "sessions"

// queued gives the deletions to a queue of another package.
func queued(ctx context.Context, c *bigtable.Client) error {
	tbl := c.Open(tokens)
	q := queue.New(tbl)
	var failed error
	now := time.Now()
	err := tbl.ReadRows(ctx, bigtable.InfiniteRange(""), func(r bigtable.Row) bool {
		m := bigtable.NewMutation()
		m.DeleteTimestampRange("token", "jwt", 0, bigtable.Time(now))
		failed = q.Put(ctx, r.Key(), m)
		return failed == nil
	}, bigtable.RowFilter(bigtable.TimestampRangeFilter(time.Time{}, now)))
	if err := errors.Join(err, failed); err != nil {
		return err
	}
	return q.Send(ctx)
}

type api interface {
	ReadRows(ctx context.Context, arg bigtable.RowSet, f func(bigtable.Row) bool, opts ...bigtable.ReadOption) error
	Apply(ctx context.Context, row string, m *bigtable.Mutation, opts ...bigtable.ApplyOption) error
}

type purger struct{ tbl api }

// atOnce deletes in the callback, and counts.
func (p *purger) atOnce(ctx context.Context) (n int, err error) {
	now := bigtable.Now()
	var failed error
	err = p.tbl.ReadRows(ctx, bigtable.PrefixRange("s#"), func(r bigtable.Row) bool {
		m := bigtable.NewMutation()
		m.DeleteTimestampRange("token", "jwt", 0, now)
		n++
		failed = p.tbl.Apply(ctx, r.Key(), m)
		return failed == nil
	}, bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter("token"), bigtable.TimestampRangeFilterMicros(0, now))))
	if err == nil {
		err = failed
	}
	return n, err
}

// byChannel sends the keys to a worker that deletes.
func byChannel(ctx context.Context, c *bigtable.Client) error {
	tbl := c.Open(tokens)
	keys := make(chan string, 10)
	done := make(chan error, 1)
	go func() {
		var failed error
		for k := range keys {
			m := bigtable.NewMutation()
			m.DeleteRow()
			failed = errors.Join(failed, tbl.Apply(ctx, k, m))
		}
		done <- failed
	}()
	err := tbl.ReadRows(ctx, bigtable.InfiniteRange(""), func(r bigtable.Row) bool {
		keys <- r.Key()
		return true
	}, bigtable.RowFilter(bigtable.TimestampRangeFilter(time.Time{}, time.Now())))
	close(keys)
	return errors.Join(err, <-done)
}

// tally counts and deletes nothing: the count is of dead cells.
func tally(ctx context.Context, c *bigtable.Client) (n int, err error) {
	err = c.Open(tokens).ReadRows(ctx, bigtable.InfiniteRange(""), func(r bigtable.Row) bool {
		n++
		return true
	}, bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter("token"), bigtable.TimestampRangeFilter(time.Time{}, time.Now())))) // want `expired-only: .*"token"`
	return n, err
}

// run is two calls away from what deletes.
func (p *purger) run(ctx context.Context) error {
	_, err := p.atOnce(ctx)
	return err
}

// A server has a purger.
type server struct{ purge *purger }

func (s *server) start(ctx context.Context) { go s.purge.run(ctx) }

var jobs = []struct {
	name string
	run  func(context.Context, *bigtable.Client) error
}{
	{"queued", queued},
	{"channel", byChannel},
}

// Main picks a job by name.
func Main(ctx context.Context, name string) error {
	c, err := bigtable.NewClient(ctx, "p", "i")
	if err != nil {
		return err
	}
	s := &server{purge: &purger{tbl: c.Open(tokens)}}
	s.start(ctx)
	for _, j := range jobs {
		if j.name == name {
			return j.run(ctx, c)
		}
	}
	_, err = tally(ctx, c)
	return err
}
