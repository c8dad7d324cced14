package event

import (
	"go/ast"
	"go/token"
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/ttlvet/ttlvet/internal/trace/eval"
	"github.com/ttlvet/ttlvet/internal/trace/kind"
	"github.com/ttlvet/ttlvet/internal/trace/program"
	"github.com/ttlvet/ttlvet/internal/trace/summary"
	"github.com/ttlvet/ttlvet/internal/value"
)

// An Event is a place at which values take effect, or at which they can be
// judged by themselves: a call of the client, a call of a function that
// passes its arguments on to the client, a conversion, a comparison, a raw
// message.
type Event struct {
	// Op is the client's call by its name in btapi; [Convert] and [Compare]
	// for those, "new " and the type's name for a raw message.
	Op    string
	Node  ast.Node       // the call, conversion, comparison or literal
	Call  *ast.CallExpr  // Node, when it is a call
	Cases []summary.Case // what can arrive
	Fn    *types.Func    // the declared function in which it stands, or nil
	Uses  summary.Uses   // of a read: what is done with its rows
	// Source is, of a call that passes its arguments on, the event that they
	// reach in this package, or nil.
	Source *Event
	// Reached is what Source (or what the function of another package does)
	// is known to do without this call's arguments.
	Reached     []summary.Case
	ReachedUses summary.Uses
	// ViaField reports whether the call stores a value in an object, from
	// where it comes to the client's call later. Calls on several objects
	// then lead to one call of the client, but to several mutations.
	ViaField bool
	// Table is the table of a write that is described in the registry file;
	// that of other writes is found by their mutation.
	Table *value.Value
	// Admin is, of a call of the admin client, that client, where it is known: for which
	// instance the call is, which its callers are not asked for.
	Admin *value.Value
	// Again reports whether a write is repeated, in each turn of a loop, to the
	// same cell of the same mutation with the same timestamp.
	Again bool
	// Overtakes are, of a deletion, the writes to the same mutation in the same loop or
	// function literal, after which a later turn comes to it again.
	Overtakes []*Event
	// Sweeps reports whether a scan of keys may look for what is to be deleted.
	Sweeps bool
	// Helper is the function of the runtime package that makes the client's
	// call, by its name in btapi, when one does.
	Helper string
	Where  string // file:line of the client's call, when this is not one
	Depth  int    // the number of calls to the client's
	// OnlyTable reports that the call supplies nothing but the table of what the
	// methods of an object do that another package declares.
	OnlyTable bool

	// Injected reports that a test gives to code that is none what the values are
	// made of.
	Injected bool

	// What follows is for the layers of tracing.

	Instr   ssa.Instruction // where it stands
	In      *ssa.Function   // the function or literal in which it stands
	Target  program.Target  // what it runs
	Applied []ssa.Value     // of an application: what holds the mutations
	Resolve func(*eval.Path) []*value.Value
	Link    Link

	tracer *Tracer
	step   int // of what a helper does: its place among that
}

// Operations that are not calls of the client.
const (
	Convert   = "bigtable.Timestamp()" // Args: the number that is made a Timestamp
	Compare   = "compare"              // Args: two timestamps that are compared
	Age       = "age"                  // Args: a timestamp, what is subtracted from it, in microseconds, and what that is compared with or subtracted from
	CellTime  = "cell time"            // Args: the timestamp of a cell that is read
	StoreTime = "store time"           // Args: what is stored in a field or map under a name that says when something was written
	New       = "new "                 // and a type's name; Args: the message
	Callback  = "callback"             // Args: a method's name, or ""; the object or function, which is given; what it is called with

	// What code writes down of tables for others to apply.
	Conf   = New + "bigtable.TableConf" // Args: the configuration, which an exported function returns
	Listed = "list of policies"         // Args: a list of [table, family, policy], in an exported variable or from such a function
)

// OfTimes reports whether an operation is one of times alone, which cells may have:
// they are compared, subtracted, formatted, stored.
func OfTimes(op string) bool {
	return op == Compare || op == Age || op == CellTime || op == StoreTime || strings.HasPrefix(op, "time.")
}

// Pos is where the event begins.
func (e *Event) Pos() token.Pos {
	if e.Node != nil {
		return e.Node.Pos()
	}
	return e.Instr.Pos()
}

// Origin returns the client's call that an event reaches in this package, or
// nil.
func (e *Event) Origin() ast.Node {
	if e = e.Root(); e.Depth > 0 {
		return nil
	}
	return e.Node
}

