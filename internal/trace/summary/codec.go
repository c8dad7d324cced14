package summary

import (
	"encoding/binary"
	"errors"
	"reflect"
	"strings"
	"sync"

	"github.com/ttlvet/ttlvet/internal/value"
)

// A writer writes facts without a description of their types: who reads them is
// the same program, since drivers make facts anew for another. (What package
// encoding/gob prepares for each type takes longer than reading a package's
// facts.) Fields come in their order, after a number that says which are there;
// texts and values are numbers of those in a pool, which comes first.
type writer struct {
	pool *pool
	out  []byte
}

func newWriter() *writer { return &writer{pool: newPool()} }

func (w *writer) uint(n uint64) { w.out = binary.AppendUvarint(w.out, n) }

// put writes a struct, or what is in one.
func (w *writer) put(x reflect.Value) {
	switch x.Kind() {
	case reflect.Bool:
		w.uint(1) // false is not there
	case reflect.Int:
		w.out = binary.AppendVarint(w.out, x.Int())
	case reflect.String:
		w.uint(w.pool.text(x.String()))
	case reflect.Slice:
		w.uint(uint64(x.Len()))
		for i := range x.Len() {
			w.put(x.Index(i))
		}
	case reflect.Struct:
		fields, there := writtenFields(x.Type()), uint64(0)
		for bit, i := range fields {
			if f := x.Field(i); !f.IsZero() && (f.Kind() != reflect.Slice || f.Len() > 0) {
				there |= 1 << bit
			}
		}
		w.uint(there)
		for bit, i := range fields {
			if there&(1<<bit) != 0 {
				w.put(x.Field(i))
			}
		}
	default:
		switch x := x.Interface().(type) {
		case *value.Value:
			w.uint(uint64(w.pool.add(x)))
		case *Results:
			w.put(reflect.ValueOf(x.All()))
		}
	}
}

// encoded returns what was written.
func (w *writer) encoded() []byte { return append(w.pool.encoded(), w.out...) }

// writtenFields are the fields of a struct that are written, by their index:
// positions and expressions have no meaning elsewhere.
func writtenFields(t reflect.Type) []int {
	if known, ok := fieldsOfTypes.Load(t); ok {
		return known.([]int)
	}
	var fields []int
	for i := range t.NumField() {
		if f := t.Field(i); f.IsExported() && f.Type.Kind() != reflect.Interface {
			fields = append(fields, i)
		}
	}
	fieldsOfTypes.Store(t, fields)
	return fields
}

// fieldsOfTypes has what writtenFields found, by type: reflection makes a copy of
// each field that is asked for.
var fieldsOfTypes sync.Map

// A reader reads what a writer wrote. What it reads panics where it is malformed;
// see [malformed].
type reader struct {
	data   []byte
	texts  []string
	values []value.Value
}

func newReader(data []byte) *reader {
	r := &reader{data: data}
	r.readPool()
	return r
}

// at returns a reader of other data with the same pool.
func (r *reader) at(data []byte) *reader {
	c := *r
	c.data = data
	return &c
}

func (r *reader) uint() int {
	x, n := binary.Uvarint(r.data)
	r.data = r.data[n:]
	return int(x)
}

func (r *reader) int() int64 {
	x, n := binary.Varint(r.data)
	r.data = r.data[n:]
	return x
}

func (r *reader) byte() byte {
	b := r.data[0]
	r.data = r.data[1:]
	return b
}

// length reads how many there are of something that takes a byte at least.
func (r *reader) length() int {
	n := r.uint()
	_ = r.data[:n]
	return n
}

func (r *reader) text() string { return r.texts[r.uint()] }

func (r *reader) bytes() []byte {
	n := r.uint()
	b := r.data[:n:n]
	r.data = r.data[n:]
	return b
}

