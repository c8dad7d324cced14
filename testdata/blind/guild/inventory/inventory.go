// Package inventory keeps what players own.
//
// Every shard has a table of its own, <shard>-inventory. Stacks are written at
// timestamp zero, so that a write replaces the one before and nothing ever
// expires; leases (items that are being traded) expire; the audit is ordinary.
package inventory

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/guild/internal/kit"
	"example.com/guild/schema"
)

// LeaseTTL is how long an item stays locked in a trade.
const LeaseTTL = 2 * time.Minute

// stackTS is the timestamp of all stacks.
const stackTS bigtable.Timestamp = 0

// Stack is a number of equal items.
type Stack struct {
	Item string
	N    int64
}

// Store is the inventory of one shard.
type Store struct {
	tbl bigtable.TableAPI
	now func() time.Time
}

// ForShard returns the inventory of the shard that ctx is for.
func ForShard(ctx context.Context, client *bigtable.Client) *Store {
	return &Store{
		tbl: client.OpenTable(schema.InventoryTable(kit.ShardFrom(ctx))),
		now: kit.ClockFrom(ctx).Now,
	}
}

// rowKey returns the row key of a player.
func rowKey(player string) string { return "inv#" + player }

// families are the families of an inventory, by what they are for.
var families = [...]string{schema.FamStack, schema.FamLease, schema.FamAudit}

// Indexes into families.
const (
	stacks = iota
	leases
	audits
)

// Put stores a stack.
func (s *Store) Put(ctx context.Context, player string, st Stack) error {
	fam := families[stacks]
	m := bigtable.NewMutation()
	m.Set(fam, st.Item, stackTS, []byte(strconv.FormatInt(st.N, 10)))      // ok ttlwrite/already-expired ttlwrite/clock-in-zero
	m.Set(families[audits], "put:"+st.Item, bigtable.Now(), []byte("put")) // ok ttlwrite/write-time ttlwrite/clock-in-zero
	return s.tbl.Apply(ctx, rowKey(player), m)
}

// Grant stores a stack that a player won.
func (s *Store) Grant(ctx context.Context, player string, st Stack) error {
	fam := families[stacks]
	m := bigtable.NewMutation()
	m.Set(fam, st.Item, bigtable.Now(), []byte(strconv.FormatInt(st.N, 10))) // want ttlwrite/clock-in-zero
	return s.tbl.Apply(ctx, rowKey(player), m)
}

// Swap exchanges two stacks.
func (s *Store) Swap(ctx context.Context, player string, a, b Stack) error {
	m := bigtable.NewMutation()
	m.DeleteCellsInColumn(schema.FamStack, a.Item)
	m.Set(schema.FamStack, b.Item, bigtable.ServerTime, []byte(strconv.FormatInt(b.N, 10))) // want ttlwrite/clock-in-zero
	return s.tbl.Apply(ctx, rowKey(player), m)
}

// Gold stores a player's gold, and what it was before.
func (s *Store) Gold(ctx context.Context, player string, before, after int64) error {
	m := bigtable.NewMutation()
	m.Set(schema.FamStack, "gold", 0, kit.PutInt64(before))
	m.Set(schema.FamStack, "gold", 0, kit.PutInt64(after))       // want ttlwrite/same-timestamp
	m.Set(schema.FamStack, "gold.prev", 0, kit.PutInt64(before)) // ok ttlwrite/same-timestamp
	return s.tbl.Apply(ctx, rowKey(player), m)
}

// Earn adds gold.
func (s *Store) Earn(ctx context.Context, player string, n int64) (int64, error) {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment(schema.FamStack, "gold", n) // want ttlwrite/read-modify-write
	row, err := s.tbl.ApplyReadModifyWrite(ctx, rowKey(player), rmw)
	if err != nil {
		return 0, err
	}
	b, _ := kit.First(row, schema.FamStack, "gold")
	return kit.Int64{}.Decode(b)
}

// Visit counts how often a player opened the bag.
func (s *Store) Visit(ctx context.Context, player string) error {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment(families[audits], "visits", 1) // ok ttlwrite/read-modify-write
	_, err := s.tbl.ApplyReadModifyWrite(ctx, rowKey(player), rmw)
	return err
}

// Lock leases an item to a trade.
func (s *Store) Lock(ctx context.Context, player, item, trade string) error {
	fam := families[leases]
	m := bigtable.NewMutation()
	m.DeleteCellsInColumn(fam, item)
	m.Set(fam, item, bigtable.Time(s.now().Add(LeaseTTL)), []byte(trade)) // ok ttlwrite/write-time ttlwrite/already-expired
	return s.tbl.Apply(ctx, rowKey(player), m)
}

