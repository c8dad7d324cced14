package ttlguard_test

import (
	"fmt"
	"math/rand"
	"os"
	"slices"
	"testing"
	"time"

	"cloud.google.com/go/bigtable"
	btpb "cloud.google.com/go/bigtable/apiv2/bigtablepb"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/ttlvet/ttlvet/runtime/strategy"
	"github.com/ttlvet/ttlvet/runtime/ttlguard"
)

// all is a table with a family of each strategy, named by its first letter.
var all = ttlguard.Declare("all",
	strategy.Family{Name: "o", Strategy: strategy.OneSecond, TTL: 30 * time.Minute, MaxAge: time.Second},
	strategy.Family{Name: "d", Strategy: strategy.Default, TTL: 24 * time.Hour, MaxAge: 24 * time.Hour},
	strategy.Family{Name: "s", Strategy: strategy.Sequence, Versions: 2},
	strategy.Family{Name: "z", Strategy: strategy.Zero},
	strategy.Family{Name: "r", Strategy: strategy.Real},
)

// A modelRow is a row as the documentation describes it.
type modelRow map[modelCell]int // the value: which operation wrote it

type modelCell struct {
	family, column string
	micros         int64
}

// apply does one operation at a time.
func (r modelRow) apply(i int, m *btpb.Mutation, now int64) {
	deleteIf := func(gone func(modelCell) bool) {
		for c := range r {
			if gone(c) {
				delete(r, c)
			}
		}
	}
	switch op := m.Mutation.(type) {
	case *btpb.Mutation_SetCell_:
		c := modelCell{op.SetCell.FamilyName, string(op.SetCell.ColumnQualifier), op.SetCell.TimestampMicros}
		if c.micros == -1 {
			c.micros = now + 5000 // when it arrives
		}
		r[c] = i
	case *btpb.Mutation_DeleteFromColumn_:
		d := op.DeleteFromColumn
		start, end := d.TimeRange.GetStartTimestampMicros(), d.TimeRange.GetEndTimestampMicros()
		deleteIf(func(c modelCell) bool {
			return c.family == d.FamilyName && c.column == string(d.ColumnQualifier) && c.micros >= start && (end == 0 || c.micros < end)
		})
	case *btpb.Mutation_DeleteFromFamily_:
		deleteIf(func(c modelCell) bool { return c.family == op.DeleteFromFamily.FamilyName })
	case *btpb.Mutation_DeleteFromRow_:
		deleteIf(func(modelCell) bool { return true })
	}
}

// lost reports whether a cell is of no use a moment after it was written, or
// makes later ones useless. Sequences are taken to end at a milliard.
func lost(c modelCell, now int64) bool {
	switch c.family {
	case "o":
		return c.micros < now+10_000
	case "d":
		return c.micros < now+10_000-(24*time.Hour).Microseconds()
	case "s":
		return c.micros > 1e9*1000
	case "z":
		return c.micros != 0
	}
	return false
}

// loses reports whether operations lose a value that one of them writes.
func loses(ms []*btpb.Mutation, now int64) bool {
	row := modelRow{}
	written := map[int]modelCell{}
	for i, m := range ms {
		row.apply(i, m, now)
		for c, j := range row {
			if i == j {
				written[i] = c
			}
		}
		for _, c := range written {
			if _, there := row[c]; !there {
				return true // deleted
			}
		}
	}
	for i, c := range written {
		if lost(c, now) || row[c] != i && c.family != "r" {
			return true
		}
	}
	return false
}

