package ttlguard

import (
	"sync"

	"google.golang.org/grpc"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// A sessionStream is the stream of a session. Answers to requests that are
// rejected come to the client between what the server sends.
type sessionStream struct {
	grpc.ClientStream
	session *Session

	answers  chan []byte
	pump     sync.Once
	received chan proto.Message // what the server sends, with [Reject]
	err      error              // why it ended, once received is closed
}

// SendMsg judges a message and sends it.
func (s *sessionStream) SendMsg(m any) error {
	var message []byte
	if p, ok := m.(proto.Message); ok {
		message, _ = proto.Marshal(p) // what cannot be marshaled cannot be sent
	}
	answer := s.session.Sent(message)
	if answer == nil {
		return s.ClientStream.SendMsg(m)
	}
	select {
	case s.answers <- answer:
		return nil
	case <-s.Context().Done():
		return s.Context().Err()
	}
}

// RecvMsg receives a message of the server, or the answer to a request that was
// rejected.
func (s *sessionStream) RecvMsg(m any) error {
	into, ok := m.(proto.Message)
	if !ok || !s.session.g.reject {
		err := s.ClientStream.RecvMsg(m)
		s.looked(m, err)
		return err
	}
	s.pump.Do(func() { go s.receive(into.ProtoReflect().Type()) })
	select {
	case answer := <-s.answers:
		return proto.Unmarshal(answer, into)
	case from, ok := <-s.received:
		if !ok {
			return s.err
		}
		proto.Reset(into)
		from.ProtoReflect().Range(func(f protoreflect.FieldDescriptor, v protoreflect.Value) bool {
			into.ProtoReflect().Set(f, v)
			return true
		})
		into.ProtoReflect().SetUnknown(from.ProtoReflect().GetUnknown())
		return nil
	}
}

// receive receives until the stream ends, which it does when its context does.
func (s *sessionStream) receive(of protoreflect.MessageType) {
	defer close(s.received)
	for {
		m := of.New().Interface()
		s.err = s.ClientStream.RecvMsg(m)
		if s.looked(m, s.err); s.err != nil {
			return
		}
		select {
		case s.received <- m:
		case <-s.Context().Done():
		}
	}
}

// looked shows the session what was received.
func (s *sessionStream) looked(m any, err error) {
	if err != nil {
		s.session.Ended()
		return
	}
	if p, ok := m.(proto.Message); ok {
		if message, err := proto.Marshal(p); err == nil {
			s.session.Received(message)
		}
	}
}