// LockAll leases several items to a trade. The lease counts from the
// acceptance.
func (s *Store) LockAll(ctx context.Context, player, trade string, items ...string) error {
	fam := families[leases]
	now := bigtable.Time(s.now())
	m := bigtable.NewMutation()
	for _, item := range items {
		m.Set(fam, item, now, []byte(trade)) // want ttlwrite/write-time
	}
	m.Set(families[audits], "lock:"+trade, now, []byte(fmt.Sprint(items))) // ok ttlwrite/write-time
	return s.tbl.Apply(ctx, rowKey(player), m)
}

// Unlock gives an item back.
func (s *Store) Unlock(ctx context.Context, player, item string) error {
	m := bigtable.NewMutation()
	m.Set(schema.FamAudit, "unlock:"+item, bigtable.ServerTime, nil) // ok ttlwrite/server-timestamp
	m.DeleteCellsInColumn(schema.FamLease, item)                     // ok ttlwrite/delete-after-set
	return s.tbl.Apply(ctx, rowKey(player), m)
}

// Expire ends a trade at once, on behalf of the operators.
func (s *Store) Expire(ctx context.Context, player, item string) error {
	m := bigtable.NewMutation()
	m.Set(schema.FamLease, item, 0, nil) // want ttlwrite/already-expired
	return s.tbl.Apply(ctx, rowKey(player), m)
}

// Get returns a player's stacks.
func (s *Store) Get(ctx context.Context, player string) ([]Stack, error) {
	row, err := s.tbl.ReadRow(ctx, rowKey(player)) // ok ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	var out []Stack
	for _, item := range row[schema.FamStack] {
		n, err := strconv.ParseInt(string(item.Value), 10, 64)
		if err != nil {
			return nil, fmt.Errorf("stack %s of %s: %w", item.Column, player, err)
		}
		out = append(out, Stack{Item: item.Column[len(schema.FamStack)+1:], N: n})
	}
	return out, nil
}

// Locked returns the items of a player that are in a trade.
func (s *Store) Locked(ctx context.Context, player string) (map[string]string, error) {
	row, err := s.tbl.ReadRow(ctx, rowKey(player)) // want ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	out := map[string]string{}
	for _, item := range row[families[leases]] {
		out[item.Column] = string(item.Value)
	}
	return out, nil
}

// LockedNow returns the items of a player that are in a trade now.
func (s *Store) LockedNow(ctx context.Context, player string) (map[string]string, error) {
	f := bigtable.ChainFilters(bigtable.FamilyFilter(families[leases]), kit.UnexpiredAt(s.now()))
	row, err := s.tbl.ReadRow(ctx, rowKey(player), bigtable.RowFilter(f)) // ok ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	out := map[string]string{}
	for _, item := range row[families[leases]] {
		out[item.Column] = string(item.Value)
	}
	return out, nil
}

// Free returns the stacks of a player that are in no trade.
func (s *Store) Free(ctx context.Context, player string) ([]string, error) {
	row, err := s.tbl.ReadRow(ctx, rowKey(player), bigtable.RowFilter(kit.UnexpiredAt(s.now()))) // want ttlread/hides-other-families
	if err != nil {
		return nil, err
	}
	locked := map[string]bool{}
	for _, item := range row[schema.FamLease] {
		locked[item.Column[len(schema.FamLease)+1:]] = true
	}
	var out []string
	for _, item := range row[schema.FamStack] {
		if name := item.Column[len(schema.FamStack)+1:]; !locked[name] {
			out = append(out, name)
		}
	}
	return out, nil
}

// bag is the filter of a whole inventory: each family by its rule.
func bag(now time.Time) bigtable.Filter {
	return bigtable.InterleaveFilters(
		bigtable.FamilyFilter(schema.FamStack),                                              // ok ttlread/unfiltered-branch
		bigtable.ChainFilters(bigtable.FamilyFilter(schema.FamLease), kit.UnexpiredAt(now)), // ok ttlread/unfiltered-branch
		bigtable.ChainFilters(bigtable.FamilyFilter(schema.FamAudit), bigtable.LatestNFilter(1)),
	)
}

// FreeNow is Free with a filter that passes the stacks.
func (s *Store) FreeNow(ctx context.Context, player string) ([]string, error) {
	row, err := s.tbl.ReadRow(ctx, rowKey(player), bigtable.RowFilter(bag(s.now()))) // ok ttlread/missing-filter ttlread/hides-other-families
	if err != nil {
		return nil, err
	}
	locked := map[string]bool{}
	for _, item := range row[schema.FamLease] {
		locked[item.Column[len(schema.FamLease)+1:]] = true
	}
	var out []string
	for _, item := range row[schema.FamStack] {
		if name := item.Column[len(schema.FamStack)+1:]; !locked[name] {
			out = append(out, name)
		}
	}
	return out, nil
}

