package ttlguard

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"cloud.google.com/go/bigtable/admin/apiv2/adminpb"
	"cloud.google.com/go/bigtable/apiv2/bigtablepb"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	"github.com/ttlvet/ttlvet/runtime/strategy"
)

// Begin holds a request against the declared tables, reports what violates
// them and, with [Reject], returns the error with which the request shall fail:
// it must not be sent then, and the Call is nil. method is the full name, as in
// "/google.bigtable.v2.Bigtable/MutateRow". Interceptors do this; it is
// exported for proxies.
func (g *Guard) Begin(ctx context.Context, method string, req any) (*Call, error) {
	if !ours(method) {
		return nil, nil
	}
	call, err := g.begin(ctx, method, req)
	if err != nil {
		return nil, err
	}
	return &call, nil
}

// begin is [Guard.Begin] of a method that is Bigtable's.
func (g *Guard) begin(ctx context.Context, method string, req any) (Call, error) {
	m := understood(method, req)
	if err := g.judged(ctx, g.check(ctx, method, m)); err != nil {
		g.forget(m)
		return Call{}, err
	}
	return Call{g: g, req: m}, nil
}

// judged reports violations, and returns the error with which their request
// shall fail, if it shall.
func (g *Guard) judged(ctx context.Context, violations []Violation) error {
	if len(violations) == 0 {
		return nil
	}
	g.report.add(ctx, violations)
	if !g.strict {
		violations = slices.DeleteFunc(violations, func(v Violation) bool { return v.Rule == NotJudged })
	}
	if !g.reject || len(violations) == 0 {
		return nil
	}
	return rejection(violations)
}

// understood returns a request as the type that is judged of its method. A
// program may have types of its own, made at run time or generated elsewhere.
func understood(method string, req any) proto.Message {
	switch r := req.(type) { // what is sent all the time
	case *bigtablepb.MutateRowRequest:
		return r
	case *bigtablepb.ReadRowsRequest:
		return r
	}
	m, _ := req.(proto.Message)
	want := messages[method].request
	if m == nil || want == nil || reflect.TypeOf(m) == reflect.TypeOf(want) {
		return m
	}
	same := want.ProtoReflect().New().Interface()
	if b, err := proto.Marshal(m); err != nil || proto.Unmarshal(b, same) != nil {
		return m
	}
	return same
}

// forget drops what was remembered of the rows of a request that is not sent.
func (g *Guard) forget(req proto.Message) {
	drop := func(id string, row []byte) {
		key := cell(id, row, 0)
		g.zeros.forget(key)
		g.survivors.forget(key)
	}
	switch r := req.(type) {
	case *bigtablepb.MutateRowRequest:
		drop(idOf(r.GetTableName(), r.GetAuthorizedViewName()), r.GetRowKey())
	case *bigtablepb.MutateRowsRequest:
		for _, e := range r.GetEntries() {
			drop(idOf(r.GetTableName(), r.GetAuthorizedViewName()), e.GetRowKey())
		}
	}
}

// rejection is the error of a request that is not sent.
func rejection(violations []Violation) error {
	const most = 3
	var texts []string
	for i, v := range violations {
		if i == most {
			texts = append(texts, fmt.Sprintf("and %d more", len(violations)-most))
			break
		}
		texts = append(texts, fmt.Sprintf("%s (%s)", v.Message, v.Rule))
	}
	return status.Error(codes.FailedPrecondition, "ttlguard: "+strings.Join(texts, "; "))
}