func randomMutations(rng *rand.Rand) []*btpb.Mutation {
	pick := func(of ...string) string { return of[rng.Intn(len(of))] }
	var ms []*btpb.Mutation
	for range 1 + rng.Intn(4) {
		family, column := pick("o", "d", "s", "z", "r"), pick("a", "b")
		times := map[string][]int64{
			"o": {-1, 0, now(0), now(-time.Hour), now(time.Hour), now(time.Hour), now(2 * time.Hour), now(3 * time.Hour)},
			"d": {-1, now(0), now(-time.Hour), now(time.Hour), now(-25 * time.Hour), 0},
			"s": {1000, 2000, 7_000_000, 3000, now(0), -1},
			"z": {0, 0, 0, -1, now(0), 1000},
			"r": {-1, now(0), now(-time.Hour)},
		}[family]
		switch rng.Intn(10) {
		case 0:
			ms = append(ms, deleteColumn(family, column, nil))
		case 1:
			ms = append(ms, deleteColumn(family, column, &btpb.TimestampRange{StartTimestampMicros: now(-2 * time.Hour), EndTimestampMicros: []int64{0, now(90 * time.Minute)}[rng.Intn(2)]}))
		case 2:
			ms = append(ms, deleteFamily(family))
		case 3:
			if rng.Intn(3) == 0 {
				ms = append(ms, deleteRow())
			}
		default:
			ms = append(ms, set(family, column, times[rng.Intn(len(times))]))
		}
	}
	return ms
}

// TestModelWrites holds what the guard rejects against a model of the
// documentation: it rejects exactly what loses a value.
func TestModelWrites(t *testing.T) {
	guard, err := ttlguard.New(all, ttlguard.Reject(), ttlguard.WithLogger(nil), ttlguard.WithClock(func() time.Time { return at }))
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewSource(1))
	rejected, wrong := 0, 0
	n := 20_000
	if os.Getenv("TTLVET_SLOW") != "" {
		n = 1_000_000
	}
	for i := 0; i < n && wrong < 10; i++ {
		ms := randomMutations(rng)
		_, err := guard.Begin(t.Context(), "/google.bigtable.v2.Bigtable/MutateRow", mutate("all", ms...))
		if err != nil {
			rejected++
		}
		if (err != nil) != loses(ms, now(0)) {
			wrong++
			t.Errorf("%v\n%v", err, ms)
		}
	}
	if rejected < n/4 || rejected > n*3/4 {
		t.Errorf("%d of %d are rejected: they test little", rejected, n)
	}
}