// take reads a struct, or what is in one, into x.
func (r *reader) take(x reflect.Value) {
	switch x.Kind() {
	case reflect.Bool:
		x.SetBool(r.uint() == 1)
	case reflect.Int:
		x.SetInt(r.int())
	case reflect.String:
		x.SetString(r.text())
	case reflect.Slice:
		n := r.length()
		x.Set(reflect.MakeSlice(x.Type(), n, n))
		for i := range n {
			r.take(x.Index(i))
		}
	case reflect.Struct:
		there := r.uint()
		for bit, i := range writtenFields(x.Type()) {
			if there&(1<<bit) != 0 {
				r.take(x.Field(i))
			}
		}
	default:
		if x.Type() == reflect.TypeFor[*Results]() {
			results := new(Results)
			r.take(reflect.ValueOf(&results.Known).Elem())
			x.Set(reflect.ValueOf(results))
			return
		}
		x.Set(reflect.ValueOf(&r.values[r.uint()-1]))
	}
}

// errMalformed is the error of facts that nobody wrote so.
var errMalformed = errors.New("malformed facts")

// malformed makes of a panic of a reader an error.
func malformed(err *error) {
	if recover() != nil {
		*err = errMalformed
	}
}

// A pool holds the values of the facts of a part, each once. What functions of a
// package do is mostly told of the same tables, keys and clocks, in trees that
// have nearly all of their branches in common: written one by one they are five
// times as long.
type pool struct {
	texts  map[string]int
	strung []string
	nodes  map[string]int
	bytes  []byte // of the nodes, parts first
	count  int
}

func newPool() *pool { return &pool{texts: map[string]int{}, nodes: map[string]int{}} }

func (p *pool) text(s string) uint64 {
	i, ok := p.texts[s]
	if !ok {
		i = len(p.strung)
		p.texts[s] = i
		p.strung = append(p.strung, s)
	}
	return uint64(i)
}

// add returns a value's number, from 1.
func (p *pool) add(v *value.Value) int {
	node := []byte{byte(v.Kind), byte(v.Class)}
	node = binary.AppendUvarint(node, p.text(v.Name))
	node = binary.AppendUvarint(node, p.text(v.Dynamic))
	node = binary.AppendVarint(node, v.Num)
	node = binary.AppendUvarint(node, uint64(len(v.Keys)))
	for _, k := range v.Keys {
		node = binary.AppendUvarint(node, p.text(k))
	}
	node = binary.AppendUvarint(node, uint64(len(v.Args)))
	for _, a := range v.Args {
		node = binary.AppendUvarint(node, uint64(p.add(a)))
	}
	n, ok := p.nodes[string(node)]
	if !ok {
		p.count++
		n = p.count
		p.nodes[string(node)] = n
		p.bytes = append(p.bytes, node...)
	}
	return n
}

// encoded returns the pool's values as they are written: the number of texts, their
// lengths, the texts, the number of nodes and the nodes. Something stands between
// texts, so that a name stays a word for who looks for names in facts.
func (p *pool) encoded() []byte {
	out := binary.AppendUvarint(nil, uint64(len(p.strung)))
	for _, s := range p.strung {
		out = binary.AppendUvarint(out, uint64(len(s)))
	}
	out = append(out, strings.Join(p.strung, "\x00")...)
	out = binary.AppendUvarint(out, uint64(p.count))
	return append(out, p.bytes...)
}

// readPool reads the pool.
func (r *reader) readPool() {
	lengths := make([]int, r.length())
	total := 0
	for i := range lengths {
		lengths[i] = r.uint()
		total += lengths[i] + 1
	}
	total = max(0, total-1)
	all := string(r.data[:total]) + "\x00"
	r.data = r.data[total:]
	r.texts = make([]string, len(lengths))
	for i, n := range lengths {
		r.texts[i], all = all[:n], all[n+1:]
	}
	r.values = make([]value.Value, r.length())
	for i := range r.values {
		v := &r.values[i]
		v.Kind, v.Class = value.Kind(r.byte()), value.Class(r.byte())
		v.Name, v.Dynamic, v.Num = r.text(), r.text(), r.int()
		if n := r.length(); n > 0 {
			v.Keys = make([]string, n)
			for j := range v.Keys {
				v.Keys[j] = r.text()
			}
		}
		if n := r.length(); n > 0 {
			v.Args = make([]*value.Value, n)
			for j := range v.Args {
				v.Args[j] = &r.values[:i][r.uint()-1] // parts come first
			}
		}
	}
}
