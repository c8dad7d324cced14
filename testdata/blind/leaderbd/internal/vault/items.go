package vault

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"strconv"
	"time"

	"cloud.google.com/go/bigtable"

	"studio.example/leaderbd/internal/kit"
	"studio.example/leaderbd/internal/schema"
)

// Inventory is what a player owns, at a revision.
type Inventory struct {
	Rev   int64          `json:"rev"`
	Items map[string]int `json:"items"`
}

// Revision is one version of an inventory.
type Revision struct {
	Rev      int64
	Modified time.Time
	Items    map[string]int
}

// Change is what happens to one item.
type Change struct {
	Item  string
	Delta int
}

// op is a handler of one kind of change.
type op func(ctx context.Context, s *Store, player string, inv *Inventory, c Change) error

// ops is dispatched on by Do.
var ops = map[string]op{
	"add": func(_ context.Context, _ *Store, _ string, inv *Inventory, c Change) error {
		inv.Items[c.Item] += c.Delta
		return nil
	},
	"drop": func(_ context.Context, _ *Store, _ string, inv *Inventory, c Change) error {
		if inv.Items[c.Item] < c.Delta {
			return errors.New("not enough")
		}
		inv.Items[c.Item] -= c.Delta
		return nil
	},
	"pin": func(ctx context.Context, s *Store, player string, _ *Inventory, c Change) error {
		m := bigtable.NewMutation()
		m.Set(schema.FamItems, "pinned", bigtable.ServerTime, []byte(c.Item)) // want ttlwrite/clock-in-sequence
		return s.t.Apply(ctx, player, m)
	},
	"note": func(ctx context.Context, s *Store, player string, inv *Inventory, c Change) error {
		m := bigtable.NewMutation()
		m.Set(schema.FamItems, "note", kit.Seq(inv.Rev), []byte(c.Item)) // ok ttlwrite/clock-in-sequence
		m.Set(schema.FamCatalog, "note", bigtable.Now(), []byte(c.Item)) // ok ttlwrite/clock-in-sequence
		return s.t.Apply(ctx, player, m)
	},
}

// Do changes an inventory under a lock.
func (s *Store) Do(ctx context.Context, player, what string, cs ...Change) (Inventory, error) {
	f, ok := ops[what]
	if !ok {
		return Inventory{}, fmt.Errorf("no such operation: %q", what)
	}
	return WithLock(ctx, s, player, func(ctx context.Context) (Inventory, error) {
		inv, err := s.Load(ctx, player)
		if err != nil {
			return inv, err
		}
		for _, c := range cs {
			if err := f(ctx, s, player, &inv, c); err != nil {
				return inv, err
			}
		}
		inv.Rev++
		return inv, s.Save(ctx, player, inv)
	})
}

// Load reads the newest revision.
func (s *Store) Load(ctx context.Context, player string) (Inventory, error) {
	inv := Inventory{Items: map[string]int{}}
	row, err := s.t.ReadRow(ctx, player, bigtable.RowFilter(kit.In(schema.FamItems, bigtable.ColumnFilter("inv"), kit.Latest(1)))) // ok ttlread/version-limit
	if err != nil {
		return inv, err
	}
	it, ok := kit.Cell(row, schema.FamItems, "inv").Get()
	if !ok {
		return inv, nil
	}
	inv.Rev = int64(it.Timestamp) / 1000 // ok ttlage/not-write-time
	return inv, json.Unmarshal(it.Value, &inv.Items)
}

// Save writes a revision.
func (s *Store) Save(ctx context.Context, player string, inv Inventory) error {
	return kit.Change(ctx, s.t, player,
		kit.PutAny(schema.FamItems, "inv", kit.Seq(inv.Rev), inv.Items),                 // ok ttlwrite/unscaled-sequence
		kit.PutAny(schema.FamItems, "saved", kit.Stamp(), s.now().Format(time.RFC3339)), // want ttlwrite/clock-in-sequence
		kit.PutAny(schema.FamCatalog, "saved", kit.Stamp(), inv.Rev),                    // ok ttlwrite/clock-in-sequence
	)
}

// Gift puts an item into an inventory without reading it; the mail room calls it.
func (s *Store) Gift(ctx context.Context, player, item string, n int) error {
	s.rev++
	ts := bigtable.Timestamp(s.rev) // want ttlwrite/unscaled-sequence[gi]
	m := bigtable.NewMutation()
	m.Set(schema.FamItems, "gift", ts, []byte(item+"*"+strconv.Itoa(n)))                     // want ttlwrite/unscaled-sequence[gi]
	m.Set(schema.FamItems, "gift_from", bigtable.Timestamp(s.rev*1000), []byte("mail room")) // ok ttlwrite/unscaled-sequence
	return s.t.Apply(ctx, player, m)
}

