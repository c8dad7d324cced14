package main

import (
	"errors"
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"go/types"
)

// compiles returns the first of the compiler's errors when some of the unit's
// files have other contents.
func (u *unit) compiles(contents map[string][]byte) error {
	fset := token.NewFileSet()
	var files []*ast.File
	for _, name := range u.pkg.CompiledGoFiles {
		var source any
		if content, ok := contents[name]; ok {
			source = content
		}
		f, err := parser.ParseFile(fset, name, source, parser.SkipObjectResolution)
		if err != nil {
			return message(err)
		}
		files = append(files, f)
	}
	var first error
	conf := u.types(files, func(err error) {
		if first == nil {
			first = message(err)
		}
	})
	conf.Check(u.pkg.PkgPath, fset, files, nil)
	return first
}

// message returns an error without its position, which is of no use when the
// file is not as it was then.
func message(err error) error {
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
