package schema

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/tools/txtar"

	"github.com/ttlvet/ttlvet/internal/evidence"
	"github.com/ttlvet/ttlvet/internal/evidence/evidencetest"
	"github.com/ttlvet/ttlvet/internal/registry"
	"github.com/ttlvet/ttlvet/internal/rule"
)

// extract writes files below a directory of their own.
func extract(t *testing.T, files ...txtar.File) string {
	t.Helper()
	dir := t.TempDir()
	evidencetest.Extract(t, dir, files...)
	return dir
}

// TestFindings holds what is found in the files of the archives, by the
// registry in each. Statements marked "# ok" are silent.
func TestFindings(t *testing.T) {
	evidencetest.Run(t, func(t *testing.T, dir string, _ []string) string {
		file, err := registry.Load(filepath.Join(dir, registry.FileName))
		if err != nil {
			t.Fatal(err)
		}
		s := Load(file)
		j := &Judge{Model: &registry.Model{Tables: file.Tables}, Schema: s, Base: dir}
		var b strings.Builder
		for _, f := range Silence(j.Findings(), s.Files, func(rule.Rule) bool { return true }) {
			if strings.Contains(lineOf(t, f.Place), "# ok") {
				t.Errorf("%s is reported although it is right: %s", f.Place, f.Message)
			}
			fmt.Fprintf(&b, "%s: %s\n", f.Place, f.Message)
		}
		for _, e := range s.Errors {
			fmt.Fprintf(&b, "%s: error: %s\n", e.Place, e.Message)
		}
		return b.String()
	})
}

// lineOf returns the line in which a place is.
func lineOf(t *testing.T, p evidence.Place) string {
	data, err := os.ReadFile(p.File)
	if err != nil {
		return "" // of an instance, or of a resource in a plan
	}
	start, end, _ := evidence.Lines(data, p.Line, p.Line)
	return string(data[start:end])
}

func TestStored(t *testing.T) {
	now := time.Date(2026, time.March, 1, 12, 0, 0, 0, time.UTC)
	at := func(d time.Duration) int64 { return now.Add(d).UnixMicro() }
	model := &registry.Model{Tables: []*registry.Table{{Pattern: "t", Families: []*registry.Family{
		{Name: "one", Strategy: registry.OneSecond, MaxAge: time.Second},
		{Name: "seq", Strategy: registry.Sequence, Versions: 1},
		{Name: "zero", Strategy: registry.Zero},
		{Name: "real", Strategy: registry.Real},
		{Name: "def", Strategy: registry.Default, TTL: time.Hour, MaxAge: time.Hour},
	}}}}
	for _, test := range []struct {
		family string
		micros []int64
		want   string
	}{
		{"one", []int64{at(time.Hour), at(-time.Hour)}, ""},
		{"one", []int64{at(-time.Hour), at(-2 * time.Hour)}, "2 of 2 sampled cells"},
		{"one", []int64{0, at(time.Hour)}, "1 of 2"},
		{"seq", []int64{1000, 2000}, ""},
		{"seq", []int64{1000, at(0)}, "1 of 2"},
		{"zero", []int64{0, 0}, ""},
		{"zero", []int64{0, at(0)}, "1 of 2"},
		{"zero", []int64{0, at(0), 1000}, "hide what is written at 0, and one column has several of them"},
		{"real", []int64{at(-time.Hour), at(time.Minute)}, ""},
		{"real", []int64{at(time.Hour)}, "1 of 1"},
		{"def", []int64{at(-2 * time.Hour), at(time.Hour)}, ""},
		{"def", []int64{7000}, "1 of 1"},
		{"other", []int64{7000}, ""},
		{"seq", nil, ""},
	} {
		got := Stored(model, []*Sample{{Table: "projects/p/instances/i/tables/t", Family: test.family, Taken: now, Micros: test.micros, Several: len(test.micros) > 2}})
		switch {
		case test.want == "" && len(got) > 0:
			t.Errorf("%s %v: %s", test.family, test.micros, got[0].Message)
		case test.want != "" && (len(got) != 1 || !strings.Contains(got[0].Message, test.want)):
			t.Errorf("%s %v: %v, want %q", test.family, test.micros, got, test.want)
		}
	}
}

