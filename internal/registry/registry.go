// Package registry holds what is declared of tables, column families and the
// strategies by which their cells expire, and looks it up.
//
// The declarations come from the file ttlvet.yaml beside go.mod ([Parse]),
// from Go code that uses the runtime package, and from garbage collection
// policies of at most one second (both of which the tracer finds); a [Model]
// is all of them together.
package registry

import (
	"fmt"
	"strings"
	"time"

	"github.com/ttlvet/ttlvet/runtime/strategy"
)

// FileName is the name of the registry file, which lies beside go.mod.
const FileName = "ttlvet.yaml"

// A Strategy is an agreement of writers, readers and garbage collection on
// what the timestamps of a column family mean.
type Strategy = strategy.Strategy

// The strategies, by the names that registry files use.
const (
	OneSecond = strategy.OneSecond
	Default   = strategy.Default
	Sequence  = strategy.Sequence
	Zero      = strategy.Zero
	Real      = strategy.Real
)

// Strategies lists all strategies in the documentation's order.
var Strategies = strategy.Strategies()

// A Position is a place in a registry file or in Go source.
type Position struct {
	File         string
	Line, Column int
}

func (p Position) String() string { return fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Column) }

// A Source says where a declaration comes from.
type Source string

// The sources, from the strongest to the weakest.
const (
	FromFile  Source = "the registry"
	FromGo    Source = "Go"
	FromGuess Source = "a policy" // inferred from a policy of at most one second
)

// A Family is what is declared of one column family.
type Family struct {
	Name     string
	Strategy Strategy
	// TTL is the usual lifetime of a one-second family (0 when none is
	// declared) and the default lifetime of a default-expiration family.
	TTL time.Duration
	// MaxAge is the age of the garbage collection policy: of a one-second
	// family one second unless declared otherwise, of a default-expiration
	// family its TTL, of a real-timestamps family 0 when none is declared.
	MaxAge time.Duration
	// Versions is the number of versions that are kept, 0 when none is
	// declared.
	Versions int

	Source Source
	Pos    Position
	// Evidence is what an inferred family was inferred from, in words.
	Evidence string
	// Shared says of an inferred family that other tables have one of its name with
	// another policy or none, so that it counts only where the table is certain.
	Shared bool
}

// Agreement returns what readers, writers and policies of the family are held
// to.
func (f *Family) Agreement() *strategy.Family {
	return &strategy.Family{Name: f.Name, Strategy: f.Strategy, TTL: f.TTL, MaxAge: f.MaxAge, Versions: f.Versions}
}

// Same reports whether f and g declare the same agreement.
func (f *Family) Same(g *Family) bool {
	return f.Strategy == g.Strategy && f.TTL == g.TTL && f.MaxAge == g.MaxAge && f.Versions == g.Versions
}

// A Table is what is declared of one table, or of all tables that match a
// pattern.
type Table struct {
	Pattern  string   // a name or a path.Match pattern; "" for an inferred family of an unknown table
	Handles  []string // Go fields, variables, constants and functions that hold the table or its name
	Names    []string // further names, the values of constants among the handles
	Families []*Family

	Source Source
	Pos    Position
}

// Family returns the declared family of that name, or nil.
func (t *Table) Family(name string) *Family {
	for _, f := range t.Families {
		if f.Name == name {
			return f
		}
	}
	return nil
}

// A Wrapper describes a function that tracing cannot see through.
type Wrapper struct {
	Func string // such as "example.com/app/gen.Client.Put"
	Does string // the client's call that it amounts to, such as "Mutation.Set"
	// Args says for each argument of that call (by its name in the client's
	// signature, "table" for the receiver of a read) either the position of
	// the wrapper's parameter, counted from 0 without the receiver, or a
	// constant.
	Args map[string]WrapperArg
	Pos  Position
}

// A WrapperArg is a parameter's position or a constant.
type WrapperArg struct {
	Param int // -1 for a constant
	Const string
}

// ShortHandle writes a handle without the directories of its import path.
func ShortHandle(h string) string {
	if i := strings.LastIndexByte(h, '/'); i >= 0 {
		return h[i+1:]
	}
	return h
}
