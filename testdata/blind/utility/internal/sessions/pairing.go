package sessions

import (
	"context"
	"fmt"
	"sync"
	"time"

	"cloud.google.com/go/bigtable"

	bm "nordkraft.example/grid/internal/btmodel"
	"nordkraft.example/grid/internal/btrt"
)

// started is when this instance came up.
var started = time.Now() // want ttlread/stale-bound[started]

// graceTS gives codes that were issued while we were down a full life.
var graceTS = bigtable.Time(time.Now().Add(bm.MeterSessionsPairTTL)) // want ttlwrite/stale-clock[grace]

var liveOnce = sync.OnceValue(func() bigtable.Filter { // want ttlread/stale-bound[once]
	return bigtable.ChainFilters( // want ttlread/stale-bound[once]
		bigtable.FamilyFilter(bm.MeterSessionsFamilyPair),
		bigtable.TimestampRangeFilter(time.Now(), time.Time{}), // want ttlread/stale-bound[once]
	)
})

// Pairing issues and redeems one-time codes.
type Pairing struct {
	t     *bm.MeterSessions
	clock func() time.Time
}

// NewPairing makes the service.
func NewPairing(t *bm.MeterSessions) *Pairing { return &Pairing{t: t, clock: time.Now} }

func pkey(meter string) string { return "p#" + meter }

// Issue makes a code that lives for the usual time.
func (p *Pairing) Issue(ctx context.Context, meter, by string) (string, error) {
	r := &bm.MeterSessionsPair{Code: token()[:8], Installer: by}
	m := bigtable.NewMutation()
	m.DeleteCellsInFamily(bm.MeterSessionsFamilyPair)  // ok ttlwrite/delete-after-set
	r.Marshal(m, btrt.Expiry(bm.MeterSessionsPairTTL)) // ok ttlwrite/write-time
	return r.Code, p.t.Apply(ctx, pkey(meter), m)
}

// IssueQuick is what the phone app calls.
func (p *Pairing) IssueQuick(ctx context.Context, meter, by string) (string, error) {
	r := &bm.MeterSessionsPair{Code: token()[:6], Installer: by}
	m := bigtable.NewMutation()
	r.Marshal(m, bigtable.Time(p.clock())) // want ttlwrite/write-time
	return r.Code, p.t.Apply(ctx, pkey(meter), m)
}

// IssueGrace reissues a code that was asked for during an upgrade.
func (p *Pairing) IssueGrace(ctx context.Context, meter, code string) error {
	m := bigtable.NewMutation()
	m.Set(bm.MeterSessionsFamilyPair, bm.MeterSessionsColPairCode, graceTS, []byte(code)) // want ttlwrite/stale-clock[grace]
	return p.t.Apply(ctx, pkey(meter), m)
}

// Reissue writes a new code and takes away the old one.
func (p *Pairing) Reissue(ctx context.Context, meter, by string) error {
	r := &bm.MeterSessionsPair{Code: token()[:8], Installer: by}
	m := bigtable.NewMutation()
	r.Marshal(m, btrt.Expiry(bm.MeterSessionsPairTTL))                             // ok ttlwrite/write-time
	m.DeleteCellsInColumn(bm.MeterSessionsFamilyPair, bm.MeterSessionsColPairCode) // want ttlwrite/delete-after-set
	return p.t.Apply(ctx, pkey(meter), m)
}

// Kill writes a tombstone over a code.
func (p *Pairing) Kill(ctx context.Context, meter string) error {
	m := bigtable.NewMutation()
	m.Set(bm.MeterSessionsFamilyPair, bm.MeterSessionsColPairCode, 0, nil) // want ttlwrite/already-expired
	return p.t.Apply(ctx, pkey(meter), m)
}

// Tries counts wrong codes.
func (p *Pairing) Tries(ctx context.Context, meter string) error {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment(bm.MeterSessionsFamilyPair, "tries", 1)          // want ttlwrite/read-modify-write
	rmw.AppendValue(bm.MeterSessionsFamilyDev, "log", []byte("t")) // ok ttlwrite/read-modify-write
	_, err := p.t.Table().ApplyReadModifyWrite(ctx, pkey(meter), rmw)
	return err
}

// Redeem binds the device if the code is right.
func (p *Pairing) Redeem(ctx context.Context, meter, code, serial string) (bool, error) {
	match := bigtable.ChainFilters( // want ttlread/conditional-mutation[redeem]
		bigtable.FamilyFilter(bm.MeterSessionsFamilyPair),
		bigtable.ColumnFilter(bm.MeterSessionsColPairCode),
		bigtable.LatestNFilter(1),
		bigtable.ValueFilter(code),
	)
	bind := bigtable.NewMutation()
	bind.DeleteCellsInFamily(bm.MeterSessionsFamilyPair)                                              // ok ttlwrite/delete-after-set
	bind.Set(bm.MeterSessionsFamilyDev, bm.MeterSessionsColDevSerial, bigtable.Now(), []byte(serial)) // ok ttlwrite/write-time
	var hit bool
	cond := bigtable.NewCondMutation(match, bind, nil) // want ttlread/conditional-mutation[redeem]
	err := p.t.Table().Apply(ctx, pkey(meter), cond, bigtable.GetCondMutationResult(&hit))
	return hit, err
}

