// Package btapi is what ttlvet knows of the Bigtable client: which packages
// reach it, what its functions and types are called, and which of their
// arguments matter. No other package names an identifier of the client by
// anything but the names given here.
//
// A name is the package's short name and the identifier, such as
// "bigtable.LatestNFilter", "bigtable.Mutation.Set" for a method, or
// "time.Time.Add". Pointer receivers are not marked.
package btapi

import (
	"go/types"
	"maps"
	"slices"
	"strings"
)

// Module is the client's module, of which all releases from Oldest to Newest are known:
// tests run on both.
const (
	Module = "cloud.google.com/go/bigtable"
	Oldest = "v1.40.0"
	Newest = "v1.58.0"
)

// packages maps import paths to the short names that are used in names.
var packages = map[string]string{
	"cloud.google.com/go/bigtable":                            "bigtable",
	"cloud.google.com/go/bigtable/apiv2/bigtablepb":           "bigtablepb",
	"cloud.google.com/go/bigtable/admin/apiv2/adminpb":        "adminpb",
	"cloud.google.com/go/bigtable/apiv2":                      "apiv2",
	"cloud.google.com/go/bigtable/admin/apiv2":                "admin",
	"google.golang.org/genproto/googleapis/bigtable/v2":       "bigtablepb",
	"google.golang.org/genproto/googleapis/bigtable/admin/v2": "adminpb",
	"github.com/ttlvet/ttlvet/runtime/ttl":                    "ttl",

	"time":        "time",
	"fmt":         "fmt",
	"strings":     "strings",
	"slices":      "slices",
	"maps":        "maps",
	"cmp":         "cmp",
	"regexp":      "regexp",
	"errors":      "errors",
	"sync/atomic": "atomic",
	"context":     "context",
	"google.golang.org/protobuf/types/known/durationpb":  "durationpb",
	"google.golang.org/protobuf/types/known/fieldmaskpb": "fieldmaskpb",
	"google.golang.org/protobuf/proto":                   "proto",
	"github.com/golang/protobuf/ptypes":                  "ptypes",
}

// roots are the short names of the packages by which code reaches Bigtable.
var roots = map[string]bool{
	"bigtable": true, "bigtablepb": true, "adminpb": true, "apiv2": true, "admin": true, "ttl": true,
}

// short returns the short name of the package with that import path, also of
// a vendored copy, or "".
func short(path string) string {
	if name := packages[path]; name != "" {
		return name
	}
	if i := strings.LastIndex(path, "/vendor/"); i >= 0 {
		return packages[path[i+len("/vendor/"):]]
	}
	return ""
}

// IsRoot reports whether a package that imports the one with that path
// reaches Bigtable by it.
func IsRoot(path string) bool { return roots[short(path)] }

// Roots lists the paths of which [IsRoot] holds, without vendored copies.
func Roots() []string {
	var out []string
	for _, path := range slices.Sorted(maps.Keys(packages)) {
		if IsRoot(path) {
			out = append(out, path)
		}
	}
	return out
}

// IsClient reports whether the package is part of the Bigtable client, its
// emulator or ttlvet's runtime package, what they do being known here rather
// than found by analysis. Programs in the client's module are not part of it.
func IsClient(path string) bool {
	if i := strings.LastIndex(path, "/vendor/"); i >= 0 {
		path = path[i+len("/vendor/"):]
	}
	for _, prefix := range []string{
		"cloud.google.com/go/bigtable/admin", "cloud.google.com/go/bigtable/apiv2", "cloud.google.com/go/bigtable/bttest",
		"cloud.google.com/go/bigtable/internal", "google.golang.org/genproto/googleapis/bigtable",
	} {
		if path == prefix || strings.HasPrefix(path, prefix+"/") {
			return true
		}
	}
	return roots[short(path)]
}

// Func returns the name of a function or method of a known package, or "".
func Func(fn *types.Func) string {
	if fn == nil || fn.Pkg() == nil {
		return ""
	}
	pkg := short(fn.Pkg().Path())
	if pkg == "" {
		return ""
	}
	if recv := fn.Signature().Recv(); recv != nil {
		named := named(recv.Type())
		if named == nil {
			return ""
		}
		return pkg + "." + named.Obj().Name() + "." + fn.Name()
	}
	return pkg + "." + fn.Name()
}

// Type returns the name of a named type of a known package, or of a pointer
// to one, or "".
func Type(t types.Type) string {
	n := named(t)
	if n == nil || n.Obj().Pkg() == nil {
		return ""
	}
	if pkg := short(n.Obj().Pkg().Path()); pkg != "" {
		return pkg + "." + n.Obj().Name()
	}
	return ""
}

// OnlyReads reports whether a known function takes what it is given the
// address of as it is: those of the client do, and those that format;
// proto.Unmarshal, fmt.Sscan and the like do not.
func OnlyReads(name string) bool {
	for _, prefix := range []string{
		"bigtable.", "bigtablepb.", "adminpb.", "apiv2.", "admin.", "ttl.", "time.", "strings.", "context.",
		"fmt.Print", "fmt.Sprint", "fmt.Fprint", "fmt.Errorf", "durationpb.", "regexp.",
	} {
		if strings.HasPrefix(name, prefix) && !strings.Contains(name, ".Unmarshal") {
			return true
		}
	}
	return false
}

