package ttl_test

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"cloud.google.com/go/bigtable"
	"github.com/ttlvet/ttlvet/runtime/ttl"
)

func TestInvalidDeclarations(t *testing.T) {
	good := ttl.Zero("good")
	for _, test := range []struct {
		name     string
		table    string
		families []ttl.Family
		want     []string // parts of the message
	}{
		{"empty table", "", []ttl.Family{good}, []string{`table ""`, "empty"}},
		{"path as table", "projects/p/tables/t", []ttl.Family{good}, []string{"projects/p/tables/t", "characters"}},
		{"long table", strings.Repeat("x", 51), []ttl.Family{good}, []string{"longer than 50"}},
		{"dot first", ".t", []ttl.Family{good}, []string{`begins with "."`}},
		{"no families", "t", nil, []string{"no families"}},
		{"nil family", "t", []ttl.Family{good, nil}, []string{"family 1 is nil"}},
		{"nil pointer", "t", []ttl.Family{good, (*ttl.OneSecondFamily)(nil)}, []string{"family 1 is nil"}},
		{"twice", "t", []ttl.Family{good, ttl.RealTime("good")}, []string{`"good"`, "twice"}},
		{"not constructed", "t", []ttl.Family{ttl.ZeroFamily{}}, []string{"constructor"}},
		{"empty family", "t", []ttl.Family{ttl.Zero("")}, []string{`family ""`, "empty"}},
		{"illegal family", "t", []ttl.Family{ttl.RealTime("a:b")}, []string{`"a:b"`, "characters"}},
		{"long family", "t", []ttl.Family{ttl.RealTime(strings.Repeat("x", 65))}, []string{"longer than 64"}},
		{"one-second ttl", "t", []ttl.Family{ttl.OneSecond("a", 0)}, []string{`"a"`, "ttl 0s"}},
		{"one-second max age", "t", []ttl.Family{ttl.OneSecond("a", 1e9).MaxAge(1)}, []string{`"a"`, "max age 1ns"}},
		{"one-second day", "t", []ttl.Family{ttl.OneSecond("a", 1e9).MaxAge(24 * time.Hour)}, []string{`"a"`, "max age 24h0m0s", "default expiration"}},
		{"negative skew", "t", []ttl.Family{ttl.OneSecond("a", 1e9).Skew(-1)}, []string{`"a"`, "skew -1ns"}},
		{"nil policy", "t", []ttl.Family{ttl.RealTime("a").Policy(nil)}, []string{`"a"`, "nil"}},
		{"policy of no versions", "t", []ttl.Family{ttl.RealTime("a").Policy(bigtable.UnionPolicy(bigtable.MaxAgePolicy(1e9), bigtable.MaxVersionsPolicy(0)))}, []string{`"a"`, "0 versions"}},
		{"policy of nothing", "t", []ttl.Family{ttl.RealTime("a").Policy(bigtable.IntersectionPolicy())}, []string{`"a"`, "nothing"}},
		{"policy with none inside", "t", []ttl.Family{ttl.RealTime("a").Policy(bigtable.UnionPolicy(bigtable.NoGcPolicy()))}, []string{`"a"`, "no policy"}},
		{"companion elsewhere", "t", []ttl.Family{ttl.Zero("a").With(ttl.WrittenAt(ttl.Zero("b"), "w"))}, []string{`"a"`, `family "b"`}},
		{"companion of nothing", "t", []ttl.Family{ttl.Zero("a").With(ttl.WrittenAt(nil, "w"))}, []string{`"a"`, `family ""`}},
		{"first fault stays", "t", []ttl.Family{ttl.OneSecond("a", -1).MaxAge(1)}, []string{"ttl -1ns"}},
		{"default ttl", "t", []ttl.Family{ttl.Default("a", -time.Hour)}, []string{`"a"`, "ttl -1h0m0s"}},
		{"no versions", "t", []ttl.Family{ttl.Sequence("a", 0)}, []string{`"a"`, "0 versions"}},
		{"real versions", "t", []ttl.Family{ttl.RealTime("a").MaxVersions(-1)}, []string{`"a"`, "-1 versions"}},
		{"real age", "t", []ttl.Family{ttl.RealTime("a").MaxAge(0)}, []string{`"a"`, "max age 0s"}},
		{"bad pattern", "t[", []ttl.Family{good}, []string{`table "t["`, "pattern"}},
		{"pattern of a path", "p/*", []ttl.Family{good}, []string{`table "p/*"`, "characters"}},
		{"several faults", "", []ttl.Family{ttl.Zero(""), ttl.Default("a", 0)}, []string{`table ""`, `family ""`, `family "a"`}},
	} {
		t.Run(test.name, func(t *testing.T) {
			defer func() {
				err, _ := recover().(error)
				if !errors.Is(err, ttl.ErrDeclaration) {
					t.Fatalf("panic with %v, want ErrDeclaration", err)
				}
				for _, part := range test.want {
					if !strings.Contains(err.Error(), part) {
						t.Errorf("panic with %q, which does not mention %q", err, part)
					}
				}
			}()
			ttl.NewTable(test.table, test.families...)
		})
	}
}

