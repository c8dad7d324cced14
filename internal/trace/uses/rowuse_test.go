package uses_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/ttlvet/ttlvet/internal/trace/eval"
	"github.com/ttlvet/ttlvet/internal/trace/layertest"
	"github.com/ttlvet/ttlvet/internal/trace/summary"
	"github.com/ttlvet/ttlvet/internal/trace/uses"
)

// text says what is done with rows: the families that are used, and the rest
// by the names of the fields of Uses.
func text(u summary.Uses) string {
	out := append([]string{}, u.Families...)
	for _, i := range u.FamilyParams {
		out = append(out, fmt.Sprintf("$%d", i))
	}
	for _, flag := range []struct {
		name string
		on   bool
	}{{"All", u.All}, {"Exists", u.Exists}, {"Keys", u.Keys}, {"Checked", u.Checked}, {"Returned", u.Returned}, {"Around", u.Around}} {
		if flag.on {
			out = append(out, flag.name)
		}
	}
	if u.Callback != 0 {
		out = append(out, fmt.Sprintf("Callback=$%d", u.Callback-1))
	}
	for _, k := range u.Kept {
		of := "result"
		if k.Param > 0 {
			of = fmt.Sprintf("$%d", k.Param-1)
		}
		out = append(out, of+k.Field[strings.LastIndexByte(k.Field, '.'):])
	}
	for _, h := range u.Handed {
		if h.To != nil {
			out = append(out, fmt.Sprintf("to %s.%s%v", h.To, h.Method, h.Of))
		}
	}
	return strings.Join(out, " ")
}

// check holds what each function of a source that reads does with its rows
// against the comment behind the read.
func rowuseCheck(t *testing.T, src string, facts ...layertest.Fact) {
	t.Helper()
	code := layertest.Load(t, src, facts...)
	finder := uses.NewRows(eval.New(code.Prog))
	n := 0
	for _, fn := range code.Prog.Funcs {
		for _, call := range code.Prog.Calls[fn] {
			target, ok := code.Prog.Target(call.Common())
			if !ok || !strings.HasPrefix(target.API, "bigtable.Table.Read") {
				continue
			}
			n++
			if got, want := text(finder.UsesOf(call, target)), code.Comment(call); got != want {
				t.Errorf("%s: the rows are used for %s, want %s", layertest.NameOf(fn), got, want)
			}
		}
	}
	if n == 0 {
		t.Error("the source reads nothing")
	}
}

const read = `
func read(t *bigtable.Table, key string) bigtable.Row {
	row, _ := t.ReadRow(context.Background(), key) // Returned
	return row
}
`

// Families are those that are looked up by a name that is known; a row that
// goes where nobody follows it is used whole.
func TestFamilies(t *testing.T) {
	rowuseCheck(t, `
func byName(t *bigtable.Table) {
	row, _ := t.ReadRow(context.Background(), "k") // profile token
	fmt.Println(row["token"], row["profile"])
}
func byTable(t *bigtable.Table) {
	row, _ := t.ReadRow(context.Background(), "k") // profile token
	for _, family := range []string{"token", "profile"} {
		fmt.Println(row[family])
	}
}
func byParameter(t *bigtable.Table, family string) {
	row, _ := t.ReadRow(context.Background(), "k") // $1
	fmt.Println(row[family])
}
func ranged(t *bigtable.Table) {
	row, _ := t.ReadRow(context.Background(), "k") // All
	for _, items := range row {
		fmt.Println(items)
	}
}
func rangedByName(t *bigtable.Table) {
	row, _ := t.ReadRow(context.Background(), "k") // token
	for family, items := range row {
		if family == "token" {
			fmt.Println(items)
		}
	}
}
func printed(t *bigtable.Table) {
	row, _ := t.ReadRow(context.Background(), "k") // All
	fmt.Println(row)
}
func asked(t *bigtable.Table) bool {
	row, _ := t.ReadRow(context.Background(), "k") // Exists
	return len(row) > 0
}
func keyed(t *bigtable.Table) string {
	row, _ := t.ReadRow(context.Background(), "k") // Keys
	return row.Key()
}
func dropped(t *bigtable.Table) {
	t.ReadRow(context.Background(), "k") //
}
`)
}

