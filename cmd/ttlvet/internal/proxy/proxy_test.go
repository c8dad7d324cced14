package proxy_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"reflect"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"cloud.google.com/go/bigtable"
	btpb "cloud.google.com/go/bigtable/apiv2/bigtablepb"
	"cloud.google.com/go/bigtable/bttest"
	"google.golang.org/api/option"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/encoding/gzip"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/durationpb"

	"github.com/ttlvet/ttlvet/cmd/ttlvet/internal/proxy"
	"github.com/ttlvet/ttlvet/runtime/strategy"
	"github.com/ttlvet/ttlvet/runtime/ttlguard"
)

// start starts a proxy to a server and returns its address, with the rules that
// are violated.
func start(t *testing.T, to string, options ...ttlguard.Option) (addr string, rules func() []string) {
	t.Helper()
	var mu sync.Mutex
	var found []string
	guard, err := ttlguard.New(append([]ttlguard.Option{ttlguard.WithLogger(nil), ttlguard.Interval(0),
		ttlguard.Declare("sessions", strategy.Family{Name: "token", Strategy: strategy.OneSecond, MaxAge: time.Second}),
		ttlguard.OnViolation(func(_ context.Context, v ttlguard.Violation) {
			mu.Lock()
			defer mu.Unlock()
			found = append(found, v.Method+" "+v.Rule)
		}),
	}, options...)...)
	if err != nil {
		t.Fatal(err)
	}
	p, err := proxy.New(to, guard, func() {})
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "localhost:0")
	if err != nil {
		t.Fatal(err)
	}
	go p.Serve(l)
	t.Cleanup(p.Stop)
	return l.Addr().String(), func() []string {
		mu.Lock()
		defer mu.Unlock()
		defer func() { found = nil }()
		return found
	}
}

