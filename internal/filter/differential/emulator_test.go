// Package differential holds the filter algebra against the emulator. It is apart
// from the algebra, so that whoever uses the analyzers need not have the client:
// go mod tidy looks at the tests of the packages that it needs.
package differential

import (
	"context"
	"flag"
	"fmt"
	"math/rand"
	"os"
	"sync"
	"testing"
	"time"

	"cloud.google.com/go/bigtable"
	"cloud.google.com/go/bigtable/bttest"
	"google.golang.org/api/option"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	. "github.com/ttlvet/ttlvet/internal/filter"
	"github.com/ttlvet/ttlvet/internal/instant"
	"github.com/ttlvet/ttlvet/internal/registry"
	algebra "github.com/ttlvet/ttlvet/runtime/strategy/filter"
)

var (
	trees = flag.Int("trees", 500, "random filter trees to hold against the emulator; 100000 when TTLVET_SLOW is set")
	seed  = flag.Int64("seed", 1, "seed of the random trees")
)

// treesPerServer is how many trees one emulator sees, with rows of its own:
// more emulators run in parallel, and more rows are tried.
const treesPerServer = 2500

// A tally counts the verdicts of all trees.
type tally struct {
	sync.Mutex
	of map[Verdict]int
}

func (c *tally) add(of map[Verdict]int) {
	c.Lock()
	defer c.Unlock()
	for v, n := range of {
		c.of[v] += n
	}
}

// TestAgainstEmulator holds the verdicts on random trees against what the
// emulator returns: excluded families never show, bounded ones show no dead
// cell, unbounded ones show one in some row.
func TestAgainstEmulator(t *testing.T) {
	n := *trees
	if os.Getenv("TTLVET_SLOW") != "" {
		n = max(n, 100_000)
	}
	counts := &tally{of: map[Verdict]int{}}
	t.Run("seed", func(t *testing.T) {
		for from := 0; from < n; from += treesPerServer {
			first, some := *seed+int64(from/treesPerServer), min(treesPerServer, n-from)
			t.Run(fmt.Sprint(first), func(t *testing.T) {
				t.Parallel()
				counts.add(against(t, first, some))
			})
		}
	})
	t.Logf("%d trees, verdicts: %v", n, counts.of)
	for _, v := range []Verdict{Excluded, Bounded, Unbounded} {
		if counts.of[v] < n/20 {
			t.Errorf("only %d verdicts %v in %d trees: the trees test little", counts.of[v], v, n)
		}
	}
	if all := n * len(strategies); counts.of[Unknown] > all/10 {
		t.Errorf("%d of %d verdicts are unknown though all of the trees is known", counts.of[Unknown], all)
	}
}

// strategies are the agreements under which each tree is judged.
var strategies = []*registry.Family{
	{Name: "f", Strategy: registry.OneSecond, MaxAge: time.Second},
	{Name: "f", Strategy: registry.OneSecond, MaxAge: time.Second, TTL: time.Hour},
	{Name: "f", Strategy: registry.Default, MaxAge: time.Hour, TTL: time.Hour},
	{Name: "f", Strategy: registry.Sequence, Versions: 2},
}

// against holds n trees against an emulator and counts the verdicts.
func against(t *testing.T, seed int64, n int) map[Verdict]int {
	e := newEmulator(t)
	rng := rand.New(rand.NewSource(seed))
	rows := randomRows(rng, 12)
	e.write(t, rows)
	counts, wrong := map[Verdict]int{}, 0
	for i := 0; i < n && wrong < 10; i++ {
		tree, filter := randomTree(rng, 3)
		returned := e.read(t, filter, rows)
		for _, f := range strategies {
			verdict := Judge(tree, f).Verdict
			counts[verdict]++
			shown, dead := judge(returned, f, rows)
			why := ""
			switch {
			case verdict == Excluded && shown:
				why = "shown"
			case verdict == Bounded && dead:
				why = "a dead cell is returned"
			case verdict == Unbounded && !dead && !e.witness(t, tree, filter, f):
				why = "no row shows a dead cell"
			}
			if why != "" {
				wrong++
				t.Errorf("tree %d of seed %d: %s on %s family, max-age %s, ttl %s, %d versions: %s, but %s",
					i, seed, filter, f.Strategy, f.MaxAge, f.TTL, f.Versions, verdict, why)
			}
		}
	}
	return counts
}

type emulator struct {
	tbl *bigtable.Table
	n   int
}