// TestFind looks for sources in a tree with what is not one.
func TestFind(t *testing.T) {
	dir := extract(t, []txtar.File{
		{Name: "go.mod", Data: []byte("module m\n")},
		{Name: "infra/main.tf", Data: []byte("resource \"google_bigtable_table\" \"t\" {}\n")},
		{Name: "infra/other.tf", Data: []byte("resource \"google_storage_bucket\" \"t\" {}\n")},
		{Name: "deploy/job.yaml", Data: []byte("run: cbt createtable t\n")},
		{Name: "deploy/app.yaml", Data: []byte("kind: Deployment\n")},
		{Name: "setup", Data: []byte("#!/bin/sh\ncbt setgcpolicy t f maxage=1s\n")},
		{Name: "blob.sh", Data: []byte("cbt createtable\x00")},
		{Name: "node_modules/x.sh", Data: []byte("cbt createtable t\n")},
		{Name: "other/go.mod", Data: []byte("module o\n")},
		{Name: "other/x.sh", Data: []byte("cbt createtable t\n")},
		{Name: "testdata/x.sh", Data: []byte("cbt createtable t\n")},
	}...)
	if err := os.Symlink(dir, filepath.Join(dir, "infra", "loop")); err != nil {
		t.Skip(err)
	}
	found, err := Find(dir)
	if err != nil {
		t.Error(err)
	}
	var got []string
	for _, p := range found {
		rel, _ := filepath.Rel(dir, p)
		got = append(got, filepath.ToSlash(rel))
	}
	if want := []string{"deploy/job.yaml", "infra/main.tf", "setup"}; !slices.Equal(got, want) {
		t.Errorf("found %q, want %q", got, want)
	}
	for pattern, want := range map[string]string{
		"infra/*.tf": "infra/main.tf infra/other.tf", "**/*.yaml": "deploy/app.yaml deploy/job.yaml", "deploy": "deploy/job.yaml", "setup": "setup",
	} {
		paths, err := Expand(dir, []string{pattern})
		var got []string
		for _, p := range paths {
			rel, _ := filepath.Rel(dir, p)
			got = append(got, filepath.ToSlash(rel))
		}
		if err != nil || strings.Join(got, " ") != want {
			t.Errorf("%s is %q (%v), want %q", pattern, got, err, want)
		}
	}
	if _, err := Expand(dir, []string{"nosuch/*.tf"}); err == nil || err.Error() != "nosuch/*.tf: no such file" {
		t.Errorf("a pattern without files: %v", err)
	}
}

// TestRead holds the errors of files that cannot be read.
func TestRead(t *testing.T) {
	dir := extract(t, []txtar.File{
		{Name: "a.tf", Data: []byte("resource \"google_bigtable_table\" \"t\" {\n  name = \"t\"\n}\n")},
		{Name: "b.tf", Data: []byte("resource {\n")},
		{Name: "c.bin", Data: []byte("\x00\x01")},
		{Name: "d.txt", Data: []byte("hello\n")},
		{Name: "e.sh", Data: []byte("if then\n")},
	}...)
	var paths []string
	for _, name := range []string{"a.tf", "b.tf", "c.bin", "d.txt", "e.sh", "none.tf"} {
		paths = append(paths, filepath.Join(dir, name))
	}
	s := Read(paths, nil)
	var got []string
	for _, e := range s.Errors {
		got = append(got, strings.TrimPrefix(e.Place.String(), dir+string(filepath.Separator)))
	}
	if want := []string{"b.tf:1:10", "c.bin:1:1", "d.txt:1:1", "e.sh:1:1", "none.tf:1:1"}; !slices.Equal(got, want) {
		t.Errorf("errors stand at %q, want %q", got, want)
	}
	if len(s.Settings) != 1 {
		t.Errorf("%d settings: what is broken hides the rest", len(s.Settings))
	}
}
