package ttlguard_test

import (
	"context"
	"errors"
	"io"
	"net"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	btpb "cloud.google.com/go/bigtable/apiv2/bigtablepb"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/emptypb"

	"github.com/ttlvet/ttlvet/runtime/ttlguard"
)

// The messages of sessions are written here as they are on the wire, so that
// the tests run with clients that have no types for them. What the newest
// client makes of sessions is tested in testdata/newest.

// field returns a field of a message: of a message, bytes or a text.
func field(number protowire.Number, value []byte) []byte {
	return protowire.AppendBytes(protowire.AppendTag(nil, number, protowire.BytesType), value)
}

func varint(number protowire.Number, value uint64) []byte {
	return protowire.AppendVarint(protowire.AppendTag(nil, number, protowire.VarintType), value)
}

func opening(name string) []byte {
	return field(1, slices.Concat(varint(1, 1), field(5, field(1, []byte(name)))))
}

// virtual returns a request in a session, of which the payload is a field of
// TableRequest.
func virtual(id uint64, payload []byte) []byte {
	metadata := field(3, varint(1, 1))
	return field(3, slices.Concat(varint(1, id), metadata, field(4, payload)))
}

func reading(filter *btpb.RowFilter) []byte {
	body := field(1, []byte("row"))
	if filter != nil {
		body = append(body, field(2, marshal(filter))...)
	}
	return field(1, body)
}

func mutating(all ...*btpb.Mutation) []byte {
	body := field(1, []byte("row"))
	for _, m := range all {
		body = append(body, field(2, marshal(m))...)
	}
	return field(2, body)
}

func marshal(m proto.Message) []byte {
	b, err := proto.Marshal(m)
	if err != nil {
		panic(err)
	}
	return b
}

// onWire returns a message with fields that are not known to its type, as any
// message is on the wire.
func onWire(b []byte) *emptypb.Empty {
	e := &emptypb.Empty{}
	e.ProtoReflect().SetUnknown(b)
	return e
}

// get returns a field of a message, and a number in it.
func get(message []byte, of protowire.Number) (value []byte, number uint64) {
	for len(message) > 0 {
		n, kind, size := protowire.ConsumeTag(message)
		message = message[size:]
		size = protowire.ConsumeFieldValue(n, kind, message)
		switch {
		case n != of:
		case kind == protowire.VarintType:
			number, _ = protowire.ConsumeVarint(message)
		default:
			value, _ = protowire.ConsumeBytes(message)
		}
		message = message[size:]
	}
	return value, number
}

// A sessionServer is a service that answers requests in sessions, and fails
// those that it is told to.
type sessionServer struct {
	mu   sync.Mutex
	seen []uint64          // the requests that have come, by their IDs
	fail map[uint64][]byte // by the ID, what ErrorResponse has beside it
}

func (f *sessionServer) handle(_ any, s grpc.ServerStream) error {
	for {
		m := &emptypb.Empty{}
		if err := s.RecvMsg(m); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		message := m.ProtoReflect().GetUnknown()
		answer := field(1, nil)
		if request, _ := get(message, 3); request != nil {
			_, id := get(request, 1)
			f.mu.Lock()
			f.seen = append(f.seen, id)
			failure, fails := f.fail[id]
			f.mu.Unlock()
			answer = field(2, varint(1, id))
			if fails {
				answer = field(3, append(varint(1, id), failure...))
			}
		}
		if err := s.SendMsg(onWire(answer)); err != nil {
			return err
		}
	}
}

func (f *sessionServer) requests() []uint64 {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.seen)
}

