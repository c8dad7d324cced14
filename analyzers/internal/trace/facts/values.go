package facts

import (
	"encoding/binary"
	"errors"
	"reflect"
	"strconv"
	"strings"

	"github.com/ttlvet/ttlvet/analyzers/internal/value"
)

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

// take replaces the values that x holds by their numbers, in a copy.
func (p *pool) take(x reflect.Value) reflect.Value {
	return copied(x, func(v *value.Value) *value.Value { return &value.Value{Num: int64(p.add(v))} })
}

// encoded returns the pool's values as they are written: the number of texts, their
// lengths, the texts, the number of nodes and the nodes.
func (p *pool) encoded() []byte {
	out := binary.AppendUvarint(nil, uint64(len(p.strung)))
	for _, s := range p.strung {
		out = binary.AppendUvarint(out, uint64(len(s)))
	}
	out = append(out, strings.Join(p.strung, "")...)
	out = binary.AppendUvarint(out, uint64(p.count))
	return append(out, p.bytes...)
}

// decodeValues returns the values of a pool.
func decodeValues(data []byte) (values []value.Value, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = errors.New("malformed values")
		}
	}()
	uint := func() int {
		x, n := binary.Uvarint(data)
		data = data[n:]
		return int(x)
	}
	lengths := make([]int, uint())
	total := 0
	for i := range lengths {
		lengths[i] = uint()
		total += lengths[i]
	}
	all := string(data[:total])
	data = data[total:]
	texts := make([]string, len(lengths))
	for i, n := range lengths {
		texts[i], all = all[:n], all[n:]
	}
	values = make([]value.Value, uint())
	for i := range values {
		v := &values[i]
		v.Kind, v.Class = value.Kind(data[0]), value.Class(data[1])
		data = data[2:]
		v.Name = texts[uint()]
		num, n := binary.Varint(data)
		v.Num, data = num, data[n:]
		if n := uint(); n > 0 {
			v.Keys = make([]string, n)
			for j := range v.Keys {
				v.Keys[j] = texts[uint()]
			}
		}
		if n := uint(); n > 0 {
			v.Args = make([]*value.Value, n)
			for j := range v.Args {
				v.Args[j] = &values[:i][uint()-1] // parts come first
			}
		}
	}
	return values, nil
}

var valueType = reflect.TypeFor[*value.Value]()

// copied returns a copy of x in which the values are replaced.
func copied(x reflect.Value, replace func(*value.Value) *value.Value) reflect.Value {
	switch x.Kind() {
	case reflect.Pointer:
		if x.IsNil() {
			return x
		}
		if x.Type() == valueType {
			return reflect.ValueOf(replace(x.Interface().(*value.Value)))
		}
		c := reflect.New(x.Type().Elem())
		c.Elem().Set(copied(x.Elem(), replace))
		return c
	case reflect.Slice:
		if x.IsNil() {
			return x
		}
		c := reflect.MakeSlice(x.Type(), x.Len(), x.Len())
		for i := range x.Len() {
			c.Index(i).Set(copied(x.Index(i), replace))
		}
		return c
	case reflect.Struct:
		c := reflect.New(x.Type()).Elem()
		for i := range x.NumField() {
			if f := x.Type().Field(i); f.IsExported() && f.Type.Kind() != reflect.Interface {
				c.Field(i).Set(copied(x.Field(i), replace))
			}
		}
		return c
	}
	return x
}

// restore puts the values themselves in the place of their numbers in x.
func restore(x reflect.Value, values []value.Value) {
	switch x.Kind() {
	case reflect.Pointer:
		if x.IsNil() {
			return
		}
		if x.Type() != valueType {
			restore(x.Elem(), values)
			return
		}
		n := int(x.Interface().(*value.Value).Num)
		if n < 1 || n > len(values) {
			panic("value " + strconv.Itoa(n) + " of " + strconv.Itoa(len(values)))
		}
		x.Set(reflect.ValueOf(&values[n-1]))
	case reflect.Slice:
		if holdsValues(x.Type().Elem()) {
			for i := range x.Len() {
				restore(x.Index(i), values)
			}
		}
	case reflect.Struct:
		for i := range x.NumField() {
			if f := x.Type().Field(i); f.IsExported() && holdsValues(f.Type) {
				restore(x.Field(i), values)
			}
		}
	}
}

// holdsValues reports whether there may be values in a type.
func holdsValues(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Struct:
		return true
	}
	return false
}
