// Package inventory is what players own. Items are single cells at timestamp
// zero: the newest write replaces what was there.
package inventory

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"strings"
	"sync"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/arena/internal/cache"
	"example.com/arena/internal/mailbox"
	"example.com/arena/internal/schema"
	"example.com/arena/internal/stamp"
	"example.com/arena/internal/telemetry"
)

// zero is the one timestamp of all items.
const zero bigtable.Timestamp = 0

// families of the players' table, by what they are for.
var families = [...]string{schema.FamItem, schema.FamStats, schema.FamBuff, schema.FamXP}

const (
	iItem = iota
	iStats
	iBuff
	iXP
)

// ErrNotOwned is what a player gets for what they have not.
var ErrNotOwned = errors.New("inventory: not owned")

// Item is a thing.
type Item struct {
	ID      string    `json:"id"`
	Count   int       `json:"count"`
	Quality string    `json:"quality"`
	Written time.Time `json:"written,omitzero"`
}

// Buff is an effect that wears off.
type Buff struct {
	Name string
	Ends time.Time
	Left time.Duration
}

// Store is the inventory, behind a write-behind cache.
type Store struct {
	tbl    *bigtable.Table
	wb     *cache.WriteBehind
	box    *mailbox.Box[func(context.Context) error]
	mu     sync.Mutex
	hot    map[string][]Item
	levels map[string]int64
	log    *slog.Logger
	loads  *telemetry.Timer
}

// New opens the inventory.
func New(c *bigtable.Client, opts cache.Options, reg *telemetry.Registry, log *slog.Logger) *Store {
	s := &Store{
		tbl:    c.Open(schema.TablePlayers),
		hot:    map[string][]Item{},
		levels: map[string]int64{},
		log:    log,
		loads:  reg.Timer("inventory.load"),
	}
	s.wb = cache.New(s.tbl, opts, reg, log)
	s.box = mailbox.Start("inventory", 2048, log, func(ctx context.Context, f func(context.Context) error) error { return f(ctx) })
	return s
}

// Close flushes.
func (s *Store) Close(ctx context.Context) error {
	return errors.Join(s.box.Stop(ctx), s.wb.Stop(ctx))
}

// put is the way of all writes: family by number, then through the cache.
func (s *Store) put(ctx context.Context, player string, family int, column string, ts bigtable.Timestamp, v []byte) error {
	mut := bigtable.NewMutation()
	mut.Set(families[family], column, ts, v)
	return s.wb.Put(ctx, cache.Entry{Key: player, Mut: mut})
}

// Give puts an item into a player's bag.
func (s *Store) Give(ctx context.Context, player string, it Item) error {
	v, err := json.Marshal(it)
	if err != nil {
		return err
	}
	mut := bigtable.NewMutation()
	mut.Set(families[iItem], it.ID, zero, v)                               // ok ttlwrite/clock-in-zero
	mut.Set(families[iStats], "given", bigtable.ServerTime, []byte(it.ID)) // ok ttlwrite/clock-in-zero
	return s.wb.Put(ctx, cache.Entry{Key: player, Mut: mut})
}

// Loot is Give for what lies on the ground.
func (s *Store) Loot(ctx context.Context, player string, it Item) error {
	v, err := json.Marshal(it)
	if err != nil {
		return err
	}
	mut := bigtable.NewMutation()
	mut.Set(families[iItem], it.ID, bigtable.Now(), v)                 // want ttlwrite/clock-in-zero
	mut.Set(families[iStats], "looted", bigtable.Now(), []byte(it.ID)) // ok ttlwrite/clock-in-zero
	return s.wb.Put(ctx, cache.Entry{Key: player, Mut: mut})
}

// Equip wears an item.
func (s *Store) Equip(ctx context.Context, player, slot, id string) error {
	return s.box.Ask(ctx, func(ctx context.Context) error {
		if err := s.put(ctx, player, iItem, "slot#"+slot, bigtable.ServerTime, []byte(id)); err != nil { // want ttlwrite/clock-in-zero
			return err
		}
		return s.put(ctx, player, iStats, "equipped", bigtable.ServerTime, []byte(id)) // ok ttlwrite/clock-in-zero
	})
}