// RedeemLive is Redeem as it should have been.
func (p *Pairing) RedeemLive(ctx context.Context, meter, code, serial string) (bool, error) {
	match := bigtable.ChainFilters( // ok ttlread/conditional-mutation
		bigtable.FamilyFilter(bm.MeterSessionsFamilyPair),
		bigtable.ColumnFilter(bm.MeterSessionsColPairCode),
		btrt.Live(),
		bigtable.ValueFilter(code),
	)
	bind := bigtable.NewMutation()
	bind.Set(bm.MeterSessionsFamilyDev, bm.MeterSessionsColDevSerial, bigtable.Now(), []byte(serial)) // ok ttlwrite/write-time
	var hit bool
	cond := bigtable.NewCondMutation(match, bind, nil) // ok ttlread/conditional-mutation
	err := p.t.Table().Apply(ctx, pkey(meter), cond, bigtable.GetCondMutationResult(&hit))
	return hit, err
}

// Forget deletes a code if it is there, dead or alive.
func (p *Pairing) Forget(ctx context.Context, meter string) error {
	gone := bigtable.NewMutation()
	gone.DeleteCellsInFamily(bm.MeterSessionsFamilyPair)                                           // ok ttlwrite/delete-after-set
	cond := bigtable.NewCondMutation(bigtable.FamilyFilter(bm.MeterSessionsFamilyPair), gone, nil) // ok ttlread/conditional-mutation
	return p.t.Table().Apply(ctx, pkey(meter), cond)
}

// SinceStart reads a code unless it expired before this instance came up.
func (p *Pairing) SinceStart(ctx context.Context, meter string) ([]byte, error) {
	fresh := bigtable.TimestampRangeFilter(started, time.Time{})                                                          // want ttlread/stale-bound[started]
	row, err := p.t.Table().ReadRow(ctx, pkey(meter), bigtable.RowFilter(btrt.Family(bm.MeterSessionsFamilyPair, fresh))) // want ttlread/stale-bound[started]
	if err != nil {
		return nil, err
	}
	code, _ := btrt.First(row, bm.MeterSessionsFamilyPair, bm.MeterSessionsColPairCode)
	return code, nil
}

// Cached uses the filter that is built once.
func (p *Pairing) Cached(ctx context.Context, meter string) (bool, error) {
	row, err := p.t.Table().ReadRow(ctx, pkey(meter), bigtable.RowFilter(liveOnce())) // want ttlread/stale-bound[once]
	return len(row[bm.MeterSessionsFamilyPair]) > 0, err
}

// Newest reads one live code.
func (p *Pairing) Newest(ctx context.Context, meter string) (bigtable.Row, error) {
	one := bigtable.ChainFilters(bigtable.FamilyFilter(bm.MeterSessionsFamilyPair), bigtable.CellsPerRowLimitFilter(1), btrt.Live()) // want ttlread/limit-before-filter[newest]
	return p.t.Table().ReadRow(ctx, pkey(meter), bigtable.RowFilter(one))                                                            // want ttlread/limit-before-filter[newest]
}

// NewestLive reads one live code, the limit last.
func (p *Pairing) NewestLive(ctx context.Context, meter string) (bigtable.Row, error) {
	one := bigtable.ChainFilters(bigtable.FamilyFilter(bm.MeterSessionsFamilyPair), btrt.Live(), bigtable.CellsPerRowLimitFilter(1)) // ok ttlread/limit-before-filter
	return p.t.Table().ReadRow(ctx, pkey(meter), bigtable.RowFilter(one))                                                            // ok ttlread/limit-before-filter
}

// Summary is what support sees of a meter.
func (p *Pairing) Summary(ctx context.Context, meter string) (string, error) {
	flt := bigtable.InterleaveFilters( // want ttlread/unfiltered-branch[summary]
		bigtable.ChainFilters(bigtable.FamilyFilter(bm.MeterSessionsFamilySess), btrt.Live()),
		bigtable.FamilyFilter(bm.MeterSessionsFamilyPair), // want ttlread/unfiltered-branch[summary]
		bigtable.FamilyFilter(bm.MeterSessionsFamilyDev),
	)
	row, err := p.t.Table().ReadRow(ctx, pkey(meter), bigtable.RowFilter(flt)) // want ttlread/unfiltered-branch[summary]
	if err != nil {
		return "", err
	}
	var s bm.MeterSessionsSess
	var c bm.MeterSessionsPair
	s.Unmarshal(row)
	c.Unmarshal(row)
	return fmt.Sprintf("%s %s %s", meter, s.Peer, c.Code), nil
}

// Open lists the codes that end within the next two minutes.
func (p *Pairing) Open(ctx context.Context) (int, error) {
	n := 0
	soon := p.clock().Add(2 * time.Minute)
	window := bigtable.ChainFilters(bigtable.FamilyFilter(bm.MeterSessionsFamilyPair), bigtable.TimestampRangeFilter(p.clock(), soon)) // want ttlread/upper-bound[open]
	err := p.t.Table().ReadRows(ctx, bigtable.PrefixRange("p#"), func(row bigtable.Row) bool {                                         // want ttlread/upper-bound[open]
		var c bm.MeterSessionsPair
		if c.Unmarshal(row) && c.Code != "" {
			n++
		}
		return true
	}, bigtable.RowFilter(window)) // want ttlread/upper-bound[open]
	return n, err
}

// Hanging lists codes that nobody used, up to now.
func (p *Pairing) Hanging(ctx context.Context) ([]string, error) {
	var out []string
	err := p.t.Table().ReadRows(ctx, bigtable.PrefixRange("p#"), func(row bigtable.Row) bool { // want ttlread/expired-only[hang]
		var c bm.MeterSessionsPair
		c.Unmarshal(row)
		out = append(out, c.Code)
		return true
	}, bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter(bm.MeterSessionsFamilyPair), bigtable.TimestampRangeFilter(time.Time{}, time.Now())))) // want ttlread/expired-only[hang]
	return out, err
}
