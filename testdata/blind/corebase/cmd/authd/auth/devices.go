package auth

import (
	"context"
	"sync"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/corebase/pkg/btstore"
)

// Devices remembers devices for thirty days, or for as long as they ask.
type Devices struct {
	client *bigtable.Client
	tbl    *btstore.Table
}

// NewDevices makes the devices of a service.
func NewDevices(s *Service) *Devices { return &Devices{client: s.client, tbl: s.sessions} }

// Remember stores a device.
func (d *Devices) Remember(ctx context.Context, id, device string) error {
	m := bigtable.NewMutation()
	m.Set(FamDevice, device, bigtable.ServerTime, []byte{1}) // ok ttlwrite/server-timestamp
	return d.tbl.Apply(ctx, id, m)
}

// RememberFor stores a device for a day.
func (d *Devices) RememberFor(ctx context.Context, id, device string) error {
	m := bigtable.NewMutation()
	m.Set(FamDevice, device, btstore.Shifted(DeviceTTL, 24*time.Hour), []byte{1}) // ok ttlwrite/already-expired
	return d.tbl.Apply(ctx, id, m)
}

// RememberKiosk stores a device for no time at all.
func (d *Devices) RememberKiosk(ctx context.Context, id, device string) error {
	m := bigtable.NewMutation()
	m.Set(FamDevice, device, bigtable.Time(time.Now().Add(-DeviceTTL)), []byte{1}) // want ttlwrite/already-expired
	return d.tbl.Apply(ctx, id, m)
}

// RememberAlways takes zero for "always".
func (d *Devices) RememberAlways(ctx context.Context, id, device string) error {
	m := bigtable.NewMutation()
	m.Set(FamDevice, device, 0, []byte{1}) // want ttlwrite/already-expired
	return d.tbl.Apply(ctx, id, m)
}

var (
	cutOnce sync.Once
	cut     time.Time // want ttlread/stale-bound[devcut]
)

func cutoff() time.Time {
	cutOnce.Do(func() { cut = time.Now().Add(-DeviceTTL) }) // want ttlread/stale-bound[devcut]
	return cut
}

// Trusted lists the devices of a session.
func (d *Devices) Trusted(ctx context.Context, id string) ([]string, error) {
	return d.list(ctx, id, bigtable.TimestampRangeFilter(cutoff(), time.Time{})) // want ttlread/stale-bound[devcut]
}

// TrustedNow asks the clock each time.
func (d *Devices) TrustedNow(ctx context.Context, id string) ([]string, error) {
	return d.list(ctx, id, bigtable.TimestampRangeFilter(time.Now().Add(-DeviceTTL), time.Time{})) // ok ttlread/stale-bound
}

// TrustedToday is off by the shift.
func (d *Devices) TrustedToday(ctx context.Context, id string) ([]string, error) {
	return d.list(ctx, id, bigtable.TimestampRangeFilter(time.Now().Add(-24*time.Hour), time.Time{})) // want ttlread/wrong-bound
}

// Any lists them without a look at the time.
func (d *Devices) Any(ctx context.Context, id string) ([]string, error) {
	return d.list(ctx, id, bigtable.LatestNFilter(1)) // want ttlread/missing-filter
}

func (d *Devices) list(ctx context.Context, id string, f bigtable.Filter) ([]string, error) {
	tbl := d.client.Open(TableSessions)
	row, err := tbl.ReadRow(ctx, id, bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter(FamDevice), f)))
	if err != nil {
		return nil, err
	}
	var out []string
	for _, it := range row[FamDevice] {
		out = append(out, it.Column)
	}
	return out, nil
}

// Names reads the devices of many sessions.
func (d *Devices) Names(ctx context.Context, ids []string, live bool) (map[string][]string, error) {
	tbl := d.client.Open(TableSessions)
	opts := []bigtable.ReadOption{bigtable.LimitRows(int64(len(ids)))}
	opts = append(opts, bigtable.RowFilter(Device.Live()))
	out := map[string][]string{}
	err := tbl.ReadRows(ctx, bigtable.RowList(ids), func(r bigtable.Row) bool { // ok ttlread/missing-filter
		for _, it := range r[FamDevice] {
			out[r.Key()] = append(out[r.Key()], it.Column)
		}
		return true
	}, opts...)
	return out, err
}

// Tokens reads the tokens of many sessions.
func (d *Devices) Tokens(ctx context.Context, ids []string) (map[string]string, error) {
	tbl := d.client.Open(TableSessions)
	out := map[string]string{}
	err := tbl.ReadRows(ctx, bigtable.RowList(ids), func(r bigtable.Row) bool { // want ttlread/missing-filter[devtok]
		out[r.Key()] = string(btstore.Value(r, FamToken, "jwt"))
		return true
	}, bigtable.RowFilter(bigtable.FamilyFilter("token|profile"))) // want ttlread/missing-filter[devtok]
	return out, err
}

// Purge deletes the devices of many sessions.
func (d *Devices) Purge(ctx context.Context, prefix string) error {
	tbl := d.client.Open(TableSessions)
	var keys []string
	var muts []*bigtable.Mutation
	err := tbl.ReadRows(ctx, bigtable.PrefixRange(prefix), func(r bigtable.Row) bool { // ok ttlread/missing-filter
		m := bigtable.NewMutation()
		m.DeleteCellsInFamily(FamDevice)
		keys = append(keys, r.Key())
		muts = append(muts, m)
		return true
	})
	if err != nil || len(keys) == 0 {
		return err
	}
	_, err = tbl.ApplyBulk(ctx, keys, muts)
	return err
}
