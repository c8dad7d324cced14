package ttlguard

import (
	"bytes"
	"hash/maphash"
	"maps"
	"slices"
	"sync"
	"sync/atomic"

	"cloud.google.com/go/bigtable/apiv2/bigtablepb"

	"github.com/ttlvet/ttlvet/runtime/strategy"
)

var seed = maphash.MakeSeed()

// cell hashes what names a cell.
func cell(family string, column []byte, micros int64) uint64 {
	const odd = 0x9e3779b97f4a7c15 // spreads bits, as in hash/maphash
	h := maphash.Bytes(seed, column) ^ maphash.String(seed, family)*odd
	return (h ^ uint64(micros)) * odd
}

// An order is what was written so far by the operations on one row. What has
// the same hash is compared.
type order struct {
	all     []*bigtablepb.Mutation
	cells   map[uint64]int   // where each cell was written last
	columns map[uint64][]int // where each column was written; nil when nothing is deleted
	// families are those that were written, with where they were deleted.
	families map[string]int
	budget   int // of comparisons
}

// order judges the operations on one row by their order: a second write to one
// cell, and a deletion after a write that it covers.
func (c *checker) order(all []*bigtablepb.Mutation, deletes bool) {
	o := order{all: all, cells: make(map[uint64]int, len(all)), budget: 100_000}
	if deletes {
		o.columns, o.families = map[uint64][]int{}, map[string]int{}
	}
	for i, m := range all {
		switch op := m.GetMutation().(type) {
		case *bigtablepb.Mutation_SetCell_:
			s := op.SetCell
			at := cell(s.GetFamilyName(), s.GetColumnQualifier(), s.GetTimestampMicros())
			j, again := o.cells[at]
			o.cells[at] = i
			deleted := -1
			if deletes {
				column := cell(s.GetFamilyName(), s.GetColumnQualifier(), 0)
				o.columns[column] = append(o.columns[column], i)
				if at, ok := o.families[s.GetFamilyName()]; ok {
					deleted = at
				} else {
					o.families[s.GetFamilyName()] = -1
				}
			}
			if f := c.familyOf(s.GetFamilyName()); again && j > deleted && f != nil && f.Strategy.Artificial() && sameCell(all[j].GetSetCell(), s) {
				c.sameTimestamp(f)
			}
		case *bigtablepb.Mutation_DeleteFromColumn_:
			if o.deleted(op.DeleteFromColumn, c.now) {
				c.deleteAfterSet(op.DeleteFromColumn.GetFamilyName())
			}
		case *bigtablepb.Mutation_DeleteFromFamily_:
			o.familyDeleted(c, op.DeleteFromFamily.GetFamilyName(), i)
		case *bigtablepb.Mutation_DeleteFromRow_:
			for _, name := range slices.Sorted(maps.Keys(o.families)) {
				o.familyDeleted(c, name, i)
			}
		}
	}
}

// deleted reports whether cells that were written are deleted in a column.
// They can be written again.
func (o *order) deleted(d *bigtablepb.Mutation_DeleteFromColumn, now int64) bool {
	found := false
	for _, j := range o.columns[cell(d.GetFamilyName(), d.GetColumnQualifier(), 0)] {
		if o.budget--; o.budget < 0 {
			break
		}
		if s := o.all[j].GetSetCell(); covers(d, s, now) {
			found = true
			delete(o.cells, cell(s.GetFamilyName(), s.GetColumnQualifier(), s.GetTimestampMicros()))
		}
	}
	return found
}

// familyDeleted says that a family is deleted, which matters if it was written.
func (o *order) familyDeleted(c *checker, name string, i int) {
	if _, ok := o.families[name]; ok {
		o.families[name] = i
		c.deleteAfterSet(name)
	}
}

func sameCell(a, b *bigtablepb.Mutation_SetCell) bool {
	return a.GetFamilyName() == b.GetFamilyName() && bytes.Equal(a.GetColumnQualifier(), b.GetColumnQualifier()) && a.GetTimestampMicros() == b.GetTimestampMicros()
}

// covers reports whether a deletion deletes a cell that was written before.
func covers(d *bigtablepb.Mutation_DeleteFromColumn, s *bigtablepb.Mutation_SetCell, now int64) bool {
	if d.GetFamilyName() != s.GetFamilyName() || !bytes.Equal(d.GetColumnQualifier(), s.GetColumnQualifier()) {
		return false
	}
	at := s.GetTimestampMicros()
	if at == -1 {
		at = now
	}
	r := d.GetTimeRange()
	return at >= r.GetStartTimestampMicros() && (r.GetEndTimestampMicros() == 0 || at < r.GetEndTimestampMicros())
}

func (c *checker) sameTimestamp(f *strategy.Family) {
	remedy := "write the column once"
	if f.Strategy == strategy.Sequence {
		remedy = "write it once, or give each value its own number"
	}
	c.add("ttlwrite/same-timestamp", f, "second write to a column of "+c.name(f)+" at the same timestamp in one mutation: the first value is lost; "+remedy)
}

func (c *checker) deleteAfterSet(family string) {
	f := c.familyOf(family)
	if f == nil {
		f = &strategy.Family{Name: family}
	}
	c.add("ttlwrite/delete-after-set", f, "deletion after a write to family \""+family+"\" in the same mutation deletes the new value; delete first, then write")
}

// maxZeros bounds how many rows are remembered.
const maxZeros = 4096

// zeros remembers the cells of sequential numbers that were written with
// timestamp 0: the first number of a sequence may be 0, but numbers below 1000
// become 0 too where they are not multiplied by 1000. What tells them apart is
// that another value comes with the same number.
type zeros struct {
	some atomic.Bool // whether there is any
	mu   sync.Mutex
	rows map[uint64]map[uint64]uint64 // by row: by column, the value
}

// forget says that something of a row was deleted, or not written after all: it
// may be written anew.
func (z *zeros) forget(row uint64) {
	z.mu.Lock()
	defer z.mu.Unlock()
	delete(z.rows, row)
}

// numbersZero judges writes with the number 0 to one row.
func (c *checker) numbersZero(row []byte, all []*bigtablepb.Mutation) {
	for _, m := range all {
		s := m.GetSetCell()
		if s == nil || s.GetTimestampMicros() != 0 {
			continue
		}
		f := c.familyOf(s.GetFamilyName())
		if f == nil || f.Strategy != strategy.Sequence {
			continue
		}
		if c.g.zeros.replaces(cell(c.id, row, 0), cell(f.Name, s.GetColumnQualifier(), 0), maphash.Bytes(seed, s.GetValue())) {
			c.add("ttlwrite/unscaled-sequence", f, "write to "+c.name(f)+" uses the number 0 again, and replaces another value: numbers below 1000 become 0 where they are not multiplied by 1000; set the number * 1000")
		}
	}
}

// replaces reports whether the column of the row has another value, and
// remembers the first.
func (z *zeros) replaces(row, column, value uint64) bool {
	z.mu.Lock()
	defer z.mu.Unlock()
	z.some.Store(true)
	if z.rows == nil || len(z.rows) >= maxZeros && z.rows[row] == nil {
		z.rows = map[uint64]map[uint64]uint64{}
	}
	if z.rows[row] == nil || len(z.rows[row]) >= maxZeros {
		z.rows[row] = map[uint64]uint64{}
	}
	before, ok := z.rows[row][column]
	if !ok {
		z.rows[row][column] = value
	}
	return ok && before != value
}
