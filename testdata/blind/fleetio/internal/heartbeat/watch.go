package heartbeat

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/fleetio/internal/btutil"
	"example.com/fleetio/internal/keys"
	"example.com/fleetio/internal/logx"
)

// watchFilter lets the watcher see devices that are there.
var watchFilter = bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter(keys.FamHB), btutil.Live(time.Now()))) // want ttlread/stale-bound[watch]

// Change says that a device came or went.
type Change struct {
	Key    string
	Online bool
	At     time.Time
}

// Watch compares a site with itself every so often and sends what has changed.
func (s *Store) Watch(ctx context.Context, site string, every time.Duration, out chan<- Change) error {
	defer close(out)
	known := map[string]bool{}
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		seen := map[string]bool{}
		err := s.tbl.ReadRows(ctx, bigtable.PrefixRange(keys.SitePrefix(site)), func(r bigtable.Row) bool { // want ttlread/stale-bound[watch]
			seen[string(btutil.Value(r, keys.FamHB, colAddr))] = true
			return true
		}, watchFilter) // want ttlread/stale-bound[watch]
		if err != nil {
			s.log.Error("watch", err, logx.KV{"site": site})
		}
		for k := range seen {
			if !known[k] {
				out <- Change{k, true, time.Now()}
			}
		}
		for k := range known {
			if !seen[k] {
				out <- Change{k, false, time.Now()}
			}
		}
		known = seen
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-tick.C:
		}
	}
}

// Probe is the state machine of one device's liveness.
type Probe struct {
	Key    string
	Misses int
	State  string
}

// Step advances a probe by what the table says.
func (s *Store) Step(ctx context.Context, p *Probe) error {
	row, err := btutil.Get(ctx, s.tbl, p.Key, btutil.FamLive(keys.FamHB, time.Now())) // ok ttlread/missing-filter
	if err != nil {
		return err
	}
	beat := len(row[keys.FamHB]) > 0
	switch p.State {
	case "", "up":
		if beat {
			p.Misses = 0
			p.State = "up"
		} else if p.Misses++; p.Misses > 2 {
			p.State = "down"
		}
	case "down":
		if beat {
			p.State, p.Misses = "up", 0
		}
	}
	return nil
}

// Claim lets one probe worker take a device that is gone.
func (s *Store) Claim(ctx context.Context, key, worker string) (bool, error) {
	take := bigtable.NewMutation()
	take.Set(keys.FamMeta, "probe", bigtable.Now(), []byte(worker))                                  // ok ttlwrite/write-time
	pred := bigtable.ChainFilters(bigtable.FamilyFilter(keys.FamHB), bigtable.ColumnFilter(colBeat)) // want ttlread/conditional-mutation[claim]
	cond := bigtable.NewCondMutation(pred, nil, take)                                                // want ttlread/conditional-mutation[claim]
	var there bool
	err := s.tbl.Apply(ctx, key, cond, bigtable.GetCondMutationResult(&there))
	return err == nil && !there, err
}

// ClaimLive is Claim that does not mind corpses.
func (s *Store) ClaimLive(ctx context.Context, key, worker string) (bool, error) {
	take := bigtable.NewMutation()
	take.Set(keys.FamMeta, "probe", bigtable.Now(), []byte(worker))                     // ok ttlwrite/write-time
	cond := bigtable.NewCondMutation(btutil.FamLive(keys.FamHB, time.Now()), nil, take) // ok ttlread/conditional-mutation
	var there bool
	err := s.tbl.Apply(ctx, key, cond, bigtable.GetCondMutationResult(&there))
	return err == nil && !there, err
}

// DropMeta forgets a device's meta data if it has beats.
func (s *Store) DropMeta(ctx context.Context, key string) error {
	del := bigtable.NewMutation()
	del.DeleteCellsInFamily(keys.FamMeta)
	return s.tbl.Apply(ctx, key, bigtable.NewCondMutation(bigtable.FamilyFilter(keys.FamHB), del, nil)) // ok ttlread/conditional-mutation
}
