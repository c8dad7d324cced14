package summary

import (
	"go/types"
	"maps"
	"reflect"
	"slices"
	"sync"

	"golang.org/x/tools/go/types/objectpath"
)

// A record is what is known of an object.
type record struct {
	summary *Summary
	unread  *reader // of a summary that nobody asked yet, or nil
}

// read returns what is known, or nil.
func (r *record) read() *Summary {
	if r == nil {
		return nil
	}
	if r.unread != nil {
		r.summary = new(Summary)
		r.unread.take(reflect.ValueOf(r.summary).Elem())
		r.unread = nil
	}
	return r.summary
}

// A part holds the facts of some objects of a package: those of the process that
// analysed it, or written, by the objects' paths.
type part struct {
	pkg  *types.Package // of the objects in made
	made map[types.Object]*Summary

	mu     sync.Mutex
	data   []byte // as written; not yet read where read is nil
	read   map[objectpath.Path]*record
	paths  objectpath.Encoder
	fields map[*types.Package]map[types.Object]*record // of read
}

func (p *part) empty() bool { return len(p.made) == 0 && len(p.data) == 0 }

func (p *part) add(obj types.Object, fact *Summary) {
	if p.made == nil {
		p.pkg, p.made = obj.Pkg(), map[types.Object]*Summary{}
	}
	p.made[obj] = fact
}

// find returns what is known of an object, or nil.
func (p *part) find(obj types.Object) *Summary {
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
	byPath := map[objectpath.Path]*Summary{}
	for obj, s := range p.made {
		if path, err := p.paths.For(obj); err == nil {
			byPath[path] = s
		}
	}
	if len(byPath) == 0 {
		return nil
	}
	pool := newPool()
	all := &writer{pool: pool}
	for _, path := range slices.Sorted(maps.Keys(byPath)) {
		one := &writer{pool: pool}
		one.put(reflect.ValueOf(byPath[path]).Elem())
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
		found[objectpath.Path(path)] = &record{unread: r.at(facts)}
	}
	return found
}
