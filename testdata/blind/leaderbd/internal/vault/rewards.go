// Package vault is what players own: daily rewards, inventories, the shop's catalog.
package vault

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strconv"
	"time"

	"cloud.google.com/go/bigtable"

	"studio.example/leaderbd/internal/kit"
	"studio.example/leaderbd/internal/schema"
)

// Reward is what a day brings.
type Reward struct {
	Day   int    `json:"day"`
	Item  string `json:"item"`
	Count int    `json:"count"`
}

// Offer is one thing in the shop.
type Offer struct {
	SKU   string `json:"sku"`
	Price int64  `json:"price"`
	Until string `json:"until"`
}

// ClaimView is a claim as the app shows it.
type ClaimView struct {
	Reward    Reward    `json:"reward"`
	WrittenAt time.Time `json:"written_at"`
	NextAt    time.Time `json:"next_at"`
}

// rewards is the week.
var rewards = []Reward{
	{1, "coins", 100}, {2, "coins", 150}, {3, "gems", 5}, {4, "chest", 1},
	{5, "coins", 300}, {6, "gems", 10}, {7, "chest-gold", 1},
}

// stamps is how long each kind of claim blocks the next.
var stamps = map[string]func() bigtable.Timestamp{
	"daily":  bigtable.Now,
	"hourly": func() bigtable.Timestamp { return kit.Shifted(schema.ClaimTTL, time.Hour) },
	"weekly": func() bigtable.Timestamp { return kit.Shifted(schema.ClaimTTL, 7*24*time.Hour) },
}

// Store keeps the vault.
type Store struct {
	t       *bigtable.Table
	daily   *kit.Repo[Reward]
	bonus   *kit.Repo[Reward]
	offers  *kit.Repo[Offer]
	mutexes *kit.Repo[string]
	now     func() time.Time
	log     *slog.Logger
	rev     int64
}

func within(d time.Duration) func() bigtable.Filter {
	return func() bigtable.Filter { return kit.Within(d) }
}

func expiring(d time.Duration) func() bigtable.Timestamp {
	return func() bigtable.Timestamp { return kit.ExpireIn(d) }
}

// New is a store on c.
func New(c *bigtable.Client, log *slog.Logger) *Store {
	t := c.Open(schema.Vault)
	return &Store{
		t:       t,
		daily:   kit.NewRepo(t, schema.FamClaim, "daily", kit.JSON[Reward]{}, kit.ReadThrough[Reward](within(schema.ClaimTTL))),                                                   // ok ttlwrite/write-time // ok ttlread/wrong-bound
		bonus:   kit.NewRepo(t, schema.FamClaim, "bonus", kit.JSON[Reward]{}, kit.ReadThrough[Reward](within(time.Hour))),                                                         // want ttlread/wrong-bound[bo]
		offers:  kit.NewRepo(t, schema.FamCatalog, "offer", kit.JSON[Offer]{}),                                                                                                    // ok ttlwrite/write-time
		mutexes: kit.NewRepo(t, schema.FamLock, "owner", kit.Text{}, kit.StampedBy[string](expiring(20*time.Second)), kit.ReadThrough[string](kit.Live), kit.Replacing[string]()), // ok ttlwrite/write-time // ok ttlread/missing-filter
		now:     time.Now,
		log:     log.With("store", "vault"),
	}
}

// ClaimDaily gives a player today's reward.
func (s *Store) ClaimDaily(ctx context.Context, player string, streak int) (Reward, error) {
	got, err := s.daily.Get(ctx, player) // ok ttlread/wrong-bound
	if err != nil {
		return Reward{}, err
	}
	if r, ok := got.Get(); ok {
		return r, errors.New("already claimed")
	}
	r := rewards[streak%len(rewards)]
	return r, s.daily.Put(ctx, player, r) // ok ttlwrite/write-time
}

// Bonus gives a player the hourly bonus.
func (s *Store) Bonus(ctx context.Context, player string) (Reward, error) {
	got, err := s.bonus.Get(ctx, player) // want ttlread/wrong-bound[bo]
	if err != nil || got.Present() {
		return got.Or(Reward{}), err
	}
	r := Reward{Item: "coins", Count: 25}
	return r, s.bonus.Put(ctx, player, r)
}

// Claim notes a claim of any kind.
func (s *Store) Claim(ctx context.Context, player, kind string, r Reward) error {
	m := bigtable.NewMutation()
	switch kind {
	case "daily":
		m.Set(schema.FamClaim, kind, bigtable.ServerTime, kit.Must(r)) // ok ttlwrite/server-timestamp
	case "instant":
		m.Set(schema.FamClaim, kind, kit.Shifted(schema.ClaimTTL, 0), kit.Must(r)) // want ttlwrite/already-expired
	case "launch":
		m.Set(schema.FamClaim, kind, bigtable.Time(time.Date(2024, 3, 1, 0, 0, 0, 0, time.UTC)), kit.Must(r)) // want ttlwrite/already-expired
	default:
		if f, ok := stamps[kind]; ok {
			m.Set(schema.FamClaim, kind, f(), kit.Must(r)) // ok ttlwrite/already-expired
		}
	}
	m.Set(schema.FamItems, "last_claim", bigtable.Now(), []byte(kind)) // want ttlwrite/clock-in-sequence
	return s.t.Apply(ctx, player, m)
}

// Claims lists what a player has claimed.
func (s *Store) Claims(ctx context.Context, player string) ([]ClaimView, error) {
	row, err := s.t.ReadRow(ctx, player, bigtable.RowFilter(kit.In(schema.FamClaim, kit.Within(schema.ClaimTTL), kit.Latest(1)))) // ok ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	var out []ClaimView
	for _, it := range row[schema.FamClaim] {
		r, err := kit.JSON[Reward]{}.Decode(it.Value)
		if err != nil {
			return nil, err
		}
		at := it.Timestamp.Time()
		out = append(out, ClaimView{
			Reward:    r,
			WrittenAt: at,                      // want ttlage/not-write-time
			NextAt:    at.Add(schema.ClaimTTL), // ok ttlage/not-write-time
		})
	}
	return out, nil
}

