// Package flightops keeps the state of flights: revisions as sequence numbers,
// the last gate at timestamp zero, free remarks, and the manifests.
package flightops

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"cloud.google.com/go/bigtable"
	"skyward.example/dal/bt"
	"skyward.example/dal/clock"
	"skyward.example/dal/names"
)

const (
	colState  = "state"
	colDelay  = "delay"
	colStand  = "stand"
	colAt     = "at"
	colRemark = "remark"
	keepRevs  = 5
)

// ErrStale says that a newer revision exists.
var ErrStale = errors.New("flightops: stale revision")

// State is one revision of a flight.
type State struct {
	Rev       int64         `json:"rev"`
	Phase     string        `json:"phase"`
	Delay     time.Duration `json:"delay"`
	UpdatedAt time.Time     `json:"updated_at,omitzero"`
}

// Ops is the flight service's data.
type Ops struct {
	client  *bigtable.Client
	flights *bigtable.Table
	lib     *bt.Table
	bags    *bt.Table
	clk     clock.Clock
	log     *slog.Logger

	mu   sync.Mutex
	seqs map[string]int64
	next atomic.Int64
	tick atomic.Int64
	hand int
}

// New opens the tables.
func New(c *bt.Client, clk clock.Clock, log *slog.Logger) *Ops {
	return &Ops{
		client:  c.Raw(),
		flights: c.Raw().Open(names.TableFlights),
		lib:     c.Table(names.TableFlights),
		bags:    c.Table(names.TableBags),
		clk:     clk,
		log:     log,
		seqs:    map[string]int64{},
	}
}

func encode(st State) []byte {
	b, err := json.Marshal(st)
	if err != nil {
		panic(err)
	}
	return b
}

// Publish writes a revision that the caller has numbered.
func (o *Ops) Publish(ctx context.Context, flight string, st State) error {
	m := bt.NewMut()
	m.PutSeq(names.FamRev, colState, st.Rev, encode(st))                 // ok ttlwrite/unscaled-sequence
	m.Put(names.FamOps, colAt, []byte(o.clk.Now().Format(time.RFC3339))) // ok ttlwrite/clock-in-sequence
	return o.lib.Write(ctx, flight, m)
}

// PublishNow writes a revision in a hurry.
func (o *Ops) PublishNow(ctx context.Context, flight string, st State) error {
	return o.lib.Write(ctx, flight, bt.NewMut().Put(names.FamRev, colState, encode(st))) // want ttlwrite/clock-in-sequence
}

// PublishRaw does it with the client, as the incident of March required.
func (o *Ops) PublishRaw(ctx context.Context, flight string, st State) error {
	m := bigtable.NewMutation()
	m.Set(names.FamRev, colState, bigtable.ServerTime, encode(st))      // want ttlwrite/clock-in-sequence
	m.Set(names.FamOps, colAt, bigtable.ServerTime, []byte("incident")) // ok ttlwrite/server-timestamp ttlwrite/clock-in-sequence
	return o.flights.Apply(ctx, flight, m)
}

// PublishAt takes the time of the ACARS message.
func (o *Ops) PublishAt(ctx context.Context, flight string, at time.Time, st State) error {
	m := bigtable.NewMutation()
	m.Set(names.FamRev, colState, bigtable.Time(at), encode(st)) // want ttlwrite/clock-in-sequence
	m.Set(names.FamOps, colAt, bigtable.Time(at), nil)           // ok ttlwrite/clock-in-sequence
	return o.flights.Apply(ctx, flight, m)
}

// PublishNumber writes under the number of the flight plan system.
func (o *Ops) PublishNumber(ctx context.Context, flight string, n int64, st State) error {
	m := bigtable.NewMutation()
	m.Set(names.FamRev, colState, bigtable.Timestamp(n*1000), encode(st))                      // ok ttlwrite/unscaled-sequence
	m.Set(names.FamRev, colDelay, bigtable.Time(time.UnixMilli(n)), []byte(st.Delay.String())) // ok ttlwrite/clock-in-sequence
	return o.flights.Apply(ctx, flight, m)
}

// bump counts revisions of a flight in memory.
func (o *Ops) bump(flight string) int64 {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.seqs[flight]++
	return o.seqs[flight]
}

// Advance writes the next revision.
func (o *Ops) Advance(ctx context.Context, flight string, st State) error {
	st.Rev = o.bump(flight)
	m := bigtable.NewMutation()
	m.Set(names.FamRev, colState, bigtable.Timestamp(st.Rev), encode(st)) // want ttlwrite/unscaled-sequence
	return o.flights.Apply(ctx, flight, m)
}

