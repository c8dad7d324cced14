// Package newest holds the guard to the newest release of the client, which
// has sessions. Its go.mod names that, as .ci/run does; the runtime package's
// own names the oldest.
package newest

import (
	"context"
	"errors"
	"io"
	"net"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"cloud.google.com/go/bigtable"
	_ "cloud.google.com/go/bigtable/admin/apiv2/adminpb"
	"cloud.google.com/go/bigtable/apiv2/bigtablepb"
	"google.golang.org/api/option"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"

	"github.com/ttlvet/ttlvet/runtime/ttl"
	"github.com/ttlvet/ttlvet/runtime/ttlguard"
)

var (
	token    = ttl.OneSecond("token", 30*time.Minute)
	sessions = ttl.NewTable("sessions", token)
)

// A server wants all requests in sessions, and answers them with nothing.
type server struct {
	bigtablepb.UnimplementedBigtableServer

	mu    sync.Mutex
	ended int      // sessions
	seen  []string // what has come in them
}

func (s *server) came(what string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.seen = append(s.seen, what)
}

// take returns what has come since it was called last, and how many sessions
// have ended.
func (s *server) take() (seen []string, ended int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	defer func() { s.seen = nil }()
	return s.seen, s.ended
}

func (*server) PingAndWarm(context.Context, *bigtablepb.PingAndWarmRequest) (*bigtablepb.PingAndWarmResponse, error) {
	return &bigtablepb.PingAndWarmResponse{}, nil
}

func (*server) GetClientConfiguration(context.Context, *bigtablepb.GetClientConfigurationRequest) (*bigtablepb.ClientConfiguration, error) {
	return &bigtablepb.ClientConfiguration{SessionConfiguration: &bigtablepb.SessionClientConfiguration{
		SessionLoad:              1,
		SessionPoolConfiguration: &bigtablepb.SessionClientConfiguration_SessionPoolConfiguration{MinSessionCount: 1, MaxSessionCount: 1},
	}}, nil
}

func (s *server) MutateRow(context.Context, *bigtablepb.MutateRowRequest) (*bigtablepb.MutateRowResponse, error) {
	s.came("outside of sessions")
	return &bigtablepb.MutateRowResponse{}, nil
}

func (s *server) OpenTable(stream bigtablepb.Bigtable_OpenTableServer) error {
	return s.serve("table", stream)
}

func (s *server) OpenAuthorizedView(stream bigtablepb.Bigtable_OpenAuthorizedViewServer) error {
	return s.serve("view", stream)
}

func (s *server) OpenMaterializedView(stream bigtablepb.Bigtable_OpenMaterializedViewServer) error {
	return s.serve("materialized view", stream)
}

func (s *server) serve(what string, stream grpc.BidiStreamingServer[bigtablepb.SessionRequest, bigtablepb.SessionResponse]) error {
	defer func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.ended++
	}()
	for {
		m, err := stream.Recv()
		if errors.Is(err, io.EOF) || m.GetCloseSession() != nil {
			return nil
		}
		if err != nil {
			return err
		}
		answer := &bigtablepb.SessionResponse{Payload: &bigtablepb.SessionResponse_OpenSession{OpenSession: &bigtablepb.OpenSessionResponse{}}}
		if r := m.GetVirtualRpc(); r != nil {
			// Requests and responses of tables and views are alike.
			var req bigtablepb.TableRequest
			resp := &bigtablepb.TableResponse{Payload: &bigtablepb.TableResponse_MutateRow{MutateRow: &bigtablepb.SessionMutateRowResponse{}}}
			if err := proto.Unmarshal(r.GetPayload(), &req); err != nil {
				return err
			}
			did := "write to a " + what
			if req.GetReadRow() != nil {
				did = "read of a " + what
				resp.Payload = &bigtablepb.TableResponse_ReadRow{ReadRow: &bigtablepb.SessionReadRowResponse{Row: &bigtablepb.Row{Key: req.GetReadRow().GetKey()}}}
			}
			s.came(did)
			payload, err := proto.Marshal(resp)
			if err != nil {
				return err
			}
			answer.Payload = &bigtablepb.SessionResponse_VirtualRpc{VirtualRpc: &bigtablepb.VirtualRpcResponse{RpcId: r.GetRpcId(), Payload: payload}}
		}
		if err := stream.Send(answer); err != nil {
			return err
		}
	}
}

// client starts a server and returns a guarded client that sends all that it
// can in sessions.
func client(t *testing.T, options ...ttlguard.Option) (*bigtable.Client, *server) {
	t.Helper()
	guard, err := ttlguard.New(append(options, ttlguard.Tables(sessions))...)
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "localhost:0")
	if err != nil {
		t.Fatal(err)
	}
	s, srv := &server{}, grpc.NewServer()
	bigtablepb.RegisterBigtableServer(srv, s)
	go srv.Serve(l)
	t.Cleanup(srv.Stop)
	// A connection of its own for each pool: a client that is given one has no
	// sessions.
	c, err := bigtable.NewClientWithConfig(t.Context(), "p", "i", bigtable.ClientConfig{MetricsProvider: bigtable.NoopMetricsProvider{}},
		append(guard.ClientOptions(), option.WithEndpoint("passthrough:///"+l.Addr().String()), option.WithoutAuthentication(),
			option.WithGRPCDialOption(grpc.WithTransportCredentials(insecure.NewCredentials())))...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	right := bigtable.NewMutation()
	if err := token.Set(right, "jwt", nil); err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(10 * time.Millisecond) {
		if err := c.Open("sessions").Apply(t.Context(), "row", right); err != nil {
			t.Fatal(err)
		}
		if seen, _ := s.take(); slices.Equal(seen, []string{"write to a table"}) {
			return c, s
		}
		if time.Now().After(deadline) {
			t.Fatal("the client sends nothing in sessions")
		}
	}
}

