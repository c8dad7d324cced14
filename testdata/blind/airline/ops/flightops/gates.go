package flightops

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"time"

	"cloud.google.com/go/bigtable"
	"skyward.example/dal/bt"
	"skyward.example/dal/names"
)

// SetGate writes the last gate; there is one version ever.
func (o *Ops) SetGate(ctx context.Context, flight, gate string) error {
	m := bt.NewMut()
	m.PutOnly(names.FamGate, colStand, []byte(gate)) // ok ttlwrite/clock-in-zero
	m.Put(names.FamOps, colStand, []byte(gate))      // ok ttlwrite/clock-in-zero
	return o.lib.Write(ctx, flight, m)
}

// MoveGate is what the apron tablets call.
func (o *Ops) MoveGate(ctx context.Context, flight, gate string) error {
	return o.lib.Write(ctx, flight, bt.NewMut().Put(names.FamGate, colStand, []byte(gate))) // want ttlwrite/clock-in-zero
}

// MoveGateRaw is for the tow trucks.
func (o *Ops) MoveGateRaw(ctx context.Context, flight, gate string) error {
	m := bigtable.NewMutation()
	m.Set(names.FamGate, colStand, bigtable.ServerTime, []byte(gate)) // want ttlwrite/clock-in-zero
	m.Set(names.FamGate, "towed", bigtable.Timestamp(0), []byte("1")) // ok ttlwrite/clock-in-zero
	return o.flights.Apply(ctx, flight, m)
}

// SwapGates exchanges the gates of two flights.
func (o *Ops) SwapGates(ctx context.Context, a, b string) error {
	ga, err := o.Gate(ctx, a)
	if err != nil {
		return err
	}
	gb, err := o.Gate(ctx, b)
	if err != nil {
		return err
	}
	muts := []*bigtable.Mutation{bigtable.NewMutation(), bigtable.NewMutation()}
	muts[0].Set(names.FamGate, colStand, 0, []byte(gb)) // ok ttlwrite/clock-in-zero
	muts[1].Set(names.FamGate, colStand, 0, []byte(ga)) // ok ttlwrite/clock-in-zero
	errs, err := o.flights.ApplyBulk(ctx, []string{a, b}, muts)
	for _, e := range errs {
		if e != nil {
			return e
		}
	}
	return err
}

// TwoStands writes the stand and the bus stand; the second call was copied.
func (o *Ops) TwoStands(ctx context.Context, flight, stand, bus string) error {
	m := bt.NewMut()
	m.PutOnly(names.FamGate, colStand, []byte(stand))
	m.PutOnly(names.FamGate, "bus", []byte(bus))   // ok ttlwrite/same-timestamp
	m.PutOnly(names.FamGate, "bus", []byte(stand)) // want ttlwrite/same-timestamp
	return o.lib.Write(ctx, flight, m)
}

// Stands writes every stand of a turn into the same column.
func (o *Ops) Stands(ctx context.Context, flight string, stands []string) error {
	m := bigtable.NewMutation()
	for _, s := range stands {
		m.Set(names.FamGate, colStand, 0, []byte(s)) // want ttlwrite/same-timestamp
	}
	return o.flights.Apply(ctx, flight, m)
}

// StandsNamed gives each its column.
func (o *Ops) StandsNamed(ctx context.Context, flight string, stands []string) error {
	m := bigtable.NewMutation()
	for i, s := range stands {
		m.Set(names.FamGate, fmt.Sprintf("%s%d", colStand, i), 0, []byte(s)) // ok ttlwrite/same-timestamp
	}
	return o.flights.Apply(ctx, flight, m)
}

// Gate reads the last gate.
func (o *Ops) Gate(ctx context.Context, flight string) (string, error) {
	row, err := o.flights.ReadRow(ctx, flight, bigtable.RowFilter(bigtable.FamilyFilter(names.FamGate))) // ok ttlread/missing-filter
	if err != nil {
		return "", err
	}
	v, _ := bt.First(row, names.FamGate, colStand)
	return string(v), nil
}

// GateBoard reads the gates of a day; only the gate is used.
func (o *Ops) GateBoard(ctx context.Context, day string) (map[string]string, error) {
	out := map[string]string{}
	err := o.flights.ReadRows(ctx, bigtable.PrefixRange(day), func(r bigtable.Row) bool { // ok ttlread/missing-filter
		for _, it := range r[names.FamGate] {
			out[r.Key()] = string(it.Value)
		}
		return true
	})
	return out, err
}

// StateBoard reads the states of a day.
func (o *Ops) StateBoard(ctx context.Context, day string) (map[string]State, error) {
	out := map[string]State{}
	err := o.flights.ReadRows(ctx, bigtable.PrefixRange(day), func(r bigtable.Row) bool { // want ttlread/missing-filter
		if st, err := stateOf(r); err == nil {
			out[r.Key()] = st
		}
		return true
	})
	return out, err
}

