package btapi

import (
	"go/types"
	"slices"
	"strings"
)

// writers are the functions of the standard library that write to elements of a list or
// map that they are given, or to what a pointer to a value of the program's points to,
// by their packages: the index of that argument.
var writers = map[string]map[string]int{
	"slices":      {"Sort": 0, "SortFunc": 0, "SortStableFunc": 0, "Reverse": 0, "Compact": 0, "CompactFunc": 0, "Delete": 0, "DeleteFunc": 0, "Insert": 0, "Replace": 0},
	"sort":        {"Slice": 0, "SliceStable": 0, "Ints": 0, "Strings": 0, "Float64s": 0, "Sort": 0, "Stable": 0},
	"maps":        {"Copy": 0, "DeleteFunc": 0, "Insert": 0},
	"math/rand":   {"Shuffle": 1},
	"sync/atomic": {"AddInt64": 0, "StoreInt64": 0, "SwapInt64": 0, "CompareAndSwapInt64": 0},
}

// Writes lists the arguments by way of which a function of the standard library writes.
func Writes(fn *types.Func) []int {
	if fn == nil || fn.Pkg() == nil || fn.Signature().Recv() != nil {
		return nil
	}
	if i, ok := writers[fn.Pkg().Path()][fn.Name()]; ok {
		return []int{i}
	}
	return nil
}

// Copies reports whether a function of the standard library returns a new list of the
// elements of the one that it is given.
func Copies(fn *types.Func) bool {
	return fn != nil && fn.Pkg() != nil && fn.Pkg().Path() == "slices" && fn.Name() == "Clone"
}

// keepsNothing are the packages of the standard library, and the client's, whose
// functions hand nothing back of what pointers that they are given point to.
var keepsNothing = map[string]bool{
	"bufio": true, "bytes": true, "encoding/binary": true, "encoding/json": true, "errors": true, "flag": true, "fmt": true, "io": true, "log": true, "log/slog": true,
	"math": true, "net/http": true, "os": true, "regexp": true, "strconv": true, "strings": true, "testing": true, "time": true, "unicode/utf8": true,
}

// KeepsNothing reports whether the functions of a package hand nothing back of what
// they are given.
func KeepsNothing(pkg *types.Package) bool {
	return pkg == nil || keepsNothing[pkg.Path()] || IsRoot(pkg.Path())
}

// encoders are the beginnings of the names of functions that take what they are given as
// it is, to write it somewhere, by their package: "" is any other.
var encoders = map[string][]string{
	"": {"Marshal", "Encode"},
	"google.golang.org/protobuf/encoding/protojson": {"Marshal", "Format"},
	"google.golang.org/protobuf/encoding/prototext": {"Marshal", "Format"},
	"google.golang.org/protobuf/proto":              {"Marshal", "Clone", "Equal", "Size"},
	"log":                                           {""},
	"log/slog":                                      {""},
}

// Encodes reports whether a function takes what it is given as it is, to write
// it somewhere: json.Marshal, yaml.Marshal, gob's Encode, protojson.Format, what
// logs.
func Encodes(fn *types.Func) bool {
	if fn.Pkg() == nil {
		return false
	}
	prefixes, ok := encoders[fn.Pkg().Path()]
	if !ok {
		prefixes = encoders[""]
	}
	return slices.ContainsFunc(prefixes, func(prefix string) bool { return strings.HasPrefix(fn.Name(), prefix) })
}

// Ticks reports whether a function, or a field, of package time returns, or holds, a
// channel on which the time is sent.
func Ticks(obj types.Object) bool {
	if obj.Pkg() == nil || obj.Pkg().Path() != "time" {
		return false
	}
	_, field := obj.(*types.Var)
	return field && obj.Name() == "C" || obj.Parent() == obj.Pkg().Scope() && (obj.Name() == "After" || obj.Name() == "Tick")
}
