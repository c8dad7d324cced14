package summary_test

import (
	"bytes"
	"encoding/gob"
	"go/types"
	"testing"

	"golang.org/x/tools/go/analysis"

	"github.com/ttlvet/ttlvet/internal/trace/layertest"
	"github.com/ttlvet/ttlvet/internal/trace/summary"

	"github.com/ttlvet/ttlvet/internal/value"
)

const src = `
-- names/names.go --
package names
func Family() string { return "" }
var Column = "c"
type Store struct { Table string }
func (*Store) Get() {}
type Namer interface { Name() string }
-- store/store.go --
package store
import "example.com/names"
var Default names.Store
func Named() names.Namer { return nil }
-- app/app.go --
package app
import "example.com/store"
var _ = store.Default
`

// of finds an object by its name, and its member by that member's.
func of(pkg *types.Package, name, member string) types.Object {
	obj := pkg.Scope().Lookup(name)
	if member != "" {
		obj, _, _ = types.LookupFieldOrMethod(obj.Type(), true, pkg, member)
	}
	return obj
}

// objects are those of names that have facts, each with a fact of its own.
var objects = []struct {
	name, member string
	fact         *summary.Summary
}{
	{"Family", "", &summary.Summary{Checks: []summary.Check{{Param: 1}}}},
	{"Column", "", &summary.Summary{Holds: []*value.Value{value.StrOf("c")}}},
	{"Store", "Get", &summary.Summary{Checks: []summary.Check{{Param: 2}}}},
	{"Store", "Table", &summary.Summary{Holds: []*value.Value{value.StrOf("t")}}},
	{"Namer", "Name", &summary.Summary{Now: true}},
}

func text(fact *summary.Summary) string {
	if fact.Now {
		return "now"
	}
	return fact.String()
}

// run analyses the packages of a program one after the other, and gives look
// the pass of each. written makes of a fact what a driver makes of it.
func run(t *testing.T, passes []*analysis.Pass, written func(*summary.Package) *summary.Package, look func(*analysis.Pass)) {
	t.Helper()
	known := map[*types.Package]*summary.Package{}
	for _, pass := range passes {
		pass.ImportPackageFact = func(pkg *types.Package, fact analysis.Fact) bool {
			if known[pkg] == nil {
				return false
			}
			*fact.(*summary.Package) = *known[pkg]
			return true
		}
		pass.ExportPackageFact = func(fact analysis.Fact) { known[pass.Pkg] = written(fact.(*summary.Package)) }
		store := summary.New(pass)
		inner := store.Pass()
		look(inner)
		if pass.Pkg.Name() == "names" {
			for _, o := range objects {
				inner.ExportObjectFact(of(pass.Pkg, o.name, o.member), o.fact)
			}
		}
		inner.ExportPackageFact(&summary.Helps{})
		store.Close()
	}
}

// Whoever imports a package learns of all its objects; whoever imports one that
// does learns of the members of its types only: the same by drivers that keep
// facts in memory and by those that write and read them.
func TestStore(t *testing.T) {
	for name, written := range map[string]func(*summary.Package) *summary.Package{
		"in memory": func(p *summary.Package) *summary.Package { return p },
		"written": func(p *summary.Package) *summary.Package {
			var b bytes.Buffer
			if err := gob.NewEncoder(&b).Encode(p); err != nil {
				t.Fatal(err)
			}
			back := new(summary.Package)
			if err := gob.NewDecoder(&b).Decode(back); err != nil {
				t.Fatal(err)
			}
			return back
		},
	} {
		t.Run(name, func(t *testing.T) {
			passes := layertest.Packages(t, src)
			names := passes[0].Pkg
			run(t, passes, written, func(pass *analysis.Pass) {
				for _, o := range objects {
					got := new(summary.Summary)
					found := pass.ImportObjectFact(of(names, o.name, o.member), got)
					want := pass.Pkg.Name() == "store" || pass.Pkg.Name() == "app" && o.member != ""
					if found != want || found && text(got) != text(o.fact) {
						t.Errorf("in %s: %s.%s is known: %t, %s", pass.Pkg.Name(), o.name, o.member, found, text(got))
					}
				}
				helps := pass.ImportPackageFact(names, new(summary.Helps))
				if helps != (pass.Pkg.Name() == "store") {
					t.Errorf("in %s: names helps: %t", pass.Pkg.Name(), helps)
				}
				if pass.ImportPackageFact(names, new(summary.Reach)) {
					t.Errorf("in %s: names reaches", pass.Pkg.Name())
				}
			})
		})
	}
}

// A fact made by one process and asked by objects of another universe of types,
// in the same process, answers too.
func TestOtherUniverse(t *testing.T) {
	var fact *summary.Package
	run(t, layertest.Packages(t, src), func(p *summary.Package) *summary.Package {
		if fact == nil {
			fact = p
		}
		return p
	}, func(*analysis.Pass) {})
	passes := layertest.Packages(t, src)
	pass := passes[1]
	pass.ImportPackageFact = func(_ *types.Package, f analysis.Fact) bool {
		*f.(*summary.Package) = *fact
		return true
	}
	inner := summary.New(pass).Pass()
	for _, o := range objects {
		var got summary.Summary
		if !inner.ImportObjectFact(of(passes[0].Pkg, o.name, o.member), &got) || text(&got) != text(o.fact) {
			t.Errorf("%s.%s: %s", o.name, o.member, text(&got))
		}
	}
}

