package summary

import (
	"encoding/binary"
	"errors"
	"reflect"
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