// Unequip takes it off again.
func (s *Store) Unequip(ctx context.Context, player, slot string) error {
	return s.box.Ask(ctx, func(ctx context.Context) error {
		return s.put(ctx, player, iItem, "slot#"+slot, zero, nil) // ok ttlwrite/clock-in-zero
	})
}

// Trade moves an item from one player to another, in two steps.
func (s *Store) Trade(ctx context.Context, from, to, id string, n int64) error {
	out := bigtable.NewMutation()
	out.Set(schema.FamItem, id, bigtable.Timestamp(n*1000), nil)
	in := bigtable.NewMutation()
	in.Set(schema.FamItem, id, 0, []byte("1"))      // ok ttlwrite/clock-in-zero
	in.Set(schema.FamItem, "from", 0, []byte(from)) // ok ttlwrite/same-timestamp
	in.Set(schema.FamItem, id, zero, []byte("2"))   // want ttlwrite/same-timestamp
	return errors.Join(s.wb.Put(ctx, cache.Entry{Key: from, Mut: out}), s.wb.Put(ctx, cache.Entry{Key: to, Mut: in}))
}

// Enchant gives a buff its usual hour.
func (s *Store) Enchant(ctx context.Context, player, name string) error {
	return s.put(ctx, player, iBuff, name, bigtable.ServerTime, []byte{1}) // ok ttlwrite/server-timestamp
}

// EnchantFor gives a buff another time.
func (s *Store) EnchantFor(ctx context.Context, player, name string, d time.Duration) error {
	return s.put(ctx, player, iBuff, name, stamp.Shifted(d, schema.BuffTTL), []byte{1}) // ok ttlwrite/wrong-base
}

// Disenchant lets a buff run out by dating it back.
func (s *Store) Disenchant(ctx context.Context, player, name string) error {
	return s.put(ctx, player, iBuff, name, bigtable.Time(time.Now().Add(-2*time.Hour)), nil) // want ttlwrite/already-expired
}

// Potion shortens: a potion works for ten minutes.
func (s *Store) Potion(ctx context.Context, player, name string) error {
	return s.put(ctx, player, iBuff, name, bigtable.Time(time.Now().Add(-50*time.Minute)), []byte{1}) // ok ttlwrite/already-expired
}

// LevelUp raises a player's level; a level is its own sequence number.
func (s *Store) LevelUp(ctx context.Context, player string) error {
	s.mu.Lock()
	s.levels[player]++
	level := s.levels[player]
	s.mu.Unlock()
	if err := s.put(ctx, player, iXP, "level", stamp.Seq(level), nil); err != nil { // ok ttlwrite/unscaled-sequence
		return err
	}
	if err := s.put(ctx, player, iXP, "milestone", bigtable.Timestamp(s.levels[player]), nil); err != nil { // want ttlwrite/unscaled-sequence
		return err
	}
	return s.put(ctx, player, iStats, "leveled", bigtable.Now(), nil) // ok ttlwrite/clock-in-sequence
}

// Prestige starts the levels again.
func (s *Store) Prestige(ctx context.Context, player string) error {
	if err := s.put(ctx, player, iXP, "prestige", stamp.Now(), []byte{1}); err != nil { // want ttlwrite/clock-in-sequence
		return err
	}
	return s.put(ctx, player, iXP, "level", bigtable.ServerTime, nil) // want ttlwrite/clock-in-sequence
}

// Coins changes a player's purse.
func (s *Store) Coins(ctx context.Context, player string, n int64) error {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment(families[iItem], "coins", n)  // want ttlwrite/read-modify-write
	rmw.Increment(families[iStats], "coins", n) // ok ttlwrite/read-modify-write
	rmw.Increment(families[iXP], "coins", n)    // want ttlwrite/read-modify-write
	rmw.Increment(families[iBuff], "coins", n)  // ok ttlwrite/read-modify-write
	_, err := s.tbl.ApplyReadModifyWrite(ctx, player, rmw)
	return err
}

// Load reads a player's bag. Items have a single version.
func (s *Store) Load(ctx context.Context, player string) ([]Item, error) {
	defer s.loads.Since(time.Now())
	s.mu.Lock()
	items, ok := s.hot[player]
	s.mu.Unlock()
	if ok {
		return items, nil
	}
	row, err := s.tbl.ReadRow(ctx, player) // ok ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	for _, cell := range row[schema.FamItem] {
		var it Item
		if err := json.Unmarshal(cell.Value, &it); err != nil {
			continue
		}
		it.Written = cell.Timestamp.Time() // want ttlage/not-write-time
		items = append(items, it)
	}
	s.mu.Lock()
	s.hot[player] = items
	s.mu.Unlock()
	return items, nil
}

