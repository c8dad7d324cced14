package ttlguard

import (
	"context"
	"errors"
	"io"
	"sync"
	"sync/atomic"

	"cloud.google.com/go/bigtable/apiv2/bigtablepb"
	"google.golang.org/grpc"
	"google.golang.org/grpc/metadata"
)

// A stream is a request with many responses. It is opened when the request is
// known, so that nothing is sent of one that is rejected.
type stream struct {
	ctx    context.Context
	g      *Guard
	desc   *grpc.StreamDesc
	cc     *grpc.ClientConn
	method string
	open   grpc.Streamer
	opts   []grpc.CallOption

	mu     sync.Mutex
	isOpen atomic.Bool // once it is, nobody waits
	ended  bool
	under  grpc.ClientStream // nil until it is open
	err    error             // why it is not
	call   Call
}

// opened returns the stream below, which it opens if need be.
func (s *stream) opened() (grpc.ClientStream, error) {
	if s.isOpen.Load() {
		return s.under, nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.under == nil && s.err == nil {
		s.under, s.err = s.open(s.ctx, s.desc, s.cc, s.method, s.opts...)
		s.isOpen.Store(s.err == nil)
	}
	return s.under, s.err
}

// begun sets the request that is on its way, or why there is none.
func (s *stream) begun(call Call, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.call = call; err != nil {
		s.err = err
		s.isOpen.Store(false)
	}
}

// SendMsg judges the request and sends it.
func (s *stream) SendMsg(m any) error {
	call, err := s.g.begin(s.ctx, s.method, m)
	if s.begun(call, err); err != nil {
		return err
	}
	under, err := s.opened()
	if err != nil {
		s.end(err)
		return err
	}
	return under.SendMsg(m)
}

// RecvMsg receives a response.
func (s *stream) RecvMsg(m any) error {
	under, err := s.opened()
	if err != nil {
		return err
	}
	if err = under.RecvMsg(m); err != nil {
		s.end(err)
		return err
	}
	if _, ok := m.(*bigtablepb.MutateRowsResponse); ok {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.call.Received(m)
	}
	return nil
}

// end says once how the request ended.
func (s *stream) end(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ended {
		return
	}
	s.ended = true
	if errors.Is(err, io.EOF) {
		err = nil
	}
	s.call.Ended(err)
}

// Header returns the header of the response.
func (s *stream) Header() (metadata.MD, error) {
	under, err := s.opened()
	if err != nil {
		return nil, err
	}
	return under.Header()
}

// Trailer returns the trailer of the response.
func (s *stream) Trailer() metadata.MD {
	under, err := s.opened()
	if err != nil {
		return nil
	}
	return under.Trailer()
}

// CloseSend says that there is nothing more to send.
func (s *stream) CloseSend() error {
	under, err := s.opened()
	if err != nil {
		return err
	}
	return under.CloseSend()
}

// Context returns the context of the request.
func (s *stream) Context() context.Context {
	if s.isOpen.Load() {
		return s.under.Context()
	}
	return s.ctx
}
