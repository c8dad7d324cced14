package jobs

import (
	"context"
	"log/slog"
	"strings"
	"sync"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/arena/internal/schema"
	"example.com/arena/internal/stamp"
)

// boot is the clock of all jobs of a process.
var (
	bootOnce sync.Once
	boot     time.Time // want ttlwrite/stale-clock[boot] ttlread/stale-bound[boot]
)

func bootTime() time.Time {
	bootOnce.Do(func() { boot = time.Now() }) // want ttlwrite/stale-clock[boot] ttlread/stale-bound[boot]
	return boot
}

// refreshed is a clock that a ticker moves on.
var (
	refreshedMu sync.RWMutex
	refreshed   = time.Now()
)

// Tick moves the coarse clock on.
func Tick(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case t := <-time.After(time.Second):
			refreshedMu.Lock()
			refreshed = t
			refreshedMu.Unlock()
		}
	}
}

// Sweeper keeps the presence table tidy.
type Sweeper struct {
	presence *bigtable.Table
	tickets  *bigtable.Table
	log      *slog.Logger
}

// NewSweeper returns a Sweeper.
func NewSweeper(c *bigtable.Client, log *slog.Logger) *Sweeper {
	return &Sweeper{presence: c.Open(schema.TablePresence), tickets: c.Open(schema.TableTickets), log: log}
}

// Job is the sweeper as a job.
func (s *Sweeper) Job() Job {
	return Job{Name: "sweep", Run: s.Run, Tries: 2, Wait: time.Second}
}

// Run deletes the beats that have lapsed.
func (s *Sweeper) Run(ctx context.Context) error {
	var keys []string
	var muts []*bigtable.Mutation
	err := s.presence.ReadRows(ctx, bigtable.InfiniteRange(""), func(row bigtable.Row) bool { // ok ttlread/missing-filter
		mut := bigtable.NewMutation()
		mut.DeleteCellsInFamily(schema.FamBeat)
		keys, muts = append(keys, row.Key()), append(muts, mut)
		return true
	}, bigtable.RowFilter(stamp.Family(schema.FamBeat, bigtable.StripValueFilter())))
	if err != nil || len(keys) == 0 {
		return err
	}
	errs, err := s.presence.ApplyBulk(ctx, keys, muts)
	for i, err := range errs {
		if err != nil {
			s.log.WarnContext(ctx, "sweep", "key", keys[i], "err", err)
		}
	}
	return err
}

// Mark leaves a mark of the process, for as long as a ticket lives.
func (s *Sweeper) Mark(ctx context.Context, node string) error {
	mut := bigtable.NewMutation()
	mut.Set(schema.FamTicket, "node", bigtable.Time(bootTime().Add(schema.TicketTTL)), []byte(node)) // want ttlwrite/stale-clock[boot]
	mut.Set(schema.FamTicket, "boot", stamp.In(schema.TicketTTL), []byte(bootTime().String()))       // ok ttlwrite/stale-clock
	return s.tickets.Apply(ctx, "node#"+node, mut)
}

// Coarse is Mark by the coarse clock.
func (s *Sweeper) Coarse(ctx context.Context, node string) error {
	refreshedMu.RLock()
	now := refreshed
	refreshedMu.RUnlock()
	mut := bigtable.NewMutation()
	mut.Set(schema.FamTicket, "coarse", bigtable.Time(now.Add(schema.TicketTTL)), []byte(node)) // ok ttlwrite/stale-clock
	return s.tickets.Apply(ctx, "node#"+node, mut)
}

// Nodes lists the nodes that have a mark.
func (s *Sweeper) Nodes(ctx context.Context) (out []string, err error) {
	f := stamp.Family(schema.FamTicket, stamp.LiveAt(bootTime()))                              // want ttlread/stale-bound[boot]
	err = s.tickets.ReadRows(ctx, bigtable.PrefixRange("node#"), func(row bigtable.Row) bool { // want ttlread/stale-bound[boot]
		for _, it := range row[schema.FamTicket] {
			out = append(out, strings.TrimPrefix(it.Row, "node#")+"="+string(it.Value))
		}
		return true
	}, bigtable.RowFilter(f))
	return out, err
}

// CoarseNodes is Nodes by the coarse clock.
func (s *Sweeper) CoarseNodes(ctx context.Context) (out []string, err error) {
	refreshedMu.RLock()
	now := refreshed
	refreshedMu.RUnlock()
	f := stamp.Family(schema.FamTicket, stamp.LiveAt(now))                                     // ok ttlread/stale-bound
	err = s.tickets.ReadRows(ctx, bigtable.PrefixRange("node#"), func(row bigtable.Row) bool { // ok ttlread/missing-filter
		for _, it := range row[schema.FamTicket] {
			out = append(out, string(it.Value))
		}
		return true
	}, bigtable.RowFilter(f))
	return out, err
}