// AdvanceScaled is right.
func (o *Ops) AdvanceScaled(ctx context.Context, flight string, st State) error {
	st.Rev = o.bump(flight)
	m := bigtable.NewMutation()
	m.Set(names.FamRev, colState, bt.Revision(st.Rev), encode(st))      // ok ttlwrite/unscaled-sequence
	m.Set(names.FamRev, colDelay, bigtable.Timestamp(st.Rev)*1000, nil) // ok ttlwrite/unscaled-sequence
	return o.flights.Apply(ctx, flight, m)
}

// AdvanceAtomic numbers over all flights.
func (o *Ops) AdvanceAtomic(ctx context.Context, flight string, st State) error {
	n := o.next.Add(1)
	m := bigtable.NewMutation()
	m.Set(names.FamRev, colState, bigtable.Timestamp(n), encode(st)) // want ttlwrite/unscaled-sequence
	return o.flights.Apply(ctx, flight, m)
}

// AdvanceBy steps by a thousand.
func (o *Ops) AdvanceBy(ctx context.Context, flight string, st State) error {
	n := o.tick.Add(1000)
	m := bigtable.NewMutation()
	m.Set(names.FamRev, colDelay, bigtable.Timestamp(n), encode(st)) // ok ttlwrite/unscaled-sequence
	return o.flights.Apply(ctx, flight, m)
}

// Handovers numbers handovers between dispatchers.
func (o *Ops) Handovers(ctx context.Context, flight string, who []string) error {
	for i, w := range who {
		m := bigtable.NewMutation()
		m.Set(names.FamRev, "handover", bigtable.Timestamp(i+1), []byte(w)) // want ttlwrite/unscaled-sequence
		if err := o.flights.Apply(ctx, flight, m); err != nil {
			return err
		}
	}
	return nil
}

// HandoversScaled is its look-alike.
func (o *Ops) HandoversScaled(ctx context.Context, flight string, who []string) error {
	seq := 0
	for _, w := range who {
		seq += 1000
		m := bigtable.NewMutation()
		m.Set(names.FamRev, "handover", bigtable.Timestamp(seq), []byte(w)) // ok ttlwrite/unscaled-sequence
		if err := o.flights.Apply(ctx, flight, m); err != nil {
			return err
		}
	}
	return nil
}

// HandoverOne counts in a field.
func (o *Ops) HandoverOne(ctx context.Context, flight, who string) error {
	o.hand++
	m := bt.NewMut().PutTS(names.FamRev, "handover", bigtable.Timestamp(o.hand), []byte(who)) // want ttlwrite/unscaled-sequence
	return o.lib.Write(ctx, flight, m)
}

// Remarks numbers remarks by position.
func (o *Ops) Remarks(ctx context.Context, flight string, remarks []string) error {
	m := bigtable.NewMutation()
	m.Set(names.FamRev, colRemark, bigtable.Timestamp(len(remarks)), []byte(remarks[len(remarks)-1])) // want ttlwrite/unscaled-sequence
	m.Set(names.FamOps, colRemark, bigtable.Timestamp(len(remarks)), []byte(remarks[0]))              // ok ttlwrite/unscaled-sequence
	return o.flights.Apply(ctx, flight, m)
}

// Seed writes revision one.
func (o *Ops) Seed(ctx context.Context, flight string) error {
	m := bigtable.NewMutation()
	m.Set(names.FamRev, colState, 1, encode(State{Rev: 1, Phase: "planned"})) // want ttlwrite/unscaled-sequence
	m.Set(names.FamRev, colDelay, 1000, []byte("0"))                          // ok ttlwrite/unscaled-sequence
	m.Set(names.FamGate, colStand, 0, nil)                                    // ok ttlwrite/clock-in-zero
	return o.flights.Apply(ctx, flight, m)
}

// SeedAll writes revision one of many flights.
func (o *Ops) SeedAll(ctx context.Context, flights []string) error {
	var batch []bt.Entry
	for i, f := range flights {
		batch = append(batch, bt.Entry{Key: f, Mut: bt.NewMut().
			PutSeq(names.FamRev, colState, 1, encode(State{Rev: 1})). // ok ttlwrite/unscaled-sequence
			PutTS(names.FamRev, "order", bigtable.Timestamp(i), nil). // want ttlwrite/unscaled-sequence
			PutOnly(names.FamGate, colStand, nil)})                   // ok ttlwrite/clock-in-zero
	}
	return o.lib.WriteAll(ctx, batch)
}