// TestSessions: what the client sends in sessions is judged as what it sends
// without, and rejected one by one.
func TestSessions(t *testing.T) {
	wrong, right := bigtable.NewMutation(), bigtable.NewMutation()
	wrong.Set("token", "jwt", bigtable.ServerTime, nil)
	if err := token.Set(right, "jwt", nil); err != nil {
		t.Fatal(err)
	}
	ctx := t.Context()
	read := func(t bigtable.TableAPI, options ...bigtable.ReadOption) error {
		_, err := t.ReadRow(ctx, "row", options...)
		return err
	}
	for _, reject := range []bool{false, true} {
		var mu sync.Mutex
		var found []string
		options := []ttlguard.Option{ttlguard.WithLogger(nil), ttlguard.Interval(0), ttlguard.OnViolation(func(_ context.Context, v ttlguard.Violation) {
			mu.Lock()
			defer mu.Unlock()
			found = append(found, v.Rule)
		})}
		if reject {
			options = append(options, ttlguard.Reject())
		}
		c, s := client(t, options...)
		table, view := c.OpenTable("sessions"), c.OpenAuthorizedView("sessions", "v")
		for _, step := range []struct {
			on   bigtable.TableAPI
			do   func(bigtable.TableAPI) error
			came string
			rule string
		}{
			{table, func(t bigtable.TableAPI) error { return t.Apply(ctx, "row", wrong) }, "write to a table", "ttlwrite/server-timestamp"},
			{table, func(t bigtable.TableAPI) error { return t.Apply(ctx, "row", right) }, "write to a table", ""},
			{table, func(t bigtable.TableAPI) error { return read(t) }, "read of a table", "ttlread/missing-filter"},
			{table, func(t bigtable.TableAPI) error {
				return t.ReadRows(ctx, bigtable.SingleRow("row"), func(bigtable.Row) bool { return true })
			}, "read of a table", "ttlread/missing-filter"},
			{table, func(t bigtable.TableAPI) error { return read(t, sessions.Live()) }, "read of a table", ""},
			{view, func(t bigtable.TableAPI) error { return t.Apply(ctx, "row", wrong) }, "write to a view", "ttlwrite/server-timestamp"},
			{view, func(t bigtable.TableAPI) error { return read(t, sessions.Live()) }, "read of a view", ""},
			{view, func(t bigtable.TableAPI) error { return read(t) }, "read of a view", "ttlread/missing-filter"},
			{view, func(t bigtable.TableAPI) error { return t.Apply(ctx, "row", right) }, "write to a view", ""},
			{c.OpenMaterializedView("m"), func(t bigtable.TableAPI) error { return read(t) }, "read of a materialized view", ttlguard.NotJudged},
			{c.OpenMaterializedView("m"), func(t bigtable.TableAPI) error { return read(t) }, "read of a materialized view", ""},
			{c.OpenTable("other"), func(t bigtable.TableAPI) error { return t.Apply(ctx, "row", wrong) }, "write to a table", ""},
		} {
			found = nil
			err := step.do(step.on)
			mu.Lock()
			if got := strings.Join(found, " "); got != step.rule {
				t.Errorf("%s: %q, want %q", step.came, got, step.rule)
			}
			mu.Unlock()
			seen, ended := s.take()
			if reject && step.rule != "" && step.rule != ttlguard.NotJudged {
				if status.Code(err) != codes.FailedPrecondition || !strings.Contains(err.Error(), step.rule) || seen != nil {
					t.Errorf("%s: %v, and to the server came %q", step.came, err, seen)
				}
			} else if err != nil || !slices.Equal(seen, []string{step.came}) {
				t.Errorf("%s: %v, and to the server came %q", step.came, err, seen)
			}
			if ended > 0 {
				t.Errorf("%s: %d sessions have ended", step.came, ended)
			}
		}
	}
}

// TestMethods: the list of the guard's methods is that of this client.
func TestMethods(t *testing.T) {
	text, err := os.ReadFile("../methods.txt")
	if err != nil {
		t.Fatal(err)
	}
	var listed, have []string
	for line := range strings.Lines(string(text)) {
		name, _, _ := strings.Cut(line, ": ")
		listed = append(listed, name)
	}
	protoregistry.GlobalFiles.RangeFilesByPackage("google.bigtable.v2", func(f protoreflect.FileDescriptor) bool {
		have = append(have, methods(f)...)
		return true
	})
	protoregistry.GlobalFiles.RangeFilesByPackage("google.bigtable.admin.v2", func(f protoreflect.FileDescriptor) bool {
		have = append(have, methods(f)...)
		return true
	})
	slices.Sort(have)
	if !slices.Equal(have, listed) {
		t.Errorf("the client has the methods\n%s\nthe list has\n%s", strings.Join(have, "\n"), strings.Join(listed, "\n"))
	}
}

func methods(f protoreflect.FileDescriptor) (names []string) {
	for i := range f.Services().Len() {
		all := f.Services().Get(i).Methods()
		for j := range all.Len() {
			names = append(names, "/"+string(f.Services().Get(i).FullName())+"/"+string(all.Get(j).Name()))
		}
	}
	return names
}