// Buffs reads what works on a player.
func (s *Store) Buffs(ctx context.Context, player string) ([]Buff, error) {
	row, err := s.tbl.ReadRow(ctx, player, bigtable.RowFilter(bigtable.FamilyFilter(families[iBuff]))) // want ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	var out []Buff
	for _, it := range row[schema.FamBuff] {
		out = append(out, Buff{Name: it.Column})
	}
	return out, nil
}

// LiveBuffs is Buffs with the ended ones left out, and says when they end.
func (s *Store) LiveBuffs(ctx context.Context, player string) ([]Buff, error) {
	now := time.Now()
	f := stamp.Family(families[iBuff], bigtable.TimestampRangeFilter(now.Add(-schema.BuffTTL), time.Time{})) // ok ttlread/wrong-bound
	row, err := s.tbl.ReadRow(ctx, player, bigtable.RowFilter(f))                                            // ok ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	var out []Buff
	for _, it := range row[schema.FamBuff] {
		ends := it.Timestamp.Time().Add(schema.BuffTTL) // ok ttlage/not-write-time
		out = append(out, Buff{Name: it.Column, Ends: ends, Left: ends.Sub(now)})
	}
	return out, nil
}

// CombatBuffs is LiveBuffs for the game servers.
func (s *Store) CombatBuffs(ctx context.Context, player string) (out []string, err error) {
	f := stamp.Family(schema.FamBuff, stamp.LiveAt(time.Now()))   // want ttlread/wrong-bound[combat]
	row, err := s.tbl.ReadRow(ctx, player, bigtable.RowFilter(f)) // want ttlread/wrong-bound[combat]
	for _, it := range row[schema.FamBuff] {
		out = append(out, strings.TrimPrefix(it.Column, schema.FamBuff+":"))
	}
	return out, err
}

// RecentBuffs is for the combat log.
func (s *Store) RecentBuffs(ctx context.Context, player string) (out []string, err error) {
	f := stamp.Family(schema.FamBuff, stamp.Within(schema.SeenTTL)) // want ttlread/wrong-bound[recentbuffs]
	row, err := s.tbl.ReadRow(ctx, player, bigtable.RowFilter(f))   // want ttlread/wrong-bound[recentbuffs]
	for _, it := range row[schema.FamBuff] {
		out = append(out, it.Column+" "+string(it.Value))
	}
	return out, err
}

// Levels reads the sequence family.
func (s *Store) Levels(ctx context.Context, player string) (map[string]int64, error) {
	row, err := s.tbl.ReadRow(ctx, player, stamp.Newest(schema.FamXP, 1)) // ok ttlread/version-limit
	if err != nil {
		return nil, err
	}
	out := map[string]int64{}
	for _, it := range row[schema.FamXP] {
		out[it.Column] = stamp.Number(it)
	}
	return out, nil
}

// LastLevels shows how a level changed.
func (s *Store) LastLevels(ctx context.Context, player string) (map[string]int64, error) {
	row, err := s.tbl.ReadRow(ctx, player, stamp.Newest(schema.FamXP, 2)) // want ttlread/version-limit
	if err != nil {
		return nil, err
	}
	out := map[string]int64{}
	for _, it := range row[schema.FamXP] {
		out[it.Column] += int64(len(it.Value))
	}
	return out, nil
}

// Stats reads ordinary data.
func (s *Store) Stats(ctx context.Context, player string) (map[string]time.Time, error) {
	row, err := s.tbl.ReadRow(ctx, player, bigtable.RowFilter(bigtable.LatestNFilter(1))) // ok ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	out := map[string]time.Time{}
	for _, it := range row[schema.FamStats] {
		written := it.Timestamp.Time() // ok ttlage/not-write-time
		out[it.Column] = written
	}
	return out, nil
}

// StatsSince reads a window of ordinary data.
func (s *Store) StatsSince(ctx context.Context, player string, from time.Time) (bigtable.Row, error) {
	return s.tbl.ReadRow(ctx, player, bigtable.RowFilter(stamp.Family(schema.FamStats, stamp.LiveAt(from)))) // ok ttlread/wrong-bound
}

