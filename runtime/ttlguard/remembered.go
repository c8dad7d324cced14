package ttlguard

import (
	"bytes"
	"slices"
	"sync/atomic"

	"cloud.google.com/go/bigtable/apiv2/bigtablepb"
	"google.golang.org/protobuf/proto"
)

// A filters remembers filters with which reads of a table were right. Programs
// send the same few again and again, with other times: to compare costs a
// fraction of what to judge does.
type filters struct {
	last [4]atomic.Pointer[rightFilter]
	next atomic.Uint32
}

// A rightFilter is a filter, and when it was sent in microseconds.
type rightFilter struct {
	filter *bigtablepb.RowFilter
	now    int64
}

// right reports whether a filter is one of those remembered.
func (all *filters) right(f *bigtablepb.RowFilter, now int64) bool {
	for i := range all.last {
		if old := all.last[i].Load(); old != nil && (sameness{now, old.now}).of(f, old.filter) {
			return true
		}
	}
	return false
}

// remember adds a filter, unless it can be the same as none. It keeps a copy: the
// program may change its own.
func (all *filters) remember(f *bigtablepb.RowFilter, now int64) {
	if !(sameness{now, now}).of(f, f) || proto.Size(f) > 1<<10 {
		return
	}
	i := all.next.Add(1) % uint32(len(all.last))
	all.last[i].Store(&rightFilter{proto.CloneOf(f), now})
}

// A sameness compares filters that were sent at two times. What it calls the
// same is judged alike.
type sameness struct{ a, b int64 }

func (s sameness) of(a, b *bigtablepb.RowFilter) bool {
	switch a := a.GetFilter().(type) {
	case *bigtablepb.RowFilter_Chain_:
		b, ok := b.GetFilter().(*bigtablepb.RowFilter_Chain_)
		return ok && slices.EqualFunc(a.Chain.GetFilters(), b.Chain.GetFilters(), s.of)
	case *bigtablepb.RowFilter_Interleave_:
		b, ok := b.GetFilter().(*bigtablepb.RowFilter_Interleave_)
		return ok && slices.EqualFunc(a.Interleave.GetFilters(), b.Interleave.GetFilters(), s.of)
	case *bigtablepb.RowFilter_TimestampRangeFilter:
		b, ok := b.GetFilter().(*bigtablepb.RowFilter_TimestampRangeFilter)
		return ok && s.times(a.TimestampRangeFilter.GetStartTimestampMicros(), b.TimestampRangeFilter.GetStartTimestampMicros()) &&
			s.times(a.TimestampRangeFilter.GetEndTimestampMicros(), b.TimestampRangeFilter.GetEndTimestampMicros())
	case *bigtablepb.RowFilter_FamilyNameRegexFilter:
		b, ok := b.GetFilter().(*bigtablepb.RowFilter_FamilyNameRegexFilter)
		return ok && a.FamilyNameRegexFilter == b.FamilyNameRegexFilter
	case *bigtablepb.RowFilter_ColumnQualifierRegexFilter:
		b, ok := b.GetFilter().(*bigtablepb.RowFilter_ColumnQualifierRegexFilter)
		return ok && bytes.Equal(a.ColumnQualifierRegexFilter, b.ColumnQualifierRegexFilter)
	case *bigtablepb.RowFilter_CellsPerColumnLimitFilter:
		b, ok := b.GetFilter().(*bigtablepb.RowFilter_CellsPerColumnLimitFilter)
		return ok && a.CellsPerColumnLimitFilter == b.CellsPerColumnLimitFilter
	case *bigtablepb.RowFilter_PassAllFilter:
		_, ok := b.GetFilter().(*bigtablepb.RowFilter_PassAllFilter)
		return ok
	}
	return false // the others are rare
}

// times reports whether two timestamps are the same number, or equally far
// from now, as [moment.start] tells it.
func (s sameness) times(a, b int64) bool {
	if a == b && a < 1000 {
		return true // an open end
	}
	x, y := moment{a, s.a}, moment{b, s.b}
	if !x.clock() || !y.clock() {
		return a == b && x.clock() == y.clock()
	}
	return x.bound() == y.bound()
}
