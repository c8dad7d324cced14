package ttlwrite

import (
	"go/ast"
	"go/types"
	"slices"
	"strings"

	"github.com/ttlvet/ttlvet/internal/btapi"
	"github.com/ttlvet/ttlvet/internal/instant"
	"github.com/ttlvet/ttlvet/internal/registry"
	"github.com/ttlvet/ttlvet/internal/trace"
	"github.com/ttlvet/ttlvet/internal/value"
)

// What a call that reaches a write is given for its timestamp.
const (
	aTimestamp = ""         // a timestamp, or the call is the write itself
	aTime      = "time"     // a time.Time
	aLifetime  = "lifetime" // a time.Duration
	aNumber    = "number"   // a number that the call makes a time of
	aCount     = "count"    // a number that the call makes a lifetime of
	aNothing   = "nothing"  // nothing that may be any of them
)

// given returns what the call at which a finding stands is given for the timestamp: the
// only argument that is a timestamp, a time, a lifetime or a number of which a time is
// made. What can be done about it
// there hangs on that.
func (w write) given() string {
	if w.e.Depth == 0 || w.e.Call == nil || w.e.Helper != "" {
		return aTimestamp
	}
	if w.settled() {
		return aNothing
	}
	found, holds := aNothing, false
	if sel, ok := ast.Unparen(w.e.Call.Fun).(*ast.SelectorExpr); ok {
		holds = mayHold(w.p.TypesInfo.TypeOf(sel.X)) // the object may have been given it
	}
	for _, a := range w.e.Call.Args {
		t := w.p.TypesInfo.TypeOf(a)
		basic, _ := t.(*types.Basic)
		is := ""
		switch name := btapi.Type(t); {
		case name == "bigtable.Timestamp":
			return aTimestamp
		case name == "time.Time":
			is = aTime
		case name == "time.Duration":
			is = aLifetime
		case basic != nil && basic.Info()&types.IsInteger != 0 && w.counted() != "":
			is = aNumber
		case basic != nil && basic.Info()&types.IsInteger != 0 && w.reckoned():
			is = aCount
		default:
			holds = holds || mayHold(t)
			continue
		}
		if found != aNothing {
			return aTimestamp
		}
		found = is
	}
	if found == aNothing && holds {
		return aTimestamp
	}
	return found
}

// settled reports whether what the call runs makes the timestamp and chooses it, whatever
// the call gives.
func (w write) settled() bool {
	if w.arg < 0 {
		return false
	}
	within := w.e.Within()
	return len(within) > 0 && !slices.ContainsFunc(within, func(c trace.Case) bool {
		return c.Args[w.arg].HasParams() || slices.ContainsFunc(c.Conditions(), func(g trace.Guard) bool { return g.Cond.HasParams() })
	})
}

// reckoned reports whether the timestamp is reckoned from a reading of the clock, to
// which a lifetime is added, or is so where another is given.
func (w write) reckoned() bool {
	adds := func(ts *value.Value) (found bool) {
		ts.Walk(func(v *value.Value) { found = found || v.Is("time.Time.Add") || v.Is(value.Add) })
		return found
	}
	return adds(w.ts) && instant.OfTimestamp(w.ts).Clock() ||
		slices.ContainsFunc(w.otherwise(), func(c trace.Case) bool { return c.Args[w.arg].HasParams() && adds(c.Args[w.arg]) })
}

// otherwise lists what the writes of the function that the call runs are given, whatever
// this call gives.
func (w write) otherwise() (cases []trace.Case) {
	if w.arg < 0 {
		return nil
	}
	if s := w.e.Imported(w.e.Target.Obj); s != nil {
		for _, effect := range s.Effects {
			if effect.Op == w.e.Op {
				cases = append(cases, effect.Cases...)
			}
		}
		return cases
	}
	for _, e := range w.p.Events {
		if w.e.Source != nil && e.Op == w.e.Op && e.Fn == w.e.Source.Fn {
			cases = append(cases, e.Cases...)
		}
	}
	return cases
}

// mayHold reports whether a value of a type may hold a timestamp, or give one: all but
// texts, the context and what the client makes.
func mayHold(t types.Type) bool {
	if t == nil {
		return true
	}
	if p, ok := types.Unalias(t).(*types.Pointer); ok {
		t = p.Elem()
	}
	if name := btapi.Type(t); name == "context.Context" || strings.HasPrefix(name, "bigtable.") && name != "bigtable.Timestamp" {
		return false
	}
	switch u := t.Underlying().(type) {
	case *types.Basic:
		return u.Info()&(types.IsString|types.IsBoolean) == 0
	case *types.Slice:
		return mayHold(u.Elem()) && !isByte(u.Elem())
	case *types.Struct:
		for f := range u.Fields() {
			if mayHold(f.Type()) {
				return true
			}
		}
		return false
	}
	return true
}

func isByte(t types.Type) bool {
	basic, ok := t.Underlying().(*types.Basic)
	return ok && basic.Kind() == types.Byte
}

// counted returns the method of a time that gives the number of which the timestamp is
// made, "" where it is made of none.
func (w write) counted() (method string) {
	w.ts.Walk(func(v *value.Value) {
		if v.Is("time.Unix") || v.Is("time.UnixMilli") || v.Is("time.UnixMicro") {
			method = v.Name[len("time."):]
		}
	})
	return method
}

// setExpiry says what to write into a one-second family.
func (w write) setExpiry() string {
	ttl := "ttl"
	if w.target.Family.TTL > 0 {
		ttl = registry.GoDuration(w.target.Family.TTL)
	}
	switch w.given() {
	case aTime:
		return "pass its expiry, time.Now().Add(" + ttl + ")"
	case aNumber:
		return "pass its expiry, time.Now().Add(" + ttl + ")." + w.counted() + "()"
	case aLifetime:
		return "pass a lifetime above zero, such as " + ttl
	case aCount:
		return "pass a lifetime above zero"
	case aNothing:
		return "write it by a call that sets " + w.now(ttl)
	}
	return "set " + w.now(ttl)
}

// end says what to do about a write to a one-second family whose moment has passed:
// who ends a cell's life deletes it.
func (w write) end() string {
	return "delete the cell, or " + w.setExpiry()
}

// setZero says what to write into a family with timestamps 0.
func (w write) setZero() string {
	if w.given() == aTimestamp {
		return "set the timestamp 0"
	}
	return "write it by a call that sets the timestamp 0"
}
