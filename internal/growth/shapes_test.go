package growth_test

import (
	"fmt"
	"strings"
)

// A shape is a program of any size.
type shape struct {
	name   string
	n      int // the size that is to be cheap
	source func(n int) string
}

var shapes = []shape{
	{"recursion", 160, recursion},
	{"sets", 4_000, sets},
	{"branches", 400, branches},
	{"swaps", 400, swaps},
	{"fieldswaps", 400, fieldSwaps},
	{"switch", 20_000, cases},
	{"directives", 2_000, directives},
	{"doublings", 25, doublings},
	{"pointers", 25, pointerDoublings},
	{"package", 3_000, ordinary}, // 100,000 lines
	{"exporter", 400, exporter},
	{"elses", 2_000, elses},
	{"closures", 200, closures},
	{"wrappers", 200, wrappers},
	{"globals", 5_000, globals},
	{"table", 3_000, table},
	{"library", 400, library},
	{"doubled", 100, doubled},
}

const header = `package shape

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"
)

var (
	_ = context.Background
	_ time.Time
	_ bigtable.Timestamp
)
`

// program returns the text of a package: a frame, and in its place %s lines for each
// number below n.
func program(n int, frame string, line func(i int) string) string {
	var lines strings.Builder
	for i := range n {
		lines.WriteString(line(i))
	}
	return header + strings.Replace(frame, "%s", lines.String(), 1)
}

func format(text string) func(int) string {
	return func(i int) string { return fmt.Sprintf(text, i) }
}

// recursion: functions that hand a mutation on to each other, in a circle and across.
func recursion(n int) string {
	return program(n, `
func begin(ctx context.Context, tbl *bigtable.Table) error {
	mut := bigtable.NewMutation()
	f0(mut, "token", bigtable.Now(), 5)
	return tbl.Apply(ctx, "k", mut)
}
%s`, func(i int) string {
		return fmt.Sprintf(`
func f%[1]d(mut *bigtable.Mutation, family string, ts bigtable.Timestamp, depth int) {
	if depth == %[1]d {
		mut.Set(family, "c%[1]d", ts, nil)
		return
	}
	f%[2]d(mut, family, ts, depth-1)
	f%[3]d(mut, family, ts, depth-2)
}
`, i, (i+1)%n, (i*7+3)%n)
	})
}

// sets: wrong writes to one mutation.
func sets(n int) string {
	return program(n, `
func write(ctx context.Context, tbl *bigtable.Table, r map[string][]byte) error {
	mut := bigtable.NewMutation()
%s	return tbl.Apply(ctx, "k", mut)
}
`, format("\tmut.Set(\"token\", \"c%[1]d\", bigtable.Now(), r[\"c%[1]d\"])\n"))
}

// branches: a filter that grows, or does not.
func branches(n int) string {
	return program(n, `
func read(ctx context.Context, tbl *bigtable.Table, asked map[string]bool) (bigtable.Row, error) {
	filter := bigtable.FamilyFilter("token")
%s	return tbl.ReadRow(ctx, "k", bigtable.RowFilter(filter))
}
`, format("\tif asked[\"c%[1]d\"] {\n\t\tfilter = bigtable.ChainFilters(filter, bigtable.ColumnFilter(\"c%[1]d\"))\n\t}\n"))
}

// swaps: two variables that change places.
func swaps(n int) string {
	return program(n, `
func write(ctx context.Context, tbl *bigtable.Table, swap map[int]bool) error {
	a, b := bigtable.Now(), bigtable.Time(time.Now().Add(time.Hour))
%s	mut := bigtable.NewMutation()
	mut.Set("token", "a", a, nil)
	mut.Set("token", "b", b, nil)
	return tbl.Apply(ctx, "k", mut)
}
`, format("\tif swap[%d] {\n\t\ta, b = b, a\n\t}\n"))
}

// fieldSwaps: two fields that do.
func fieldSwaps(n int) string {
	return program(n, `
type pair struct{ a, b bigtable.Timestamp }

func write(ctx context.Context, tbl *bigtable.Table, swap map[int]bool) error {
	p := &pair{bigtable.Now(), bigtable.Time(time.Now().Add(time.Hour))}
%s	mut := bigtable.NewMutation()
	mut.Set("token", "a", p.a, nil)
	mut.Set("token", "b", p.b, nil)
	return tbl.Apply(ctx, "k", mut)
}
`, func(i int) string {
		if i%2 == 0 {
			return "\tp.a, p.b = p.b, p.a\n"
		}
		return fmt.Sprintf("\tif swap[%d] {\n\t\tp.a, p.b = p.b, p.a\n\t}\n", i)
	})
}

// cases: a switch that chooses a time to live.
func cases(n int) string {
	return program(n, `
func write(ctx context.Context, tbl *bigtable.Table, kind string) error {
	var ttl time.Duration
	family := "token"
	switch kind {
%s	default:
		family = "profile"
	}
	mut := bigtable.NewMutation()
	mut.Set(family, "a", bigtable.Time(time.Now().Add(ttl)), nil)
	return tbl.Apply(ctx, "k", mut)
}
`, format("\tcase \"kind%[1]d\":\n\t\tttl = %[1]d * time.Second\n"))
}

// directives: comments that silence a rule, one over the other.
func directives(n int) string {
	return program(n, `
func write(mut *bigtable.Mutation) {
%s	mut.Set("token", "a", bigtable.Now(), nil)
}
`, format("\t//ttlvet:ignore ttlwrite/write-time reason %d\n"))
}