// Snapshot is everything about a player.
func (s *Store) Snapshot(ctx context.Context, player string) (bigtable.Row, error) {
	return s.tbl.ReadRow(ctx, player, bigtable.RowFilter(bigtable.InterleaveFilters( // ok ttlread/missing-filter ttlread/unfiltered-branch
		bigtable.FamilyFilter("item|stats"),
		stamp.Family(schema.FamBuff, stamp.Within(schema.BuffTTL)),
		stamp.Family(schema.FamXP, bigtable.LatestNFilter(1)),
	)))
}

// SnapshotAll is what the moderators' tool shows.
func (s *Store) SnapshotAll(ctx context.Context, player string) (bigtable.Row, error) {
	return s.tbl.ReadRow(ctx, player, bigtable.RowFilter(bigtable.InterleaveFilters( // want ttlread/unfiltered-branch[all]
		bigtable.FamilyFilter("item|stats"),
		bigtable.FamilyFilter(schema.FamBuff),                 // want ttlread/unfiltered-branch[all]
		stamp.Family(schema.FamXP, bigtable.LatestNFilter(1)), // ok ttlread/version-limit
	)))
}

// Everyone iterates over the bags of all players.
func (s *Store) Everyone(ctx context.Context) iter.Seq2[string, []Item] {
	return func(yield func(string, []Item) bool) {
		err := s.tbl.ReadRows(ctx, bigtable.InfiniteRange(""), func(row bigtable.Row) bool { // ok ttlread/missing-filter
			var items []Item
			for _, cell := range row[families[iItem]] {
				var it Item
				if json.Unmarshal(cell.Value, &it) == nil {
					items = append(items, it)
				}
			}
			return yield(row.Key(), items)
		})
		if err != nil {
			s.log.ErrorContext(ctx, "everyone", "err", err)
		}
	}
}

// Everything iterates over the rows of all players.
func (s *Store) Everything(ctx context.Context) iter.Seq[bigtable.Row] {
	return func(yield func(bigtable.Row) bool) {
		err := s.tbl.ReadRows(ctx, bigtable.InfiniteRange(""), yield) // want ttlread/missing-filter
		if err != nil {
			s.log.ErrorContext(ctx, "everything", "err", err)
		}
	}
}

// Buy sells an item only to who has the discount.
func (s *Store) Buy(ctx context.Context, player, id string) (ok bool, err error) {
	buy := bigtable.NewMutation()
	buy.Set(schema.FamItem, id, zero, []byte("1"))                                                                    // ok ttlwrite/clock-in-zero
	discount := stamp.Family(schema.FamBuff, bigtable.ColumnFilter("discount"))                                       // want ttlread/conditional-mutation[buy]
	err = s.tbl.Apply(ctx, player, bigtable.NewCondMutation(discount, buy, nil), bigtable.GetCondMutationResult(&ok)) // want ttlread/conditional-mutation[buy]
	if err == nil && !ok {
		err = fmt.Errorf("buy %s: %w", id, ErrNotOwned)
	}
	return ok, err
}

// BuyLive asks whether the discount is still on.
func (s *Store) BuyLive(ctx context.Context, player, id string) (ok bool, err error) {
	buy := bigtable.NewMutation()
	buy.Set(schema.FamItem, id, zero, []byte("1")) // ok ttlwrite/clock-in-zero
	discount := bigtable.ChainFilters(bigtable.FamilyFilter(schema.FamBuff), bigtable.ColumnFilter("discount"), stamp.Within(schema.BuffTTL))
	err = s.tbl.Apply(ctx, player, bigtable.NewCondMutation(discount, buy, nil), bigtable.GetCondMutationResult(&ok)) // ok ttlread/conditional-mutation
	return ok, err
}

// Owns asks by an item, which never expires.
func (s *Store) Owns(ctx context.Context, player, id string) (ok bool, err error) {
	mark := bigtable.NewMutation()
	mark.Set(schema.FamStats, "asked", bigtable.ServerTime, []byte(id)) // ok ttlwrite/server-timestamp
	has := stamp.Family(schema.FamItem, bigtable.ColumnFilter(id))
	err = s.tbl.Apply(ctx, player, bigtable.NewCondMutation(has, mark, nil), bigtable.GetCondMutationResult(&ok)) // ok ttlread/conditional-mutation
	return ok, err
}
