package ttlguard_test

import (
	"context"
	"testing"
	"time"

	btpb "cloud.google.com/go/bigtable/apiv2/bigtablepb"
	"google.golang.org/grpc"
	"google.golang.org/grpc/metadata"

	"github.com/ttlvet/ttlvet/runtime/ttlguard"
)

// A silent is a stream that does nothing.
type silent struct{ grpc.ClientStream }

func (silent) SendMsg(any) error            { return nil }
func (silent) RecvMsg(any) error            { return nil }
func (silent) CloseSend() error             { return nil }
func (silent) Header() (metadata.MD, error) { return nil, nil }
func (silent) Trailer() metadata.MD         { return nil }

// TestAllocations: a request that is right costs next to no memory.
func TestAllocations(t *testing.T) {
	guard := mustGuard(t, ttlguard.WithLogger(nil))
	unary, stream := guard.UnaryInterceptor(), guard.StreamInterceptor()
	now := time.Now().Add(time.Minute).UnixMilli() * 1000 // the test may take a while
	live := interleave(chain(family("token"), between(now, 0)), chain(family("profile"), &btpb.RowFilter{Filter: &btpb.RowFilter_PassAllFilter{PassAllFilter: true}}))
	var under grpc.ClientStream = silent{}
	write := mutate("sessions", deleteColumn("token", "jwt", nil), set("token", "jwt", now))
	requests := map[string]func() error{"write": func() error {
		return unary(t.Context(), dataService+"MutateRow", write, nil, nil, func(context.Context, string, any, any, *grpc.ClientConn, ...grpc.CallOption) error { return nil })
	}}
	for name, f := range map[string]*btpb.RowFilter{
		"live":            live,
		"live and column": chain(live, &btpb.RowFilter{Filter: &btpb.RowFilter_ColumnQualifierRegexFilter{ColumnQualifierRegexFilter: []byte("jwt|sub")}}),
	} {
		read := read("sessions", f)
		requests[name] = func() error {
			s, err := stream(t.Context(), &grpc.StreamDesc{ServerStreams: true}, nil, dataService+"ReadRows",
				func(context.Context, *grpc.StreamDesc, *grpc.ClientConn, string, ...grpc.CallOption) (grpc.ClientStream, error) {
					return under, nil
				})
			if err != nil {
				return err
			}
			if err := s.SendMsg(read); err != nil {
				return err
			}
			return s.RecvMsg(nil)
		}
	}
	for name, do := range requests {
		n := testing.AllocsPerRun(100, func() {
			if err := do(); err != nil {
				t.Fatal(err)
			}
		})
		if n > 10 { // with the race detector some memory is not kept
			t.Errorf("%s: %v allocations", name, n)
		}
		t.Log(name, n)
	}
	if n := guard.Counts(); len(n) > 0 {
		t.Errorf("violations: %v", n)
	}
}
