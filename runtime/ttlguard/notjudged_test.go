package ttlguard_test

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"

	"cloud.google.com/go/bigtable/admin/apiv2/adminpb"
	btpb "cloud.google.com/go/bigtable/apiv2/bigtablepb"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/emptypb"

	"github.com/ttlvet/ttlvet/runtime/ttlguard"
)

const (
	dataService   = "/google.bigtable.v2.Bigtable/"
	tableAdmin    = "/google.bigtable.admin.v2.BigtableTableAdmin/"
	instanceAdmin = "/google.bigtable.admin.v2.BigtableInstanceAdmin/"
)

// unknown returns a message with a field that no version of the protocol has.
func unknown[M proto.Message](m M) M {
	m.ProtoReflect().SetUnknown(field(999, nil))
	return m
}

// notJudged are requests that the guard does not understand, by method, with
// what is reported of them.
var notJudged = []struct {
	method string
	req    any
	where  string
}{
	{dataService + "Invented", &emptypb.Empty{}, ""},
	{tableAdmin + "Invented", nil, ""},
	{"/google.bigtable.v3.Invented/ReadRows", &emptypb.Empty{}, ""},
	{dataService + "MutateRow", "no message", " where they cannot be read"},
	{dataService + "MutateRow", nil, " where they cannot be read"},
	{dataService + "ReadRows", &btpb.ReadRowsRequest{MaterializedViewName: "projects/p/instances/i/materializedViews/v"}, " where they read a materialized view"},
	{dataService + "ReadChangeStream", &btpb.ReadChangeStreamRequest{TableName: tables + "sessions"}, ""},
	{dataService + "MutateRow", mutate("sessions", unknown(&btpb.Mutation{})), " where a mutation is of a kind that is not known"},
	{dataService + "ReadRows", read("sessions", unknown(&btpb.RowFilter{})), " where a filter is of a kind that is not known, or too large"},
	{dataService + "ReadRows", read("sessions", deep(200)), " where a filter is of a kind that is not known, or too large"},
	{dataService + "PrepareQuery", &btpb.PrepareQueryRequest{Query: "SELECT a.token FROM sessions AS a JOIN other USING (_key)"}, " where the statement is more than a SELECT from one table, or looks at timestamps itself"},
	{dataService + "PrepareQuery", &btpb.PrepareQueryRequest{Query: "SELECT token FROM UNPACK((SELECT token FROM sessions(with_history => TRUE)))"}, " where the statement is more than a SELECT from one table, or looks at timestamps itself"},
	{instanceAdmin + "CreateMaterializedView", &adminpb.CreateMaterializedViewRequest{MaterializedView: &adminpb.MaterializedView{Query: "SELECT COUNT(*) FROM `sessions` GROUP BY _key"}}, ""},
	{tableAdmin + "ModifyColumnFamilies", modify(unknown(&adminpb.ModifyColumnFamiliesRequest_Modification{Id: "token"})), " where a modification is of a kind that is not known"},
	{tableAdmin + "ModifyColumnFamilies", update("sessions", "token", unknown(&adminpb.GcRule{}), "gc_rule"), " where a policy is of a kind that is not known, or too large"},
}

func modify(all ...*adminpb.ModifyColumnFamiliesRequest_Modification) *adminpb.ModifyColumnFamiliesRequest {
	return &adminpb.ModifyColumnFamiliesRequest{Name: tables + "sessions", Modifications: all}
}

// TestNotJudged: what is not understood is reported once by method, to the
// logger and the function, and sent; with strict rules it is rejected.
func TestNotJudged(t *testing.T) {
	for _, test := range notJudged {
		want := "requests of method " + test.method[strings.LastIndexByte(test.method, '/')+1:] + " are not judged" + test.where
		for _, strict := range []bool{false, true} {
			var log bytes.Buffer
			var reports []ttlguard.Violation
			options := []ttlguard.Option{
				ttlguard.WithLogger(slog.New(slog.NewTextHandler(&log, nil))), ttlguard.Interval(0), ttlguard.Reject(),
				ttlguard.OnViolation(func(_ context.Context, v ttlguard.Violation) { reports = append(reports, v) }),
			}
			if strict {
				options = append(options, ttlguard.Strict())
			}
			guard := mustGuard(t, options...)
			for range 3 {
				_, err := guard.Begin(t.Context(), test.method, test.req)
				if strict != (status.Code(err) == codes.FailedPrecondition) || !strict && err != nil || strict && !strings.Contains(err.Error(), want) {
					t.Errorf("%s, strict %t: %v", test.method, strict, err)
				}
			}
			guard.Flush(t.Context())
			if len(reports) != 1 || reports[0].Message != want || reports[0].Rule != ttlguard.NotJudged || guard.Counts()[ttlguard.NotJudged] != 3 {
				t.Errorf("reports %+v\nwant %s", reports, want)
			}
			if n := strings.Count(log.String(), "\"ttlguard: "+want+"\""); n != 1 {
				t.Errorf("logged %d times: %s", n, &log)
			}
			for how, quiet := range map[string]ttlguard.Option{"disabled": ttlguard.Disable(ttlguard.NotJudged), "allowed": nil} {
				ctx := t.Context()
				if quiet == nil {
					quiet, ctx = ttlguard.Interval(0), ttlguard.Allow(ctx, "a test", ttlguard.NotJudged)
				}
				if _, err := mustGuard(t, append(options, quiet)...).Begin(ctx, test.method, test.req); err != nil || len(reports) != 1 {
					t.Errorf("%s, %s: %v", test.method, how, err)
				}
			}
		}
	}
}