// A pattern stands for tables whose names are known at run time.
func TestPattern(t *testing.T) {
	entry := ttl.Sequence("entry", 2)
	ledgers := ttl.NewTable("ledger-*", entry)
	ctx := t.Context()
	e := newEmulator(t, ttl.NewTable("other", entry))
	for _, name := range []string{"", "ledger", "eu-ledger", "ledger-/x", "ledger-*", "ledger-" + strings.Repeat("x", 50)} {
		if table, err := ledgers.Named(name); !errors.Is(err, ttl.ErrDeclaration) || table != nil {
			t.Errorf("%q: %v, error %v", name, table, err)
		}
	}
	if _, err := ttl.NewTable("*", entry).Named("-x"); !errors.Is(err, ttl.ErrDeclaration) {
		t.Errorf("error %v", err)
	}
	ledger, err := ledgers.Named("ledger-eu")
	if err != nil || ledger.Name() != "ledger-eu" || ledgers.Name() != "ledger-*" {
		t.Fatalf("%v, error %v", ledger, err)
	}
	if same, err := ledger.Named("ledger-eu"); err != nil || same.Name() != "ledger-eu" {
		t.Errorf("%v, error %v", same, err)
	}
	for _, err := range []error{ledger.Ensure(ctx, e.admin), ledger.Verify(ctx, e.admin), ledger.Migrate(ctx, e.client, e.admin, entry)} {
		if err != nil {
			t.Error(err)
		}
	}
	tbl, mut := e.client.Open(ledger.Name()), bigtable.NewMutation()
	if err := errors.Join(entry.Set(mut, "c", []byte("v"), 1), tbl.Apply(ctx, "r", mut)); err != nil {
		t.Fatal(err)
	}
	// Reads ask for no name.
	if row, err := tbl.ReadRow(ctx, "r", ledgers.Live()); err != nil || len(row["entry"]) != 1 {
		t.Errorf("%v, error %v", row, err)
	}
	_, sqlErr := ledgers.SQL(time.Now())
	_, undeclaredErr := ledgers.Undeclared(ctx, e.admin)
	for i, err := range []error{ledgers.Ensure(ctx, e.admin), ledgers.Verify(ctx, e.admin), ledgers.Migrate(ctx, e.client, e.admin, entry), sqlErr, undeclaredErr} {
		if !errors.Is(err, ttl.ErrDeclaration) || !strings.Contains(err.Error(), "Named") {
			t.Errorf("of many tables, call %d: error %v", i, err)
		}
	}
}

// A Table that NewTable has not made passes nothing and asks for nothing.
func TestZeroTable(t *testing.T) {
	var none ttl.Table
	e := newEmulator(t, mixed)
	fill(e, "r")
	if got := e.values("r", none.Live()); got != "" {
		t.Errorf("it passes %s", got)
	}
	_, err := none.SQL(time.Now())
	for i, err := range []error{err, none.Ensure(t.Context(), e.admin), none.Verify(t.Context(), e.admin)} {
		if !errors.Is(err, ttl.ErrDeclaration) {
			t.Errorf("call %d: error %v", i, err)
		}
	}
}

// The service counts versions by 32 bits, which a 32-bit int does not exceed.
func TestTooManyVersions(t *testing.T) {
	n := int64(1) << 31
	if strconv.IntSize < 64 {
		t.Skip("no int is as large")
	}
	if err := ttl.Sequence("a", int(n)).Set(bigtable.NewMutation(), "c", nil, 1); !errors.Is(err, ttl.ErrDeclaration) || !strings.Contains(err.Error(), "2147483648 versions") {
		t.Errorf("error %v", err)
	}
}

