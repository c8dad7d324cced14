// Package loyalty gives drivers points that lapse; it is the oldest part of the service and has everything in one file.
package loyalty

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"time"

	"cloud.google.com/go/bigtable"

	"github.com/parkwise/parkwise/internal/bt"
	"github.com/parkwise/parkwise/internal/tenant"
)

// Points of a driver; a grant lives in family hold of the reservations table until it lapses.
type Points struct {
	tbl *bigtable.Table
	now func() time.Time
	// families by kind of grant
	fams []string
}

// Kinds of grants.
const (
	kindGrant = iota
	kindBonus
	kindNote
)

const never = 100 * 365 * 24 * time.Hour

var (
	epoch    = time.Date(2020, time.January, 1, 0, 0, 0, 0, time.UTC)
	deadline = time.Now().Add(365 * 24 * time.Hour) // want ttlwrite/stale-clock[deadline]
	forever  = time.Now().Add(never)
)

// New makes Points.
func New(client *bigtable.Client) *Points {
	return &Points{
		tbl:  client.Open(bt.TableReservations),
		now:  time.Now,
		fams: []string{bt.FamHold, bt.FamHold, bt.FamDetail},
	}
}

// Grant is a number of points.
type Grant struct {
	N       int64         `json:"n"`
	Why     string        `json:"why"`
	For     time.Duration `json:"-"`
	Expires time.Time     `json:"-"`
	Created time.Time     `json:"-"`
}

func key(id tenant.ID, driver string) string { return tenant.Key(id, "loy", driver) }

func (p *Points) expiry(d time.Duration) bigtable.Timestamp {
	if d <= 0 {
		d = 30 * 24 * time.Hour
	}
	return bigtable.Time(p.now().Add(d))
}

// Give gives points.
func (p *Points) Give(ctx context.Context, id tenant.ID, driver string, g Grant) error {
	raw, err := json.Marshal(g)
	if err != nil {
		return err
	}
	col := fmt.Sprintf("%020d", math.MaxInt64-p.now().UnixNano())
	mut := bigtable.NewMutation()
	mut.Set(bt.FamHold, col, p.expiry(g.For), raw)                  // ok ttlwrite/write-time
	mut.Set(p.fams[kindNote], "why", bigtable.Now(), []byte(g.Why)) // ok ttlwrite/write-time
	return p.tbl.Apply(ctx, key(id, driver), mut)
}

// GiveBonus gives points that every driver has until the end of the campaign.
func (p *Points) GiveBonus(ctx context.Context, id tenant.ID, driver string, n int64) error {
	mut := bigtable.NewMutation()
	mut.Set(bt.FamHold, "bonus", bigtable.Time(deadline), bt.Int64(n))              // want ttlwrite/stale-clock[deadline]
	mut.Set(bt.FamHold, "status", bigtable.Time(forever), []byte("gold"))           // ok ttlwrite/stale-clock
	mut.Set(bt.FamHold, "welcome", bigtable.Time(epoch.Add(365*24*time.Hour)), nil) // want ttlwrite/already-expired
	mut.Set(bt.FamDetail, "since", bigtable.Time(epoch), nil)                       // ok ttlwrite/already-expired
	return p.tbl.Apply(ctx, key(id, driver), mut)
}

// Log notes a grant.
func (p *Points) Log(ctx context.Context, id tenant.ID, driver, line string) error {
	families := []string{bt.FamDetail, bt.FamHold}
	mut := bigtable.NewMutation()
	for _, fam := range families {
		mut.Set(fam, "log", bigtable.Now(), []byte(line)) // want ttlwrite/write-time
	}
	return p.tbl.Apply(ctx, key(id, driver), mut)
}

// LogDetails notes it in the details only.
func (p *Points) LogDetails(ctx context.Context, id tenant.ID, driver string, lines ...string) error {
	families := []string{bt.FamDetail, "remarks"}
	mut := bigtable.NewMutation()
	for i, fam := range families {
		if i < len(lines) {
			mut.Set(fam, "log", bigtable.Now(), []byte(lines[i])) // ok ttlwrite/write-time
		}
	}
	return p.tbl.Apply(ctx, key(id, driver), mut)
}

