package callers_test

import (
	"go/ast"
	"go/types"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/internal/trace/callers"
	"github.com/ttlvet/ttlvet/internal/trace/eval"
	"github.com/ttlvet/ttlvet/internal/trace/event"
	"github.com/ttlvet/ttlvet/internal/trace/layertest"
	"github.com/ttlvet/ttlvet/internal/trace/program"
	"github.com/ttlvet/ttlvet/internal/trace/summary"
	"github.com/ttlvet/ttlvet/internal/value"
)

// check holds what answer says of each call of a method of that name, on any way to it,
// against the comment behind it.
func receiverCheck(t *testing.T, code *layertest.Code, e *eval.Evaluator, method string, answer func(*eval.Path, ssa.CallInstruction) string) {
	t.Helper()
	asked := 0
	for _, fn := range code.Prog.Funcs {
		for _, call := range code.Prog.Calls[fn] {
			if layertest.CalleeOf(call) != method || fn.Name() == method {
				continue
			}
			asked++
			var got []string
			e.Cases(true, func(q *eval.Path) []*value.Value {
				q.Way.AssumeBlock(call.Block(), nil, &q.Way.When)
				s := answer(q, call)
				if !q.Way.Blocked && !slices.Contains(got, s) {
					got = append(got, s)
				}
				return nil
			})
			if got, want := strings.Join(got, " | "), code.Comment(call); got != want {
				t.Errorf("%s: %s\n got %s\nwant %s", layertest.NameOf(fn), call, got, want)
			}
		}
	}
	if asked == 0 {
		t.Fatalf("the source calls no %s", method)
	}
}

// Of an interface's method it is told on each way whose it is, and by which condition
// where only callers know; behind decorators, what the innermost object's is.
func TestTypes(t *testing.T) {
	code := layertest.Load(t, `
type putter interface { put(n int) }
type token struct{}
func (token) put(n int) {}
type entry struct { n int }
func (e *entry) put(n int) { e.n = n }
type logged struct { next putter }
func (l *logged) put(n int) { l.next.put(n) }
func f(given putter, which bool) {
	putter(token{}).put(1) // token.put
	putter(&entry{}).put(2) // entry.put
	var either putter = token{}
	if which {
		either = &entry{7}
	}
	either.put(3) // token.put | entry.put
	given.put(4) // token.put if is($0, "example.com/p.token"), entry.put if is($0, "example.com/p.entry"), logged.put if is($0, "example.com/p.logged")
	behind := &logged{&logged{&entry{5}}}
	putter(behind).put(5) // logged.put
	putter(&logged{given}).put(6) // logged.put
}
`)
	e := eval.New(code.Prog)
	finder := callers.NewReceivers(e)
	receiverCheck(t, code, e, "put", func(q *eval.Path, call ssa.CallInstruction) string {
		var said []string
		common := call.Common()
		recv := append([]ssa.Value{common.Value}, common.Args...)
		for _, name := range []string{"token.put", "entry.put", "logged.put"} {
			target := program.Target{Fn: code.Func(name), Args: recv}
			args := q.Reader.Arguments(target, call)
			if finder.RunsAnother(call, target, args) {
				continue
			}
			if is := finder.TypedAs(call, target.Fn, args); is != nil {
				name += " if " + is.String()
			}
			said = append(said, name)
		}
		return strings.Join(said, ", ")
	})
}