// Bump increments the revision of the delay on the server.
func (o *Ops) Bump(ctx context.Context, flight string) error {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment(names.FamRev, colDelay, 1)              // want ttlwrite/read-modify-write
	rmw.AppendValue(names.FamGate, colStand, []byte("+")) // want ttlwrite/read-modify-write
	rmw.Increment(names.FamOps, "bumps", 1)               // ok ttlwrite/read-modify-write
	_, err := o.flights.ApplyReadModifyWrite(ctx, flight, rmw)
	return err
}

// LogState appends to the state itself, for the ACARS bridge.
func (o *Ops) LogState(ctx context.Context, flight, line string) error {
	return o.lib.Append(ctx, flight, names.FamRev, colState, []byte(line+"\n")) // want ttlwrite/read-modify-write
}

// --- reads

// Current reads the newest revision.
func (o *Ops) Current(ctx context.Context, flight string) (State, error) {
	f := bigtable.ChainFilters(bigtable.FamilyFilter(names.FamRev), bigtable.ColumnFilter(colState), bigtable.LatestNFilter(1))
	row, err := o.flights.ReadRow(ctx, flight, bigtable.RowFilter(f)) // ok ttlread/version-limit ttlread/missing-filter
	if err != nil {
		return State{}, err
	}
	return stateOf(row)
}

func stateOf(row bigtable.Row) (State, error) {
	var st State
	for _, it := range row[names.FamRev] {
		if err := json.Unmarshal(it.Value, &st); err != nil {
			return st, fmt.Errorf("flightops: %s: %w", row.Key(), err)
		}
		st.Rev = int64(it.Timestamp) / 1000 // ok ttlage/not-write-time
		return st, nil
	}
	return st, ErrStale
}

// CurrentAny reads the whole row.
func (o *Ops) CurrentAny(ctx context.Context, flight string) (State, error) {
	row, err := o.flights.ReadRow(ctx, flight) // want ttlread/missing-filter
	if err != nil {
		return State{}, err
	}
	return stateOf(row)
}

// CurrentColumn reads the column.
func (o *Ops) CurrentColumn(ctx context.Context, flight string) (State, error) {
	row, err := o.lib.Get(ctx, flight, bt.Family(names.FamRev), bt.Column(colState)) // want ttlread/version-limit
	if err != nil {
		return State{}, err
	}
	return stateOf(row)
}

// LastRevisions reads the revisions that are kept.
func (o *Ops) LastRevisions(ctx context.Context, flight string) ([]State, error) {
	row, err := o.lib.Get(ctx, flight, bt.Family(names.FamRev), bt.Column(colState), bt.Latest(keepRevs)) // ok ttlread/version-limit
	if err != nil {
		return nil, err
	}
	var out []State
	for _, it := range row[names.FamRev] {
		out = append(out, State{Rev: bt.RevisionOf(it.Timestamp), Phase: string(it.Value)}) // ok ttlage/not-write-time
	}
	return out, nil
}

// LongHistory reads more.
func (o *Ops) LongHistory(ctx context.Context, flight string) ([]State, error) {
	row, err := o.lib.Get(ctx, flight, bt.Family(names.FamRev), bt.Column(colState), bt.Latest(keepRevs*2)) // want ttlread/version-limit
	if err != nil {
		return nil, err
	}
	var out []State
	for _, it := range row[names.FamRev] {
		out = append(out, State{Rev: bt.RevisionOf(it.Timestamp), UpdatedAt: it.Timestamp.Time()}) // want ttlage/not-write-time
	}
	return out, nil
}

// Today reads the revisions of today.
func (o *Ops) Today(ctx context.Context, flight string) (int, error) {
	f := bigtable.ChainFilters(
		bigtable.FamilyFilter(names.FamRev),
		bigtable.TimestampRangeFilter(time.Now().Add(-24*time.Hour), time.Time{}), // want ttlread/wrong-bound[today]
	)
	row, err := o.flights.ReadRow(ctx, flight, bigtable.RowFilter(f)) // want ttlread/wrong-bound[today]
	return len(row[names.FamRev]), err
}

// FromRev looks up revisions by number.
func (o *Ops) FromRev(ctx context.Context, flight string, from, to int64) (int, error) {
	f := bigtable.ChainFilters(
		bigtable.FamilyFilter(names.FamRev),
		bigtable.TimestampRangeFilterMicros(bt.Revision(from), bt.Revision(to)), // ok ttlread/wrong-bound
	)
	row, err := o.flights.ReadRow(ctx, flight, bigtable.RowFilter(f)) // ok ttlread/wrong-bound ttlread/version-limit
	return len(row[names.FamRev]), err
}

