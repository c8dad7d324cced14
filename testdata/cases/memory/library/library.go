// Package library gives what it has to functions and containers of the standard library,
// which change it, or hand it back to who changes it.
package library

import (
	"bytes"
	"container/list"
	"encoding/binary"
	"encoding/json"
	"maps"
	"math/rand"
	"slices"
	"sort"
	"sync"
	"sync/atomic"
	"time"

	"cloud.google.com/go/bigtable"
)

type T = bigtable.Timestamp

func later() T { return bigtable.Time(time.Now().Add(time.Hour)) }

type box struct{ ts T }

func okReversed(mut *bigtable.Mutation) {
	l := []T{0, later()}
	slices.Reverse(l)
	mut.Set("token", "a", l[0], nil)
}
func okSorted(mut *bigtable.Mutation) {
	l := []T{0, later()}
	sort.Slice(l, func(i, j int) bool { return l[i] > l[j] })
	mut.Set("token", "b", l[0], nil)
}
func okShuffled(mut *bigtable.Mutation) {
	l := []*box{{0}, {later()}}
	rand.Shuffle(2, func(i, j int) { l[i], l[j] = l[j], l[i] })
	mut.Set("token", "c", l[0].ts, nil)
}
func okDecoded(mut *bigtable.Mutation, data []byte) {
	b := &box{}
	_ = json.Unmarshal(data, b)
	mut.Set("token", "d", b.ts, nil)
}
func okRead(mut *bigtable.Mutation, data []byte) {
	var ts T
	_ = binary.Read(bytes.NewReader(data), binary.BigEndian, &ts)
	mut.Set("token", "e", ts, nil)
}
func okCopied(mut *bigtable.Mutation) {
	m := map[string]T{"a": 0}
	maps.Copy(m, map[string]T{"a": later()})
	mut.Set("token", "f", m["a"], nil)
}
func okInList(mut *bigtable.Mutation) {
	q := list.New()
	q.PushBack(&box{0})
	q.Front().Value.(*box).ts = later()
	mut.Set("token", "g", q.Front().Value.(*box).ts, nil)
}
func okInSyncMap(mut *bigtable.Mutation) {
	var m sync.Map
	b := &box{}
	m.Store("a", b)
	m.Range(func(k, v any) bool { v.(*box).ts = later(); return true })
	mut.Set("token", "h", b.ts, nil)
}
func okInAtomicValue(mut *bigtable.Mutation) {
	var v atomic.Value
	b := &box{}
	v.Store(b)
	v.Load().(*box).ts = later()
	mut.Set("token", "i", b.ts, nil)
}
func okPooled(mut *bigtable.Mutation) {
	p := sync.Pool{New: func() any { return &box{} }}
	b := p.Get().(*box)
	b.ts = later()
	p.Put(b)
	mut.Set("token", "j", p.Get().(*box).ts, nil)
}
func okByAtomicPointer(mut *bigtable.Mutation) {
	var p atomic.Pointer[box]
	b := &box{}
	p.Store(b)
	p.Load().ts = later()
	mut.Set("token", "k", b.ts, nil)
}
func okRangedAll(mut *bigtable.Mutation) {
	l := []T{0, 0}
	for i := range slices.All(l) {
		l[i] = later()
	}
	mut.Set("token", "l", l[0], nil)
}
func okRangedBackward(mut *bigtable.Mutation) {
	l := []*box{{}, {}}
	for _, b := range slices.Backward(l) {
		b.ts = later()
	}
	mut.Set("token", "m", l[0].ts, nil)
}
func okSortedCopy(mut *bigtable.Mutation) {
	l := slices.Clone([]*box{{}, {}})
	k := l
	slices.SortFunc(k, func(a, b *box) int { a.ts = later(); return 0 })
	mut.Set("token", "n", l[0].ts, nil)
}
func okCollected(mut *bigtable.Mutation) {
	m := map[string]*box{"a": {}}
	for _, b := range slices.Collect(maps.Values(m)) {
		b.ts = later()
	}
	mut.Set("token", "o", m["a"].ts, nil)
}
func okInserted(mut *bigtable.Mutation) {
	l := []T{0, 0}
	l = slices.Insert(l, 0, later())
	mut.Set("token", "p", l[0], nil)
}
func okDeleted(mut *bigtable.Mutation) {
	l := []T{0, later()}
	l = slices.Delete(l, 0, 1)
	mut.Set("token", "q", l[0], nil)
}
func okSortedSlice(mut *bigtable.Mutation) {
	l := []T{0, later()}
	sort.Slice(l[:], func(i, j int) bool { return i > j })
	k := l[:1]
	mut.Set("token", "r", k[0], nil)
}

type byTime []*box

func (b byTime) Len() int           { return len(b) }
func (b byTime) Less(i, j int) bool { return b[i].ts > b[j].ts }
func (b byTime) Swap(i, j int)      { b[i], b[j] = b[j], b[i] }

func okSortedByMethods(mut *bigtable.Mutation) {
	l := []*box{{0}, {later()}}
	sort.Sort(byTime(l))
	mut.Set("token", "s", l[0].ts, nil)
}

// What nobody was given is what it was.
func others(mut *bigtable.Mutation) {
	l, k := []T{0, 0}, []T{0, later()}
	slices.Reverse(k)
	mut.Set("token", "t", l[0], nil) // want `already-expired: .*"token"`
}