// Add adds points to the balance.
func (p *Points) Add(ctx context.Context, id tenant.ID, driver string, n int64) (int64, error) {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment(bt.FamHold, "balance", n)             // want ttlwrite/read-modify-write
	rmw.Increment(bt.FamDetail, "balance", n)           // ok ttlwrite/read-modify-write
	rmw.AppendValue(bt.FamDetail, "trail", bt.Int64(n)) // ok ttlwrite/read-modify-write
	row, err := p.tbl.ApplyReadModifyWrite(ctx, key(id, driver), rmw)
	if err != nil {
		return 0, err
	}
	it, _ := bt.First(row, bt.FamDetail, "balance")
	return bt.ParseInt64(it.Value), nil
}

// Balance sums the grants of a driver.
func (p *Points) Balance(ctx context.Context, id tenant.ID, driver string) (int64, error) {
	row, err := p.tbl.ReadRow(ctx, key(id, driver), bigtable.RowFilter(bigtable.FamilyFilter(p.fams[kindGrant]))) // want ttlread/missing-filter
	if err != nil {
		return 0, err
	}
	return sum(row[bt.FamHold]), nil
}

func sum(items []bigtable.ReadItem) int64 {
	var n int64
	for _, it := range items {
		var g Grant
		if json.Unmarshal(it.Value, &g) == nil {
			n += g.N
		}
	}
	return n
}

// options makes the options of a read; with all, expired grants are read too.
func (p *Points) options(all bool, limit int64) []bigtable.ReadOption {
	var opts []bigtable.ReadOption
	f := bigtable.FamilyFilter(bt.FamHold)
	if !all {
		f = bigtable.ChainFilters(f, bt.Live(p.now()))
	}
	opts = append(opts, bigtable.RowFilter(f))
	if limit > 0 {
		opts = append(opts, bigtable.LimitRows(limit))
	}
	return opts
}

// Live lists the drivers' live grants.
func (p *Points) Live(ctx context.Context, id tenant.ID) (map[string]int64, error) {
	out := map[string]int64{}
	err := p.tbl.ReadRows(ctx, bigtable.PrefixRange(key(id, "")), func(row bigtable.Row) bool { // ok ttlread/missing-filter
		out[row.Key()] = sum(row[bt.FamHold])
		return true
	}, p.options(false, 1000)...)
	return out, err
}

// Ranking lists the drivers by what they have.
func (p *Points) Ranking(ctx context.Context, id tenant.ID) (map[string]int64, error) {
	out := map[string]int64{}
	err := p.tbl.ReadRows(ctx, bigtable.PrefixRange(key(id, "")), func(row bigtable.Row) bool { // want ttlread/missing-filter[ranking]
		out[row.Key()] = sum(row[bt.FamHold])
		return true
	}, p.options(true, 1000)...) // want ttlread/missing-filter[ranking]
	return out, err
}

// Grants lists the grants of a driver.
func (p *Points) Grants(ctx context.Context, id tenant.ID, driver string) ([]Grant, error) {
	row, err := p.tbl.ReadRow(ctx, key(id, driver), p.options(false, 0)...) // ok ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	var out []Grant
	for _, it := range row[bt.FamHold] {
		var g Grant
		if err := json.Unmarshal(it.Value, &g); err != nil {
			return out, err
		}
		g.Expires = it.Timestamp.Time() // ok ttlage/not-write-time
		g.Created = it.Timestamp.Time() // want ttlage/not-write-time
		out = append(out, g)
	}
	return out, nil
}

// Expiring lists the grants that lapse soon: one read with a window, one with the newest cell.
func (p *Points) Expiring(ctx context.Context, id tenant.ID, driver string) (int64, error) {
	now := p.now()
	f := bigtable.InterleaveFilters(
		bigtable.ChainFilters(bigtable.FamilyFilter(bt.FamHold), bt.Live(now)),
		bigtable.ChainFilters(bigtable.FamilyFilter(bt.FamHold), bigtable.ColumnFilter("bonus")), // want ttlread/unfiltered-branch[expiring]
	)
	row, err := p.tbl.ReadRow(ctx, key(id, driver), bigtable.RowFilter(f)) // want ttlread/unfiltered-branch[expiring]
	if err != nil {
		return 0, err
	}
	return sum(row[bt.FamHold]), nil
}

// Two reads the two newest live grants.
func (p *Points) Two(ctx context.Context, id tenant.ID, driver string) (int64, error) {
	f := bigtable.ChainFilters(bigtable.FamilyFilter(bt.FamHold), bigtable.CellsPerRowOffsetFilter(1), bt.Live(p.now())) // want ttlread/limit-before-filter[two]
	row, err := p.tbl.ReadRow(ctx, key(id, driver), bigtable.RowFilter(f))                                               // want ttlread/limit-before-filter[two]
	if err != nil {
		return 0, err
	}
	return sum(row[bt.FamHold]), nil
}