// Families that are declared wrongly refuse every write.
func TestWritesToInvalidFamilies(t *testing.T) {
	mut := bigtable.NewMutation()
	second, def, v, hour := ttl.OneSecond("", 0), ttl.Default("f", 0), []byte("v"), time.Now().Add(time.Hour)
	for i, err := range []error{
		second.Set(mut, "c", v), second.SetFor(mut, "c", v, 1e9), second.SetUntil(mut, "c", v, hour), second.Replace(mut, "c", v, 1e9),
		def.Set(mut, "c", v), def.SetFor(mut, "c", v, 1e9), def.SetUntil(mut, "c", v, hour), def.Replace(mut, "c", v, 1e9),
		ttl.Sequence("f", 0).Set(mut, "c", v, 1),
		ttl.Zero("a:b").Set(mut, "c", v),
		ttl.RealTime("").Set(mut, "c", v), ttl.RealTimeFamily{}.SetAt(mut, "c", v, hour),
		ttl.Counter{}.Add(mut, 1), ttl.Counter{}.AddUntil(mut, 1, hour), ttl.NewCounter(def, "c").Add(mut, 1),
		ttl.NewCounter(ttl.Default("f", time.Hour), "a/b").Add(mut, 1),
		ttl.NewCounter(ttl.Default("f", time.Hour), "").Add(mut, 1), ttl.NewCounter((*ttl.DefaultFamily)(nil), "c").Add(mut, 1),
		ttl.Zero("f").With(ttl.WrittenAt(ttl.Zero("f"), "c")).Set(mut, "c", v),
	} {
		if !errors.Is(err, ttl.ErrDeclaration) {
			t.Errorf("write %d: error %v, want ErrDeclaration", i, err)
		}
	}
	if _, err := (ttl.Counter{}).Sum(nil); !errors.Is(err, ttl.ErrDeclaration) {
		t.Errorf("sum: error %v, want ErrDeclaration", err)
	}
	client, _, stop := connect(t.Context())
	defer stop()
	// The client sends what the mutation holds, and the service refuses nothing.
	if err := client.Open("t").Apply(t.Context(), "r", mut); err == nil || !strings.Contains(err.Error(), "No mutations") {
		t.Errorf("after refused writes, applying the mutation says %v", err)
	}
}

func TestConf(t *testing.T) {
	table := ttl.NewTable("t",
		ttl.OneSecond("second", time.Hour), ttl.OneSecond("milli", time.Hour).MaxAge(time.Millisecond),
		ttl.Default("default", time.Hour), ttl.Sequence("sequence", 3), ttl.Zero("zero"), ttl.RealTime("real"),
		ttl.RealTime("age").MaxAge(time.Hour), ttl.RealTime("versions").MaxVersions(2),
		ttl.RealTime("both").MaxAge(time.Hour).MaxVersions(2))
	var names []string
	for _, f := range table.Families() {
		names = append(names, f.Name())
	}
	if got := strings.Join(names, " "); got != "second milli default sequence zero real age versions both" {
		t.Errorf("families %s", got)
	}
	conf := table.Conf()
	if conf.TableID != "t" || table.Name() != "t" {
		t.Errorf("table is called %q and %q, want t", conf.TableID, table.Name())
	}
	want := map[string]bigtable.GCPolicy{
		"second":   bigtable.MaxAgePolicy(time.Second),
		"milli":    bigtable.MaxAgePolicy(time.Millisecond),
		"default":  bigtable.MaxAgePolicy(time.Hour),
		"sequence": bigtable.MaxVersionsPolicy(3),
		"zero":     bigtable.MaxVersionsPolicy(1),
		"real":     nil,
		"age":      bigtable.MaxAgePolicy(time.Hour),
		"versions": bigtable.MaxVersionsPolicy(2),
		"both":     bigtable.UnionPolicy(bigtable.MaxVersionsPolicy(2), bigtable.MaxAgePolicy(time.Hour)),
	}
	if len(conf.ColumnFamilies) != len(want) {
		t.Errorf("%d families, want %d", len(conf.ColumnFamilies), len(want))
	}
	for name, policy := range want {
		if got := conf.ColumnFamilies[name].GCPolicy; fmt.Sprint(got) != fmt.Sprint(policy) {
			t.Errorf("family %s has policy %v, want %v", name, got, policy)
		}
	}
}

// A pointer to a family is as good as the family.
func TestPointers(t *testing.T) {
	f := ttl.Zero("f")
	table := ttl.NewTable("t", &f)
	if got := table.Families()[0]; got != ttl.Family(f) {
		t.Errorf("the family is %T", got)
	}
	e := newEmulator(t, table)
	if err := table.Migrate(t.Context(), e.client, e.admin, &f); err != nil {
		t.Error(err)
	}
}

// The families of a table are its own.
func TestFamiliesAreCopied(t *testing.T) {
	families := []ttl.Family{ttl.Zero("a"), ttl.Zero("b")}
	table := ttl.NewTable("t", families...)
	families[0] = nil
	table.Families()[1] = nil
	for _, f := range table.Families() {
		if f == nil {
			t.Error("a caller changed the table")
		}
	}
}
