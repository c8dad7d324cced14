package proxy_test

import (
	"errors"
	"io"
	"net"
	"slices"
	"strings"
	"sync"
	"testing"

	btpb "cloud.google.com/go/bigtable/apiv2/bigtablepb"
	"google.golang.org/grpc"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/emptypb"

	"github.com/ttlvet/ttlvet/runtime/ttlguard"
)

// part returns a field of a message on the wire.
func part(number protowire.Number, value ...byte) []byte {
	return protowire.AppendBytes(protowire.AppendTag(nil, number, protowire.BytesType), value)
}

func message(b []byte) *emptypb.Empty {
	m := &emptypb.Empty{}
	m.ProtoReflect().SetUnknown(b)
	return m
}

// TestSessions: requests in sessions of any client are held to the tables one by
// one, as they are on the wire.
func TestSessions(t *testing.T) {
	opening := part(1, part(5, part(1, []byte("projects/p/instances/i/tables/sessions")...)...)...)
	// A read of a row without a filter, and one that lets nothing pass.
	id := []byte{1 << 3, 7}
	wrong := part(3, append(id, part(4, part(1, part(1, 'k')...)...)...)...)
	nothing, err := proto.Marshal(&btpb.RowFilter{Filter: &btpb.RowFilter_BlockAllFilter{BlockAllFilter: true}})
	if err != nil {
		t.Fatal(err)
	}
	right := part(3, append(id, part(4, part(1, part(2, nothing...)...)...)...)...)
	strange := part(3, append(id, part(4, part(5)...)...)...)

	var mu sync.Mutex
	var seen [][]byte
	l, err := net.Listen("tcp", "localhost:0")
	if err != nil {
		t.Fatal(err)
	}
	server := grpc.NewServer(grpc.UnknownServiceHandler(func(_ any, s grpc.ServerStream) error {
		for {
			m := &emptypb.Empty{}
			if err := s.RecvMsg(m); errors.Is(err, io.EOF) {
				return nil
			} else if err != nil {
				return err
			}
			mu.Lock()
			seen = append(seen, m.ProtoReflect().GetUnknown())
			mu.Unlock()
			if err := s.SendMsg(message(part(2, id...))); err != nil {
				return err
			}
		}
	}))
	go server.Serve(l)
	defer server.Stop()

	for _, test := range []struct {
		options        []ttlguard.Option
		send           []byte
		rules          []string
		sent, answered bool
	}{
		{nil, right, nil, true, false},
		{nil, wrong, []string{"ReadRows ttlread/missing-filter"}, true, false},
		{nil, strange, []string{"OpenTable ttlguard/not-judged"}, true, false},
		{[]ttlguard.Option{ttlguard.Reject()}, right, nil, true, false},
		{[]ttlguard.Option{ttlguard.Reject()}, wrong, []string{"ReadRows ttlread/missing-filter"}, false, true},
		{[]ttlguard.Option{ttlguard.Reject(), ttlguard.Strict()}, strange, []string{"OpenTable ttlguard/not-judged"}, false, true},
	} {
		addr, rules := start(t, l.Addr().String(), test.options...)
		s, err := connect(t, addr).NewStream(t.Context(), &grpc.StreamDesc{ClientStreams: true, ServerStreams: true}, "/google.bigtable.v2.Bigtable/OpenTable")
		if err != nil {
			t.Fatal(err)
		}
		seen = nil
		var answers []string
		for _, m := range [][]byte{opening, test.send, right} { // the session goes on
			got := &emptypb.Empty{}
			if err := s.SendMsg(message(m)); err != nil {
				t.Fatal(err)
			}
			if err := s.RecvMsg(got); err != nil {
				t.Fatal(err)
			}
			answers = append(answers, string(got.ProtoReflect().GetUnknown()))
		}
		if got := rules(); !slices.Equal(got, test.rules) {
			t.Errorf("violations %v, want %v", got, test.rules)
		}
		mu.Lock()
		if (len(seen) == 3) != test.sent {
			t.Errorf("%v: %d messages came", test.rules, len(seen))
		}
		mu.Unlock()
		if answered := strings.Contains(answers[1], "ttlguard: "); answered != test.answered || answers[2] != string(part(2, id...)) {
			t.Errorf("%v: answers %q", test.rules, answers)
		}
		if err := s.CloseSend(); err != nil {
			t.Error(err)
		}
		if err := s.RecvMsg(&emptypb.Empty{}); !errors.Is(err, io.EOF) {
			t.Errorf("the session ends with %v", err)
		}
	}
}

// TestNotJudged: what the guard does not know passes, and is said.
func TestNotJudged(t *testing.T) {
	l, err := net.Listen("tcp", "localhost:0")
	if err != nil {
		t.Fatal(err)
	}
	server := grpc.NewServer(grpc.UnknownServiceHandler(func(_ any, s grpc.ServerStream) error {
		return s.SendMsg(&emptypb.Empty{})
	}))
	go server.Serve(l)
	defer server.Stop()
	addr, rules := start(t, l.Addr().String())
	for method, want := range map[string][]string{
		"/google.bigtable.v2.Bigtable/Invented":      {"Invented ttlguard/not-judged"},
		"/google.bigtable.v2.Bigtable/MutateRow":     {"MutateRow ttlguard/not-judged"}, // what cannot be read
		"/google.bigtable.v2.Bigtable/SampleRowKeys": nil,
		"/some.Service/Method":                       nil,
	} {
		if err := connect(t, addr).Invoke(t.Context(), method, message(part(1, 0xff)), &emptypb.Empty{}); err != nil {
			t.Errorf("%s: %v", method, err)
		}
		if got := rules(); !slices.Equal(got, want) {
			t.Errorf("%s: %v", method, got)
		}
	}
}
