package facts

import (
	"bytes"
	"cmp"
	"encoding/gob"
	"fmt"
	"go/types"
	"reflect"
	"slices"
	"sync"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/types/objectpath"

	"github.com/ttlvet/ttlvet/analyzers/internal/trace/summary"
)

// A record is what is known of an object.
type record struct {
	Object   objectpath.Path // set when it is written
	Summary  *summary.Summary
	Variable *summary.Variable
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
	case *summary.Summary:
		r.Summary = fact
	case *summary.Variable:
		r.Variable = fact
	default:
		panic(fmt.Sprintf("an object with a %T", fact))
	}
}

// find returns what is known of an object, or nil.
func (p *part) find(obj types.Object) *record {
	if p.made != nil && p.pkg == obj.Pkg() {
		return p.made[obj]
	}
	data, err := p.bytes()
	if err != nil {
		panic(err)
	}
	if len(data) == 0 {
		return nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.read == nil {
		if p.read, err = readRecords(data); err != nil {
			panic(err)
		}
	}
	if v, ok := obj.(*types.Var); ok && v.IsField() {
		return p.fieldsOf(obj.Pkg())[obj]
	}
	path, err := p.paths.For(obj)
	if err != nil {
		return nil // of an instance, or not part of the package's interface
	}
	return p.read[path]
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
		if r.Variable == nil {
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
func (p *part) bytes() ([]byte, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.data != nil || len(p.made) == 0 {
		return p.data, nil
	}
	var records []record
	for obj, r := range p.made {
		if path, err := p.paths.For(obj); err == nil {
			records = append(records, record{path, r.Summary, r.Variable})
		}
	}
	if len(records) == 0 {
		return nil, nil
	}
	slices.SortFunc(records, func(a, b record) int { return cmp.Compare(a.Object, b.Object) })
	pool := newPool()
	wire := wirePart{Records: pool.take(reflect.ValueOf(records)).Interface().([]record)}
	wire.Values = pool.encoded()
	var buf bytes.Buffer
	if err := gob.NewEncoder(&buf).Encode(wire); err != nil {
		return nil, fmt.Errorf("the facts of %s: %w", p.pkg.Path(), err)
	}
	p.data = buf.Bytes()
	return p.data, nil
}

// A wirePart is a part as it is written: what is in Records has numbers in the
// place of values.
type wirePart struct {
	Values  []byte
	Records []record
}

func readRecords(data []byte) (map[objectpath.Path]*record, error) {
	var wire wirePart
	if err := gob.NewDecoder(bytes.NewReader(data)).Decode(&wire); err != nil {
		return nil, fmt.Errorf("the facts of objects: %w", err)
	}
	values, err := decodeValues(wire.Values)
	if err != nil {
		return nil, err
	}
	restore(reflect.ValueOf(wire.Records), values)
	read := map[objectpath.Path]*record{}
	for i := range wire.Records {
		read[wire.Records[i].Object] = &wire.Records[i]
	}
	return read, nil
}