func connect(t *testing.T, addr string) *grpc.ClientConn {
	t.Helper()
	conn, err := grpc.NewClient(addr, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	return conn
}

// TestClient: what the Go client does through the proxy is what it does
// without, and what is wrong with it is known.
func TestClient(t *testing.T) {
	srv, err := bttest.NewServer("localhost:0")
	if err != nil {
		t.Fatal(err)
	}
	defer srv.Close()
	addr, rules := start(t, srv.Addr)
	ctx := t.Context()
	conn := connect(t, addr)
	admin, err := bigtable.NewAdminClient(ctx, "p", "i", option.WithGRPCConn(conn))
	if err != nil {
		t.Fatal(err)
	}
	conf := &bigtable.TableConf{TableID: "sessions", ColumnFamilies: map[string]bigtable.Family{"token": {GCPolicy: bigtable.MaxAgePolicy(time.Hour)}}}
	if err := admin.CreateTableFromConf(ctx, conf); err != nil {
		t.Fatal(err)
	}
	client, err := bigtable.NewClientWithConfig(ctx, "p", "i", bigtable.ClientConfig{MetricsProvider: bigtable.NoopMetricsProvider{}}, option.WithGRPCConn(conn))
	if err != nil {
		t.Fatal(err)
	}
	tbl := client.Open("sessions")
	const rows = 3000 // more than one message
	var keys []string
	var ms []*bigtable.Mutation
	for i := range rows {
		m := bigtable.NewMutation()
		m.Set("token", "jwt", bigtable.Time(time.Now().Add(time.Hour)), []byte(strings.Repeat("x", 1000)))
		keys, ms = append(keys, fmt.Sprintf("k%05d", i)), append(ms, m)
	}
	if errs, err := tbl.ApplyBulk(ctx, keys, ms); errs != nil || err != nil {
		t.Fatal(errs, err)
	}
	live := bigtable.RowFilter(bigtable.TimestampRangeFilter(time.Now(), time.Time{}))
	n := 0
	if err := tbl.ReadRows(ctx, bigtable.InfiniteRange(""), func(r bigtable.Row) bool { n += len(r["token"]); return true }, live); err != nil || n != rows {
		t.Errorf("%d cells, %v", n, err)
	}
	if got := rules(); !reflect.DeepEqual(got, []string{"CreateTable ttlgc/age-mismatch"}) {
		t.Errorf("violations %v", got)
	}
	m := bigtable.NewMutation()
	m.Set("token", "jwt", bigtable.ServerTime, nil)
	if err := tbl.Apply(ctx, "k", m); err != nil {
		t.Error(err)
	}
	increment := bigtable.NewReadModifyWrite()
	increment.Increment("token", "n", 1)
	if _, err := tbl.ApplyReadModifyWrite(ctx, "k", increment); err != nil {
		t.Error(err)
	}
	if _, err := tbl.ReadRow(ctx, "k"); err != nil {
		t.Error(err)
	}
	if keys, err := tbl.SampleRowKeys(ctx); err != nil || len(keys) == 0 {
		t.Error(keys, err)
	}
	if got, want := rules(), []string{"MutateRow ttlwrite/server-timestamp", "ReadModifyWriteRow ttlwrite/read-modify-write", "ReadRows ttlread/missing-filter"}; !reflect.DeepEqual(got, want) {
		t.Errorf("violations %v", got)
	}
	// Errors of the server come as they are.
	if _, err := client.Open("nosuch").ReadRow(ctx, "k"); status.Code(err) != codes.NotFound {
		t.Error(err)
	}
	cancelled, cancel := context.WithCancel(ctx)
	err = tbl.ReadRows(cancelled, bigtable.InfiniteRange(""), func(bigtable.Row) bool { cancel(); return true }, live)
	if code := status.Code(err); err != nil && code != codes.Canceled {
		t.Error(err)
	}
}

func TestReject(t *testing.T) {
	srv, err := bttest.NewServer("localhost:0")
	if err != nil {
		t.Fatal(err)
	}
	defer srv.Close()
	addr, _ := start(t, srv.Addr, ttlguard.Reject())
	client := btpb.NewBigtableClient(connect(t, addr))
	stream, err := client.ReadRows(t.Context(), &btpb.ReadRowsRequest{TableName: "projects/p/instances/i/tables/sessions"})
	if err == nil {
		_, err = stream.Recv()
	}
	if status.Code(err) != codes.FailedPrecondition || !strings.Contains(err.Error(), "ttlread/missing-filter") {
		t.Error(err)
	}
}

// An echo is a server of methods that the proxy does not know: in every
// direction and with everything that gRPC has.
func echo(_ any, s grpc.ServerStream) error {
	md, _ := metadata.FromIncomingContext(s.Context())
	if err := s.SendHeader(metadata.Pairs("x-header", md.Get("x-request")[0], "x-bin", "\x00\xff")); err != nil {
		return err
	}
	s.SetTrailer(metadata.Pairs("x-trailer", "t"))
	for {
		m := &btpb.ReadRowsRequest{}
		if err := s.RecvMsg(m); err != nil {
			if !errors.Is(err, io.EOF) {
				return err
			}
			break
		}
		switch m.AppProfileId {
		case "wait":
			<-s.Context().Done()
			return s.Context().Err()
		case "deadline":
			deadline, _ := s.Context().Deadline()
			m.TableName = deadline.Format(time.RFC3339)
		}
		if err := s.SendMsg(m); err != nil {
			return err
		}
	}
	st, _ := status.New(codes.ResourceExhausted, "enough").WithDetails(durationpb.New(time.Second))
	return st.Err()
}

func TestTransparent(t *testing.T) {
	l, err := net.Listen("tcp", "localhost:0")
	if err != nil {
		t.Fatal(err)
	}
	server := grpc.NewServer(grpc.UnknownServiceHandler(echo))
	go server.Serve(l)
	defer server.Stop()
	addr, _ := start(t, l.Addr().String())
	conn := connect(t, addr)
	ctx := metadata.AppendToOutgoingContext(t.Context(), "x-request", "hello")
	open := func(ctx context.Context, opts ...grpc.CallOption) grpc.ClientStream {
		s, err := conn.NewStream(ctx, &grpc.StreamDesc{ClientStreams: true, ServerStreams: true}, "/some.Service/Method", opts...)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	for _, opts := range [][]grpc.CallOption{nil, {grpc.UseCompressor(gzip.Name)}} {
		s := open(ctx, opts...)
		if md, err := s.Header(); err != nil || !reflect.DeepEqual(md.Get("x-header"), []string{"hello"}) || md.Get("x-bin")[0] != "\x00\xff" {
			t.Errorf("header %v, %v", md, err)
		}
		for i := range 3 { // in turns
			m := &btpb.ReadRowsRequest{TableName: strings.Repeat("x", 100_000*i)}
			if err := s.SendMsg(m); err != nil {
				t.Fatal(err)
			}
			got := &btpb.ReadRowsRequest{}
			if err := s.RecvMsg(got); err != nil || got.TableName != m.TableName {
				t.Fatalf("%v, %d bytes", err, len(got.TableName))
			}
		}
		if err := s.CloseSend(); err != nil {
			t.Fatal(err)
		}
		err := s.RecvMsg(&btpb.ReadRowsRequest{})
		if st := status.Convert(err); st.Code() != codes.ResourceExhausted || st.Message() != "enough" || len(st.Details()) != 1 {
			t.Errorf("status %v", st)
		}
		if md := s.Trailer(); !reflect.DeepEqual(md.Get("x-trailer"), []string{"t"}) {
			t.Errorf("trailer %v", md)
		}
	}
	// A deadline reaches the server, and its end the client.
	long, cancel := context.WithTimeout(ctx, time.Hour)
	defer cancel()
	s, said := open(long), &btpb.ReadRowsRequest{}
	if err := s.SendMsg(&btpb.ReadRowsRequest{AppProfileId: "deadline"}); err != nil {
		t.Fatal(err)
	}
	if err := s.RecvMsg(said); err != nil {
		t.Fatal(err)
	}
	if at, err := time.Parse(time.RFC3339, said.TableName); err != nil || time.Until(at).Round(30*time.Minute) != time.Hour {
		t.Errorf("the server has the deadline %s, %v", said.TableName, err)
	}
	short, cancel := context.WithTimeout(ctx, 200*time.Millisecond)
	defer cancel()
	s, err = conn.NewStream(short, &grpc.StreamDesc{ClientStreams: true, ServerStreams: true}, "/some.Service/Method")
	if err == nil { // else it is over already, on a busy machine
		_ = s.SendMsg(&btpb.ReadRowsRequest{AppProfileId: "wait"}) // RecvMsg says why
		err = s.RecvMsg(&btpb.ReadRowsRequest{})
	}
	if status.Code(err) != codes.DeadlineExceeded {
		t.Error(err)
	}
}

// TestItself: a proxy that is its own server, by whatever way, passes nothing on
// for ever.
func TestItself(t *testing.T) {
	l, err := net.Listen("tcp", "localhost:0")
	if err != nil {
		t.Fatal(err)
	}
	guard, err := ttlguard.New(ttlguard.WithLogger(nil), ttlguard.Declare("t"))
	if err != nil {
		t.Fatal(err)
	}
	between, _ := start(t, l.Addr().String()) // one proxy after the other
	var back atomic.Int32
	p, err := proxy.New(between, guard, func() { back.Add(1) })
	if err != nil {
		t.Fatal(err)
	}
	go p.Serve(l)
	t.Cleanup(p.Stop)
	_, err = btpb.NewBigtableClient(connect(t, l.Addr().String())).MutateRow(t.Context(), &btpb.MutateRowRequest{})
	if status.Code(err) != codes.FailedPrecondition || !strings.Contains(err.Error(), "leads back to this proxy") || p.Requests() != 1 || back.Load() != 1 {
		t.Errorf("%d requests, %d came back: %v", p.Requests(), back.Load(), err)
	}
}

// TestNoServer: what cannot be passed on fails as it would without the proxy.
func TestNoServer(t *testing.T) {
	addr, _ := start(t, "localhost:1")
	client := btpb.NewBigtableClient(connect(t, addr))
	_, err := client.MutateRow(t.Context(), &btpb.MutateRowRequest{})
	if status.Code(err) != codes.Unavailable {
		t.Error(err)
	}
}