// FullBoard reads both, each as it needs.
func (o *Ops) FullBoard(ctx context.Context, day string) (map[string]string, error) {
	out := map[string]string{}
	both := bigtable.InterleaveFilters(
		bigtable.ChainFilters(bigtable.FamilyFilter(names.FamRev), bigtable.LatestNFilter(1)),
		bigtable.FamilyFilter(names.FamGate),
	)
	err := o.flights.ReadRows(ctx, bigtable.PrefixRange(day), func(r bigtable.Row) bool { // ok ttlread/unfiltered-branch ttlread/missing-filter
		out[r.Key()] = line(r)
		return true
	}, bigtable.RowFilter(both))
	return out, err
}

// FullBoardOld forgot the limit in one branch.
func (o *Ops) FullBoardOld(ctx context.Context, day string) (map[string]string, error) {
	out := map[string]string{}
	both := bigtable.InterleaveFilters(
		bigtable.ChainFilters(bigtable.FamilyFilter(names.FamRev), bigtable.ColumnFilter(colState)), // want ttlread/unfiltered-branch[fullboard]
		bigtable.FamilyFilter(names.FamGate),
	)
	err := o.flights.ReadRows(ctx, bigtable.PrefixRange(day), func(r bigtable.Row) bool { // want ttlread/unfiltered-branch[fullboard]
		out[r.Key()] = line(r)
		return true
	}, bigtable.RowFilter(both)) // want ttlread/unfiltered-branch[fullboard]
	return out, err
}

func line(r bigtable.Row) string {
	var sb strings.Builder
	for _, fam := range []string{names.FamRev, names.FamGate} {
		for _, it := range r[fam] {
			fmt.Fprintf(&sb, "%s=%s ", it.Column, it.Value)
		}
	}
	return sb.String()
}

// gateInfo is for the passengers' app.
type gateInfo struct {
	Gate    string
	Changed time.Time
	Created time.Time
}

// GateInfo tells the gate and when it was set.
func (o *Ops) GateInfo(ctx context.Context, flight string) (gateInfo, error) {
	row, err := o.lib.Get(ctx, flight, bt.Family("gate|ops"), bt.Latest(1)) // ok ttlread/missing-filter
	if err != nil {
		return gateInfo{}, err
	}
	var g gateInfo
	for _, it := range row[names.FamGate] {
		g.Gate = string(it.Value)
		g.Created = it.Timestamp.Time() // want ttlage/not-write-time
	}
	for _, it := range row[names.FamOps] {
		g.Created = it.Timestamp.Time() // ok ttlage/not-write-time
	}
	return g, nil
}

// ServeGate serves one gate.
func (o *Ops) ServeGate(w http.ResponseWriter, r *http.Request) {
	info, err := o.GateInfo(r.Context(), r.PathValue("flight"))
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	fmt.Fprintf(w, "%s since %s\n", info.Gate, info.Created.Format(time.Kitchen))
}

// --- belts: the tally of bags per flight is a numbered family, too

// Tally writes the count of loaded bags.
func (o *Ops) Tally(ctx context.Context, flight string, rev int64, bags int) error {
	v := []byte(fmt.Sprint(bags))
	m := bt.NewMut()
	m.PutSeq(names.FamTally, "loaded", rev, v)       // ok ttlwrite/unscaled-sequence
	m.PutServer(names.FamScan, "loaded", v)          // ok ttlwrite/server-timestamp
	m.Put(names.FamHold, "customs", []byte("clear")) // ok ttlwrite/write-time
	return o.bags.Write(ctx, flight, m)
}

// TallyNow writes it with the clock.
func (o *Ops) TallyNow(ctx context.Context, flight string, bags int) error {
	m := bt.NewMut().PutAt(names.FamTally, "loaded", o.clk.Now(), []byte(fmt.Sprint(bags))) // want ttlwrite/clock-in-sequence
	return o.bags.Write(ctx, flight, m)
}

// TallyMillis uses the clock as a number.
func (o *Ops) TallyMillis(ctx context.Context, flight string, bags int) error {
	m := bt.NewMut().PutTS(names.FamTally, "loaded", bigtable.Timestamp(time.Now().UnixMilli()*1000), []byte(fmt.Sprint(bags))) // want ttlwrite/clock-in-sequence
	return o.bags.Write(ctx, flight, m)
}

// Loaded reads the tally.
func (o *Ops) Loaded(ctx context.Context, flight string) (string, error) {
	row, err := o.bags.Get(ctx, flight, bt.Family(names.FamTally), bt.Latest(1)) // ok ttlread/version-limit
	if err != nil {
		return "", err
	}
	v, _ := bt.First(row, names.FamTally, "loaded")
	return string(v), nil
}

// LoadedTwo reads the tally with the one before, to show the difference.
func (o *Ops) LoadedTwo(ctx context.Context, flight string) ([]string, error) {
	row, err := o.bags.Get(ctx, flight, bt.Family(names.FamTally), bt.Latest(2)) // want ttlread/version-limit
	if err != nil {
		return nil, err
	}
	var out []string
	for _, it := range row[names.FamTally] {
		out = append(out, string(it.Value))
	}
	return out, nil
}

// LoadedLive was copied from seating.
func (o *Ops) LoadedLive(ctx context.Context, flight string) (string, error) {
	row, err := o.bags.Get(ctx, flight, bt.Family(names.FamTally), bt.Live()) // want ttlread/wrong-bound
	if err != nil {
		return "", err
	}
	v, _ := bt.First(row, names.FamTally, "loaded")
	return string(v), nil
}
