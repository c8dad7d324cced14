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
	admin    *bigtable.AdminClient
	requests []*Request
	program  string
	inputs   int // as bits
)

// Asked returns an input.
func Asked(i int) bool { return inputs>>i&1 != 0 }

// Declared are the tables and families of the programs.
var Declared = map[string][]strategy.Family{
	"sessions": {{Name: "token", Strategy: strategy.OneSecond, TTL: 30 * time.Minute, MaxAge: time.Second}, {Name: "profile", Strategy: strategy.Real}},
	"active":   {{Name: "mark", Strategy: strategy.OneSecond, TTL: 30 * time.Minute, MaxAge: time.Second}},
	"archive":  {{Name: "mark", Strategy: strategy.Real}},
	"*-ledger": {{Name: "entry", Strategy: strategy.Sequence, Versions: 3}},
	"catalog":  {{Name: "latest", Strategy: strategy.Zero}},
	"clicks":   {{Name: "event", Strategy: strategy.Default, TTL: 720 * time.Hour}},
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
	out := os.Stdout
	os.Stdout = os.Stderr // what the programs show
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
	if admin, err = bigtable.NewAdminClient(ctx, "p", "i", option.WithGRPCConn(conn)); err != nil {
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
	return json.NewEncoder(out).Encode(requests)
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
	if _, ok := ctx.Value(requestKey{}).(*Request); ok {
		call, err := guard.Begin(ctx, method, req)
		if err == nil {
			call.Ended(nil)
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

// A Mutation is one that knows the lines of its cells.
type Mutation struct {
	*bigtable.Mutation
	at []string
}

// NewMutation returns an empty mutation.
func NewMutation() *Mutation { return &Mutation{Mutation: bigtable.NewMutation()} }

// Set sets a cell.
func (m *Mutation) Set(family, column string, ts bigtable.Timestamp, value []byte) {
	m.at = append(m.at, stack()...)
	m.Mutation.Set(family, column, ts, value)
}

// A ReadModifyWrite is one that knows the lines of its rules.
type ReadModifyWrite struct {
	*bigtable.ReadModifyWrite
	at []string
}

// NewReadModifyWrite returns an empty one.
func NewReadModifyWrite() *ReadModifyWrite {
	return &ReadModifyWrite{ReadModifyWrite: bigtable.NewReadModifyWrite()}
}

// Increment adds to a cell.
func (m *ReadModifyWrite) Increment(family, column string, delta int64) {
	m.at = append(m.at, stack()...)
	m.ReadModifyWrite.Increment(family, column, delta)
}

// A Table makes requests, to rows of their own.
type Table struct{ name string }

// Open opens a table.
func Open(name string) *Table { return &Table{name} }

// Apply applies a mutation.
func (t *Table) Apply(ctx context.Context, row string, m *Mutation) error {
	ctx = begin(ctx, append(m.at, stack()...))
	return client.Open(t.name).Apply(ctx, fmt.Sprint(row, len(requests)), m.Mutation)
}

// ApplyReadModifyWrite applies a read-modify-write.
func (t *Table) ApplyReadModifyWrite(ctx context.Context, row string, m *ReadModifyWrite) (bigtable.Row, error) {
	return client.Open(t.name).ApplyReadModifyWrite(begin(ctx, append(m.at, stack()...)), row, m.ReadModifyWrite)
}

// ReadRow reads a row.
func (t *Table) ReadRow(ctx context.Context, row string, opts ...bigtable.ReadOption) (bigtable.Row, error) {
	return client.Open(t.name).ReadRow(begin(ctx, stack()), row, opts...)
}

// PrepareStatement prepares a statement.
func PrepareStatement(ctx context.Context, text string, types map[string]bigtable.SQLType) (*bigtable.PreparedStatement, error) {
	return client.PrepareStatement(begin(ctx, stack()), text, types)
}

// SetGCPolicy sets a policy.
func SetGCPolicy(ctx context.Context, table, family string, policy bigtable.GCPolicy) error {
	return admin.SetGCPolicy(begin(ctx, stack()), table, family, policy)
}
