package main

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/ttlvet/ttlvet/cmd/ttlvet/internal/jsontree"
	"github.com/ttlvet/ttlvet/internal/registry"
)

// TestBlindDrafts drafts the registries of the modules whose authors had seen
// nothing of ttlvet, from their code alone. Each draft loads, with no handle
// that names nothing, and what it decides is held to the module's own registry.
// These modules are full of mistakes on purpose, on which every other module is
// shorter: what cannot be told from that is left open.
func TestBlindDrafts(t *testing.T) {
	slow(t, "analyses every module twice")
	registries, err := filepath.Glob("../../testdata/blind/*/" + registry.FileName)
	if err != nil {
		t.Fatal(err)
	}
	of, err := filepath.Glob("../../testdata/blind/*/*/" + registry.FileName)
	if err != nil {
		t.Fatal(err)
	}
	// Three times the current time, and nothing else, in a family that is meant
	// to expire.
	// Of adprobes the programs are single files: its writers set an hour more than they
	// should have, and no other.
	wrong := map[string]int{"writes": 1, "adprobes": 1}
	var sum draftScore
	ran := 0
	var mu sync.Mutex
	t.Run("modules", func(t *testing.T) {
		for _, own := range append(registries, of...) {
			dir, err := filepath.Rel("../../testdata/blind", filepath.Dir(own))
			if err != nil {
				t.Fatal(err)
			}
			t.Run(filepath.ToSlash(dir), func(t *testing.T) {
				alongside(t)
				s := scoreDraft(t, dir)
				if s.wrong > wrong[dir] {
					t.Errorf("%d families are decided wrong, not at most %d", s.wrong, wrong[dir])
				}
				mu.Lock()
				defer mu.Unlock()
				t.Logf("%d right, %d wrong, %d left open, %d of tables that its registry has not", s.right, s.wrong, s.open, s.other)
				ran++
				sum.right += s.right
				sum.wrong += s.wrong
				sum.open += s.open
				sum.other += s.other
			})
		}
	})
	t.Logf("all: %d right, %d wrong, %d left open, %d of tables that no registry has", sum.right, sum.wrong, sum.open, sum.other)
	if ran == len(registries)+len(of) && sum.right < 360 {
		t.Errorf("%d families are decided right, not at least 360", sum.right)
	}
}

// A draftScore counts the families of a module's registry by what a draft says
// of them.
type draftScore struct{ right, wrong, open, other int }

// scoreDraft drafts the registry of the module in a directory of testdata/blind.
func scoreDraft(t *testing.T, name string) (s draftScore) {
	top, _, _ := strings.Cut(filepath.ToSlash(name), "/")
	root := t.TempDir()
	copyWithout(t, filepath.Join("../../testdata/blind", top), filepath.Join(root, top))
	dir := filepath.Join(root, name)
	own, err := registry.Load(filepath.Join("../../testdata/blind", name, registry.FileName))
	if err != nil {
		t.Fatal(err)
	}
	run := func(args ...string) []byte {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), "ttlvet", args...)
		cmd.Dir = dir
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("ttlvet %s: %v\n%s", strings.Join(args, " "), err, stderrOf(err))
		}
		return out
	}
	run("init")
	drafted, err := registry.Load(filepath.Join(dir, registry.FileName))
	if err != nil {
		t.Fatalf("the draft does not load: %v\n%s", err, read(t, filepath.Join(dir, registry.FileName)))
	}
	var tree jsontree.Tree
	if err := json.Unmarshal(run("-json", "./..."), &tree); err != nil {
		t.Fatal(err)
	}
	for _, byAnalyzer := range tree {
		for _, d := range byAnalyzer["ttlvet"] {
			if d.Category == "registry" {
				t.Errorf("the draft is reported: %s", d.Message)
			}
		}
	}
	model := &registry.Model{Tables: own.Tables}
	decided := map[*registry.Family]bool{}
	for _, table := range drafted.Tables {
		for _, f := range table.Families {
			want, _ := model.Family(registry.Ref{Name: table.Pattern, Handles: table.Handles}, f.Name)
			switch {
			case want == nil:
				s.other++
			case contradicts(f, want):
				s.wrong++
				t.Logf("family %q of table %q is drafted as %+v, and is %+v", f.Name, table.Pattern, f.Agreement(), want.Agreement())
			default:
				s.right++
			}
			decided[want] = true
		}
	}
	for _, table := range own.Tables {
		for _, f := range table.Families {
			if !decided[f] {
				s.open++
			}
		}
	}
	return s
}

// contradicts reports whether two declarations of a family differ in what both
// say.
func contradicts(f, g *registry.Family) bool {
	differ := func(a, b int64) bool { return a != b && a != 0 && b != 0 }
	return f.Strategy != g.Strategy || differ(int64(f.TTL), int64(g.TTL)) || differ(int64(f.Versions), int64(g.Versions)) || f.Strategy == registry.Real && differ(int64(f.MaxAge), int64(g.MaxAge))
}

// copyWithout copies a module without its registries.
func copyWithout(t *testing.T, from, to string) {
	err := filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || d.Name() == registry.FileName {
			return err
		}
		rel, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		writeFile(t, filepath.Join(to, rel), read(t, path), 0o666)
		return nil
	})
	if err != nil {
		t.Fatal(fmt.Errorf("copying %s: %w", from, err))
	}
}
