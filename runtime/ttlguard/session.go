package ttlguard

import (
	"context"
	"strings"
	"sync"

	"cloud.google.com/go/bigtable/apiv2/bigtablepb"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
)

// The fields of a session's messages that matter, by their numbers: a client
// from before v1.48 has no types for them, and a proxy has messages as they
// are on the wire.
const (
	openSession    = 1 // of SessionRequest, an OpenSessionRequest
	closeSession   = 2
	virtualRequest = 3 // a VirtualRpcRequest

	openPayload = 5 // of OpenSessionRequest, an OpenTableRequest or a sibling
	openedName  = 1 // of each of them

	rpcID       = 1 // of VirtualRpcRequest, VirtualRpcResponse and ErrorResponse
	rpcPayload  = 4 // of VirtualRpcRequest, a TableRequest or a sibling
	readRow     = 1 // of each of them, a SessionReadRowRequest
	mutateRow   = 2 // a SessionMutateRowRequest
	rowKey      = 1 // of both
	rowFilter   = 2 // of SessionReadRowRequest
	rowMutation = 2 // of SessionMutateRowRequest

	virtualResponse = 2 // of SessionResponse, a VirtualRpcResponse
	errorResponse   = 3 // an ErrorResponse
	errorStatus     = 3 // of ErrorResponse, a google.rpc.Status
	retryInfo       = 4
	statusCode      = 1
	statusMessage   = 2
)

// maxInFlight bounds how many requests of a session are remembered. Clients
// have one at a time.
const maxInFlight = 100

// A Session is a stream that carries requests of its own: clients since v1.50
// send reads and mutations of single rows so when the service wants it. The
// stream's opening message says of which table. It is for whoever passes on
// streams without a [grpc.ClientConn] of its own, such as a proxy;
// [Guard.Session] makes one. It is safe for concurrent use. A nil Session lets
// everything pass.
type Session struct {
	g      *Guard
	ctx    context.Context
	method string

	mu       sync.Mutex
	name     string // of the table or the view, once it is known
	inFlight map[int64]*Call
}

// Session returns a session for a stream of that method, or nil if its requests
// are not in sessions.
func (g *Guard) Session(ctx context.Context, method string) *Session {
	if !strings.HasPrefix(method, dataService+"Open") || !sessions[method] {
		return nil
	}
	return &Session{g: g, ctx: ctx, method: method, inFlight: map[int64]*Call{}}
}

// Sent holds a message of the client, on the wire a SessionRequest, against the
// declared tables. If it returns an answer, a SessionResponse, the message must
// not be sent, and the client shall have the answer: an error for this request
// alone, with which the session goes on.
func (s *Session) Sent(message []byte) (answer []byte) {
	if s == nil {
		return nil
	}
	kind, body := oneof(message)
	switch kind {
	case openSession:
		s.mu.Lock()
		s.name = string(field(field(body, openPayload), openedName))
		s.mu.Unlock()
		return nil
	case closeSession:
		return nil
	}
	id := int64(varint(body, rpcID))
	s.mu.Lock()
	name := s.name
	s.mu.Unlock()
	method, req, known := "", proto.Message(nil), false
	if kind == virtualRequest {
		table := idOf(name)
		if table != "" && s.g.lookup(table) == nil {
			return nil
		}
		method, req, known = request(name, field(body, rpcPayload))
		known = known && table != ""
	}
	if !known {
		c := &checker{g: s.g, ctx: s.ctx, method: s.method}
		c.notJudged("")
		return rejected(id, s.g.judged(s.ctx, c.found))
	}
	call, err := s.g.Begin(s.ctx, method, req)
	if err != nil {
		return rejected(id, err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.inFlight) >= maxInFlight {
		clear(s.inFlight)
	}
	s.inFlight[id] = call
	return nil
}

// Received looks at a message of the server, on the wire a SessionResponse: it
// says which request failed, and may come again.
func (s *Session) Received(message []byte) {
	if s == nil {
		return
	}
	kind, body := oneof(message)
	if kind != virtualResponse && kind != errorResponse {
		return
	}
	id := int64(varint(body, rpcID))
	s.mu.Lock()
	call := s.inFlight[id]
	delete(s.inFlight, id)
	s.mu.Unlock()
	if call == nil || kind == virtualResponse {
		return
	}
	code := codes.Code(varint(whole(body, errorStatus), statusCode))
	if field(body, retryInfo) != nil {
		code = codes.Unavailable // whatever it is: the service wants it again
	}
	call.Ended(status.Error(code, ""))
}

// Ended says that the stream has ended. What has no answer then may come again
// in another session.
func (s *Session) Ended() {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, call := range s.inFlight {
		call.Ended(status.Error(codes.Unavailable, ""))
	}
	clear(s.inFlight)
}

// request returns the request in the payload of a session's request, with its
// method, as it is sent without a session. It reports whether it is one.
func request(name string, payload []byte) (method string, req proto.Message, ok bool) {
	kind, body := oneof(payload)
	ok = true
	switch kind {
	case readRow:
		r := &bigtablepb.ReadRowsRequest{TableName: name}
		if filter := whole(body, rowFilter); filter != nil {
			r.Filter = &bigtablepb.RowFilter{}
			ok = proto.Unmarshal(filter, r.Filter) == nil
		}
		return bigtablepb.Bigtable_ReadRows_FullMethodName, r, ok
	case mutateRow:
		r := &bigtablepb.MutateRowRequest{TableName: name, RowKey: field(body, rowKey)}
		for number, value := range fields(body) {
			if number == rowMutation {
				m := &bigtablepb.Mutation{}
				ok = ok && proto.Unmarshal(value, m) == nil
				r.Mutations = append(r.Mutations, m)
			}
		}
		return bigtablepb.Bigtable_MutateRow_FullMethodName, r, ok
	}
	return "", nil, false
}

// rejected returns the answer to a request that fails with an error, nil for
// none.
func rejected(id int64, err error) []byte {
	if err == nil {
		return nil
	}
	s := status.Convert(err)
	st := protowire.AppendTag(nil, statusCode, protowire.VarintType)
	st = protowire.AppendVarint(st, uint64(s.Code()))
	st = protowire.AppendTag(st, statusMessage, protowire.BytesType)
	st = protowire.AppendString(st, s.Message())
	e := protowire.AppendTag(nil, rpcID, protowire.VarintType)
	e = protowire.AppendVarint(e, uint64(id))
	e = protowire.AppendTag(e, errorStatus, protowire.BytesType)
	e = protowire.AppendBytes(e, st)
	return protowire.AppendBytes(protowire.AppendTag(nil, errorResponse, protowire.BytesType), e)
}