// Of a package whose facts nobody wants there are none.
func TestUnwanted(t *testing.T) {
	pass := layertest.Packages(t, src)[0]
	pass.ExportPackageFact = nil
	store := summary.New(pass)
	if store.Pass().ExportPackageFact != nil {
		t.Error("the package fact is wanted")
	}
	store.Close()
}

// Two runs write the same bytes.
func TestSameBytes(t *testing.T) {
	write := func() (out []byte) {
		run(t, layertest.Packages(t, src), func(p *summary.Package) *summary.Package {
			data, err := p.GobEncode()
			if err != nil {
				t.Fatal(err)
			}
			out = append(out, data...)
			return p
		}, func(*analysis.Pass) {})
		return out
	}
	first := write()
	for range 5 {
		if !bytes.Equal(first, write()) {
			t.Fatal("the bytes differ")
		}
	}
}

// Bytes that are no facts are an error: none, some of them, others, and those of
// another layout.
func TestMalformed(t *testing.T) {
	var good []byte
	run(t, layertest.Packages(t, src), func(p *summary.Package) *summary.Package {
		data, err := p.GobEncode()
		if err != nil {
			t.Fatal(err)
		}
		if good == nil {
			good = data
		}
		return p
	}, func(*analysis.Pass) {})
	if err := new(summary.Package).GobDecode(good); err != nil {
		t.Fatal(err)
	}
	refused := func(data []byte) {
		t.Helper()
		if err := new(summary.Package).GobDecode(data); err == nil {
			t.Errorf("no error: %q", data)
		}
	}
	refused([]byte("facts"))
	for i := range good {
		refused(good[:i])
		changed := bytes.Clone(good)
		changed[i] ^= 1
		refused(changed)
	}
	refused(append(bytes.Clone(good), 0))
}

// A package of which nothing is known has a fact that says so.
func TestNothing(t *testing.T) {
	var fact *summary.Package
	pass := layertest.Packages(t, src)[0]
	pass.ExportPackageFact = func(f analysis.Fact) { fact = f.(*summary.Package) }
	summary.New(pass).Close()
	if fact == nil || fact.String() != "nothing" {
		t.Errorf("%v", fact)
	}
}

// Whatever the bytes are, reading them ends, with facts or with an error: also those of
// the objects.
func FuzzGobDecode(f *testing.F) {
	passes := layertest.Packages(f, src)
	passes[0].ExportPackageFact = func(fact analysis.Fact) {
		data, err := fact.(*summary.Package).GobEncode()
		if err != nil {
			f.Fatal(err)
		}
		body, err := summary.Unseal(data)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(body)
	}
	store := summary.New(passes[0])
	inner := store.Pass()
	for _, o := range objects {
		inner.ExportObjectFact(of(passes[0].Pkg, o.name, o.member), o.fact)
	}
	inner.ExportPackageFact(&summary.Reach{
		Declared:  []summary.Declared{{Table: value.StrOf("sessions"), Var: "names.Sessions", Where: "names.go:3"}},
		CellTimes: []string{"names.Cell.At"},
	})
	store.Close()
	f.Fuzz(func(t *testing.T, data []byte) {
		p := new(summary.Package)
		if err := p.GobDecode(summary.Seal(data)); err != nil {
			return
		}
		_ = p.ReadAll()
		again, err := p.GobEncode()
		if err != nil {
			t.Fatal(err)
		}
		if err := new(summary.Package).GobDecode(again); err != nil {
			t.Errorf("what was read cannot be read again: %v", err)
		}
	})
}

// What several cases hang on is one value for importers, in memory and written: who
// analyses packages side by side must not make it one for itself.
func TestShared(t *testing.T) {
	for name, written := range map[string]func(*summary.Package) *summary.Package{
		"in memory": func(p *summary.Package) *summary.Package { return p },
		"written": func(p *summary.Package) *summary.Package {
			data, err := p.GobEncode()
			if err != nil {
				t.Fatal(err)
			}
			back := new(summary.Package)
			if err := back.GobDecode(data); err != nil {
				t.Fatal(err)
			}
			return back
		},
	} {
		t.Run(name, func(t *testing.T) {
			passes := layertest.Packages(t, src)
			family := of(passes[0].Pkg, "Family", "")
			var known *summary.Package
			for _, pass := range passes[:2] {
				pass.ImportPackageFact = func(_ *types.Package, fact analysis.Fact) bool {
					*fact.(*summary.Package) = *known
					return true
				}
				pass.ExportPackageFact = func(fact analysis.Fact) { known = written(fact.(*summary.Package)) }
				store := summary.New(pass)
				inner := store.Pass()
				inner.ExportPackageFact(&summary.Helps{})
				if pass.Pkg.Name() == "names" {
					when := func() []summary.Guard {
						return []summary.Guard{{Cond: &value.Value{Kind: value.Param, Num: 1}, Want: true}}
					}
					inner.ExportObjectFact(family, &summary.Summary{
						Results: summary.Returning([]summary.ResultCase{{Guards: when()}, {Guards: when()}}...),
						Effects: []summary.Effect{{Cases: []summary.Case{{When: when()}, {Guards: when()}}}},
					})
				} else {
					var s summary.Summary
					if !inner.ImportObjectFact(family, &s) {
						t.Fatal("nothing is known")
					}
					if r := s.Results.Cases(); r[0].Guards[0].Cond != r[1].Guards[0].Cond || s.Effects[0].Cases[0].When[0].Cond != s.Effects[0].Cases[1].Guards[0].Cond {
						t.Error("equal conditions are two")
					}
				}
				store.Close()
			}
		})
	}
}