// The constructor is the call which made the object that supplies what a method writes:
// the receiver, or what a field of that holds.
func TestConstructor(t *testing.T) {
	code := layertest.Load(t, `
type store struct { family string; ttl time.Duration }
func newStore(family string, ttl time.Duration) *store { return &store{family, ttl} }
func hourly() *store { return &store{"token", time.Hour} }
func (s *store) write(mut *bigtable.Mutation, column string) {
	mut.Set(s.family, column, bigtable.Time(time.Now().Add(s.ttl)), nil)
}
type service struct { tokens *store }
func newService(s *store) *service { return &service{s} }
func (s *service) write(mut *bigtable.Mutation, column string) {
	mut.Set("token", column, bigtable.Time(time.Now().Add(s.tokens.ttl)), nil)
}
type plain struct{ n int }
func newPlain(n int) *plain { return &plain{n} }
func (p *plain) write(mut *bigtable.Mutation, ts bigtable.Timestamp) { mut.Set("token", "c", ts, nil) }
func f(mut *bigtable.Mutation, given *store) {
	newStore("token", time.Hour).write(mut, "a") // newStore("token", time.Hour)
	s := newStore("entry", time.Minute)
	s.write(mut, "b") // newStore("entry", time.Minute)
	hourly().write(mut, "c") // hourly(), which gives nothing
	given.write(mut, "d") // nobody
	newService(given).write(mut, "e") // newService(given)
	newService(s).write(mut, "f") // newService(s)
	(&service{newStore("held", 5)}).write(mut, "g") // newStore("held", 5)
	newPlain(1).write(mut, 5) // nobody, but newPlain(1) made the receiver
}
`)
	tracer := event.NewTracer(code.Prog)
	finder := callers.NewReceivers(tracer.Eval)
	writes := map[*ssa.Function]*event.Event{}
	for _, e := range tracer.Own() {
		if event.IsWrite(e.Op) {
			writes[e.In] = e
		}
	}
	receiverCheck(t, code, tracer.Eval, "write", func(q *eval.Path, call ssa.CallInstruction) string {
		target, _ := code.Prog.Target(call.Common())
		of := writes[target.Fn]
		e := tracer.NewEvent(of.Op, call.Parent(), call)
		e.Call, e.Target, e.Source = code.Prog.Syntax.Calls[call.Common().Pos()], target, of
		made := finder.Constructor(e, q, of.Link.Open[0], q.Reader.Arguments(target, call), target.Fn)
		if made == nil {
			s := "nobody"
			for _, by := range e.Link.Makers {
				s += ", but " + types.ExprString(by.(ast.Expr)) + " made the receiver"
			}
			return s
		}
		s := types.ExprString(made.(ast.Expr))
		if slices.Contains(e.Link.IdleMakers, made) {
			s += ", which gives nothing"
		}
		return s
	})
}

// What a method of another package does with hidden fields of an object that a third one
// made is told there.
func TestToldElsewhere(t *testing.T) {
	recv := &value.Value{Kind: value.Param, Num: 0}
	hidden := value.FieldOf(recv, "example.com/dep.Store.family", value.NoClass)
	open := value.FieldOf(recv, "example.com/dep.Store.Family", value.NoClass)
	given := &value.Value{Kind: value.Param, Num: 2}
	object := &value.Value{Kind: value.Unknown, Name: "an object"}
	code := layertest.Load(t, `
-- dep/dep.go --
type Store struct { family string; Family string }
func New(family string) *Store
func (s *Store) Write(mut *bigtable.Mutation, column string)
-- wire/wire.go --
var Default *dep.Store
func Fixed() *dep.Store
func Of(family string) *dep.Store
-- p/p.go --
var own *dep.Store
func f(mut *bigtable.Mutation) {
	wire.Default.Write(mut, "c") // hidden
	wire.Fixed().Write(mut, "c") // hidden
	wire.Of("token").Write(mut, "c") //
	dep.New("token").Write(mut, "c") //
	own.Write(mut, "c") //
}
`,
		layertest.Fact{Of: "wire.Fixed", Fact: &summary.Summary{Results: summary.Returning([]summary.ResultCase{{Values: []*value.Value{
			value.Apply("dep.New", value.StrOf("token"), object),
		}}}...)}},
		layertest.Fact{Of: "wire.Of", Fact: &summary.Summary{Results: summary.Returning([]summary.ResultCase{{Values: []*value.Value{
			value.Apply("dep.New", &value.Value{Kind: value.Param, Num: 0}),
		}}}...)}},
	)
	e := eval.New(code.Prog)
	finder := callers.NewReceivers(e)
	receiverCheck(t, code, e, "Write", func(q *eval.Path, call ssa.CallInstruction) string {
		target, _ := code.Prog.Target(call.Common())
		var told []string
		for _, by := range []struct {
			name   string
			family *value.Value
		}{{"hidden", hidden}, {"open", open}, {"given", given}} {
			effect := &summary.Effect{Op: "bigtable.Mutation.Set", Cases: []summary.Case{{
				Args: []*value.Value{object, by.family, value.StrOf("c"), value.IntOf(-1)},
			}}}
			if finder.ToldElsewhere(target, effect, effect.Cases[0], q.Reader.Arguments(target, call)) {
				told = append(told, by.name)
			}
		}
		return strings.Join(told, " ")
	})
}