func newEmulator(t testing.TB) *emulator {
	t.Helper()
	ctx := context.Background()
	srv, err := bttest.NewServer("localhost:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(srv.Close)
	conn, err := grpc.NewClient(srv.Addr, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	admin, err := bigtable.NewAdminClient(ctx, "p", "i", option.WithGRPCConn(conn))
	if err != nil {
		t.Fatal(err)
	}
	err = admin.CreateTableFromConf(ctx, &bigtable.TableConf{TableID: "t", ColumnFamilies: map[string]bigtable.Family{"f": {}, "g": {}, "zzz": {}}})
	if err != nil {
		t.Fatal(err)
	}
	client, err := bigtable.NewClientWithConfig(ctx, "p", "i", bigtable.ClientConfig{MetricsProvider: bigtable.NoopMetricsProvider{}}, option.WithGRPCConn(conn))
	if err != nil {
		t.Fatal(err)
	}
	return &emulator{tbl: client.Open("t")}
}

// offsets are the distances from the clock at which cells lie and ranges
// begin and end.
var offsets = []time.Duration{
	-24 * time.Hour, -time.Hour - time.Millisecond, -time.Hour, -time.Hour + time.Millisecond, -time.Minute,
	-time.Second - time.Millisecond, -time.Second, -time.Millisecond, 0, time.Millisecond, time.Minute, 2 * time.Hour,
}

func at(d time.Duration) bigtable.Timestamp {
	return bigtable.Timestamp(algebra.Clock + d.Microseconds())
}

// randomRows returns rows of cells.
func randomRows(rng *rand.Rand, n int) map[string][]algebra.Sample {
	rows := map[string][]algebra.Sample{}
	for i := 0; i < n; i++ {
		var row []algebra.Sample
		for j := 0; j < 1+rng.Intn(8); j++ {
			row = append(row, algebra.Sample{
				Family: []string{"f", "f", "g"}[rng.Intn(3)],
				Column: string(rune('a' + rng.Intn(3))),
				Value:  string(rune('u' + rng.Intn(3))),
				Micros: int64(at(offsets[rng.Intn(len(offsets))])) / 1000 * 1000,
			})
		}
		rows[fmt.Sprintf("row%02d", i)] = row
	}
	return rows
}

// write writes rows in one request.
func (e *emulator) write(t *testing.T, rows map[string][]algebra.Sample) {
	t.Helper()
	var keys []string
	var muts []*bigtable.Mutation
	for key, row := range rows {
		m := bigtable.NewMutation()
		for _, c := range row {
			m.Set(c.Family, c.Column, bigtable.Timestamp(c.Micros), []byte(c.Value))
		}
		keys, muts = append(keys, key), append(muts, m)
	}
	errs, err := e.tbl.ApplyBulk(context.Background(), keys, muts)
	if err != nil || errs != nil {
		t.Fatal(err, errs)
	}
}

// read returns what the emulator returns of the rows.
func (e *emulator) read(t *testing.T, filter bigtable.Filter, rows map[string][]algebra.Sample) []bigtable.Row {
	t.Helper()
	var keys bigtable.RowList
	for k := range rows {
		keys = append(keys, k)
	}
	var returned []bigtable.Row
	err := e.tbl.ReadRows(context.Background(), keys, func(r bigtable.Row) bool {
		returned = append(returned, r)
		return true
	}, bigtable.RowFilter(filter))
	if err != nil {
		t.Fatalf("%s: %v", filter, err)
	}
	return returned
}

// judge reports whether any cell and whether a dead cell of the family is
// among what was returned.
func judge(returned []bigtable.Row, f *registry.Family, rows map[string][]algebra.Sample) (shown, dead bool) {
	for _, r := range returned {
		for _, item := range r[f.Name] {
			shown = true
			dead = dead || isDead(item, f, rows[r.Key()])
		}
	}
	return shown, dead
}

// isDead applies the family's strategy to a cell of a row.
func isDead(item bigtable.ReadItem, f *registry.Family, row []algebra.Sample) bool {
	if f.Strategy != registry.Sequence {
		return int64(item.Timestamp) < algebra.Clock-f.MaxAge.Microseconds()
	}
	newer := map[int64]bool{}
	for _, c := range row {
		if c.Family+":"+c.Column == item.Column && c.Micros > int64(item.Timestamp) {
			newer[c.Micros] = true
		}
	}
	return len(newer) >= f.Versions
}

// rowsPerRead is how many of the rows that justify a verdict are tried at once: mostly
// one of the first shows a dead cell.
const rowsPerRead = 50

// witness writes the rows with which the algebra justifies its verdict and
// reads them.
func (e *emulator) witness(t *testing.T, tree *Tree, filter bigtable.Filter, f *registry.Family) bool {
	t.Helper()
	rows := map[string][]algebra.Sample{}
	shows := func() bool {
		e.write(t, rows)
		_, dead := judge(e.read(t, filter, rows), f, rows)
		clear(rows)
		return dead
	}
	for _, r := range tree.Runs() {
		for row := range tree.Rows(f.Agreement()) {
			e.n++
			rows[fmt.Sprintf("%s-%d", r.Key, e.n)] = row
			if len(rows) == rowsPerRead && shows() {
				return true
			}
		}
	}
	return len(rows) > 0 && shows()
}

// randomTree returns a tree and the filter that it describes.
func randomTree(rng *rand.Rand, depth int) (*Tree, bigtable.Filter) {
	if depth > 0 && rng.Intn(3) > 0 {
		switch rng.Intn(5) {
		case 0, 1:
			subs, filters := randomTrees(rng, depth)
			return &Tree{Op: Chain, Sub: subs}, bigtable.ChainFilters(filters...)
		case 2, 3:
			subs, filters := randomTrees(rng, depth)
			return &Tree{Op: Interleave, Sub: subs}, bigtable.InterleaveFilters(filters...)
		default:
			p, pf := randomTree(rng, depth-1)
			a, af := randomTree(rng, depth-1)
			b, bf := randomTree(rng, depth-1)
			switch rng.Intn(4) {
			case 0:
				return &Tree{Op: Condition, Sub: []*Tree{p, a, nil}}, bigtable.ConditionFilter(pf, af, nil)
			case 1:
				return &Tree{Op: Condition, Sub: []*Tree{p, nil, b}}, bigtable.ConditionFilter(pf, nil, bf)
			}
			return &Tree{Op: Condition, Sub: []*Tree{p, a, b}}, bigtable.ConditionFilter(pf, af, bf)
		}
	}
	return randomLeaf(rng)
}

func randomTrees(rng *rand.Rand, depth int) (subs []*Tree, filters []bigtable.Filter) {
	for i := 0; i < 2+rng.Intn(2); i++ {
		s, f := randomTree(rng, depth-1)
		subs, filters = append(subs, s), append(filters, f)
	}
	return subs, filters
}

func pick(rng *rand.Rand, list ...string) string { return list[rng.Intn(len(list))] }

func randomLeaf(rng *rand.Rand) (*Tree, bigtable.Filter) {
	text := func(s string) Text { return Text{Known: true, S: s} }
	switch rng.Intn(16) {
	case 0:
		return &Tree{Op: PassAll}, bigtable.PassAllFilter()
	case 1:
		if rng.Intn(3) > 0 {
			return randomLeaf(rng)
		}
		return &Tree{Op: BlockAll}, bigtable.BlockAllFilter()
	case 2, 3:
		p := pick(rng, "f", "g", "f|g", "[^g]", ".*", "f+", "")
		return &Tree{Op: Family, Pattern: text(p)}, bigtable.FamilyFilter(p)
	case 4:
		p := pick(rng, "a", "b|c", "[ab]", ".*", "zz")
		return &Tree{Op: Column, Pattern: text(p)}, bigtable.ColumnFilter(p)
	case 5:
		fam, lo, hi := pick(rng, "f", "g"), pick(rng, "", "a", "b"), pick(rng, "", "c", "zz")
		return &Tree{Op: ColumnRange, Pattern: text(fam), Lo: text(lo), Hi: text(hi)}, bigtable.ColumnRangeFilter(fam, lo, hi)
	case 6:
		p := pick(rng, "u", "v|w", ".*")
		return &Tree{Op: Cell, Pattern: text(p)}, bigtable.ValueFilter(p)
	case 7:
		lo, hi := pick(rng, "u", "v"), pick(rng, "w", "x")
		return &Tree{Op: CellRange, Lo: text(lo), Hi: text(hi)}, bigtable.ValueRangeFilter([]byte(lo), []byte(hi))
	case 8, 9, 10, 11:
		tree := &Tree{Op: TimeRange}
		var start, end bigtable.Timestamp
		tree.Start, start = randomBound(rng)
		tree.End, end = randomBound(rng)
		if rng.Intn(2) == 0 {
			tree.End, end = instant.Instant{Kind: instant.Zero}, 0
		}
		return tree, bigtable.TimestampRangeFilterMicros(start, end)
	case 12, 13:
		n := 1 + rng.Intn(3)
		return &Tree{Op: LatestN, N: n, NKnown: true}, bigtable.LatestNFilter(n)
	case 14:
		n := 1 + rng.Intn(3)
		if rng.Intn(2) == 0 {
			return &Tree{Op: RowLimit, N: n, NKnown: true}, bigtable.CellsPerRowLimitFilter(n)
		}
		return &Tree{Op: RowOffset, N: n, NKnown: true}, bigtable.CellsPerRowOffsetFilter(n)
	default:
		if rng.Intn(2) == 0 {
			return &Tree{Op: StripValue}, bigtable.StripValueFilter()
		}
		p := pick(rng, "row0.*", "row.*", ".+")
		return &Tree{Op: RowKey, Pattern: text(p)}, bigtable.RowKeyFilter(p)
	}
}

func randomBound(rng *rand.Rand) (instant.Instant, bigtable.Timestamp) {
	switch rng.Intn(8) {
	case 0:
		return instant.Instant{Kind: instant.Zero}, 0
	case 1:
		m := []int64{0, 999, 1000, 1001, 1 << 40}[rng.Intn(5)]
		return instant.Instant{Kind: instant.Fixed, Micros: m}, bigtable.Timestamp(m)
	}
	d := offsets[rng.Intn(len(offsets))]
	return instant.Instant{Kind: instant.Now, Lo: float64(d), Hi: float64(d)}, at(d)
}
