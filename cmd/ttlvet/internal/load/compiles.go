package load

import (
	"errors"
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"go/types"
)

// Compiles returns the first of the compiler's errors when some of the unit's
// files have other contents.
func (u *Unit) Compiles(contents map[string][]byte) error {
	fset := token.NewFileSet()
	var files []*ast.File
	for _, name := range u.Pkg.CompiledGoFiles {
		var source any
		if content, ok := contents[name]; ok {
			source = content
		}
		f, err := parser.ParseFile(fset, name, source, parser.SkipObjectResolution)
		if err != nil {
			return Message(err)
		}
		files = append(files, f)
	}
	var first error
	conf := u.types(files, func(err error) {
		if first == nil {
			first = Message(err)
		}
	})
	conf.Check(u.Pkg.PkgPath, fset, files, nil)
	return first
}

// Message returns an error without its position, which is of no use when the
// file is not as it was then.
func Message(err error) error {
	var list scanner.ErrorList
	var typeError types.Error
	switch {
	case errors.As(err, &list) && len(list) > 0:
		return errors.New(list[0].Msg)
	case errors.As(err, &typeError):
		return errors.New(typeError.Msg)
	}
	return err
}
