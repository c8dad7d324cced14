// Package exper is the experimentation side: which unit sees which variant
// (assignments, held by leases) and how far each variant is rolled out
// (revisions with sequence numbers).
package exper

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"log/slog"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/featureplat/btx"
	"example.com/featureplat/schema"
)

// Assignment is a unit's variant.
type Assignment struct {
	Experiment string    `json:"experiment"`
	Unit       string    `json:"unit"`
	Variant    string    `json:"variant"`
	ExpiresAt  time.Time `json:"expires_at,omitzero"`
	CreatedAt  time.Time `json:"created_at,omitzero"`
}

// Variant is one arm.
type Variant struct {
	Name   string `json:"name"`
	Weight int    `json:"weight"`
}

// Experiment is its description.
type Experiment struct {
	Name     string    `json:"name"`
	Salt     string    `json:"salt"`
	Variants []Variant `json:"variants"`
	Stopped  bool      `json:"stopped"`
}

// Pick chooses a unit's variant.
func (x *Experiment) Pick(unit string) string {
	total := 0
	for _, v := range x.Variants {
		total += v.Weight
	}
	if total == 0 {
		return ""
	}
	n := int(crc32.ChecksumIEEE([]byte(x.Salt+"/"+unit))) % total
	for _, v := range x.Variants {
		if n -= v.Weight; n < 0 {
			return v.Name
		}
	}
	return x.Variants[0].Name
}

// Table is the experiments table with what goes with it.
type Table struct {
	*bigtable.Table
	log *slog.Logger
}

// Open opens the experiments table.
func Open(client *bigtable.Client, log *slog.Logger) *Table {
	return &Table{Table: client.Open(schema.Experiments), log: log}
}

// Leases hold assignments.
type Leases struct {
	tbl  *Table
	life time.Duration
}

// NewLeases makes Leases of the usual half hour.
func NewLeases(tbl *Table) *Leases { return &Leases{tbl: tbl, life: schema.LeaseTTL} }

func leaseKey(experiment, unit string) string { return experiment + "/" + unit }

// expiry is when a lease that is taken now ends.
func (l *Leases) expiry() bigtable.Timestamp {
	return bigtable.Time(time.Now().Add(l.life))
}

// Assign assigns a variant unless the unit holds one.
func (l *Leases) Assign(ctx context.Context, x *Experiment, unit string) (*Assignment, error) {
	key := leaseKey(x.Name, unit)
	if a, err := l.Get(ctx, x.Name, unit); err == nil {
		return a, nil
	} else if !errors.Is(err, btx.ErrNotFound) {
		return nil, err
	}
	variant := x.Pick(unit)
	m := bigtable.NewMutation()
	m.Set(schema.FamLease, schema.ColHolder, l.expiry(), []byte(variant))                // ok ttlwrite/write-time
	m.Set(schema.FamInfo, schema.ColWritten, bigtable.Now(), btx.EncodeTime(time.Now())) // ok ttlwrite/write-time
	if err := l.tbl.Apply(ctx, key, m); err != nil {
		return nil, fmt.Errorf("assign %s: %w", key, err)
	}
	return &Assignment{Experiment: x.Name, Unit: unit, Variant: variant}, nil
}

// Get reads a unit's assignment.
func (l *Leases) Get(ctx context.Context, experiment, unit string) (*Assignment, error) {
	row, err := l.tbl.ReadRow(ctx, leaseKey(experiment, unit), bigtable.RowFilter(btx.LiveCell(schema.FamLease, schema.ColHolder))) // ok ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	it, ok := btx.First(row, schema.FamLease, schema.ColHolder)
	if !ok {
		return nil, btx.ErrNotFound
	}
	return &Assignment{Experiment: experiment, Unit: unit, Variant: string(it.Value), ExpiresAt: it.Timestamp.Time()}, nil // ok ttlage/not-write-time
}

// Peek is Get without the filter's cost.
func (l *Leases) Peek(ctx context.Context, experiment, unit string) (*Assignment, error) {
	row, err := l.tbl.ReadRow(ctx, leaseKey(experiment, unit)) // want ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	for _, it := range row[schema.FamLease] {
		return &Assignment{
			Experiment: experiment,
			Unit:       unit,
			Variant:    string(it.Value),
			CreatedAt:  it.Timestamp.Time(), // want ttlage/not-write-time
		}, nil
	}
	return nil, btx.ErrNotFound
}