// IsRootType reports whether the type, or what it points to, is one of the
// Bigtable client's.
func IsRootType(t types.Type) bool {
	n := named(t)
	return n != nil && n.Obj().Pkg() != nil && roots[short(n.Obj().Pkg().Path())]
}

// Declares reports whether values of a type are declarations of the runtime
// package: a family with its strategy, or a table.
func Declares(t types.Type) bool {
	name := Type(t)
	return name == "ttl.Table" || strings.HasPrefix(name, "ttl.") && strings.HasSuffix(name, "Family")
}

func named(t types.Type) *types.Named {
	t = types.Unalias(t)
	if p, ok := t.(*types.Pointer); ok {
		t = types.Unalias(p.Elem())
	}
	n, _ := t.(*types.Named)
	return n
}

// ShapeOf returns the name of the client's method that a method of an
// interface, a mock or an adapter stands for: the one with its name and
// parameter types. Receivers say nothing: real code calls tables through
// *bigtable.Table, bigtable.TableAPI and interfaces of its own.
func ShapeOf(fn *types.Func) string {
	if fn == nil {
		return ""
	}
	if !shapeNames[fn.Name()] {
		return ""
	}
	return shapes[fn.Name()+paramString(fn.Signature())]
}

// shapeNames are the names of the methods in shapes.
var shapeNames = map[string]bool{}

func init() {
	for shape := range shapes {
		name, _, _ := strings.Cut(shape, "(")
		shapeNames[name] = true
	}
}

func paramString(sig *types.Signature) string {
	var b strings.Builder
	b.WriteByte('(')
	for i := 0; i < sig.Params().Len(); i++ {
		if i > 0 {
			b.WriteByte(',')
		}
		t := sig.Params().At(i).Type()
		if sig.Variadic() && i == sig.Params().Len()-1 {
			b.WriteString("...")
			if s, ok := t.Underlying().(*types.Slice); ok {
				t = s.Elem()
			}
		}
		writeType(&b, types.Unalias(t))
	}
	b.WriteByte(')')
	return b.String()
}

// writeType writes a type as [types.TypeString] does, with the short names of
// packages; those that most parameters have, by itself, since it is asked for
// each call.
func writeType(b *strings.Builder, t types.Type) {
	switch t := t.(type) {
	case *types.Pointer:
		b.WriteByte('*')
		writeType(b, t.Elem())
		return
	case *types.Slice:
		b.WriteString("[]")
		writeType(b, t.Elem())
		return
	case *types.Basic:
		if t.Kind() != types.UnsafePointer {
			b.WriteString(t.Name())
			return
		}
	case *types.Named:
		if obj := t.Obj(); obj.Pkg() != nil && t.TypeArgs() == nil && t.TypeParams() == nil && obj.Parent() == obj.Pkg().Scope() {
			b.WriteString(shortOrPath(obj.Pkg()))
			b.WriteByte('.')
			b.WriteString(obj.Name())
			return
		}
	}
	b.WriteString(types.TypeString(t, shortOrPath))
}

func shortOrPath(p *types.Package) string {
	if s := short(p.Path()); s != "" {
		return s
	}
	return p.Path()
}

// shapes are the methods that are recognised by name and parameter types.
var shapes = map[string]string{
	"ReadRow(context.Context,string,...bigtable.ReadOption)":                                   ReadRow,
	"ReadRows(context.Context,bigtable.RowSet,func(bigtable.Row) bool,...bigtable.ReadOption)": ReadRows,
	"Apply(context.Context,string,*bigtable.Mutation,...bigtable.ApplyOption)":                 Apply,
	"ApplyBulk(context.Context,[]string,[]*bigtable.Mutation,...bigtable.ApplyOption)":         ApplyBulk,
	"ApplyReadModifyWrite(context.Context,string,*bigtable.ReadModifyWrite)":                   ApplyReadModifyWrite,

	"Set(string,string,bigtable.Timestamp,[]byte)":              Set,
	"AddIntToCell(string,string,bigtable.Timestamp,int64)":      AddIntToCell,
	"MergeBytesToCell(string,string,bigtable.Timestamp,[]byte)": MergeBytesToCell,

	"SetGCPolicy(context.Context,string,string,bigtable.GCPolicy)":                                       SetGCPolicy,
	"SetGCPolicyWithOptions(context.Context,string,string,bigtable.GCPolicy,...bigtable.GCPolicyOption)": SetGCPolicyWithOptions,
	"UpdateFamily(context.Context,string,string,bigtable.Family,...bigtable.UpdateFamilyOption)":         UpdateFamily,
	"CreateColumnFamily(context.Context,string,string)":                                                  CreateColumnFamily,
	"CreateColumnFamilyWithConfig(context.Context,string,string,bigtable.Family)":                        CreateColumnFamilyWithConfig,
	"CreateTableFromConf(context.Context,*bigtable.TableConf)":                                           CreateTableFromConf,

	"PrepareStatement(context.Context,string,map[string]bigtable.SQLType,...bigtable.PrepareOption)": PrepareStatement,
}
