// Package fingerprint identifies a finding by what stays when code is moved,
// reformatted or its local names are changed: the rule, the package, the
// declaration that encloses it, and the table and families that it is about.
package fingerprint

import (
	"crypto/sha256"
	"encoding/hex"
	"go/ast"
	"go/token"
	"slices"
	"strconv"
	"strings"
)

// A Key says what a finding is about. Findings of one function that are about
// the same have the same key.
type Key struct {
	Rule    string // such as "ttlwrite/server-timestamp"
	Package string // the import path, which ends in "_test" for an external test
	In      string // the function, "Type.Method", or what is declared; "" outside of declarations
	Table   string // the table's pattern in the registry, "" where it is not certain
	Family  string // the families, sorted, separated by commas; "" for none
}

// NewKey returns the key of a finding. pkg may have the go command's suffix
// for a package that is built for a test, and families any order.
func NewKey(rule, pkg, in, table, families string) Key {
	pkg, _, _ = strings.Cut(pkg, " ")
	list := strings.Split(families, ",")
	slices.Sort(list)
	return Key{rule, pkg, in, table, strings.Join(slices.Compact(list), ",")}
}

// A Fingerprint is a key with the finding's number among those of the same
// key, from 0, in source order.
type Fingerprint struct {
	Key
	Ordinal int
}

// String returns the fingerprint as 32 hexadecimal digits.
func (f Fingerprint) String() string {
	h := sha256.New()
	for _, s := range []string{f.Rule, f.Package, f.In, f.Table, f.Family, strconv.Itoa(f.Ordinal)} {
		h.Write([]byte(s + "\x00"))
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}

// A Counter numbers findings of the same key. The zero value is ready.
type Counter map[Key]int

// Next returns the fingerprint of the next finding of that key.
func (c Counter) Next(k Key) Fingerprint {
	f := Fingerprint{k, c[k]}
	c[k]++
	return f
}

// Enclosing names the declaration of the package's top level that encloses
// pos: a function, "Type.Method" whatever the receiver is, a type, or the
// variable that an expression initializes. It is "" outside of declarations.
func Enclosing(f *ast.File, pos token.Pos) string {
	for _, d := range f.Decls {
		if pos < d.Pos() || d.End() <= pos {
			continue
		}
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Recv != nil && len(d.Recv.List) > 0 {
				return typeName(d.Recv.List[0].Type) + "." + d.Name.Name
			}
			return d.Name.Name
		case *ast.GenDecl:
			for _, s := range d.Specs {
				if s.Pos() <= pos && pos < s.End() {
					return specName(s, pos)
				}
			}
		}
	}
	return ""
}

func specName(s ast.Spec, pos token.Pos) string {
	switch s := s.(type) {
	case *ast.TypeSpec:
		return s.Name.Name
	case *ast.ValueSpec:
		for i, v := range s.Values {
			if v.Pos() <= pos && pos < v.End() && i < len(s.Names) {
				return s.Names[i].Name
			}
		}
		return s.Names[0].Name
	}
	return ""
}

// typeName is the name of a receiver's type, without pointer and type
// parameters.
func typeName(t ast.Expr) string {
	for {
		switch x := t.(type) {
		case *ast.ParenExpr:
			t = x.X
		case *ast.StarExpr:
			t = x.X
		case *ast.IndexExpr:
			t = x.X
		case *ast.IndexListExpr:
			t = x.X
		case *ast.Ident:
			return x.Name
		default:
			return ""
		}
	}
}