// Seed writes the starter inventory.
func (s *Store) Seed(ctx context.Context, players []string, starter map[string]int) error {
	b := kit.NewBatch(s.t)
	for i, p := range players {
		b.Add(p, kit.PutAny(schema.FamItems, "inv", kit.Seq(1), starter))                         // ok ttlwrite/unscaled-sequence
		b.Add(p, kit.PutAny(schema.FamItems, "starter", bigtable.Timestamp(len(starter)), i))     // want ttlwrite/unscaled-sequence
		b.Add(p, kit.PutAny(schema.FamItems, "origin", bigtable.Timestamp(1500), "starter pack")) // want ttlwrite/unscaled-sequence
		b.Add(p, kit.PutAny(schema.FamItems, "schema", bigtable.Timestamp(2000), 2))              // ok ttlwrite/unscaled-sequence
	}
	return b.Flush(ctx)
}

// Revisions iterates over the versions of an inventory.
func (s *Store) Revisions(ctx context.Context, player string) iter.Seq2[Revision, error] {
	return func(yield func(Revision, error) bool) {
		row, err := s.t.ReadRow(ctx, player, bigtable.RowFilter(kit.In(schema.FamItems, bigtable.ColumnFilter("inv"), kit.Latest(schema.ItemVersions)))) // ok ttlread/version-limit
		if err != nil {
			yield(Revision{}, err)
			return
		}
		for _, it := range row[schema.FamItems] {
			r := Revision{
				Rev:      int64(it.Timestamp) / 1000, // ok ttlage/not-write-time
				Modified: it.Timestamp.Time(),        // want ttlage/not-write-time
			}
			err := json.Unmarshal(it.Value, &r.Items)
			if !yield(r, err) {
				return
			}
		}
	}
}

// RevisionsAll is Revisions without a limit: "GC does that".
func (s *Store) RevisionsAll(ctx context.Context, player string) iter.Seq2[Revision, error] {
	return func(yield func(Revision, error) bool) {
		row, err := s.t.ReadRow(ctx, player, bigtable.RowFilter(kit.In(schema.FamItems, bigtable.ColumnFilter("inv")))) // want ttlread/version-limit
		if err != nil {
			yield(Revision{}, err)
			return
		}
		for _, it := range row[schema.FamItems] {
			r := Revision{Rev: int64(it.Timestamp) / 1000}
			if !yield(r, json.Unmarshal(it.Value, &r.Items)) {
				return
			}
		}
	}
}

// Since reads the revisions of the last d.
func (s *Store) Since(ctx context.Context, player string, d time.Duration) (n int, err error) {
	row, err := s.t.ReadRow(ctx, player, bigtable.RowFilter(kit.In(schema.FamItems, kit.Within(d)))) // want ttlread/wrong-bound
	for _, it := range row[schema.FamItems] {
		n += len(it.Value)
	}
	return n, err
}

// Between reads the revisions with numbers in [from, to).
func (s *Store) Between(ctx context.Context, player string, from, to int64) (n int, err error) {
	num := bigtable.TimestampRangeFilterMicros(bigtable.Timestamp(from*1000), bigtable.Timestamp(to*1000))
	row, err := s.t.ReadRow(ctx, player, bigtable.RowFilter(kit.In(schema.FamItems, num, kit.Latest(schema.ItemVersions)))) // ok ttlread/wrong-bound
	for _, it := range row[schema.FamItems] {
		n += len(it.Value)
	}
	return n, err
}

// Everything reads a whole row of the vault, each family as it needs.
func (s *Store) Everything(ctx context.Context, player string) (bigtable.Row, error) {
	return kit.Get(ctx, s.t, player, kit.Where(bigtable.InterleaveFilters( // ok ttlread/unfiltered-branch
		kit.In(schema.FamItems, kit.Latest(1)),
		kit.In(schema.FamClaim, kit.Within(schema.ClaimTTL)),
		kit.In(schema.FamLock, kit.Live()),
		kit.In(schema.FamCatalog, kit.Latest(1)),
	)))
}

// Raw reads a whole row of the vault, for export.
func (s *Store) Raw(ctx context.Context, player string) (bigtable.Row, error) {
	return kit.Get(ctx, s.t, player, kit.Where(kit.Latest(1))) // want ttlread/missing-filter
}

