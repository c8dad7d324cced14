package summary

import (
	"fmt"
	"go/types"
	"maps"
	"reflect"
	"slices"
	"sync"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/types/objectpath"
)

// A record is what is known of an object.
type record struct {
	summary  *Summary
	variable *Variable

	unread *reader // of facts that nobody asked yet, or nil
	kinds  kinds   // of these
}

// kinds are the facts that an object has.
type kinds byte

const (
	function kinds = 1 << iota
	variable
)

// read returns the record with its facts.
func (r *record) read() *record {
	if r == nil || r.unread == nil {
		return r
	}
	if r.kinds&function != 0 {
		r.summary = new(Summary)
		r.unread.take(reflect.ValueOf(r.summary).Elem())
	}
	if r.kinds&variable != 0 {
		r.variable = new(Variable)
		r.unread.take(reflect.ValueOf(r.variable).Elem())
	}
	r.unread = nil
	return r
}

// put writes the facts, after which there are.
func (r *record) put(w *writer) {
	var of kinds
	if r.summary != nil {
		of |= function
	}
	if r.variable != nil {
		of |= variable
	}
	w.out = append(w.out, byte(of))
	if r.summary != nil {
		w.put(reflect.ValueOf(r.summary).Elem())
	}
	if r.variable != nil {
		w.put(reflect.ValueOf(r.variable).Elem())
	}
}

// A part holds the facts of some objects of a package: those of the process that
// analysed it, or written, by the objects' paths.
type part struct {
	pkg  *types.Package // of the objects in made
	made map[types.Object]*record

	mu     sync.Mutex
	data   []byte // as written; not yet read where read is nil
	read   map[objectpath.Path]*record
	paths  objectpath.Encoder
	fields map[*types.Package]map[types.Object]*record // of read
}

func (p *part) empty() bool { return len(p.made) == 0 && len(p.data) == 0 }

func (p *part) add(obj types.Object, fact analysis.Fact) {
	if p.made == nil {
		p.pkg, p.made = obj.Pkg(), map[types.Object]*record{}
	}
	r := p.made[obj]
	if r == nil {
		r = new(record)
		p.made[obj] = r
	}
	switch fact := fact.(type) {
	case *Summary:
		r.summary = fact
	case *Variable:
		r.variable = fact
	default:
		panic(fmt.Sprintf("an object with a %T", fact))
	}
}

// find returns what is known of an object, or nil.
func (p *part) find(obj types.Object) *record {
	if p.made != nil && p.pkg == obj.Pkg() {
		return p.made[obj]
	}
	data := p.bytes()
	if len(data) == 0 {
		return nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.read == nil {
		p.read = readRecords(data)
	}
	if v, ok := obj.(*types.Var); ok && v.IsField() {
		return p.fieldsOf(obj.Pkg())[obj].read()
	}
	path, err := p.paths.For(obj)
	if err != nil {
		return nil // of an instance, or not part of the package's interface
	}
	return p.read[path].read()
}

// fieldsOf finds the fields that have facts: unlike the path of a function, that of
// a field takes a search through the whole package.
func (p *part) fieldsOf(pkg *types.Package) map[types.Object]*record {
	found, ok := p.fields[pkg]
	if ok {
		return found
	}
	found = map[types.Object]*record{}
	for path, r := range p.read {
		if r.kinds&variable == 0 {
			continue
		}
		if obj, err := objectpath.Object(pkg, path); err == nil {
			found[obj] = r
		}
	}
	if p.fields == nil {
		p.fields = map[*types.Package]map[types.Object]*record{}
	}
	p.fields[pkg] = found
	return found
}

// bytes returns the part as it is written. What other packages cannot name is
// left out.
func (p *part) bytes() []byte {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.data != nil || len(p.made) == 0 {
		return p.data
	}
	byPath := map[objectpath.Path]*record{}
	for obj, r := range p.made {
		if path, err := p.paths.For(obj); err == nil {
			byPath[path] = r
		}
	}
	if len(byPath) == 0 {
		return nil
	}
	pool := newPool()
	all := &writer{pool: pool}
	for _, path := range slices.Sorted(maps.Keys(byPath)) {
		one := &writer{pool: pool}
		byPath[path].put(one)
		all.uint(pool.text(string(path)))
		all.out = appendText(all.out, one.out)
	}
	p.data = all.encoded()
	return p.data
}

// readRecords finds the records of a part, to be read when they are asked.
func readRecords(data []byte) map[objectpath.Path]*record {
	r := newReader(data)
	found := map[objectpath.Path]*record{}
	for len(r.data) > 0 {
		path, facts := r.text(), r.bytes()
		found[objectpath.Path(path)] = &record{kinds: kinds(facts[0]), unread: r.at(facts[1:])}
	}
	return found
}