// A call gives nothing of its own to a method that another parameter decides nothing of,
// and to a function that is given objects which stood somewhere, or cells.
func TestGivesNothing(t *testing.T) {
	code := layertest.Load(t, `
type store struct { mut *bigtable.Mutation; family string; ts bigtable.Timestamp }
var common = &store{family: "token"}
func newStore(mut *bigtable.Mutation, family string) *store { return &store{mut, family, 0} }
func (s *store) fixed() { s.mut.Set("token", "c", 0, nil) }
func (s *store) own() { s.mut.Set(s.family, "c", 0, nil) }
func (s *store) given(column string) { s.mut.Set("token", column, 0, nil) }
func (s *store) copied(row bigtable.Row) { s.mut.Set("token", "c", row["token"][0].Timestamp, nil) }
func (s *store) chosen(row bigtable.Row, family string) { s.mut.Set("token", "c", row[family][0].Timestamp, nil) }
func put(s *store) { s.mut.Set(s.family, "c", s.ts, nil) }
func value(s store) { s.mut.Set(s.family, "c", s.ts, nil) }
func into(mut *bigtable.Mutation, s *store) { mut.Set(s.family, "c", s.ts, nil) }
func (s *store) other(o *store) { s.mut.Set(o.family, "c", s.ts, nil) }
func (s *store) cells(items []bigtable.ReadItem) { s.mut.Set("token", "c", items[0].Timestamp, nil) }
func (s *store) Cells(items []bigtable.ReadItem) { s.mut.Set("token", "c", items[0].Timestamp, nil) }
func (s *store) time(ts bigtable.Timestamp) { s.mut.Set("token", "c", ts, nil) }
func (s *store) each(items []bigtable.ReadItem, f func(bigtable.ReadItem)) { f(items[0]); s.mut.Set("token", "c", items[0].Timestamp, nil) }
func f(mut *bigtable.Mutation, row bigtable.Row, stores []*store, values []store) {
	s := newStore(mut, "token")
	s.fixed() // nothing
	s.own() // nothing
	s.given("c") // something
	s.copied(row) // nothing
	s.chosen(row, "token") // something
	put(s) // nothing
	put(common) // nothing
	put(stores[0]) // nothing
	put(&store{mut, "token", 0}) // something
	value(values[0]) // nothing
	value(store{mut, "token", 0}) // something
	into(mut, s) // something
	s.other(common) // nothing
	s.other(&store{family: "token"}) // something
	s.cells(row["token"]) // nothing
	s.Cells(row["token"]) // something
	s.time(row["token"][0].Timestamp) // something
	s.each(row["token"], nil) // something
}
`)
	tracer := event.NewTracer(code.Prog)
	finder := callers.NewReceivers(tracer.Eval)
	writes := map[*ssa.Function]*event.Event{}
	for _, e := range tracer.Own() {
		if event.IsWrite(e.Op) {
			writes[e.In] = e
		}
	}
	asked := 0
	for _, call := range code.Prog.Calls[code.Func("f")] {
		target, ok := code.Prog.Target(call.Common())
		of := writes[target.Fn]
		if !ok || of == nil {
			continue
		}
		asked++
		got := "something"
		if finder.GivesNothing(call, target, target.Fn, of.Link.Open) {
			got = "nothing"
		}
		if want := code.Comment(call); got != want {
			t.Errorf("%s: gives %s, want %s", call, got, want)
		}
	}
	if asked != 18 {
		t.Errorf("%d calls were asked for", asked)
	}
}