// View says what Export includes.
type View struct {
	Audit bool
}

// Export returns all that is stored of a player.
func (s *Store) Export(ctx context.Context, player string, v View) (bigtable.Row, error) {
	parts := []bigtable.Filter{bigtable.FamilyFilter(schema.FamStack), bigtable.FamilyFilter(schema.FamLease)} // want ttlread/unfiltered-branch[export]
	if v.Audit {
		parts = append(parts, bigtable.FamilyFilter(schema.FamAudit))
	}
	return s.tbl.ReadRow(ctx, rowKey(player), bigtable.RowFilter(bigtable.InterleaveFilters(parts...))) // want ttlread/unfiltered-branch[export]
}

// Changed returns when a player's stacks last changed, for the clients' caches.
func (s *Store) Changed(ctx context.Context, player string) (string, error) {
	row, err := s.tbl.ReadRow(ctx, rowKey(player), bigtable.RowFilter(bigtable.FamilyFilter(schema.FamStack))) // ok ttlread/missing-filter
	if err != nil {
		return "", err
	}
	var updated time.Time
	for _, item := range row[schema.FamStack] {
		if t := item.Timestamp.Time(); t.After(updated) { // want ttlage/not-write-time[changed]
			updated = t // want ttlage/not-write-time[changed]
		}
	}
	return updated.Format(time.RFC3339), nil // want ttlage/not-write-time[changed]
}

// Audited returns when something was last noted of a player.
func (s *Store) Audited(ctx context.Context, player string) (string, error) {
	row, err := s.tbl.ReadRow(ctx, rowKey(player), bigtable.RowFilter(bigtable.FamilyFilter(schema.FamAudit))) // ok ttlread/missing-filter
	if err != nil {
		return "", err
	}
	var updated time.Time
	for _, item := range row[schema.FamAudit] {
		if t := item.Timestamp.Time(); t.After(updated) {
			updated = t // ok ttlage/not-write-time
		}
	}
	return updated.Format(time.RFC3339), nil // ok ttlage/not-write-time
}

// Acquire locks an item if it is not locked.
func (s *Store) Acquire(ctx context.Context, player, item, trade string) (bool, error) {
	now := s.now()
	lock := bigtable.NewMutation()
	lock.DeleteCellsInColumn(schema.FamLease, item)
	lock.Set(schema.FamLease, item, bigtable.Time(now.Add(LeaseTTL)), []byte(trade))
	held := bigtable.ChainFilters(bigtable.FamilyFilter(schema.FamLease), bigtable.ColumnFilter(item), bigtable.LatestNFilter(1)) // want ttlread/conditional-mutation[acquire]
	var matched bool
	cond := bigtable.NewCondMutation(held, nil, lock)                                                        // want ttlread/conditional-mutation[acquire]
	if err := s.tbl.Apply(ctx, rowKey(player), cond, bigtable.GetCondMutationResult(&matched)); err != nil { // want ttlread/conditional-mutation[acquire]
		return false, err
	}
	return !matched, nil
}

// AcquireLive locks an item if it is not locked now.
func (s *Store) AcquireLive(ctx context.Context, player, item, trade string) (bool, error) {
	now := s.now()
	lock := bigtable.NewMutation()
	lock.DeleteCellsInColumn(schema.FamLease, item) // ok ttlwrite/delete-after-set
	lock.Set(schema.FamLease, item, bigtable.Time(now.Add(LeaseTTL)), []byte(trade))
	held := bigtable.ChainFilters(bigtable.FamilyFilter(schema.FamLease), bigtable.ColumnFilter(item), kit.UnexpiredAt(now))
	var matched bool
	cond := bigtable.NewCondMutation(held, nil, lock) // ok ttlread/conditional-mutation
	if err := s.tbl.Apply(ctx, rowKey(player), cond, bigtable.GetCondMutationResult(&matched)); err != nil {
		return false, err
	}
	return !matched, nil
}

// Own stores an item unless the player has it.
func (s *Store) Own(ctx context.Context, player, item string) error {
	m := bigtable.NewMutation()
	m.Set(schema.FamStack, item, stackTS, []byte("1"))
	has := bigtable.ChainFilters(bigtable.FamilyFilter(schema.FamStack), bigtable.ColumnFilter(item))
	return s.tbl.Apply(ctx, rowKey(player), bigtable.NewCondMutation(has, nil, m)) // ok ttlread/conditional-mutation
}