// RemarksOfToday reads the free family by time.
func (o *Ops) RemarksOfToday(ctx context.Context, flight string) ([]string, error) {
	row, err := o.lib.Get(ctx, flight, bt.Family(names.FamOps), bt.Since(24*time.Hour)) // ok ttlread/wrong-bound ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	var out []string
	for _, it := range row[names.FamOps] {
		out = append(out, it.Timestamp.Time().Format(time.Kitchen)+" "+string(it.Value))
	}
	return out, nil
}

// Since tells how old the state is.
func (o *Ops) Since(ctx context.Context, flight string) (time.Duration, error) {
	row, err := o.lib.Get(ctx, flight, bt.Family(names.FamRev), bt.Latest(1)) // ok ttlread/version-limit
	if err != nil {
		return 0, err
	}
	for _, it := range row[names.FamRev] {
		return time.Since(it.Timestamp.Time()), nil // want ttlage/not-write-time
	}
	return 0, ErrStale
}

// SinceRemark tells how old the last remark is.
func (o *Ops) SinceRemark(ctx context.Context, flight string) (time.Duration, error) {
	row, err := o.lib.Get(ctx, flight, bt.Family(names.FamOps), bt.Latest(1)) // ok ttlread/missing-filter
	if err != nil {
		return 0, err
	}
	for _, it := range row[names.FamOps] {
		if it.Timestamp == bigtable.ServerTime { // want ttlage/server-sentinel
			return 0, nil
		}
		return time.Since(it.Timestamp.Time()), nil // ok ttlage/not-write-time
	}
	return 0, ErrStale
}

// Delayed reads the flights that are delayed: value first, then the newest.
func (o *Ops) Delayed(ctx context.Context, day string) ([]string, error) {
	var out []string
	err := o.lib.Scan(ctx, bigtable.PrefixRange(day), func(r bigtable.Row) bool { // want ttlread/version-limit[delayed]
		out = append(out, r.Key()+"="+string(r[names.FamRev][0].Value))
		return true
	}, bt.Family(names.FamRev), bt.With(bigtable.ValueFilter("delayed.*")), bt.Latest(1)) // want ttlread/version-limit[delayed]
	return out, err
}

// DelayedNow has the order right.
func (o *Ops) DelayedNow(ctx context.Context, day string) ([]string, error) {
	var out []string
	err := o.lib.Scan(ctx, bigtable.PrefixRange(day), func(r bigtable.Row) bool { // ok ttlread/version-limit
		out = append(out, r.Key()+"="+string(r[names.FamRev][0].Value))
		return true
	}, bt.Family(names.FamRev), bt.Latest(1), bt.With(bigtable.ValueFilter("delayed.*")))
	return out, err
}

// Known says whether a flight has any revision.
func (o *Ops) Known(ctx context.Context, flight string, st State) error {
	yes := bt.NewMut().Put(names.FamOps, colAt, []byte("known"))                             // ok ttlwrite/clock-in-sequence
	no := bt.NewMut().PutSeq(names.FamRev, colState, 1, encode(st))                          // ok ttlwrite/unscaled-sequence
	_, err := o.lib.CheckAndWrite(ctx, flight, bigtable.FamilyFilter(names.FamRev), yes, no) // ok ttlread/conditional-mutation
	return err
}

// IfBoarding changes the remark of flights that are boarding, as far as any revision says.
func (o *Ops) IfBoarding(ctx context.Context, flight string) error {
	pred := bigtable.ChainFilters(bigtable.FamilyFilter(names.FamRev), bigtable.ColumnFilter(colState), bigtable.ValueFilter(".*boarding.*")) // want ttlread/conditional-mutation[ifboarding]
	_, err := o.lib.CheckAndWrite(ctx, flight, pred, bt.NewMut().Put(names.FamOps, colRemark, []byte("boarding")), nil)                       // want ttlread/conditional-mutation[ifboarding]
	return err
}

// IfBoardingNow asks the newest.
func (o *Ops) IfBoardingNow(ctx context.Context, flight string) error {
	pred := bigtable.ChainFilters(bigtable.FamilyFilter(names.FamRev), bigtable.ColumnFilter(colState), bigtable.LatestNFilter(1), bigtable.ValueFilter(".*boarding.*"))
	_, err := o.lib.CheckAndWrite(ctx, flight, pred, bt.NewMut().Put(names.FamOps, colRemark, []byte("boarding")), nil) // ok ttlread/conditional-mutation
	return err
}
