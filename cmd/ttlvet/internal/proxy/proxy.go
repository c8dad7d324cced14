// Package proxy stands between Bigtable clients and the emulator: it holds
// requests to a guard and passes everything on as it comes.
package proxy

import (
	"context"
	"crypto/rand"
	"errors"
	"io"
	"math"
	"net"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	_ "google.golang.org/grpc/encoding/gzip" // some clients compress
	"google.golang.org/grpc/keepalive"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	"github.com/ttlvet/ttlvet/runtime/ttlguard"
)

// A Proxy passes requests on to a server. [New] makes one.
type Proxy struct {
	guard    *ttlguard.Guard
	server   *grpc.Server
	upstream *grpc.ClientConn
	id       string // in the metadata of every request that is passed on
	circle   func() // called with every request that comes back
	requests atomic.Int64
}

// idKey is the key of proxies' IDs in metadata.
const idKey = "ttlvet-proxy"

// ErrCircle is the error of requests that come back to the proxy that has passed them
// on, through others or not.
var ErrCircle = errors.New("-to leads back to this proxy: give the emulator's address")

// New returns a proxy to the server at an address, which it speaks to without
// encryption, as the emulator does. It rejects requests that it has passed on itself,
// and calls circle.
func New(to string, guard *ttlguard.Guard, circle func()) (*Proxy, error) {
	upstream, err := grpc.NewClient("passthrough:///"+to, grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithDefaultCallOptions(grpc.ForceCodec(codec{}), grpc.MaxCallRecvMsgSize(math.MaxInt32), grpc.MaxCallSendMsgSize(math.MaxInt32)))
	if err != nil {
		return nil, err
	}
	p := &Proxy{guard: guard, upstream: upstream, id: rand.Text(), circle: circle}
	p.server = grpc.NewServer(grpc.ForceServerCodec(codec{}), grpc.UnknownServiceHandler(p.handle),
		grpc.MaxRecvMsgSize(math.MaxInt32), grpc.MaxSendMsgSize(math.MaxInt32),
		// Clients that ask now and then whether the connection lives are none
		// of our business.
		grpc.KeepaliveEnforcementPolicy(keepalive.EnforcementPolicy{MinTime: time.Second, PermitWithoutStream: true}))
	return p, nil
}

// Serve serves clients until the proxy is stopped.
func (p *Proxy) Serve(l net.Listener) error { return p.server.Serve(l) }

// Requests returns how many requests have come.
func (p *Proxy) Requests() int64 { return p.requests.Load() }

// Stop ends the proxy. Requests on their way have a moment to end.
func (p *Proxy) Stop() {
	done := make(chan struct{})
	go func() {
		p.server.GracefulStop()
		close(done)
	}()
	select {
	case <-done:
	case <-time.After(time.Second):
		p.server.Stop()
		<-done
	}
	p.upstream.Close()
}

// handle passes one request on, of any method.
func (p *Proxy) handle(_ any, client grpc.ServerStream) error {
	md, _ := metadata.FromIncomingContext(client.Context())
	if slices.Contains(md.Get(idKey), p.id) {
		p.circle()
		return status.Error(codes.FailedPrecondition, "ttlvet proxy: "+ErrCircle.Error())
	}
	p.requests.Add(1)
	ctx, cancel := context.WithCancel(client.Context())
	defer cancel()
	method, ok := grpc.MethodFromServerStream(client)
	if !ok {
		return status.Error(codes.Internal, "ttlvet proxy: a request without method")
	}
	x := &exchange{client: client, session: p.guard.Session(ctx, method)}
	if x.session == nil {
		// What is judged is one message. Anything else may wait for the server
		// to speak first.
		request, response := ttlguard.Messages(method)
		if request != nil {
			x.first = &frame{}
			if err := client.RecvMsg(x.first); err != nil {
				return err
			}
			if proto.Unmarshal(x.first.payload, request) != nil {
				request = nil
			}
		}
		call, err := p.guard.Begin(ctx, method, request)
		if err != nil {
			return err
		}
		x.call, x.response = call, response
	}
	md = passedOn(md)
	md.Append(idKey, p.id)
	ctx = metadata.NewOutgoingContext(ctx, md)
	server, err := p.upstream.NewStream(ctx, &grpc.StreamDesc{ServerStreams: true, ClientStreams: true}, method)
	if err != nil {
		x.call.Ended(err)
		return err
	}
	x.server = server
	err = x.run()
	x.call.Ended(err)
	return err
}

// passedOn returns the metadata without what belongs to the connection.
func passedOn(md metadata.MD) metadata.MD {
	md = md.Copy()
	for _, k := range []string{":authority", "content-type", "user-agent", "te", "connection", "grpc-accept-encoding", "grpc-encoding", "grpc-timeout"} {
		md.Delete(k)
	}
	return md
}

// An exchange is a request with its responses.
type exchange struct {
	client   grpc.ServerStream
	server   grpc.ClientStream
	session  *ttlguard.Session // nil for a request by itself
	first    *frame            // what was received of the client already
	call     *ttlguard.Call
	response proto.Message // nil where responses do not matter

	sending sync.Mutex // to the client
}

// send sends a message to the client.
func (x *exchange) send(f *frame) error {
	x.sending.Lock()
	defer x.sending.Unlock()
	return x.client.SendMsg(f)
}

// run passes on messages in both directions until the server ends the
// exchange. What is returned is how it does.
func (x *exchange) run() error {
	x.sending.Lock() // nothing comes before the header
	go x.requests()
	err := x.header()
	x.sending.Unlock()
	if err != nil {
		return err
	}
	for {
		f := &frame{}
		err := x.server.RecvMsg(f)
		if err != nil {
			x.session.Ended()
			x.client.SetTrailer(passedOn(x.server.Trailer()))
			if errors.Is(err, io.EOF) {
				return nil
			}
			return err
		}
		x.session.Received(f.payload)
		if x.response != nil && proto.Unmarshal(f.payload, x.response) == nil {
			x.call.Received(x.response)
		}
		if err := x.send(f); err != nil {
			return err
		}
	}
}

// header passes on the header, if there is one.
func (x *exchange) header() error {
	md, err := x.server.Header()
	if err != nil || md.Len() == 0 {
		return nil // RecvMsg says what is wrong
	}
	return x.client.SendHeader(passedOn(md))
}

// requests passes on what the client sends. When that fails, the server's
// status says why, which run receives.
func (x *exchange) requests() {
	if x.first != nil && x.server.SendMsg(x.first) != nil {
		return
	}
	for {
		f := &frame{}
		if err := x.client.RecvMsg(f); err != nil {
			if errors.Is(err, io.EOF) {
				_ = x.server.CloseSend()
			}
			return
		}
		if answer := x.session.Sent(f.payload); answer != nil {
			if x.send(&frame{answer}) != nil {
				return
			}
			continue
		}
		if x.server.SendMsg(f) != nil {
			return
		}
	}
}