// A family that a method of a parameter names is known to callers; one that hangs
// on the function's own values is any.
func TestNamedByMethods(t *testing.T) {
	src := `
type entity interface{ Family() string }
type query struct{ into entity }
func byArgument(t *bigtable.Table, e entity) {
	row, _ := t.ReadRow(context.Background(), "k") // method("Family", $1)
	fmt.Println(row[e.Family()])
}
func byTyped[T entity](t *bigtable.Table, e T) {
	row, _ := t.ReadRow(context.Background(), "k") // method("Family", $1)
	fmt.Println(row[e.Family()])
}
func byType[T entity](t *bigtable.Table) {
	var z T
	row, _ := t.ReadRow(context.Background(), "k") // method("Family", $1000)
	fmt.Println(row[z.Family()])
}
func byField(t *bigtable.Table, q query) {
	row, _ := t.ReadRow(context.Background(), "k") // method("Family", $1.into)
	fmt.Println(row[q.into.Family()])
}
func helped(t *bigtable.Table, q query) {
	row, _ := t.ReadRow(context.Background(), "k") // method("Family", $1.into)
	decode(row, q.into)
}
func decode(row bigtable.Row, e entity) { fmt.Println(row[e.Family()]) }
var some = map[string]entity{}
func bySome(t *bigtable.Table) {
	row, _ := t.ReadRow(context.Background(), "k") //
	fmt.Println(row[some["a"].Family()])
}
`
	code := layertest.Load(t, src)
	finder := uses.NewRows(eval.New(code.Prog))
	for _, fn := range code.Prog.Funcs {
		for _, call := range code.Prog.Calls[fn] {
			target, ok := code.Prog.Target(call.Common())
			if !ok || target.API != "bigtable.Table.ReadRow" {
				continue
			}
			u := finder.UsesOf(call, target)
			var got []string
			for _, g := range u.Given {
				got = append(got, g.String())
			}
			if want := code.Comment(call); strings.Join(got, " ") != want || u.All != (want == "") {
				t.Errorf("%s: the rows are used for %s, all: %v; want %s", layertest.NameOf(fn), got, u.All, want)
			}
		}
	}
}

// Rows are followed into the callback of a scan, and through the functions
// that they are given to.
func TestCallbacks(t *testing.T) {
	rowuseCheck(t, `
-- dep/dep.go --
func Decode(row bigtable.Row) string
-- p/p.go --
func literal(t *bigtable.Table) {
	t.ReadRows(context.Background(), bigtable.PrefixRange(""), func(row bigtable.Row) bool { // token
		fmt.Println(row["token"])
		return true
	})
}
type collector struct{}
func (c *collector) add(row bigtable.Row) bool { fmt.Println(row["profile"]); return true }
func method(t *bigtable.Table, c *collector) {
	t.ReadRows(context.Background(), bigtable.PrefixRange(""), c.add) // profile
}
func handedOn(t *bigtable.Table, each func(bigtable.Row) bool) {
	t.ReadRows(context.Background(), bigtable.PrefixRange(""), each) // Callback=$1
}
func collected(t *bigtable.Table) []bigtable.Row {
	var rows []bigtable.Row
	t.ReadRows(context.Background(), bigtable.PrefixRange(""), func(row bigtable.Row) bool { // Returned
		rows = append(rows, row)
		return true
	})
	return rows
}
func decoded(t *bigtable.Table) {
	row, _ := t.ReadRow(context.Background(), "k") // token
	dep.Decode(row)
}
`, layertest.Fact{Of: "dep.Decode", Fact: &summary.Summary{Rows: []summary.RowUse{{Param: 0, Uses: summary.Uses{Families: []string{"token"}}}}}})
}

