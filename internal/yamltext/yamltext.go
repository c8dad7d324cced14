// Package yamltext parses YAML that others write. The library takes hundreds of
// bytes for each character that means something, time that is the square of the
// depth and of the keys of one mapping, and as much as somebody wants for aliases of
// aliases: all of these have a limit here.
package yamltext

import (
	"errors"
	"fmt"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/lexer"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"

	"github.com/ttlvet/ttlvet/internal/input"
)

const (
	// maxSize bounds how long a text is, of which the library makes some copies, with
	// four bytes for a character.
	maxSize = 6 << 20
	// maxLevels bounds how deep values nest.
	maxLevels = 100
	// maxKeys bounds the keys of one mapping, for each of which the library calls
	// itself, and the documents of a text, for each of which it looks at all others.
	maxKeys = 10_000
	// maxNodes bounds what a text is when its aliases are expanded.
	maxNodes = 1_000_000
)

// An Error says what is wrong with a text, and where.
type Error struct {
	Line, Column int
	Message      string
}

func (e *Error) Error() string { return e.Message }

// newError words an error of the library's, whose own words quote the text, and take
// time that is the square of its length.
func newError(err error) *Error {
	e := &Error{1, 1, ""}
	var yerr yaml.Error
	if !errors.As(err, &yerr) {
		e.Message = err.Error()
		return e
	}
	e.Message = yerr.GetMessage()
	if tk := yerr.GetToken(); tk != nil && tk.Position != nil {
		e.Line, e.Column = tk.Position.Line, tk.Position.Column
	}
	return e
}

// Parse parses a text with the options of the library.
func Parse(data []byte, opts ...parser.Option) (*ast.File, *Error) {
	if len(data) > maxSize {
		return nil, newError(fmt.Errorf("it is larger than the %d MB that are read of YAML", maxSize>>20))
	}
	if _, err := input.Marks(data); err != nil {
		return nil, newError(err)
	}
	tokens := lexer.Tokenize(string(data))
	if tk, limit := excess(tokens); tk != nil {
		return nil, &Error{tk.Position.Line, tk.Position.Column, limit}
	}
	file, err := parser.Parse(tokens, 0, opts...)
	if err != nil {
		return nil, newError(err)
	}
	return file, nil
}

// JSON writes a text, or the first of several in it, as JSON. It is an error if
// aliases make it larger than what is read.
func JSON(data []byte) ([]byte, error) {
	file, bad := Parse(data)
	if bad != nil {
		return nil, bad
	}
	anchors, n := map[string]int{}, 0
	for _, doc := range file.Docs {
		n += size(doc.Body, anchors)
	}
	if n > maxNodes {
		return nil, fmt.Errorf("its aliases are more than the %d values that are read", maxNodes)
	}
	out, err := yaml.YAMLToJSON(data)
	if err != nil {
		return nil, newError(err)
	}
	return out, nil
}

// A block is a block mapping or sequence that goes on, or what is in brackets.
type block struct {
	column       int
	keys, commas int
	sequence     bool // in square brackets
}

// excess returns the first token that exceeds a limit, and which limit, or nil.
func excess(tokens token.Tokens) (tk *token.Token, limit string) {
	var blocks, brackets []block // from the outermost
	documents := 0
	line, opening := 0, false // whether all before on the line opens a block
	for _, tk := range tokens {
		if tk.Position == nil || tk.Type == token.CommentType {
			continue
		}
		column := tk.Position.Column
		if tk.Position.Line != line {
			line, opening = tk.Position.Line, true
			for len(blocks) > 0 && blocks[len(blocks)-1].column > column {
				blocks = blocks[:len(blocks)-1]
			}
		}
		if opening && (len(blocks) == 0 || blocks[len(blocks)-1].column < column) {
			blocks = append(blocks, block{column: column})
		}
		opening = opening && (tk.Type == token.SequenceEntryType || tk.Type == token.MappingKeyType)
		within := blocks
		if len(brackets) > 0 {
			within = brackets
		}
		switch tk.Type {
		case token.SequenceStartType, token.MappingStartType:
			brackets = append(brackets, block{sequence: tk.Type == token.SequenceStartType})
		case token.SequenceEndType, token.MappingEndType:
			brackets = brackets[:max(len(brackets)-1, 0)]
		case token.DocumentHeaderType:
			if documents++; documents > maxKeys {
				return tk, fmt.Sprintf("there are more than the %d documents that are read", maxKeys)
			}
		case token.MappingValueType, token.CollectEntryType:
			if len(within) == 0 {
				break
			}
			in := &within[len(within)-1]
			if tk.Type == token.MappingValueType {
				in.keys++
			} else if !in.sequence {
				in.commas++
			}
			if max(in.keys, in.commas) > maxKeys {
				return tk, fmt.Sprintf("a mapping has more than the %d keys that are read", maxKeys)
			}
		}
		if len(blocks)+len(brackets) > maxLevels {
			return tk, fmt.Sprintf("values nest deeper than the %d levels that are read", maxLevels)
		}
	}
	return nil, ""
}

// size counts the nodes of a value, with what its aliases stand for, up to
// somewhat more than maxNodes. It notes the sizes of the anchors in it.
func size(n ast.Node, anchors map[string]int) int {
	sum := 1
	add := func(n ast.Node) {
		if n != nil {
			sum = min(sum+size(n, anchors), maxNodes+1)
		}
	}
	switch n := n.(type) {
	case *ast.MappingNode:
		for _, v := range n.Values {
			add(v)
		}
	case *ast.MappingValueNode:
		add(n.Key)
		add(n.Value)
	case *ast.MappingKeyNode:
		add(n.Value)
	case *ast.SequenceNode:
		for _, v := range n.Values {
			add(v)
		}
	case *ast.TagNode:
		add(n.Value)
	case *ast.AnchorNode:
		add(n.Value)
		anchors[n.Name.GetToken().Value] = sum
	case *ast.AliasNode:
		if n.Value != nil {
			sum = max(anchors[n.Value.GetToken().Value], 1)
		}
	}
	return sum
}