// TestModelReads holds what the guard rejects against what the emulator
// returns: it rejects exactly the reads that return dead cells, or whose range
// hides live ones.
func TestModelReads(t *testing.T) {
	e := newEmulator(t)
	client, admin := e.clients(t, nil)
	families := []string{"o", "d", "s"}
	strategies := []strategy.Family{
		{Name: "o", Strategy: strategy.OneSecond, TTL: 30 * time.Minute, MaxAge: time.Second},
		{Name: "d", Strategy: strategy.Default, TTL: 24 * time.Hour, MaxAge: 24 * time.Hour},
		{Name: "s", Strategy: strategy.Sequence, Versions: 2},
	}
	start := time.Now().Truncate(time.Millisecond)
	stamp := func(d time.Duration) bigtable.Timestamp { return bigtable.Time(start.Add(d)) }
	cells := map[string][]bigtable.Timestamp{
		"o": {stamp(-72 * time.Hour), stamp(-47 * time.Hour), stamp(-30 * time.Minute), stamp(25 * time.Minute)},
		"d": {stamp(-72 * time.Hour), stamp(-47 * time.Hour), stamp(-24*time.Hour - 30*time.Minute), stamp(-23 * time.Hour), stamp(-30 * time.Minute), stamp(30 * time.Minute), stamp(47 * time.Hour), stamp(72 * time.Hour)},
		"s": {1000, 2000, 3000, 4000},
	}
	dead := func(f string, ts bigtable.Timestamp) bool {
		switch f {
		case "o":
			return ts < stamp(0)
		case "d":
			return ts < stamp(-24*time.Hour)
		}
		return ts < 3000
	}
	options := []ttlguard.Option{ttlguard.Reject(), ttlguard.WithLogger(nil)}
	for i, f := range families {
		options = append(options, ttlguard.Declare("t"+f, strategies[i]))
		if err := admin.CreateTableFromConf(t.Context(), &bigtable.TableConf{TableID: "t" + f, ColumnFamilies: map[string]bigtable.Family{f: {}}}); err != nil {
			t.Fatal(err)
		}
		// One row has all cells, the other what is dead in the first: garbage
		// collection has been slow there.
		m, old := bigtable.NewMutation(), bigtable.NewMutation()
		for _, ts := range cells[f] {
			m.Set(f, "c", ts, []byte("v"))
			if f != "s" && dead(f, ts) {
				old.Set(f, "c", ts, []byte("v"))
			}
		}
		keys, ms := []string{"k", "old"}, []*bigtable.Mutation{m, old}
		if f == "s" {
			keys, ms = keys[:1], ms[:1]
		}
		if errs, err := client.Open("t"+f).ApplyBulk(t.Context(), keys, ms); err != nil || errs != nil {
			t.Fatal(errs, err)
		}
	}
	guard, err := ttlguard.New(options...)
	if err != nil {
		t.Fatal(err)
	}
	guarded, _ := e.clients(t, guard)
	rng := rand.New(rand.NewSource(1))
	tally := map[bool]int{}
	n := 1500
	if os.Getenv("TTLVET_SLOW") != "" {
		n = 30_000
	}
	for range n {
		f := families[rng.Intn(3)]
		filter, text, ranged := randomRead(rng, f, time.Now())
		var opts []bigtable.ReadOption
		if filter != nil {
			opts = append(opts, bigtable.RowFilter(filter))
		}
		wrong, returned := false, []bigtable.Timestamp{}
		err := client.Open("t"+f).ReadRows(t.Context(), bigtable.InfiniteRange(""), func(row bigtable.Row) bool {
			for _, item := range row[f] {
				wrong = wrong || dead(f, item.Timestamp)
				returned = append(returned, item.Timestamp)
			}
			return true
		}, opts...)
		if err != nil {
			t.Fatal(err)
		}
		for _, ts := range cells[f] {
			wrong = wrong || ranged && len(returned) > 0 && !dead(f, ts) && !slices.Contains(returned, ts)
		}
		if len(returned) == 0 {
			continue // an empty range
		}
		_, err = guarded.Open("t"+f).ReadRow(t.Context(), "k", opts...)
		if rejected := status.Code(err) == codes.FailedPrecondition; rejected != wrong {
			t.Fatalf("%s of %s returns %v: rejected is %t (%v)", text, f, returned, rejected, err)
		}
		tally[wrong]++
	}
	if tally[true] < 200 || tally[false] < 200 {
		t.Errorf("tested %v", tally)
	}
}

// randomRead returns a filter, nil for none, and whether it has a range and
// nothing else that hides cells.
func randomRead(rng *rand.Rand, family string, now time.Time) (filter bigtable.Filter, text string, ranged bool) {
	limit := bigtable.LatestNFilter(1 + rng.Intn(3))
	if family == "s" {
		if rng.Intn(5) == 0 {
			return nil, "none", false
		}
		return limit, fmt.Sprint(limit), false
	}
	starts := []time.Duration{-96 * time.Hour, -48 * time.Hour, -24 * time.Hour, -time.Hour, 0}
	bound := func(of []time.Duration) time.Time {
		i := rng.Intn(len(of) + 1)
		if i == len(of) {
			return time.Time{}
		}
		return now.Add(of[i])
	}
	from, to := bound(starts), time.Time{}
	if rng.Intn(3) == 0 {
		to = bound([]time.Duration{-48 * time.Hour, 0, time.Hour, 48 * time.Hour})
	}
	filter = bigtable.TimestampRangeFilter(from, to)
	switch rng.Intn(8) {
	case 0:
		return nil, "none", true
	case 1:
		return limit, fmt.Sprint(limit), false
	case 2:
		filter = bigtable.ChainFilters(bigtable.FamilyFilter(family), filter)
	case 3:
		filter = bigtable.InterleaveFilters(filter, bigtable.BlockAllFilter())
	}
	return filter, fmt.Sprint(filter), true
}