// What a function returns is used by its callers, as far as they are in view.
func TestUsesByCallers(t *testing.T) {
	code := layertest.Load(t, read+`
func names(t *bigtable.Table) { fmt.Println(read(t, "k")["profile"]) }
func tokens(t *bigtable.Table) { row := read(t, "k"); fmt.Println(row["token"]) }
func each(t *bigtable.Table, f func(bigtable.Row) bool) {
	t.ReadRows(context.Background(), bigtable.PrefixRange(""), f)
}
func all(t *bigtable.Table) { each(t, func(row bigtable.Row) bool { fmt.Println(row["token"]); return true }) }
func uncalled(t *bigtable.Table) bigtable.Row { row, _ := t.ReadRow(context.Background(), "k"); return row }
`)
	finder := uses.NewRows(eval.New(code.Prog))
	for fn, want := range map[string]string{"read": "profile token", "each": "token", "uncalled": "All"} {
		f := code.Func(fn)
		call := code.Prog.Calls[f][len(code.Prog.Calls[f])-1]
		target, _ := code.Prog.Target(call.Common())
		if got := text(finder.UsesByCallers(f, finder.UsesOf(call, target), 4)); got != want {
			t.Errorf("the callers of %s use %s, want %s", fn, got, want)
		}
	}
}

// What a function does with a row or a time that it is given is part of its
// summary.
func TestParams(t *testing.T) {
	code := layertest.Load(t, `
func decode(prefix string, row bigtable.Row) { fmt.Println(row["token"]) }
func dead(at bigtable.Timestamp, now time.Time) bool { return at.Time().Before(now) }
func live(items []bigtable.ReadItem) (n int) {
	for _, item := range items {
		if item.Timestamp.Time().After(time.Now()) {
			n++
		}
	}
	return n
}
func count(items []bigtable.ReadItem) int { return len(items) }
func until(item bigtable.ReadItem) time.Time { return item.Timestamp.Time() }
`)
	finder := uses.NewRows(eval.New(code.Prog))
	if got := text(finder.UsesOfParam(code.Func("decode"), 1, nil)); got != "token" {
		t.Errorf("decode uses %s", got)
	}
	for fn, want := range map[string]string{"dead": "compares $0 with $1; compares $1 with $0", "live": "checks $0", "count": "", "until": "returns a time of $0"} {
		if got := (&summary.Summary{Checks: finder.Times.CheckedParams(code.Func(fn))}).String(); got != want {
			t.Errorf("%s checks %s, want %s", fn, got, want)
		}
	}
}

// Rows are followed to wherever they are kept: in lists, maps, channels, and in
// variables and local structs that function literals fill.
func TestKept(t *testing.T) {
	rowuseCheck(t, `
func listed(t *bigtable.Table, keys []string) {
	rows := make([]bigtable.Row, len(keys))
	for i, k := range keys {
		func() {
			rows[i], _ = t.ReadRow(context.Background(), k) // token Exists
		}()
	}
	for _, r := range rows {
		fmt.Println(r["token"])
	}
}
func keyed(t *bigtable.Table, keys []string) {
	rows := map[string]bigtable.Row{}
	for _, k := range keys {
		row, _ := t.ReadRow(context.Background(), k) // token
		rows[k] = row
	}
	fmt.Println(rows["a"]["token"])
}
func sent(t *bigtable.Table) {
	ch := make(chan bigtable.Row)
	go func() {
		row, _ := t.ReadRow(context.Background(), "k") // token
		ch <- row
	}()
	fmt.Println((<-ch)["token"])
}
func inStruct(t *bigtable.Table) {
	var state struct {
		row bigtable.Row
		err error
	}
	state.row, state.err = t.ReadRow(context.Background(), "k") // token
	fmt.Println(state.row["token"], state.err)
}
func given(t *bigtable.Table) {
	state := struct{ row bigtable.Row }{}
	state.row, _ = t.ReadRow(context.Background(), "k") // All
	fmt.Println(state)
}
func around(t *bigtable.Table) (row bigtable.Row) {
	func() {
		row, _ = t.ReadRow(context.Background(), "k") // Around
	}()
	return row
}
`)
}