// doublings: a generic type of two of a type of two.
func doublings(n int) string {
	return program(n, fmt.Sprintf(`
type pair[T any] struct{ a, b T }

type leaf struct {
	family string
	at     bigtable.Timestamp
}

type t0 = pair[leaf]
%%s
func write(mut *bigtable.Mutation, from *t%[1]d) {
	p := *from
	q := new(t%[1]d)
	*q = p
	mut.Set(q%[2]s.family, "a", q%[2]s.at, nil)
}
`, n, strings.Repeat(".a", n+1)), func(i int) string { return fmt.Sprintf("type t%d = pair[t%d]\n", i+1, i) })
}

// pointerDoublings: the same by pointers.
func pointerDoublings(n int) string {
	return strings.Replace(doublings(n), "a, b T", "a, b *T", 1)
}

// ordinary: what most code is, of 33 lines for each n.
func ordinary(n int) string {
	return program(n, `
type Store struct {
	tbl    *bigtable.Table
	family string
	ttl    time.Duration
}

func New(client *bigtable.Client) *Store {
	return &Store{tbl: client.Open("sessions"), family: "token", ttl: time.Hour}
}

func put0(mut *bigtable.Mutation, family string, ts bigtable.Timestamp) { mut.Set(family, "x", ts, nil) }
%s`, func(i int) string {
		return fmt.Sprintf(`
type Record%[1]d struct {
	Name string
	At   time.Time
	Next *Record%[1]d
}

func (r *Record%[1]d) Fill(in map[string]string) {
	for k, v := range in {
		switch {
		case k == "name":
			r.Name = v
		case r.Next == nil:
			r.Next = &Record%[1]d{Name: k}
		default:
			r.Next.Fill(map[string]string{k: v})
		}
	}
}

func put%[3]d(mut *bigtable.Mutation, family string, ts bigtable.Timestamp) {
	put%[2]d(mut, family, ts)
}

func (s *Store) Write%[1]d(ctx context.Context, r *Record%[1]d) error {
	mut := bigtable.NewMutation()
	ts := bigtable.Time(r.At)
	if r.At.IsZero() {
		ts = bigtable.Time(time.Now().Add(s.ttl))
	}
	put%[3]d(mut, s.family, ts)
	return s.tbl.Apply(ctx, r.Name, mut)
}
`, i, i-i%8, i+1)
	})
}

// exporter: a long function that fills local lists in a loop and hands a table on,
// as a public service's exporter of metrics does.
func exporter(n int) string {
	return program(n, `
type duty struct {
	name          string
	slot, cluster uint64
	at            bigtable.Timestamp
	status        int
}

type exporter struct {
	tbl *bigtable.Table
}

func (e *exporter) export(ctx context.Context, key string, duties []*duty) error {
	mut := bigtable.NewMutation()
	for _, d := range duties {
		mut.Set("profile", d.name, d.at, nil)
	}
	return e.tbl.Apply(ctx, key, mut)
}

func run(ctx context.Context, client *bigtable.Client, validators []uint64, state map[uint64]int, epoch uint64) error {
	tbl := client.Open("sessions")
	exp := &exporter{tbl: tbl}
	filter := bigtable.ChainFilters(bigtable.FamilyFilter("profile"), bigtable.LatestNFilter(1))
	first, second, third := make([]*duty, 0), make([]*duty, 0), make([]*duty, 0)
%s	if err := exp.export(ctx, "first", first); err != nil {
		return err
	}
	if err := exp.export(ctx, "second", second); err != nil {
		return err
	}
	return exp.export(ctx, "third", third)
}
`, func(i int) string {
		switch i % 4 {
		case 0, 1:
			return fmt.Sprintf(`	list%[1]d := make([]duty, len(validators))
	for i, v := range validators {
		d := &list%[1]d[i]
		if state[v] == %[1]d {
			d.name, d.status = "a%[1]d", %[1]d
			list%[1]d[i].at = bigtable.Time(time.Unix(int64(epoch), 0))
		} else if v == %[1]d {
			list%[1]d[i].name, list%[1]d[i].slot = "b%[1]d", v
			list%[1]d[i].at = bigtable.Timestamp(v * 1000)
		} else {
			list%[1]d[i].cluster = v
			list%[1]d[i].at = bigtable.Now()
		}
		first = append(first, &list%[1]d[i])
		if d.slot > 0 {
			second = append(second, d)
		} else if d.status == %[1]d {
			third = append(third, d)
		}
	}
`, i)
		case 2:
			return fmt.Sprintf(`	filter = bigtable.ChainFilters(bigtable.FamilyFilter("profile"), bigtable.ColumnFilter("c%[1]d"))
	if epoch > %[1]d {
		filter = bigtable.InterleaveFilters(filter, bigtable.LatestNFilter(1))
	}
	if err := tbl.ReadRows(ctx, bigtable.PrefixRange("k%[1]d"), func(r bigtable.Row) bool {
		for _, item := range r["profile"] {
			if item.Column == "c%[1]d" {
				third = append(third, &duty{name: item.Row, at: item.Timestamp})
			}
		}
		return true
	}, bigtable.RowFilter(filter)); err != nil {
		return err
	}
`, i)
		default:
			return fmt.Sprintf(`	mut%[1]d := bigtable.NewMutation()
	for _, d := range first {
		if d.status == %[1]d {
			mut%[1]d.Set("profile", d.name, d.at, nil)
		} else if d.status > %[1]d {
			mut%[1]d.Set("profile", "late", bigtable.Timestamp(0), nil)
		}
	}
	if err := tbl.Apply(ctx, "k%[1]d", mut%[1]d); err != nil {
		return err
	}
`, i)
		}
	})
}
