package summary

import (
	"encoding/binary"
	"strings"

	"github.com/ttlvet/ttlvet/internal/value"
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
