package ttlguard

import (
	"sync"

	"cloud.google.com/go/bigtable/apiv2/bigtablepb"

	"github.com/ttlvet/ttlvet/runtime/strategy"
	"github.com/ttlvet/ttlvet/runtime/strategy/filter"
)

// How deep filters and policies are looked into, and how much of a filter. The
// service allows a depth of 20 and 20 KB.
const (
	maxDepth = 100
	maxNodes = 10_000
)

// valueBitmask is a filter of values that clients have since v1.56: in the
// message RowFilter, the field value_bitmask_filter.
const valueBitmask = 20

// A reader reads filters as trees, and judges these. It is used for one filter
// after the other, with the same memory.
type reader struct {
	now      int64 // in microseconds
	patterns *filter.Cache
	nodes    int  // that were read
	strange  bool // whether a part was left out, as not known or too deep
	reading  filter.Reading

	trees  [][]filter.Tree // from which nodes are taken
	taken  int
	groups []*filter.Tree // from which lists of nodes are taken
}

// readers are those that are free.
var readers = sync.Pool{New: func() any { return &reader{} }}

// perBlock is how many nodes are allocated at once: more than filters have.
const perBlock = 16

// node returns a node of that kind.
func (r *reader) node(op filter.Op) *filter.Tree {
	if r.taken == len(r.trees)*perBlock {
		r.trees = append(r.trees, make([]filter.Tree, perBlock))
	}
	t := &r.trees[r.taken/perBlock][r.taken%perBlock]
	r.taken++
	t.Reset(op)
	return t
}

// list returns a list for so many nodes.
func (r *reader) list(n int) []*filter.Tree {
	if len(r.groups)+n > cap(r.groups) {
		r.groups = make([]*filter.Tree, 0, max(n, perBlock))
	}
	at := len(r.groups)
	r.groups = r.groups[:at+n]
	return r.groups[at : at : at+n]
}

// free gives a reader back, of which nothing is used any more.
func (r *reader) free() {
	if r.taken > 16*perBlock {
		return // one such filter is no reason to keep as much
	}
	r.nodes, r.strange, r.taken, r.groups = 0, false, 0, r.groups[:0]
	readers.Put(r)
}

// rows bounds the search for a row that shows what a filter lets pass, by the
// size of the filter that was read: what takes longer is not known.
func (r *reader) rows() int { return 200_000 / max(r.nodes, 100) }

