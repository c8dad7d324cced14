package helper

import (
	"maps"
	"slices"
	"strings"

	"github.com/ttlvet/ttlvet/internal/btapi"
	"github.com/ttlvet/ttlvet/internal/value"
)

// A Helper is what a function or method of the runtime package does, over its
// parameters, receiver first.
type Helper struct {
	// Returns is the first result in terms of the client and of declarations;
	// nil where the call itself says it best, or where it says nothing of data.
	Returns *value.Value
	// Does lists the client's calls that it makes, in their order.
	Does []Effect
	// Refuses reports that it returns an error and writes nothing where the
	// moment or the number that it is given makes no timestamp of its strategy.
	Refuses bool
}

// An Effect is one call of the client.
type Effect struct {
	Op   string // by its name in btapi, or [Lifetime]
	Args []*value.Value
}

// Lifetime is the operation that takes how long a cell lives, or at what age it
// is collected: Args[0].
const Lifetime = "lifetime"

// Of returns what is known of a function of the runtime package, by its name in
// btapi; nil of other functions.
func Of(name string) *Helper {
	if h, ok := helpers[name]; ok {
		return &h
	}
	return nil
}

// Names lists the functions and methods that the table knows.
func Names() []string { return slices.Sorted(maps.Keys(helpers)) }

// Method returns the name of the method of a family, table or the like that v
// declares, "" where v is no declaration, or its type has no such method.
func Method(v *value.Value, method string) string {
	v = v.Base()
	if v.Kind != value.Call {
		return ""
	}
	of, ok := types[v.Name]
	if !ok {
		// An option on a family returns one of its type.
		if of, _, ok = cutLast(v.Name); !ok || !strings.HasPrefix(of, "ttl.") {
			return ""
		}
	}
	if name := of + "." + method; Of(name) != nil {
		return name
	}
	return ""
}

func cutLast(name string) (before, after string, ok bool) {
	i := strings.LastIndexByte(name, '.')
	if i < 0 {
		return "", "", false
	}
	return name[:i], name[i+1:], true
}

// types are those of what constructors return.
var types = map[string]string{
	"ttl.OneSecond": "ttl.OneSecondFamily", "ttl.Default": "ttl.DefaultFamily", "ttl.Sequence": "ttl.SequenceFamily",
	"ttl.Zero": "ttl.ZeroFamily", "ttl.RealTime": "ttl.RealTimeFamily",
	"ttl.NewTable": "ttl.Table", "ttl.NewCounter": "ttl.Counter", "ttl.WrittenAt": "ttl.WrittenAtColumn",
}

// The words in which the table is written.

// arg is the i-th parameter, receiver first.
func arg(i int) *value.Value { return &value.Value{Kind: value.Param, Num: int64(i)} }

func lifetimeArg(i int) *value.Value {
	return &value.Value{Kind: value.Param, Num: int64(i), Class: value.Duration}
}

func timeArg(i int) *value.Value {
	return &value.Value{Kind: value.Param, Num: int64(i), Class: value.Time}
}

func call(name string, args ...*value.Value) *value.Value {
	return &value.Value{Kind: value.Call, Name: name, Args: args}
}

var (
	now    = &value.Value{Kind: value.Call, Name: "time.Now", Class: value.Time}
	family = call(value.DeclaredName, arg(0))
	// usual is the declared lifetime of the receiver, shift how much earlier
	// than its expiry a cell's timestamp is.
	usual = &value.Value{Kind: value.Call, Name: value.DeclaredLifetime, Class: value.Duration, Args: []*value.Value{arg(0)}}
	shift = &value.Value{Kind: value.Call, Name: value.DeclaredShift, Class: value.Duration, Args: []*value.Value{arg(0)}}
)

// timestamp converts a time.
func timestamp(t *value.Value) *value.Value { return call(btapi.TimeToTimestamp, t) }

// in is the time that lies a lifetime ahead, and at a deadline, less what the
// strategy subtracts.
func in(d *value.Value) *value.Value {
	return call("time.Time.Add", now, &value.Value{Kind: value.Call, Name: value.Shifted, Class: value.Duration, Args: []*value.Value{d, shift}})
}

func at(t *value.Value) *value.Value {
	return &value.Value{Kind: value.Call, Name: value.Shifted, Class: value.Time, Args: []*value.Value{t, shift}}
}

func numbered(n *value.Value) *value.Value { return call(value.Mul, n, value.IntOf(1000)) }

// set is a write to a column of the receiver's family, of methods whose
// parameters begin with mutation, column, value.
func set(ts *value.Value) Effect { return write(arg(2), ts) }

func write(column, ts *value.Value) Effect {
	return Effect{btapi.Set, []*value.Value{arg(1), family, column, ts, value.UnknownFor("an argument that no rule looks at")}}
}

// deletion is the deletion of that column.
var deletion = Effect{btapi.DeleteCellsInColumn, []*value.Value{arg(1), family, arg(2)}}

// lives says that a parameter is a lifetime or an age.
func lives(i int) Effect { return Effect{Lifetime, []*value.Value{lifetimeArg(i)}} }

// moment says that a parameter is a time that is converted.
func moment(i int) Effect { return Effect{btapi.TimeToTimestamp, []*value.Value{timeArg(i)}} }

func does(effects ...Effect) Helper { return Helper{Does: effects} }

// checked is does of what returns an error for a value that makes no timestamp.
func checked(effects ...Effect) Helper { return Helper{Does: effects, Refuses: true} }

func returns(v *value.Value, effects ...Effect) Helper { return Helper{Returns: v, Does: effects} }

// cellTime is the timestamp of a cell that is the i-th parameter.
func cellTime(i int) *value.Value {
	return &value.Value{Kind: value.Field, Name: "bigtable.ReadItem.Timestamp", Class: value.Timestamp, Args: []*value.Value{arg(i)}}
}

// live is the filter of a table's live cells at a time.
func live(at *value.Value) *value.Value { return call(LiveFilter, arg(0), at) }

// own is the filter of a family's live cells.
func own() *value.Value { return call(FamilyLive, arg(0), now) }

// option is the read option of the filters in a chain, or of the only one.
func option(first *value.Value, more ...*value.Value) *value.Value {
	if len(more) == 0 {
		return call("bigtable.RowFilter", first)
	}
	return call("bigtable.RowFilter", call(btapi.ChainFilters, value.ListOf(append([]*value.Value{first}, more...)...)))
}

// all stands in a list for the elements of a parameter.
func all(i int) *value.Value { return call(value.Spread, arg(i)) }