// Renew keeps a lease for another half hour.
func (l *Leases) Renew(ctx context.Context, a *Assignment) error {
	m := bigtable.NewMutation()
	m.DeleteCellsInColumn(schema.FamLease, schema.ColHolder)                // ok ttlwrite/delete-after-set
	m.Set(schema.FamLease, schema.ColHolder, l.expiry(), []byte(a.Variant)) // ok ttlwrite/write-time
	return l.tbl.Apply(ctx, leaseKey(a.Experiment, a.Unit), m)
}

// Heartbeat keeps a lease, as Renew, but cheaper.
func (l *Leases) Heartbeat(ctx context.Context, a *Assignment) error {
	m := bigtable.NewMutation()
	m.Set(schema.FamLease, schema.ColHolder, bigtable.Now(), []byte(a.Variant)) // want ttlwrite/write-time
	m.Set(schema.FamInfo, "beat", bigtable.Now(), nil)                          // ok ttlwrite/write-time
	return l.tbl.Apply(ctx, leaseKey(a.Experiment, a.Unit), m)
}

// Move gives a unit another variant.
func (l *Leases) Move(ctx context.Context, a *Assignment, variant string) error {
	m := bigtable.NewMutation()
	m.Set(schema.FamLease, schema.ColHolder, l.expiry(), []byte(variant))
	m.DeleteCellsInColumn(schema.FamLease, schema.ColHolder) // want ttlwrite/delete-after-set
	m.DeleteCellsInColumn(schema.FamLease, "previous")       // ok ttlwrite/delete-after-set
	return l.tbl.Apply(ctx, leaseKey(a.Experiment, a.Unit), m)
}

// Release ends a lease.
func (l *Leases) Release(ctx context.Context, a *Assignment) error {
	m := bigtable.NewMutation()
	m.Set(schema.FamLease, schema.ColHolder, 0, nil) // want ttlwrite/already-expired
	return l.tbl.Apply(ctx, leaseKey(a.Experiment, a.Unit), m)
}

// Sticky holds a unit for a number of days.
func (l *Leases) Sticky(ctx context.Context, a *Assignment, days int) error {
	until := time.Now().AddDate(0, 0, days)
	m := bigtable.NewMutation()
	m.Set(schema.FamLease, schema.ColHolder, bigtable.Timestamp(until.Unix()), []byte(a.Variant)) // want ttlunit/wrong-unit
	m.Set(schema.FamLease, "sticky", bigtable.Timestamp(until.UnixMicro()), nil)                  // ok ttlunit/wrong-unit
	return l.tbl.Apply(ctx, leaseKey(a.Experiment, a.Unit), m)
}

// HoldFor holds a unit for a while.
func (l *Leases) HoldFor(ctx context.Context, a *Assignment, d time.Duration) error {
	m := bigtable.NewMutation()
	ts := bigtable.Now() + bigtable.Timestamp(d)                    // want ttlunit/wrong-unit[hold]
	m.Set(schema.FamLease, schema.ColHolder, ts, []byte(a.Variant)) // want ttlunit/wrong-unit[hold]
	return l.tbl.Apply(ctx, leaseKey(a.Experiment, a.Unit), m)
}

// HoldMicros is HoldFor with the units that Bigtable has.
func (l *Leases) HoldMicros(ctx context.Context, a *Assignment, d time.Duration) error {
	m := bigtable.NewMutation()
	ts := bigtable.Now() + bigtable.Timestamp(d.Microseconds())
	m.Set(schema.FamLease, schema.ColHolder, ts, []byte(a.Variant)) // ok ttlunit/wrong-unit ttlwrite/write-time
	return l.tbl.Apply(ctx, leaseKey(a.Experiment, a.Unit), m)
}

// Held lists an experiment's open leases.
func (l *Leases) Held(ctx context.Context, experiment string) ([]Assignment, error) {
	decode := func(row bigtable.Row) (Assignment, error) {
		it, ok := btx.First(row, schema.FamLease, schema.ColHolder)
		if !ok {
			return Assignment{}, btx.ErrNotFound
		}
		return Assignment{Experiment: experiment, Unit: row.Key()[len(experiment)+1:], Variant: string(it.Value)}, nil
	}
	return btx.Collect(ctx, l.tbl, bigtable.PrefixRange(experiment+"/"), decode, bigtable.RowFilter(btx.Family(schema.FamLease, btx.Live()))) // ok ttlread/missing-filter
}