// check returns what of a request violates the agreements, nil for one that
// could not be read. It does not fail: what it does not understand is not
// judged.
func (g *Guard) check(ctx context.Context, method string, req proto.Message) (violations []Violation) {
	c := &checker{g: g, ctx: ctx, method: method, now: g.now().UnixMicro()}
	defer func() {
		if recover() != nil {
			g.panics.Add(1)
			c.found = nil
			c.notJudged("with which the guard has failed")
			violations = c.found
		}
	}()
	switch r := req.(type) {
	case *bigtablepb.MutateRowRequest:
		if c.in(idOf(r.GetTableName(), r.GetAuthorizedViewName())) && !c.again(req) {
			c.mutations(r.GetRowKey(), r.GetMutations())
		}
	case *bigtablepb.MutateRowsRequest:
		if c.in(idOf(r.GetTableName(), r.GetAuthorizedViewName())) {
			retries := !g.retries.none()
			for _, e := range r.GetEntries() {
				if !retries || e == nil || !c.again(e) {
					c.mutations(e.GetRowKey(), e.GetMutations())
				}
			}
		}
	case *bigtablepb.CheckAndMutateRowRequest:
		if c.in(idOf(r.GetTableName(), r.GetAuthorizedViewName())) && !c.again(req) {
			c.predicate(r)
			c.mutations(nil, r.GetTrueMutations())
			c.mutations(nil, r.GetFalseMutations())
		}
	case *bigtablepb.ReadModifyWriteRowRequest:
		if c.in(idOf(r.GetTableName(), r.GetAuthorizedViewName())) && !c.again(req) {
			c.readModifyWrite(r.GetRules())
		}
	case *bigtablepb.ReadRowsRequest:
		if r.GetMaterializedViewName() != "" {
			c.notJudged("where they read a materialized view")
		} else if c.in(idOf(r.GetTableName(), r.GetAuthorizedViewName())) && !c.again(req) {
			c.read(r.GetFilter())
		}
	case *bigtablepb.ReadChangeStreamRequest:
		if c.in(idOf(r.GetTableName())) {
			c.notJudged("")
		}
	case *bigtablepb.ExecuteQueryRequest:
		if len(r.GetPreparedQuery()) == 0 { // it was judged when it was prepared
			//lint:ignore SA1019 clients from before there were prepared queries send it
			c.query(req, r.GetQuery())
		}
	case *bigtablepb.PrepareQueryRequest:
		c.query(req, r.GetQuery())
	case *adminpb.CreateTableRequest:
		if c.in(r.GetTableId()) && !c.again(req) {
			c.createTable(r.GetTable())
		}
	case *adminpb.ModifyColumnFamiliesRequest:
		if c.in(idOf(r.GetName())) && !c.again(req) {
			c.modify(r)
		}
	case *adminpb.CreateLogicalViewRequest:
		c.view(req, r.GetLogicalView().GetQuery())
	case *adminpb.UpdateLogicalViewRequest:
		c.view(req, r.GetLogicalView().GetQuery())
	case *adminpb.CreateMaterializedViewRequest:
		if c.mentions(r.GetMaterializedView().GetQuery()) {
			c.notJudged("")
		}
	case *adminpb.UpdateMaterializedViewRequest:
		if c.mentions(r.GetMaterializedView().GetQuery()) {
			c.notJudged("")
		}
	default:
		c.other()
	}
	return c.found
}

// A checker looks at one request.
type checker struct {
	g      *Guard
	ctx    context.Context
	method string
	now    int64 // in microseconds
	id     string
	table  *table
	found  []Violation
	last   last

	named  string // the family that was looked up last
	family *strategy.Family
}

// familyOf returns what is declared of a family of the table, or nil. Most
// cells are of the family of the one before.
func (c *checker) familyOf(name string) *strategy.Family {
	if name != c.named || c.named == "" {
		c.named, c.family = name, c.table.byName[name]
	}
	return c.family
}

// in says which table the request is to. It reports whether that is declared.
func (c *checker) in(id string) bool {
	c.id, c.table = id, c.g.lookup(id)
	return c.table != nil
}

// again reports whether a part of the request has been judged before.
func (c *checker) again(part proto.Message) bool {
	return !c.g.retries.none() && c.g.retries.again(essence(part), c.g.now())
}

// name says which family it is, for messages.
func (c *checker) name(f *strategy.Family) string {
	return fmt.Sprintf("%s family %q of table %q", f.Strategy, f.Name, c.table.pattern)
}

// add adds a violation, or counts it where the request has it already.
func (c *checker) add(rule string, f *strategy.Family, message string) {
	for i := range c.found {
		if v := &c.found[i]; v.Rule == rule && v.Family == f.Name && v.Message == message {
			v.Count++
			return
		}
	}
	if !c.g.on(c.ctx, rule) {
		return
	}
	service, method := split(c.method)
	c.found = append(c.found, Violation{Rule: rule, Service: service, Method: method, Table: c.id, Family: f.Name,
		Strategy: f.Strategy, Message: message, Count: 1, Since: c.g.now()})
}