// dial starts the service and returns a guarded connection to it.
func (f *sessionServer) dial(t *testing.T, guard *ttlguard.Guard) *grpc.ClientConn {
	t.Helper()
	l, err := net.Listen("tcp", "localhost:0")
	if err != nil {
		t.Fatal(err)
	}
	srv := grpc.NewServer(grpc.UnknownServiceHandler(f.handle))
	go srv.Serve(l)
	t.Cleanup(srv.Stop)
	conn, err := grpc.NewClient(l.Addr().String(), append(guard.DialOptions(), grpc.WithTransportCredentials(insecure.NewCredentials()))...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	return conn
}

// A client opens sessions and sends requests in them.
type sessionClient struct {
	t *testing.T
	s grpc.ClientStream
}

func openSession(t *testing.T, conn *grpc.ClientConn, method, name string) *sessionClient {
	t.Helper()
	s, err := conn.NewStream(t.Context(), &grpc.StreamDesc{ServerStreams: true, ClientStreams: true}, "/google.bigtable.v2.Bigtable/"+method)
	if err != nil {
		t.Fatal(err)
	}
	c := &sessionClient{t, s}
	if got := c.do(opening(name)); string(got) != string(field(1, nil)) {
		t.Fatalf("the session is not open: %q", got)
	}
	return c
}

// do sends a message and returns the answer.
func (c *sessionClient) do(message []byte) []byte {
	c.t.Helper()
	if err := c.s.SendMsg(onWire(message)); err != nil {
		c.t.Fatal(err)
	}
	m := &emptypb.Empty{}
	if err := c.s.RecvMsg(m); err != nil {
		c.t.Fatal(err)
	}
	return m.ProtoReflect().GetUnknown()
}

// failed returns the error in an answer.
func failed(answer []byte) (id uint64, code codes.Code, message string) {
	e, _ := get(answer, 3)
	_, id = get(e, 1)
	st, _ := get(e, 3)
	_, n := get(st, 1)
	text, _ := get(st, 2)
	return id, codes.Code(n), string(text)
}

// TestSession: requests in a session are judged like others, and are rejected
// one by one, while the session goes on.
func TestSession(t *testing.T) {
	unset := mutating(set("token", "a", -1))
	later := mutating(set("token", "a", time.Now().Add(time.Hour).UnixMilli()*1000))
	live := reading(chain(family("token"), between(time.Now().UnixMilli()*1000, 0)))
	for _, test := range []struct {
		method, name string
		payload      []byte
		want         string
	}{
		{"OpenTable", tables + "sessions", unset, "MutateRow ttlwrite/server-timestamp"},
		{"OpenTable", tables + "sessions", later, ""},
		{"OpenTable", tables + "sessions", reading(nil), "ReadRows ttlread/missing-filter"},
		{"OpenTable", tables + "sessions", live, ""},
		{"OpenTable", tables + "other", unset, ""},
		{"OpenTable", tables + "eu-ledger", mutating(set("entry", "a", -1)), "MutateRow ttlwrite/clock-in-sequence"},
		{"OpenAuthorizedView", tables + "sessions/authorizedViews/v", unset, "MutateRow ttlwrite/server-timestamp"},
		{"OpenAuthorizedView", tables + "sessions/authorizedViews/v", reading(nil), "ReadRows ttlread/missing-filter"},
		{"OpenAuthorizedView", tables + "other/authorizedViews/v", unset, ""},
		// Fields of a message that come twice are those of one.
		{"OpenTable", tables + "sessions", slices.Concat(later, unset), "MutateRow ttlwrite/server-timestamp"},
		{"OpenTable", tables + "sessions", slices.Concat(unset, live), ""},
	} {
		for _, reject := range []bool{false, true} {
			var found []string
			options := []ttlguard.Option{ttlguard.WithLogger(nil), ttlguard.OnViolation(func(_ context.Context, v ttlguard.Violation) {
				found = append(found, v.Method+" "+v.Rule)
			})}
			if reject {
				options = append(options, ttlguard.Reject())
			}
			server := &sessionServer{}
			c := openSession(t, server.dial(t, mustGuard(t, options...)), test.method, test.name)
			answer := c.do(virtual(7, test.payload))
			seen := server.requests()
			if got := strings.Join(found, " "); got != test.want {
				t.Errorf("%s %s: %q, want %q", test.method, test.name, got, test.want)
			}
			_, rule, wrong := strings.Cut(test.want, " ")
			if id, code, message := failed(answer); reject && wrong {
				if id != 7 || code != codes.FailedPrecondition || !strings.Contains(message, rule) || len(seen) > 0 {
					t.Errorf("%s %s: request %d fails by %s: %s; sent are %v", test.method, test.name, id, code, message, seen)
				}
			} else if id != 0 || len(seen) != 1 {
				t.Errorf("%s %s: request %d fails by %s: %s; sent are %v", test.method, test.name, id, code, message, seen)
			}
			// The session goes on.
			if answer := c.do(virtual(8, later)); string(answer) != string(field(2, varint(1, 8))) {
				t.Errorf("%s %s: then %q", test.method, test.name, answer)
			}
			if err := c.s.CloseSend(); err != nil {
				t.Error(err)
			}
			if err := c.s.RecvMsg(&emptypb.Empty{}); !errors.Is(err, io.EOF) {
				t.Errorf("the session ends with %v", err)
			}
		}
	}
}

// TestSessionRetry: what has failed in a session and comes again, in this or
// another, is judged once.
func TestSessionRetry(t *testing.T) {
	code := func(c codes.Code) []byte { return field(3, varint(1, uint64(c))) }
	server := &sessionServer{fail: map[uint64][]byte{
		1: code(codes.Unavailable),
		2: append(code(codes.FailedPrecondition), field(4, field(1, nil))...), // with RetryInfo
		3: code(codes.NotFound),
	}}
	guard := mustGuard(t, ttlguard.WithLogger(nil))
	conn := server.dial(t, guard)
	counts := func() int64 { return guard.Counts()["ttlwrite/server-timestamp"] }
	c := openSession(t, conn, "OpenTable", tables+"sessions")
	wrong := mutating(set("token", "a", -1))
	for _, step := range []struct {
		id   uint64
		want int64
	}{{1, 1}, {2, 1}, {4, 1}, {5, 2}, {3, 3}, {6, 4}} {
		c.do(virtual(step.id, wrong))
		if got := counts(); got != step.want {
			t.Errorf("request %d is violation %d, want %d", step.id, got, step.want)
		}
	}
	// A session that ends with a request on its way.
	ctx, cancel := context.WithCancel(t.Context())
	s, err := conn.NewStream(ctx, &grpc.StreamDesc{ServerStreams: true, ClientStreams: true}, "/google.bigtable.v2.Bigtable/OpenTable")
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range [][]byte{opening(tables + "sessions"), virtual(9, wrong)} {
		if err := s.SendMsg(onWire(m)); err != nil {
			t.Fatal(err)
		}
	}
	cancel()
	for err == nil {
		err = s.RecvMsg(&emptypb.Empty{})
	}
	before := counts()
	c.do(virtual(10, wrong))
	if got := counts(); got > before {
		t.Errorf("%d violations, want %d", got, before)
	}
}

// TestSessionNotJudged: what is not understood in a session is reported once,
// and rejected with strict rules.
func TestSessionNotJudged(t *testing.T) {
	unset := mutating(set("token", "a", -1))
	for name, test := range map[string]struct {
		method, name string
		message      []byte
	}{
		"another request":       {"OpenTable", tables + "sessions", virtual(1, field(3, nil))},
		"no request":            {"OpenTable", tables + "sessions", virtual(1, nil)},
		"a damaged filter":      {"OpenTable", tables + "sessions", virtual(1, field(1, field(2, []byte{1})))},
		"another message":       {"OpenTable", tables + "sessions", field(9, varint(1, 1))},
		"a materialized view":   {"OpenMaterializedView", "projects/p/instances/i/materializedViews/v", virtual(1, reading(nil))},
		"another kind of table": {"OpenTable", "", virtual(1, unset)},
	} {
		for _, strict := range []bool{false, true} {
			var reports []string
			options := []ttlguard.Option{ttlguard.WithLogger(nil), ttlguard.Interval(0), ttlguard.Reject(),
				ttlguard.OnViolation(func(_ context.Context, v ttlguard.Violation) { reports = append(reports, v.Message) })}
			if strict {
				options = append(options, ttlguard.Strict())
			}
			server := &sessionServer{}
			guard := mustGuard(t, options...)
			c := openSession(t, server.dial(t, guard), test.method, test.name)
			for range 2 {
				answer := c.do(test.message)
				if _, code, _ := failed(answer); (code == codes.FailedPrecondition) != strict {
					t.Errorf("%s, strict %t: %s", name, strict, code)
				}
			}
			if want := []string{"requests of method " + test.method + " are not judged"}; !slices.Equal(reports, want) || guard.Counts()[ttlguard.NotJudged] != 2 {
				t.Errorf("%s, strict %t: %d, reports %q", name, strict, guard.Counts()[ttlguard.NotJudged], reports)
			}
		}
	}
}
