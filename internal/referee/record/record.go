// Package record is what the programs of the referee run with: it makes their requests
// of an emulator, and tells of each, as it goes over the wire, which lines of source it
// came from and what ttlguard says of it.
package record

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"cloud.google.com/go/bigtable"
	"cloud.google.com/go/bigtable/apiv2/bigtablepb"
	"cloud.google.com/go/bigtable/bttest"
	"google.golang.org/api/option"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	"github.com/ttlvet/ttlvet/runtime/strategy"
	"github.com/ttlvet/ttlvet/runtime/ttlguard"
)

// A Request is what one request was, and what is wrong with it.
type Request struct {
	Program string   `json:"program"`
	Stack   []string `json:"stack"` // the lines it came from, "file.go:12", innermost first
	Rules   []string `json:"rules"` // "ttlwrite/server-timestamp"
}

var (
	client   *bigtable.Client
	requests []*Request
	setAt    = map[*bigtable.Mutation][]string{}
	program  string
	inputs   int // as bits
)

// Asked returns an input.
func Asked(i int) bool { return inputs>>i&1 != 0 }

// Declared are the tables and families of the programs.
var Declared = map[string][]strategy.Family{
	"sessions": {{Name: "token", Strategy: strategy.OneSecond, TTL: 30 * time.Minute, MaxAge: time.Second}, {Name: "profile", Strategy: strategy.Real}},
	"*-ledger": {{Name: "entry", Strategy: strategy.Sequence, Versions: 3}},
	"catalog":  {{Name: "latest", Strategy: strategy.Zero}},
}

// A Program is a program's name and what runs it with its inputs.
type Program struct {
	Name string
	Run  func(context.Context)
}

type requestKey struct{}

// Main runs programs, each with every combination of inputs, and writes the requests as
// JSON to standard output.
func Main(programs []Program) {
	if err := run(programs); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(programs []Program) error {
	ctx := context.Background()
	srv, err := bttest.NewServer("localhost:0")
	if err != nil {
		return err
	}
	defer srv.Close()
	guard, err := newGuard()
	if err != nil {
		return err
	}
	conn, err := grpc.NewClient(srv.Addr, grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithUnaryInterceptor(func(ctx context.Context, method string, req, reply any, cc *grpc.ClientConn, invoke grpc.UnaryInvoker, opts ...grpc.CallOption) error {
			judge(ctx, guard, method, req)
			return invoke(ctx, method, req, reply, cc, opts...)
		}),
		grpc.WithStreamInterceptor(func(ctx context.Context, desc *grpc.StreamDesc, cc *grpc.ClientConn, method string, next grpc.Streamer, opts ...grpc.CallOption) (grpc.ClientStream, error) {
			s, err := next(ctx, desc, cc, method, opts...)
			return &stream{s, ctx, guard, method}, err
		}))
	if err != nil {
		return err
	}
	admin, err := bigtable.NewAdminClient(ctx, "p", "i", option.WithGRPCConn(conn))
	if err != nil {
		return err
	}
	for name, families := range Declared {
		conf := &bigtable.TableConf{TableID: strings.Replace(name, "*", "eu", 1), Families: map[string]bigtable.GCPolicy{}}
		for _, f := range families {
			conf.Families[f.Name] = bigtable.NoGcPolicy()
		}
		if err := admin.CreateTableFromConf(ctx, conf); err != nil {
			return err
		}
	}
	if client, err = bigtable.NewClient(ctx, "p", "i", option.WithGRPCConn(conn)); err != nil {
		return err
	}
	for _, p := range programs {
		program = p.Name
		for n := range 4 {
			inputs = n
			once(ctx, p)
		}
	}
	return json.NewEncoder(os.Stdout).Encode(requests)
}

// Failed is the rule of the request that stands for a program which ended with a nil
// pointer: of what stands behind that nothing is known.
const Failed = "referee/failed"

func once(ctx context.Context, p Program) {
	defer func() {
		if recover() != nil {
			requests = append(requests, &Request{Program: p.Name, Rules: []string{Failed}})
		}
	}()
	p.Run(ctx)
}

func newGuard() (*ttlguard.Guard, error) {
	options := []ttlguard.Option{ttlguard.Interval(0), ttlguard.WithLogger(nil), ttlguard.OnViolation(func(ctx context.Context, v ttlguard.Violation) {
		if r, ok := ctx.Value(requestKey{}).(*Request); ok && !slices.Contains(r.Rules, v.Rule) {
			r.Rules = append(r.Rules, v.Rule)
		}
	})}
	for name, families := range Declared {
		options = append(options, ttlguard.Declare(name, families...))
	}
	return ttlguard.New(options...)
}

// judge holds a request on the wire against what is declared.
func judge(ctx context.Context, guard *ttlguard.Guard, method string, req any) {
	if r, ok := ctx.Value(requestKey{}).(*Request); ok {
		call, err := guard.Begin(ctx, method, req)
		if err == nil {
			call.Ended(nil)
		}
		if m, ok := req.(*bigtablepb.MutateRowRequest); ok && len(m.Mutations) != 1 {
			r.Rules = append(r.Rules, "referee/not-one-cell")
		}
	}
}

type stream struct {
	grpc.ClientStream
	ctx    context.Context
	guard  *ttlguard.Guard
	method string
}

func (s *stream) SendMsg(m any) error {
	judge(s.ctx, s.guard, s.method, m)
	return s.ClientStream.SendMsg(m)
}

// stack lists the lines of the program that lead here.
func stack() (out []string) {
	pcs := make([]uintptr, 64)
	frames := runtime.CallersFrames(pcs[:runtime.Callers(3, pcs)])
	for {
		f, more := frames.Next()
		if strings.Contains(f.Function, "/programs/") {
			out = append(out, fmt.Sprintf("%s:%d", filepath.Base(f.File), f.Line))
		}
		if !more {
			return out
		}
	}
}

func begin(ctx context.Context, at []string) context.Context {
	r := &Request{Program: program, Stack: at}
	requests = append(requests, r)
	return context.WithValue(ctx, requestKey{}, r)
}

// Set sets a cell in a mutation.
func Set(m *bigtable.Mutation, family string, ts bigtable.Timestamp) {
	setAt[m] = append(setAt[m], stack()...)
	m.Set(family, "c", ts, nil)
}

// Apply applies a mutation.
func Apply(ctx context.Context, table string, m *bigtable.Mutation) {
	ctx = begin(ctx, append(setAt[m], stack()...))
	_ = client.Open(table).Apply(ctx, fmt.Sprint("k", len(requests)), m)
}

// Read reads a row.
func Read(ctx context.Context, table string, opts ...bigtable.ReadOption) {
	ctx = begin(ctx, stack())
	_, _ = client.Open(table).ReadRow(ctx, "k", opts...)
}
