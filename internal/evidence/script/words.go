package script

import (
	"cmp"
	"errors"
	"io"
	"strings"

	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/syntax"
)

// Names, policies and lists of them are short; a variable that is made of itself
// doubles with each statement. What is longer is not known.
const (
	maxParams = 32      // parameters and braces in a word
	maxValue  = 1 << 12 // bytes of a variable
	maxFields = 1 << 14 // bytes of all that one word stands for
	maxWords  = 1 << 24 // and of all words of a script
)

// fields expands words. What cannot be expanded is not known.
func (s *shell) fields(words ...*syntax.Word) []string {
	var out []string
	for _, w := range words {
		out = append(out, s.word(w, expandFields)...)
	}
	return out
}

// literal expands a word without splitting it.
func (s *shell) literal(w *syntax.Word) string {
	if w == nil {
		return ""
	}
	return strings.Join(s.word(w, expandLiteral), " ")
}

var errLong = errors.New("the word expands to too much")

func expandFields(c *expand.Config, w *syntax.Word) (out []string, err error) {
	size := 0
	for f, err := range expand.FieldsSeq(c, w) {
		if size += len(f) + 1; err != nil || size > maxFields {
			return nil, cmp.Or(err, errLong)
		}
		out = append(out, f)
	}
	return out, nil
}

func expandLiteral(c *expand.Config, w *syntax.Word) ([]string, error) {
	t, err := expand.Literal(c, w)
	return []string{t}, err
}

func (s *shell) word(w *syntax.Word, how func(*expand.Config, *syntax.Word) ([]string, error)) (out []string) {
	e := environ{s, map[string]bool{}}
	obscure, params := s.written > maxWords, 0
	syntax.Walk(w, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.ParamExp:
			params++
			if n.Repl != nil && n.Repl.With != nil && len(n.Repl.With.Parts) > 0 && n.Param != nil {
				// For each character of the value, all of the text.
				with := n.Repl.With.Lit()
				obscure = obscure || with == "" || len(with)*len(e.Get(n.Param.Value).String()) > maxFields
			}
			if n.Exp != nil && n.Param != nil {
				switch n.Exp.Op {
				case syntax.DefaultUnset, syntax.DefaultUnsetOrNull, syntax.AssignUnset, syntax.AssignUnsetOrNull:
					e.defaulted[n.Param.Value] = true
				}
			}
			// The length or a part of something unknown says nothing.
			if (n.Length || n.Slice != nil || n.Excl || n.Repl != nil) && n.Param != nil && strings.Contains(e.Get(n.Param.Value).String(), unknown) {
				obscure = true
			}
		case *syntax.Lit:
			params += strings.Count(n.Value, "{") // each for all that follows it
		case *syntax.ArithmExp:
			obscure = true
		case *syntax.CmdSubst:
			return false
		}
		return true
	})
	if obscure || params > maxParams {
		return []string{unknown}
	}
	defer func() {
		if recover() != nil { // a form of expansion that the library has not
			out = []string{unknown}
		}
	}()
	out, err := how(&expand.Config{
		Env:       e,
		CmdSubst:  func(w io.Writer, _ *syntax.CmdSubst) error { _, err := io.WriteString(w, unknown); return err },
		ProcSubst: func(*syntax.ProcSubst) (string, error) { return unknown, nil },
	}, w)
	if err != nil {
		return []string{unknown}
	}
	for _, f := range out {
		s.written += len(f) + 1
	}
	return out
}

// short returns the variable, or one that is not known in place of a long one.
func short(v expand.Variable) expand.Variable {
	size := len(v.Str)
	for _, el := range v.List {
		size += len(el) + 1
	}
	if v.Kind == expand.String && size > maxValue || size > maxFields {
		return expand.Variable{Set: true, Kind: expand.String, Str: unknown}
	}
	return v
}
