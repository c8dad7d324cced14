package ttlguard

import (
	"flag"
	"slices"
	"testing"
	"time"

	"cloud.google.com/go/bigtable/admin/apiv2/adminpb"
	btpb "cloud.google.com/go/bigtable/apiv2/bigtablepb"
	"google.golang.org/protobuf/encoding/prototext"
	"google.golang.org/protobuf/proto"

	"github.com/ttlvet/ttlvet/runtime/strategy"
)

// requests returns an empty message of each kind that is judged.
func requests() []proto.Message {
	return []proto.Message{
		&btpb.MutateRowRequest{}, &btpb.MutateRowsRequest{}, &btpb.CheckAndMutateRowRequest{}, &btpb.ReadModifyWriteRowRequest{},
		&btpb.ReadRowsRequest{}, &btpb.ExecuteQueryRequest{}, &btpb.PrepareQueryRequest{},
		&adminpb.CreateTableRequest{}, &adminpb.ModifyColumnFamiliesRequest{},
	}
}

// every returns a guard with a family of each strategy in every table.
func every(f *testing.F) *Guard {
	g, err := New(WithLogger(nil), Strict(), Declare("*",
		strategy.Family{Name: "a", Strategy: strategy.OneSecond, MaxAge: time.Second},
		strategy.Family{Name: "b", Strategy: strategy.Default, TTL: time.Hour, MaxAge: time.Hour},
		strategy.Family{Name: "c", Strategy: strategy.Sequence, Versions: 2},
		strategy.Family{Name: "d", Strategy: strategy.Zero},
		strategy.Family{Name: "e", Strategy: strategy.Real, MaxAge: time.Hour, Versions: 1},
	))
	if err != nil {
		f.Fatal(err)
	}
	return g
}

// FuzzRequest judges requests as they may arrive from any client, or from
// none: messages of any content. None may make the guard panic, take long, or
// be changed.
func FuzzRequest(f *testing.F) {
	for i, s := range []string{
		`table_name: "p/tables/t" mutations {set_cell {family_name: "a" column_qualifier: "c" timestamp_micros: -1}} mutations {delete_from_row {}}`,
		`table_name: "p/tables/t" entries {row_key: "k" mutations {set_cell {family_name: "c"}} mutations {delete_from_column {family_name: "c" time_range {end_timestamp_micros: 5}}}}`,
		`table_name: "p/tables/t" predicate_filter {chain {filters {family_name_regex_filter: "a|b"} filters {timestamp_range_filter {start_timestamp_micros: 1795000000000000}}}} true_mutations {add_to_cell {family_name: "b" timestamp {raw_timestamp_micros: -1}}}`,
		`table_name: "p/tables/t" rules {family_name: "a" increment_amount: 1}`,
		`table_name: "p/tables/t" filter {interleave {filters {condition {predicate_filter {sink: true} true_filter {cells_per_column_limit_filter: 1}}} filters {column_range_filter {family_name: "c" start_qualifier_open: "x"}} filters {}}}`,
		`query: "SELECT * FROM t(with_history => TRUE, latest_n => 9)"`,
		`query: "SELECT a FROM t"`,
		`table_id: "t" table {column_families {key: "c" value {gc_rule {union {rules {max_age {seconds: 1}} rules {max_num_versions: 2}}}}}}`,
		`name: "p/tables/t" modifications {id: "b" update {gc_rule {intersection {rules {max_age {seconds: -1 nanos: -1}}}}} update_mask {paths: "gc_rule"}}`,
	} {
		m := requests()[i]
		if err := prototext.Unmarshal([]byte(s), m); err != nil {
			f.Fatal(err)
		}
		data, err := proto.Marshal(m)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(uint8(i), data)
	}
	f.Add(uint8(2), []byte("\n\n0/tables/02\t0\x80\xe0\xfc\x8a\xb0\x91\x870")) // a filter that nobody knows
	g := every(f)
	f.Fuzz(func(t *testing.T, kind uint8, data []byte) {
		m := requests()[int(kind)%len(requests())]
		if proto.Unmarshal(data, m) != nil {
			return
		}
		before := proto.Clone(m)
		start := time.Now()
		violations := g.check(t.Context(), "/google.bigtable.v2.Bigtable/Fuzz", m)
		if took := time.Since(start); fuzzing() && took > 5*time.Second {
			t.Errorf("took %v", took)
		}
		if g.panics.Load() > 0 {
			t.Fatal("panicked")
		}
		if !proto.Equal(before, m) {
			t.Error("the request is changed")
		}
		for _, v := range violations {
			if v.Rule != NotJudged && !slices.Contains(rules, v.Rule) || v.Message == "" || v.Count < 1 {
				t.Errorf("%+v", v)
			}
		}
	})
}