// TwoRight does it in the right order.
func (p *Points) TwoRight(ctx context.Context, id tenant.ID, driver string) (int64, error) {
	f := bigtable.ChainFilters(bigtable.FamilyFilter(bt.FamHold), bt.Live(p.now()), bigtable.CellsPerRowOffsetFilter(1))
	row, err := p.tbl.ReadRow(ctx, key(id, driver), bigtable.RowFilter(f)) // ok ttlread/limit-before-filter
	if err != nil {
		return 0, err
	}
	return sum(row[bt.FamHold]), nil
}

// Both reads live grants and the trail; the second filter was meant to add to the first.
func (p *Points) Both(ctx context.Context, id tenant.ID, driver string) (int64, error) {
	opts := []bigtable.ReadOption{bigtable.RowFilter(bigtable.FamilyFilter(bt.FamHold))} // want ttlread/overridden-filter[both]
	opts = append(opts, bigtable.RowFilter(bt.Live(p.now())))                            // want ttlread/overridden-filter[both]
	row, err := p.tbl.ReadRow(ctx, key(id, driver), opts...)                             // want ttlread/overridden-filter[both]
	if err != nil {
		return 0, err
	}
	return sum(row[bt.FamHold]), nil
}

// Window reads the grants that lapse in a fixed interval of the campaign.
func (p *Points) Window(ctx context.Context, id tenant.ID, driver string) ([]byte, error) {
	campaign := bigtable.ChainFilters(bigtable.FamilyFilter(bt.FamDetail), bigtable.TimestampRangeFilterMicros(1_700_000_000_000_000, 1_690_000_000_000_000)) // want ttlunit/empty-range[campaign]
	row, err := p.tbl.ReadRow(ctx, key(id, driver), bigtable.RowFilter(campaign))                                                                             // want ttlunit/empty-range[campaign]
	if err != nil {
		return nil, err
	}
	it, _ := bt.First(row, bt.FamDetail, "why")
	return it.Value, nil
}

// WindowRight is Window with its bounds in order.
func (p *Points) WindowRight(ctx context.Context, id tenant.ID, driver string) ([]byte, error) {
	campaign := bigtable.ChainFilters(bigtable.FamilyFilter(bt.FamDetail), bigtable.TimestampRangeFilterMicros(1_690_000_000_000_000, 1_700_000_000_000_000)) // ok ttlunit/empty-range
	row, err := p.tbl.ReadRow(ctx, key(id, driver), bigtable.RowFilter(campaign))
	if err != nil {
		return nil, err
	}
	it, _ := bt.First(row, bt.FamDetail, "why")
	return it.Value, nil
}

// Why reads why points were given.
func (p *Points) Why(ctx context.Context, id tenant.ID, driver string) (string, error) {
	row, err := p.tbl.ReadRow(ctx, key(id, driver), bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter(bt.FamDetail)))) // want ttlunit/invalid-filter
	if err != nil {
		return "", err
	}
	it, _ := bt.First(row, bt.FamDetail, "why")
	return string(it.Value), nil
}

// WhyAll reads all reasons.
func (p *Points) WhyAll(ctx context.Context, id tenant.ID, driver string) ([]string, error) {
	all := bigtable.ChainFilters(bigtable.FamilyFilter(bt.FamDetail), bigtable.LatestNFilter(0)) // want ttlunit/invalid-filter[zero]
	row, err := p.tbl.ReadRow(ctx, key(id, driver), bigtable.RowFilter(all))                     // want ttlunit/invalid-filter[zero]
	if err != nil {
		return nil, err
	}
	var out []string
	for _, it := range row[bt.FamDetail] {
		out = append(out, string(it.Value))
	}
	return out, nil
}

// WhyTen reads ten.
func (p *Points) WhyTen(ctx context.Context, id tenant.ID, driver string) ([]string, error) {
	ten := bigtable.ChainFilters(bigtable.FamilyFilter(bt.FamDetail), bigtable.LatestNFilter(10)) // ok ttlunit/invalid-filter
	row, err := p.tbl.ReadRow(ctx, key(id, driver), bigtable.RowFilter(ten))
	if err != nil {
		return nil, err
	}
	var out []string
	for _, it := range row[bt.FamDetail] {
		out = append(out, string(it.Value))
	}
	return out, nil
}
