package main

import (
	"fmt"
	"go/token"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/ttlvet/ttlvet/cmd/ttlvet/internal/finding"
	"github.com/ttlvet/ttlvet/internal/draft"
	"github.com/ttlvet/ttlvet/internal/fingerprint"
	"github.com/ttlvet/ttlvet/internal/registry"
)

// hardToDraft writes the module of testdata/draft.txtar, with the client of the
// demo.
func hardToDraft(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for _, name := range []string{"go.mod", "go.sum"} {
		writeFile(t, filepath.Join(dir, name), read(t, filepath.Join("../../testdata/demo", name)), 0o666)
	}
	archive, err := txtar.ParseFile("testdata/draft.txtar")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range archive.Files {
		writeFile(t, filepath.Join(dir, f.Name), string(f.Data), 0o666)
	}
	return dir
}

// TestInitHard drafts what is hard to draft: each table once, by names that the
// program has, with handles that hold it alone, and what is not known is open.
func TestInitHard(t *testing.T) {
	alongside(t)
	dir := hardToDraft(t)
	if _, errout, code := ttlvet(t, dir, nil, "init"); code != exitClean || !strings.Contains(errout, "found 8 policy statements, 8 writes and 0 reads") {
		t.Fatalf("init exits with %d: %s", code, errout)
	}
	draft := read(t, filepath.Join(dir, registry.FileName))
	f, err := registry.Load(filepath.Join(dir, registry.FileName))
	if err != nil {
		t.Fatalf("%v\n%s", err, draft)
	}
	var got []string
	for _, table := range f.Tables {
		for _, family := range table.Families {
			got = append(got, fmt.Sprintf("%s %v %s %s %d", table.Pattern, table.Handles, family.Name, family.Strategy, family.Versions))
		}
	}
	want := []string{
		"Counters [example.com/shop/app.Config.Counters example.com/shop/app.Counters.tbl] v sequential-numbers 3",
		"Sessions [example.com/shop/app.Config.Sessions example.com/shop/app.Sessions.tbl] v one-second-expiration 0",
		"plates [example.com/shop/plate.Log.tbl] seen sequential-numbers 2",
	}
	if !slices.Equal(got, want) {
		t.Errorf("drafted are\n%s\nnot\n%s\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"), draft)
	}
	for _, want := range []string{"# 1 version: plate/migrate.go:13", "# 4 versions: plate/migrate.go:14"} {
		if !strings.Contains(draft, want) { // where it is written
			t.Errorf("the draft has no %q:\n%s", want, draft)
		}
	}
	for _, not := range []string{"bt.Open", "net/url", "not known,", "4294967295", "a field"} {
		if strings.Contains(draft, not) {
			t.Errorf("the draft has %q:\n%s", not, draft)
		}
	}
	out, _, _ := ttlvet(t, dir, nil, "./...")
	var reported []string
	for i, line := range strings.Split(read(t, filepath.Join(dir, "app/app.go")), "\n") {
		if strings.HasSuffix(line, "// reported") {
			reported = append(reported, fmt.Sprintf("app/app.go:%d", i+1))
		}
	}
	var places []string
	for _, f := range found(out, ".go") {
		at, _, _ := strings.Cut(f, " ")
		places = append(places, at)
	}
	if places = slices.Compact(places); !slices.Equal(places, reported) {
		t.Errorf("found is %q, not %q:\n%s\n%s", places, reported, out, draft)
	}
}

// TestTakeBack holds that a draft decides no family of which a finding would be
// lost, and names no handle that is reported.
func TestTakeBack(t *testing.T) {
	at := func(line int, rule, table, family, message string) *finding.Finding {
		f := &finding.Finding{Fingerprint: fingerprint.Fingerprint{Key: fingerprint.NewKey(rule, "m", "f", table, family)}, From: token.Position{Filename: "a.go", Line: line, Column: 2}}
		f.Analyzer, f.Category, _ = strings.Cut(rule, "/")
		f.Message = message
		return f
	}
	const entry = "{strategy: timestamp-zero}"
	family := func(name string) *draft.Family { return &draft.Family{Name: name, Entry: entry} }
	d := &draft.Draft{Tables: []*draft.Table{
		{Name: "users", Handles: []string{"m.Users.tbl", "m.Gone.tbl"}, Families: []*draft.Family{family("a"), family("b"), family("c")}},
		{Name: "teams", Families: []*draft.Family{family("a"), family("b")}},
	}}
	before := []*finding.Finding{
		at(1, "ttlwrite/write-time", "users", "a", ""),
		at(2, "ttlunit/wrong-unit", "", "b", ""),
		at(3, "ttlunit/wrong-unit", "", "", ""),
		at(4, "ttlread/missing-filter", "", "c", ""),
	}
	after := []*finding.Finding{
		at(2, "ttlwrite/clock-in-zero", "users", "b", ""),
		at(9, "ttlvet/registry", "", "", `handle "m.Gone.tbl" names nothing in the package`),
	}
	c := &config{}
	if !c.takeBack(d, before, after) || c.takeBack(d, append(before[1:3:3], after...), after[:1]) {
		t.Error("it is not said once that something was taken back")
	}
	var left []string
	for _, table := range d.Tables {
		left = append(left, strings.Join(table.Handles, " "))
		for _, f := range table.Families {
			left = append(left, f.Name+" "+f.Entry)
			if f.Entry == "" && (!strings.Contains(f.Remark, "a.go:") || !strings.Contains(strings.Join(f.Others, ""), entry)) {
				t.Errorf("family %s is open without its evidence: %q, %q", f.Name, f.Remark, f.Others)
			}
		}
	}
	if want := []string{"m.Users.tbl", "a ", "b " + entry, "c ", "", "a " + entry, "b " + entry}; !slices.Equal(left, want) {
		t.Errorf("left is %q, not %q", left, want)
	}
}