// ClaimsToday lists what a player has claimed since midnight.
func (s *Store) ClaimsToday(ctx context.Context, player string) ([]string, error) {
	midnight := s.now().Truncate(24 * time.Hour)
	row, err := s.t.ReadRow(ctx, player, bigtable.RowFilter(kit.In(schema.FamClaim))) // ok ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	var out []string
	for col, it := range kit.Cells(row, schema.FamClaim) {
		if it.Timestamp.Time().Before(midnight) {
			continue
		}
		out = append(out, col)
	}
	return out, nil
}

// HasClaimed says whether a player has claimed a kind.
func (s *Store) HasClaimed(ctx context.Context, player, kind string) (bool, error) {
	f := kit.In(schema.FamClaim, bigtable.ColumnFilter(kind), kit.Latest(1)) // want ttlread/missing-filter[hc]
	row, err := s.t.ReadRow(ctx, player, bigtable.RowFilter(f))              // want ttlread/missing-filter[hc]
	return len(row) > 0, err
}

// ClaimedBetween counts claims of a night, for the mail that says so.
func (s *Store) ClaimedBetween(ctx context.Context, prefix string) (map[string]int, error) {
	now := s.now()
	out := map[string]int{}
	f := kit.In(schema.FamClaim, bigtable.TimestampRangeFilter(now.Add(-schema.ClaimTTL), now)) // want ttlread/upper-bound[cb]
	for row, err := range kit.Rows(ctx, s.t, bigtable.PrefixRange(prefix), kit.Where(f)) {      // want ttlread/upper-bound[cb]
		if err != nil {
			return nil, err
		}
		for col := range kit.Cells(row, schema.FamClaim) {
			out[col]++
		}
	}
	return out, nil
}

// Forgotten lists claims that no longer count.
func (s *Store) Forgotten(ctx context.Context, prefix string) (map[string]string, error) {
	out := map[string]string{}
	f := kit.In(schema.FamClaim, bigtable.TimestampRangeFilter(time.Time{}, s.now().Add(-schema.ClaimTTL))) // want ttlread/expired-only[fo]
	for row, err := range kit.Rows(ctx, s.t, bigtable.PrefixRange(prefix), kit.Where(f)) {                  // want ttlread/expired-only[fo]
		if err != nil {
			return nil, err
		}
		for col, it := range kit.Cells(row, schema.FamClaim) {
			out[row.Key()+"/"+col] = string(it.Value)
		}
	}
	return out, nil
}

// Purge deletes claims that no longer count.
func (s *Store) Purge(ctx context.Context, prefix string) error {
	b := kit.NewBatch(s.t)
	old := bigtable.TimestampRangeFilter(time.Time{}, s.now().Add(-schema.ClaimTTL))
	for row, err := range kit.Rows(ctx, s.t, bigtable.PrefixRange(prefix), kit.Where(kit.In(schema.FamClaim, old, bigtable.StripValueFilter()))) { // ok ttlread/expired-only
		if err != nil {
			return err
		}
		for col := range kit.Cells(row, schema.FamClaim) {
			b.Add(row.Key(), func(m *bigtable.Mutation) {
				m.DeleteTimestampRange(schema.FamClaim, col, 0, bigtable.Time(s.now().Add(-schema.ClaimTTL)))
			})
		}
	}
	return b.Flush(ctx)
}

// Streak counts the days in a row; a default-expiration counter does what it should.
func (s *Store) Streak(ctx context.Context, player string) (int64, error) {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment(schema.FamClaim, "streak", 1) // ok ttlwrite/read-modify-write
	row, err := s.t.ApplyReadModifyWrite(ctx, player, rmw)
	if err != nil {
		return 0, err
	}
	it := kit.Cell(row, schema.FamClaim, "streak").Or(bigtable.ReadItem{})
	n, _ := strconv.ParseInt(fmt.Sprintf("%x", it.Value), 16, 64)
	return n, nil
}

// Offers is the shop.
func (s *Store) Offers(ctx context.Context) ([]Offer, error) {
	var out []Offer
	for row, err := range kit.Rows(ctx, s.t, bigtable.PrefixRange("shop#"), kit.Where(bigtable.FamilyFilter(schema.FamCatalog))) { // ok ttlread/missing-filter
		if err != nil {
			return nil, err
		}
		for _, it := range row[schema.FamCatalog] {
			o, err := kit.JSON[Offer]{}.Decode(it.Value)
			if err != nil {
				return nil, err
			}
			o.Until = it.Timestamp.Time().AddDate(0, 0, 7).Format(time.DateOnly) // ok ttlage/not-write-time
			out = append(out, o)
		}
	}
	return out, nil
}

// Stock puts offers on sale.
func (s *Store) Stock(ctx context.Context, offers map[string]Offer) error {
	g, gctx := kit.NewGroup(ctx, 8)
	for _, sku := range slices.Sorted(maps.Keys(offers)) {
		g.Go(func() error { return s.offers.Put(gctx, "shop#"+sku, offers[sku]) }) // ok ttlwrite/write-time
	}
	return g.Wait()
}

// OfferOf is one offer.
func (s *Store) OfferOf(ctx context.Context, sku string) (Offer, error) {
	o, err := s.offers.Get(ctx, "shop#"+sku) // ok ttlread/missing-filter
	return o.Or(Offer{SKU: sku}), err
}
