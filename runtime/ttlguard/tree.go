package ttlguard

import (
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

// A reader reads filters as trees.
type reader struct {
	now      int64 // in microseconds
	patterns *filter.Cache
	nodes    int  // that were read
	strange  bool // whether a part was left out, as not known or too deep
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
		return &filter.Tree{}
	}
	switch one := f.GetFilter().(type) {
	case *bigtablepb.RowFilter_Chain_:
		return r.group(filter.Chain, one.Chain.GetFilters(), depth)
	case *bigtablepb.RowFilter_Interleave_:
		return r.group(filter.Interleave, one.Interleave.GetFilters(), depth)
	case *bigtablepb.RowFilter_Condition_:
		c := one.Condition
		if c.GetPredicateFilter() == nil {
			return &filter.Tree{}
		}
		return &filter.Tree{Op: filter.Condition, Sub: []*filter.Tree{
			r.filter(c.GetPredicateFilter(), depth+1), r.filter(c.GetTrueFilter(), depth+1), r.filter(c.GetFalseFilter(), depth+1)}}
	case *bigtablepb.RowFilter_PassAllFilter, *bigtablepb.RowFilter_Sink:
		return &filter.Tree{Op: filter.PassAll}
	case *bigtablepb.RowFilter_BlockAllFilter:
		return &filter.Tree{Op: filter.BlockAll}
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
		return &filter.Tree{Op: filter.ColumnRange, Pattern: filter.Text{Known: true, S: c.GetFamilyName()},
			Lo: bound(c.GetStartQualifierClosed(), c.GetStartQualifierOpen()), Hi: bound(c.GetEndQualifierOpen(), c.GetEndQualifierClosed())}
	case *bigtablepb.RowFilter_ValueRangeFilter:
		v := one.ValueRangeFilter
		return &filter.Tree{Op: filter.CellRange,
			Lo: bound(v.GetStartValueClosed(), v.GetStartValueOpen()), Hi: bound(v.GetEndValueOpen(), v.GetEndValueClosed())}
	case *bigtablepb.RowFilter_TimestampRangeFilter:
		return r.timeRange(one.TimestampRangeFilter)
	case *bigtablepb.RowFilter_CellsPerColumnLimitFilter:
		return counted(filter.LatestN, one.CellsPerColumnLimitFilter)
	case *bigtablepb.RowFilter_CellsPerRowLimitFilter:
		return counted(filter.RowLimit, one.CellsPerRowLimitFilter)
	case *bigtablepb.RowFilter_CellsPerRowOffsetFilter:
		return counted(filter.RowOffset, one.CellsPerRowOffsetFilter)
	case *bigtablepb.RowFilter_RowSampleFilter:
		return &filter.Tree{Op: filter.RowSample}
	case *bigtablepb.RowFilter_StripValueTransformer:
		return &filter.Tree{Op: filter.StripValue}
	case *bigtablepb.RowFilter_ApplyLabelTransformer:
		return &filter.Tree{Op: filter.Label}
	}
	switch choice(f.ProtoReflect()) {
	case 0:
	case valueBitmask:
		return &filter.Tree{Op: filter.Cell}
	default:
		r.strange = true
	}
	return &filter.Tree{}
}

// group returns a chain or an interleave. The service rejects one of fewer
// than two, and a filter that is missing.
func (r *reader) group(op filter.Op, filters []*bigtablepb.RowFilter, depth int) *filter.Tree {
	t := &filter.Tree{Op: op}
	for _, f := range filters {
		if r.nodes > maxNodes {
			r.strange = true
			return &filter.Tree{}
		}
		sub := r.filter(f, depth+1)
		if sub == nil || hasSink(f) {
			return &filter.Tree{} // what goes into a sink passes whatever follows
		}
		t.Sub = append(t.Sub, sub)
	}
	switch len(t.Sub) {
	case 0:
		return &filter.Tree{}
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
	return &filter.Tree{Op: filter.TimeRange, Start: start, End: moment{t.GetEndTimestampMicros(), r.now}.end()}
}

func counted(op filter.Op, n int32) *filter.Tree {
	return &filter.Tree{Op: op, N: int(n), NKnown: true}
}

func (r *reader) pattern(op filter.Op, s string) *filter.Tree {
	t := &filter.Tree{Op: op, Pattern: filter.Text{Known: true, S: s}}
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