// WithLock runs f while the player's vault is locked.
func WithLock[T any](ctx context.Context, s *Store, player string, f func(context.Context) (T, error)) (T, error) {
	var zero T
	held, err := s.mutexes.Get(ctx, player) // ok ttlread/missing-filter
	if err != nil {
		return zero, err
	}
	if owner, ok := held.Get(); ok {
		return zero, fmt.Errorf("locked by %s", owner)
	}
	if err := s.mutexes.Put(ctx, player, "me"); err != nil { // ok ttlwrite/write-time
		return zero, err
	}
	defer func() {
		if err := s.mutexes.Forget(context.WithoutCancel(ctx), player); err != nil {
			s.log.Error("unlock", "player", player, "err", err)
		}
	}()
	return f(ctx)
}

// TryLock takes a named lock for d with one round trip.
func (s *Store) TryLock(ctx context.Context, name, owner string, d time.Duration) (bool, error) {
	take := bigtable.NewMutation()
	take.Set(schema.FamLock, "owner", kit.ExpireIn(d), []byte(owner)) // ok ttlwrite/write-time
	take.Set(schema.FamLock, "since", bigtable.Now(), []byte(owner))  // want ttlwrite/write-time
	held := kit.In(schema.FamLock, bigtable.ColumnFilter("owner"), kit.Live())
	var had bool
	err := s.t.Apply(ctx, name, bigtable.NewCondMutation(held, nil, take), bigtable.GetCondMutationResult(&had)) // ok ttlread/conditional-mutation
	return !had, err
}

// Steal takes a named lock that nobody seems to hold.
func (s *Store) Steal(ctx context.Context, name, owner string) (bool, error) {
	take := bigtable.NewMutation()
	take.Set(schema.FamLock, "owner", bigtable.ServerTime, []byte(owner)) // want ttlwrite/server-timestamp
	var had bool
	err := s.t.Apply(ctx, name, bigtable.NewCondMutation(bigtable.FamilyFilter(schema.FamLock), nil, take), bigtable.GetCondMutationResult(&had)) // want ttlread/conditional-mutation
	return !had, err
}

// Unlock gives a lock back, if it is ours.
func (s *Store) Unlock(ctx context.Context, name, owner string) error {
	del := bigtable.NewMutation()
	del.DeleteCellsInColumn(schema.FamLock, "owner")
	mine := kit.In(schema.FamLock, bigtable.ColumnFilter("owner"), bigtable.ValueFilter(owner))
	return s.t.Apply(ctx, name, bigtable.NewCondMutation(mine, del, nil)) // ok ttlread/conditional-mutation
}

// Renew keeps a lock.
func (s *Store) Renew(ctx context.Context, name, owner string) error {
	m := bigtable.NewMutation()
	deadline := s.now().Add(20 * time.Second)
	m.Set(schema.FamLock, "owner", bigtable.Timestamp(deadline.UnixNano()), []byte(owner))     // want ttlunit/wrong-unit
	m.Set(schema.FamLock, "renewed", bigtable.Timestamp(deadline.UnixNano()/1e3), []byte("y")) // ok ttlunit/wrong-unit
	return s.t.Apply(ctx, name, m)
}

// Renewals counts them.
func (s *Store) Renewals(ctx context.Context, name string) error {
	return errors.Join(
		kit.Bump(ctx, s.t, name, schema.FamLock, "renewals", 1),    // want ttlwrite/read-modify-write
		kit.Bump(ctx, s.t, name, schema.FamItems, "renewals", 1),   // want ttlwrite/read-modify-write
		kit.Bump(ctx, s.t, name, schema.FamCatalog, "renewals", 1), // ok ttlwrite/read-modify-write
		kit.Bump(ctx, s.t, name, schema.FamClaim, "renewals", 1),   // ok ttlwrite/read-modify-write
	)
}

// Locks lists the locks of a prefix and how long each has been held.
func (s *Store) Locks(ctx context.Context, prefix string) (map[string]time.Duration, error) {
	out := map[string]time.Duration{}
	for row, err := range kit.Rows(ctx, s.t, bigtable.PrefixRange(prefix), kit.Where(kit.In(schema.FamLock, kit.Live(), kit.Latest(1)))) { // ok ttlread/missing-filter
		if err != nil {
			return nil, err
		}
		for col, it := range kit.Cells(row, schema.FamLock) {
			if col == "owner" {
				out[row.Key()] = time.Since(it.Timestamp.Time()) // want ttlage/not-write-time
			} else {
				out[row.Key()+"/"+col] = time.Until(it.Timestamp.Time()) // ok ttlage/not-write-time
			}
		}
	}
	return out, nil
}
