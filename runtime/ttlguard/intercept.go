package ttlguard

import (
	"context"
	"os"

	"google.golang.org/api/option"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/protobuf/proto"
)

// ClientOptions returns the options with which bigtable.NewClient,
// NewClientWithConfig, NewAdminClient and NewInstanceAdminClient make clients
// whose requests are guarded.
//
// They add to the dial options that a client has. A client that is given a
// connection, by option.WithGRPCConn, dials none: give [Guard.DialOptions] to
// grpc.NewClient then. The one exception is the connection to the emulator
// that the client library makes when BIGTABLE_EMULATOR_HOST is set: these
// options replace it by one that is guarded.
func (g *Guard) ClientOptions() []option.ClientOption {
	var all []option.ClientOption
	for _, o := range g.DialOptions() {
		all = append(all, option.WithGRPCDialOption(o))
	}
	if addr := os.Getenv("BIGTABLE_EMULATOR_HOST"); addr != "" {
		conn, err := grpc.NewClient("passthrough:///"+addr, append(g.DialOptions(), grpc.WithTransportCredentials(insecure.NewCredentials()))...)
		if err == nil { // or the client library says so itself
			all = append(all, option.WithGRPCConn(conn))
		}
	}
	return all
}

// DialOptions returns the options with which grpc.NewClient makes a
// connection whose requests are guarded, as tests do with the emulator.
func (g *Guard) DialOptions() []grpc.DialOption {
	return []grpc.DialOption{
		grpc.WithChainUnaryInterceptor(g.UnaryInterceptor()),
		grpc.WithChainStreamInterceptor(g.StreamInterceptor()),
	}
}

// UnaryInterceptor returns the interceptor of requests with one response.
func (g *Guard) UnaryInterceptor() grpc.UnaryClientInterceptor {
	return func(ctx context.Context, method string, req, reply any, cc *grpc.ClientConn, invoke grpc.UnaryInvoker, opts ...grpc.CallOption) error {
		if !ours(method) {
			return invoke(ctx, method, req, reply, cc, opts...)
		}
		call, err := g.begin(ctx, method, req)
		if err != nil {
			return err
		}
		err = invoke(ctx, method, req, reply, cc, opts...)
		call.Ended(err)
		return err
	}
}

// StreamInterceptor returns the interceptor of requests with many responses.
func (g *Guard) StreamInterceptor() grpc.StreamClientInterceptor {
	return func(ctx context.Context, desc *grpc.StreamDesc, cc *grpc.ClientConn, method string, open grpc.Streamer, opts ...grpc.CallOption) (grpc.ClientStream, error) {
		if !ours(method) {
			return open(ctx, desc, cc, method, opts...)
		}
		if session := g.Session(ctx, method); session != nil {
			under, err := open(ctx, desc, cc, method, opts...)
			if err != nil {
				return nil, err
			}
			return &sessionStream{ClientStream: under, session: session, answers: make(chan []byte, 1), received: make(chan proto.Message)}, nil
		}
		return &stream{ctx: ctx, g: g, desc: desc, cc: cc, method: method, open: open, opts: opts}, nil
	}
}