// filter returns the tree of a filter; nil for none, which a condition's branch
// may be. What is no filter of this version of the protocol, or nested without
// end, is one of which nothing is known.
func (r *reader) filter(f *bigtablepb.RowFilter, depth int) *filter.Tree {
	if f == nil {
		return nil
	}
	if r.nodes++; depth > maxDepth || r.nodes > maxNodes {
		r.strange = true
		return r.node(filter.Any)
	}
	switch one := f.GetFilter().(type) {
	case *bigtablepb.RowFilter_Chain_:
		return r.group(filter.Chain, one.Chain.GetFilters(), depth)
	case *bigtablepb.RowFilter_Interleave_:
		return r.group(filter.Interleave, one.Interleave.GetFilters(), depth)
	case *bigtablepb.RowFilter_Condition_:
		c := one.Condition
		if c.GetPredicateFilter() == nil {
			return r.node(filter.Any)
		}
		t := r.node(filter.Condition)
		t.Sub = append(r.list(3), r.filter(c.GetPredicateFilter(), depth+1), r.filter(c.GetTrueFilter(), depth+1), r.filter(c.GetFalseFilter(), depth+1))
		return t
	case *bigtablepb.RowFilter_PassAllFilter, *bigtablepb.RowFilter_Sink:
		return r.node(filter.PassAll)
	case *bigtablepb.RowFilter_BlockAllFilter:
		return r.node(filter.BlockAll)
	case *bigtablepb.RowFilter_RowKeyRegexFilter:
		return r.pattern(filter.RowKey, string(one.RowKeyRegexFilter))
	case *bigtablepb.RowFilter_FamilyNameRegexFilter:
		return r.pattern(filter.Family, one.FamilyNameRegexFilter)
	case *bigtablepb.RowFilter_ColumnQualifierRegexFilter:
		return r.pattern(filter.Column, string(one.ColumnQualifierRegexFilter))
	case *bigtablepb.RowFilter_ValueRegexFilter:
		return r.pattern(filter.Cell, string(one.ValueRegexFilter))
	case *bigtablepb.RowFilter_ColumnRangeFilter:
		c := one.ColumnRangeFilter
		t := r.node(filter.ColumnRange)
		t.Pattern = filter.Text{Known: true, S: c.GetFamilyName()}
		t.Lo, t.Hi = bound(c.GetStartQualifierClosed(), c.GetStartQualifierOpen()), bound(c.GetEndQualifierOpen(), c.GetEndQualifierClosed())
		return t
	case *bigtablepb.RowFilter_ValueRangeFilter:
		v := one.ValueRangeFilter
		t := r.node(filter.CellRange)
		t.Lo, t.Hi = bound(v.GetStartValueClosed(), v.GetStartValueOpen()), bound(v.GetEndValueOpen(), v.GetEndValueClosed())
		return t
	case *bigtablepb.RowFilter_TimestampRangeFilter:
		return r.timeRange(one.TimestampRangeFilter)
	case *bigtablepb.RowFilter_CellsPerColumnLimitFilter:
		return r.counted(filter.LatestN, one.CellsPerColumnLimitFilter)
	case *bigtablepb.RowFilter_CellsPerRowLimitFilter:
		return r.counted(filter.RowLimit, one.CellsPerRowLimitFilter)
	case *bigtablepb.RowFilter_CellsPerRowOffsetFilter:
		return r.counted(filter.RowOffset, one.CellsPerRowOffsetFilter)
	case *bigtablepb.RowFilter_RowSampleFilter:
		return r.node(filter.RowSample)
	case *bigtablepb.RowFilter_StripValueTransformer:
		return r.node(filter.StripValue)
	case *bigtablepb.RowFilter_ApplyLabelTransformer:
		return r.node(filter.Label)
	}
	switch choice(f.ProtoReflect()) {
	case 0:
	case valueBitmask:
		return r.node(filter.Cell)
	default:
		r.strange = true
	}
	return r.node(filter.Any)
}

// group returns a chain or an interleave. The service rejects one of fewer
// than two, and a filter that is missing.
func (r *reader) group(op filter.Op, filters []*bigtablepb.RowFilter, depth int) *filter.Tree {
	t := r.node(op)
	t.Sub = r.list(min(len(filters), maxNodes))
	for _, f := range filters {
		if r.nodes > maxNodes {
			r.strange = true
			return r.node(filter.Any)
		}
		sub := r.filter(f, depth+1)
		if sub == nil || hasSink(f) {
			return r.node(filter.Any) // what goes into a sink passes whatever follows
		}
		t.Sub = append(t.Sub, sub)
	}
	switch len(t.Sub) {
	case 0:
		return r.node(filter.Any)
	case 1:
		return t.Sub[0]
	}
	return t
}

func hasSink(f *bigtablepb.RowFilter) bool {
	_, ok := f.GetFilter().(*bigtablepb.RowFilter_Sink)
	return ok
}

func (r *reader) timeRange(t *bigtablepb.TimestampRange) *filter.Tree {
	start := strategy.Instant{Kind: strategy.Never}
	if t.GetStartTimestampMicros() != 0 {
		start = moment{t.GetStartTimestampMicros(), r.now}.start()
	}
	tree := r.node(filter.TimeRange)
	tree.Start, tree.End = start, moment{t.GetEndTimestampMicros(), r.now}.end()
	return tree
}

func (r *reader) counted(op filter.Op, n int32) *filter.Tree {
	t := r.node(op)
	t.N, t.NKnown = int(n), true
	return t
}

func (r *reader) pattern(op filter.Op, s string) *filter.Tree {
	t := r.node(op)
	t.Pattern = filter.Text{Known: true, S: s}
	r.patterns.Prepare(t)
	return t
}

// bound returns an end of a range, of which the start belongs to it and the
// end does not. The next text after any is the one with a zero byte.
func bound(exact, next []byte) filter.Text {
	switch {
	case len(exact) > 0:
		return filter.Text{Known: true, S: string(exact)}
	case len(next) > 0:
		return filter.Text{Known: true, S: string(next) + "\x00"}
	}
	return filter.Text{Known: true}
}
