package live

import (
	"context"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"time"

	"cloud.google.com/go/bigtable/admin/apiv2/adminpb"
	"cloud.google.com/go/bigtable/apiv2/bigtablepb"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/encoding/protojson"
)

// A Sample is the timestamps of a few cells of one family, without anything
// else of them.
type Sample struct {
	Table, Family string
	Taken         time.Time
	// Micros are the timestamps.
	Micros []int64
	// Several reports whether one column had several, at other times than 0.
	Several bool
}

// A SlowError is of a table whose cells took too long to read.
type SlowError struct{ Table string }

// Error says what became of the table.
func (e *SlowError) Error() string {
	return fmt.Sprintf("%s: its cells cannot be read within %v, and are not judged", e.Table, callTimeout)
}

const (
	maxStarts   = 20 // places in a table at which rows are read
	cellsPerRow = 3  // of each family
)

// Samples reads the timestamps of at most n rows of a table, or returns a
// *SlowError where that takes too long. Values stay on the server; row keys
// are not kept.
func (i *Instance) Samples(ctx context.Context, table string, families []string, n int, profile string) ([]*Sample, error) {
	client := bigtablepb.NewBigtableClient(i.data)
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	starts := [][]byte{nil}
	keys, err := client.SampleRowKeys(routed(ctx, "table_name", table), &bigtablepb.SampleRowKeysRequest{TableName: table, AppProfileId: profile})
	for err == nil {
		var k *bigtablepb.SampleRowKeysResponse
		if k, err = keys.Recv(); err == nil && len(k.RowKey) > 0 {
			starts = append(starts, k.RowKey)
		}
	}
	if !errors.Is(err, io.EOF) {
		return nil, i.unsampled(table, err)
	}
	if limit := min(maxStarts, n); len(starts) > limit {
		var chosen [][]byte
		for j := range limit {
			chosen = append(chosen, starts[j*len(starts)/limit])
		}
		starts = chosen
	}
	s := &sampler{table: table, taken: time.Now(), families: map[string]*Sample{}}
	for j, start := range starts {
		rows := int64((n + len(starts) - 1) / len(starts))
		request := &bigtablepb.ReadRowsRequest{TableName: table, AppProfileId: profile, RowsLimit: rows, Filter: timestamps(families)}
		// Up to the next start, so that no row is counted twice.
		part := &bigtablepb.RowRange{StartKey: &bigtablepb.RowRange_StartKeyClosed{StartKeyClosed: start}}
		if j+1 < len(starts) {
			part.EndKey = &bigtablepb.RowRange_EndKeyOpen{EndKeyOpen: starts[j+1]}
		}
		request.Rows = &bigtablepb.RowSet{RowRanges: []*bigtablepb.RowRange{part}}
		stream, err := client.ReadRows(routed(ctx, "table_name", table), request)
		for err == nil {
			var r *bigtablepb.ReadRowsResponse
			if r, err = stream.Recv(); err == nil {
				s.add(r.Chunks)
			}
		}
		if !errors.Is(err, io.EOF) {
			return nil, i.unsampled(table, err)
		}
	}
	var out []*Sample
	for _, f := range families {
		if s.families[f] != nil {
			out = append(out, s.families[f])
		}
	}
	return out, nil
}

// unsampled words why a table cannot be sampled.
func (i *Instance) unsampled(table string, err error) error {
	switch status.Code(err) {
	case codes.DeadlineExceeded:
		return &SlowError{table}
	case codes.NotFound: // an app profile, or a table that is gone
		return fmt.Errorf("%s: %s", table, status.Convert(err).Message())
	}
	return i.explain(err, dataEndpoint)
}

// timestamps lets a few cells of each family pass, without their values. A
// limit alone would let the first family hide the others.
func timestamps(families []string) *bigtablepb.RowFilter {
	chain := func(filters ...*bigtablepb.RowFilter) *bigtablepb.RowFilter {
		return &bigtablepb.RowFilter{Filter: &bigtablepb.RowFilter_Chain_{Chain: &bigtablepb.RowFilter_Chain{Filters: filters}}}
	}
	var each []*bigtablepb.RowFilter
	for _, f := range families {
		each = append(each, chain(
			&bigtablepb.RowFilter{Filter: &bigtablepb.RowFilter_FamilyNameRegexFilter{FamilyNameRegexFilter: regexp.QuoteMeta(f)}},
			&bigtablepb.RowFilter{Filter: &bigtablepb.RowFilter_CellsPerRowLimitFilter{CellsPerRowLimitFilter: cellsPerRow}},
		))
	}
	strip := &bigtablepb.RowFilter{Filter: &bigtablepb.RowFilter_StripValueTransformer{StripValueTransformer: true}}
	if len(each) == 1 {
		return chain(each[0], strip)
	}
	return chain(&bigtablepb.RowFilter{Filter: &bigtablepb.RowFilter_Interleave_{Interleave: &bigtablepb.RowFilter_Interleave{Filters: each}}}, strip)
}

// A sampler puts the chunks of a stream together.
type sampler struct {
	table    string
	taken    time.Time
	families map[string]*Sample
	family   string
	column   string
	row      []sampledCell
}

type sampledCell struct {
	family, column string
	micros         int64
}

func (s *sampler) add(chunks []*bigtablepb.ReadRowsResponse_CellChunk) {
	for _, c := range chunks {
		if c.FamilyName != nil {
			s.family = c.FamilyName.Value
		}
		if c.Qualifier != nil {
			s.column = string(c.Qualifier.Value)
		}
		if c.GetResetRow() {
			s.row = nil
			continue
		}
		if c.ValueSize == 0 { // the last chunk of its cell
			s.row = append(s.row, sampledCell{s.family, s.column, c.TimestampMicros})
		}
		if c.GetCommitRow() {
			s.commit()
		}
	}
}

func (s *sampler) commit() {
	for i, c := range s.row {
		f := s.families[c.family]
		if f == nil {
			f = &Sample{Table: s.table, Family: c.family, Taken: s.taken}
			s.families[c.family] = f
		}
		f.Micros = append(f.Micros, c.micros)
		if i > 0 && s.row[i-1].family == c.family && s.row[i-1].column == c.column && c.micros != 0 {
			f.Several = true
		}
	}
	s.row = nil
}

// Families returns the name of a table and its families whose timestamps are
// their writers' to choose, from its description in JSON.
func Families(description []byte) (table string, families []string, err error) {
	var t adminpb.Table
	if err := (protojson.UnmarshalOptions{DiscardUnknown: true}).Unmarshal(description, &t); err != nil {
		return "", nil, err
	}
	for name, f := range t.ColumnFamilies {
		if f.GetValueType().GetAggregateType() == nil {
			families = append(families, name)
		}
	}
	slices.Sort(families)
	return t.Name, families, nil
}