// ByVariant counts units by variant.
func (l *Leases) ByVariant(ctx context.Context, experiment string) (map[string]int, error) {
	decode := func(row bigtable.Row) (string, error) {
		it, _ := btx.First(row, schema.FamLease, schema.ColHolder)
		return string(it.Value), nil
	}
	all, err := btx.Collect(ctx, l.tbl, bigtable.PrefixRange(experiment+"/"), decode, btx.Newest(1)) // want ttlread/missing-filter
	out := map[string]int{}
	for _, v := range all {
		out[v]++
	}
	return out, err
}

// Ending lists units whose leases end within the next minutes.
func (l *Leases) Ending(ctx context.Context, experiment string, soon time.Duration) ([]string, error) {
	now := time.Now()
	var units []string
	for row, err := range btx.Scan(ctx, l.tbl, bigtable.PrefixRange(experiment+"/"), bigtable.RowFilter(btx.Family(schema.FamLease, btx.LiveAt(now)))) { // ok ttlread/upper-bound ttlread/missing-filter
		if err != nil {
			return nil, err
		}
		for _, it := range row[schema.FamLease] {
			if it.Timestamp.Time().Before(now.Add(soon)) {
				units = append(units, it.Row)
			}
		}
	}
	return units, nil
}

// Taken tells whether a unit is taken.
func (l *Leases) Taken(ctx context.Context, experiment, unit string) bool {
	f := bigtable.ConditionFilter(btx.Live(), bigtable.FamilyFilter(schema.FamLease), nil) // want ttlread/unfiltered-branch[taken]
	row, err := l.tbl.ReadRow(ctx, leaseKey(experiment, unit), bigtable.RowFilter(f))      // want ttlread/unfiltered-branch[taken]
	return err == nil && len(row[schema.FamLease]) > 0
}

// TakenLive is Taken with the bound where it works.
func (l *Leases) TakenLive(ctx context.Context, experiment, unit string) bool {
	f := bigtable.ConditionFilter(bigtable.FamilyFilter(schema.FamLease), btx.Family(schema.FamLease, btx.Live()), nil) // ok ttlread/unfiltered-branch
	row, err := l.tbl.ReadRow(ctx, leaseKey(experiment, unit), bigtable.RowFilter(f))                                   // ok ttlread/unfiltered-branch
	return err == nil && len(row[schema.FamLease]) > 0
}

// Attempts counts how often a unit asked.
func (l *Leases) Attempts(ctx context.Context, experiment, unit string) error {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment(schema.FamLease, "attempts", 1)             // want ttlwrite/read-modify-write
	rmw.AppendValue(schema.FamInfo, "log", []byte(unit+"\n")) // ok ttlwrite/read-modify-write
	_, err := l.tbl.ApplyReadModifyWrite(ctx, leaseKey(experiment, unit), rmw)
	return err
}

// Describe stores an experiment's description.
func (l *Leases) Describe(ctx context.Context, x *Experiment) error {
	b, err := json.Marshal(x)
	if err != nil {
		return err
	}
	return btx.Put(ctx, l.tbl, x.Name, schema.FamInfo, schema.ColSpec, bigtable.ServerTime, b) // ok ttlwrite/server-timestamp
}

// Load reads an experiment's description.
func (l *Leases) Load(ctx context.Context, name string) (*Experiment, error) {
	b, err := btx.Value(ctx, l.tbl, name, schema.FamInfo, schema.ColSpec) // ok ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	x := new(Experiment)
	return x, json.Unmarshal(b, x)
}

// Reservation marks a unit for an experiment that has not begun.
func (l *Leases) Reservation(ctx context.Context, experiment, unit string) error {
	return btx.Put(ctx, l.tbl, leaseKey(experiment, unit), schema.FamLease, "reserved", bigtable.ServerTime, nil) // want ttlwrite/server-timestamp
}

// Reserve is Reservation with an end.
func (l *Leases) Reserve(ctx context.Context, experiment, unit string, until time.Time) error {
	return btx.Put(ctx, l.tbl, leaseKey(experiment, unit), schema.FamLease, "reserved", bigtable.Time(until), nil) // ok ttlwrite/server-timestamp ttlwrite/write-time
}

// Swap exchanges two columns of a lease.
func (l *Leases) Swap(ctx context.Context, a *Assignment, other string) error {
	ts := l.expiry()
	m := bigtable.NewMutation()
	m.Set(schema.FamLease, schema.ColHolder, ts, []byte(a.Variant))
	m.Set(schema.FamLease, "other", ts, []byte(other))          // ok ttlwrite/same-timestamp
	m.Set(schema.FamLease, schema.ColHolder, ts, []byte(other)) // want ttlwrite/same-timestamp
	return l.tbl.Apply(ctx, leaseKey(a.Experiment, a.Unit), m)
}