// fuzzing reports whether requests are made up, and not only those that are
// known.
func fuzzing() bool {
	f := flag.Lookup("test.fuzz")
	return f != nil && f.Value.String() != ""
}

// TestNilRequests judges messages that are not there.
func TestNilRequests(t *testing.T) {
	g, err := New(WithLogger(nil), Declare("*", strategy.Family{Name: "a", Strategy: strategy.OneSecond}))
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range []proto.Message{
		(*btpb.MutateRowRequest)(nil), (*btpb.MutateRowsRequest)(nil), (*btpb.CheckAndMutateRowRequest)(nil), (*btpb.ReadModifyWriteRowRequest)(nil),
		(*btpb.ReadRowsRequest)(nil), (*btpb.ExecuteQueryRequest)(nil), (*btpb.PrepareQueryRequest)(nil),
		(*adminpb.CreateTableRequest)(nil), (*adminpb.ModifyColumnFamiliesRequest)(nil), nil,
		&btpb.MutateRowRequest{TableName: "x/tables/t", Mutations: []*btpb.Mutation{nil, {Mutation: (*btpb.Mutation_SetCell_)(nil)}, {Mutation: &btpb.Mutation_SetCell_{}}}},
		&btpb.ReadRowsRequest{TableName: "x/tables/t", Filter: &btpb.RowFilter{Filter: &btpb.RowFilter_Chain_{Chain: &btpb.RowFilter_Chain{Filters: []*btpb.RowFilter{nil, nil}}}}},
		&adminpb.CreateTableRequest{TableId: "t", Table: &adminpb.Table{ColumnFamilies: map[string]*adminpb.ColumnFamily{"a": nil}}},
	} {
		if _, err := g.Begin(t.Context(), "", m); err != nil {
			t.Error(err)
		}
	}
	if _, err := g.Begin(t.Context(), "", "no message"); err != nil {
		t.Error(err)
	}
	deep := &btpb.RowFilter{Filter: &btpb.RowFilter_PassAllFilter{PassAllFilter: true}}
	for range 5000 {
		deep = &btpb.RowFilter{Filter: &btpb.RowFilter_Interleave_{Interleave: &btpb.RowFilter_Interleave{Filters: []*btpb.RowFilter{deep, deep}}}}
	}
	if _, err := g.Begin(t.Context(), "", &btpb.ReadRowsRequest{TableName: "x/tables/t", Filter: deep}); err != nil {
		t.Error(err)
	}
	if n := g.panics.Load(); n > 1 { // of the oneof that is a typed nil, which cannot come off the wire
		t.Errorf("%d panics", n)
	}
}

// FuzzSession judges messages of sessions, of any content: in the order of the
// client's, and what the server may answer. What comes back must be an answer.
func FuzzSession(f *testing.F) {
	opening := []byte("\x0a\x13\x2a\x11\x0a\x0fp/tables/t/more")
	f.Add(opening, []byte("\x1a\x08\x08\x07\x22\x04\x0a\x02\x0ak"), []byte("\x1a\x02\x08\x07"))
	f.Add(opening, []byte("\x1a\x0f\x22\x0d\x12\x0b\x0a\x01k\x12\x06\x0a\x04\x0a\x01a\x18"), []byte("\x12\x02\x08\x07"))
	f.Add([]byte("\x0a\x00"), []byte("\x1a\x00"), []byte("\x1a\x00"))
	g := every(f)
	g.reject = true
	f.Fuzz(func(t *testing.T, opening, request, response []byte) {
		s := g.Session(t.Context(), dataService+"OpenTable")
		before := g.panics.Load()
		for _, m := range [][]byte{opening, request, opening, request} {
			if answer := s.Sent(m); answer != nil {
				if kind, _ := oneof(answer); kind != errorResponse {
					t.Errorf("the answer is %q", answer)
				}
			}
			s.Received(response)
		}
		s.Ended()
		if g.panics.Load() > before {
			t.Error("a panic")
		}
	})
}