// TestOthersTables: what is not understood is silent where it is certainly not
// about a declared table.
func TestOthersTables(t *testing.T) {
	guard := mustGuard(t, ttlguard.Strict(), ttlguard.FailTest(t), ttlguard.Reject())
	for method, req := range map[string]proto.Message{
		dataService + "ReadChangeStream":         &btpb.ReadChangeStreamRequest{TableName: tables + "other"},
		dataService + "MutateRow":                mutate("other", unknown(&btpb.Mutation{})),
		dataService + "ReadRows":                 read("other", unknown(&btpb.RowFilter{})),
		dataService + "PrepareQuery":             &btpb.PrepareQueryRequest{Query: "SELECT * FROM a JOIN b ON 'sessions' = 'x'"},
		dataService + "ExecuteQuery":             &btpb.ExecuteQueryRequest{PreparedQuery: []byte("x")},
		dataService + "SampleRowKeys":            &btpb.SampleRowKeysRequest{TableName: tables + "sessions"},
		instanceAdmin + "UpdateMaterializedView": &adminpb.UpdateMaterializedViewRequest{},
		instanceAdmin + "UpdateLogicalView":      &adminpb.UpdateLogicalViewRequest{},
		"/grpc.health.v1.Health/Check":           &emptypb.Empty{},
	} {
		if _, err := guard.Begin(t.Context(), method, req); err != nil {
			t.Errorf("%s: %v", method, err)
		}
	}
}

// TestFailTestNotJudged: a test does not fail by what is not judged, unless the
// rules are strict.
func TestFailTestNotJudged(t *testing.T) {
	for _, strict := range []bool{false, true} {
		tb := &recorder{}
		options := []ttlguard.Option{ttlguard.FailTest(tb)}
		if strict {
			options = append(options, ttlguard.Strict())
		}
		if _, err := mustGuard(t, options...).Begin(t.Context(), dataService+"Invented", nil); err != nil {
			t.Error(err)
		}
		logged, failed := 1, 0
		if strict {
			logged, failed = 0, 1
		}
		if len(tb.logged) != logged || len(tb.failed) != failed {
			t.Errorf("strict %t: %+v", strict, tb)
		}
	}
}

type recorder struct{ logged, failed []string }

func (r *recorder) Helper() {}
func (r *recorder) Logf(format string, args ...any) {
	r.logged = append(r.logged, fmt.Sprintf(format, args...))
}
func (r *recorder) Errorf(format string, args ...any) {
	r.failed = append(r.failed, fmt.Sprintf(format, args...))
}

// TestStreamNotJudged: a stream of a method that is not known is reported, and
// works as without the guard; with strict rules it fails.
func TestStreamNotJudged(t *testing.T) {
	for _, strict := range []bool{false, true} {
		options := []ttlguard.Option{ttlguard.WithLogger(nil), ttlguard.Reject()}
		if strict {
			options = append(options, ttlguard.Strict())
		}
		server := &sessionServer{}
		guard := mustGuard(t, options...)
		s, err := server.dial(t, guard).NewStream(t.Context(), &grpc.StreamDesc{ServerStreams: true, ClientStreams: true}, dataService+"Invented")
		if err != nil {
			t.Fatal(err)
		}
		for i := range 2 {
			err := s.SendMsg(onWire(virtual(uint64(i+1), nil)))
			if (status.Code(err) == codes.FailedPrecondition) != strict {
				t.Errorf("strict %t: %v", strict, err)
			}
			if strict {
				continue
			}
			if err := s.RecvMsg(&emptypb.Empty{}); err != nil {
				t.Error(err)
			}
		}
		if want := int64(2); guard.Counts()[ttlguard.NotJudged] != want || len(server.requests()) > 0 == strict {
			t.Errorf("strict %t: %v, sent are %v", strict, guard.Counts(), server.requests())
		}
	}
}