// RowUses says what is done with the rows of a read, wherever they go: to the
// callers in this package too. Rows that leave the package may be used for
// anything.
func (e *Event) RowUses() summary.Uses { return e.rowUses(e.Uses) }

// ObjectRowUses is what [Event.RowUses] is for a method, less what its callers name
// beside the object. held is what is done with the rows that it hands to what the object
// holds; nil where that is not known.
func (e *Event) ObjectRowUses(held *summary.Uses) summary.Uses {
	u := e.Uses.OfObject()
	if held == nil {
		return e.rowUses(u)
	}
	u.Handed = nil
	return e.rowUses(u).With(*held)
}

func (e *Event) rowUses(u summary.Uses) summary.Uses {
	u = u.Here().Cautious()
	if len(u.Handed) > 0 && len(e.Link.Derived) > 0 {
		// What the calls give is judged at each; here, what they have in common.
		common := e.Link.Derived[0].RowUses()
		for _, d := range e.Link.Derived[1:] {
			common = common.Common(d.RowUses())
		}
		u.Handed, common.Returned = nil, u.Returned
		u = u.With(common)
	}
	if u.Outside() && e.In != nil {
		u = u.With(e.Link.CallerUses.Here()).Inside()
	}
	u = u.Alone()
	u.All = u.All || u.Outside() || len(u.FamilyParams) > 0
	return u
}

// DeletesOnly records of a scan that cells are used only to delete them: of its rows
// it wants the keys.
func (e *Event) DeletesOnly() {
	for _, u := range []*summary.Uses{&e.Uses, &e.Link.CallerUses} {
		if !u.All && len(u.Families)+len(u.FamilyParams)+len(u.Given) > 0 {
			*u = summary.Uses{Keys: true, Exists: u.Exists, Returned: u.Returned, Around: u.Around, Callback: u.Callback, Yields: u.Yields, Handed: u.Handed, Kept: u.Kept}
			e.Sweeps = true
		}
	}
}

// HandedOver returns what an event in this package is of, where a call hands the
// function or object in which that stands to one that calls it; nil of others.
func (e *Event) HandedOver() ast.Node {
	if e.Source == nil || e.Source.Depth > 0 || e.Source.In == nil || e.Target.Fn == kind.Origin(kind.Outermost(e.Source.In)) {
		return nil
	}
	return e.Source.Node
}

// Called reports whether all calls of the event's function are in view, and
// there are some: what parameters decide is decided there.
func (e *Event) Called() bool {
	if e.tracer == nil || e.Fn == nil || e.Fn.Exported() {
		return false
	}
	return len(e.tracer.Prog.Callers[kind.Origin(kind.Outermost(e.In))]) > 0
}

// Precedes reports whether e happens before f, in the same function.
func (e *Event) Precedes(f *Event) bool {
	if e == f || e.Instr == nil || f.Instr == nil {
		return false
	}
	if e.Instr == f.Instr {
		return e.Depth == 0 && f.Depth == 0 && e.step < f.step
	}
	// Analyzers run side by side.
	e.tracer.Prog.Order.Lock()
	defer e.tracer.Prog.Order.Unlock()
	a, b := e.runsIn(f.In), f.runsIn(e.In)
	return e.tracer.Prog.Graphs.Precedes(a, b) && !e.tracer.Prog.Graphs.Exclusive(a.Block(), b.Block())
}

// runsIn returns the instruction of a function at which the event happens: of one in a
// literal that is called once, in that function, the call. It is the event's own for
// other functions.
func (e *Event) runsIn(fn *ssa.Function) ssa.Instruction {
	if fn == nil || e.In == nil || e.In == fn || e.In.Parent() != fn {
		return e.Instr
	}
	if calls := e.tracer.Prog.Callers[e.In]; len(calls) == 1 && calls[0].Parent() == fn {
		if call, ok := calls[0].(*ssa.Call); ok {
			return call
		}
	}
	return e.Instr
}

// Arg returns the expression in the event's node that supplies the i-th
// argument of its operation, or nil.
func (e *Event) Arg(c summary.Case, i int) ast.Expr {
	if c.Supplied() != nil || e.Depth > 0 || e.Helper != "" {
		return c.Supplied()[i]
	}
	return e.Target.ArgumentExpr(e.Call, e.Instr, i)
}