// TestEveryKind: every kind of mutation, filter and policy that this client
// has is understood.
func TestEveryKind(t *testing.T) {
	guard := mustGuard(t, ttlguard.WithLogger(nil))
	for _, m := range []struct {
		of   proto.Message
		send func(proto.Message) (method string, req proto.Message)
	}{
		{&btpb.Mutation{}, func(m proto.Message) (string, proto.Message) {
			return "MutateRow", mutate("sessions", m.(*btpb.Mutation))
		}},
		{&btpb.RowFilter{}, func(m proto.Message) (string, proto.Message) {
			return "ReadRows", read("sessions", m.(*btpb.RowFilter))
		}},
		{&adminpb.GcRule{}, func(m proto.Message) (string, proto.Message) {
			return "X", update("sessions", "token", m.(*adminpb.GcRule), "gc_rule")
		}},
		{&adminpb.ModifyColumnFamiliesRequest_Modification{}, func(m proto.Message) (string, proto.Message) {
			return "X", modify(m.(*adminpb.ModifyColumnFamiliesRequest_Modification))
		}},
	} {
		r := m.of.ProtoReflect()
		kinds := r.Descriptor().Oneofs()
		if kinds.Len() != 1 {
			t.Errorf("%s has %d oneofs", r.Descriptor().FullName(), kinds.Len())
		}
		for i := range kinds.Get(0).Fields().Len() {
			kind := kinds.Get(0).Fields().Get(i)
			one := r.New()
			if kind.Message() != nil {
				one.Set(kind, one.NewField(kind))
			} else {
				one.Set(kind, kind.Default())
			}
			method, req := m.send(one.Interface())
			before := guard.Counts()[ttlguard.NotJudged]
			if _, err := guard.Begin(t.Context(), dataService+method, req); err != nil {
				t.Error(err)
			}
			if guard.Counts()[ttlguard.NotJudged] > before {
				t.Errorf("%s is not understood", kind.FullName())
			}
		}
	}
}

// TestUpdateMask: an update is judged by the policy if its mask takes that in.
func TestUpdateMask(t *testing.T) {
	versions := &adminpb.GcRule{Rule: &adminpb.GcRule_MaxNumVersions{MaxNumVersions: 1}}
	for _, test := range []struct {
		rule  *adminpb.GcRule
		paths []string
		want  bool
	}{
		{versions, nil, true},
		{versions, []string{"gc_rule"}, true},
		{versions, []string{"value_type", "gc_rule"}, true},
		{versions, []string{"gc_rule.max_num_versions"}, true},
		{versions, []string{"*"}, true},
		{versions, []string{"value_type"}, false},
		{nil, nil, true},
		{nil, []string{"*"}, true},
		{nil, []string{"gc_rule"}, true},
		{nil, []string{"value_type"}, false},
	} {
		guard := mustGuard(t, ttlguard.WithLogger(nil), ttlguard.Reject())
		_, err := guard.Begin(t.Context(), tableAdmin+"ModifyColumnFamilies", update("sessions", "token", test.rule, test.paths...))
		if (err != nil) != test.want {
			t.Errorf("%v with the mask %v: %v", test.rule, test.paths, err)
		}
	}
}

// TestBitmask: a filter of values that newer clients have lets dead cells pass
// as others do.
func TestBitmask(t *testing.T) {
	f := &btpb.RowFilter{}
	if err := proto.Unmarshal(field(20, field(1, []byte{1})), f); err != nil {
		t.Fatal(err)
	}
	if got := violations(t, read("sessions", f)); !slices.Equal(got, []string{"ttlread/missing-filter"}) {
		t.Error(got)
	}
	if got := violations(t, read("sessions", chain(family("token"), between(now(0), 0), f))); got != nil {
		t.Error(got)
	}
}

// TestViews: the statement of a logical view is judged when it is defined,
// since queries name the view then.
func TestViews(t *testing.T) {
	view := func(query string) *adminpb.CreateLogicalViewRequest {
		return &adminpb.CreateLogicalViewRequest{LogicalView: &adminpb.LogicalView{Query: query}}
	}
	if got := violations(t, view("SELECT token FROM sessions")); !slices.Equal(got, []string{"ttlread/sql"}) {
		t.Error(got)
	}
	if got := violations(t, view("SELECT token FROM sessions(with_history => TRUE, after_or_equal => CURRENT_TIMESTAMP())")); got != nil {
		t.Error(got)
	}
}
