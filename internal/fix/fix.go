// Package fix writes suggested fixes: expressions of the client, the
// standard library's time and the runtime package under the names that a
// file has for them, and the imports that they need.
package fix

import (
	"go/ast"
	"go/token"
	"go/types"
	"strconv"
	"strings"
	"time"

	"golang.org/x/tools/go/analysis"

	"github.com/ttlvet/ttlvet/internal/btapi"
)

// The packages that fixes use.
const (
	Bigtable = "cloud.google.com/go/bigtable"
	Runtime  = "github.com/ttlvet/ttlvet/runtime/ttl"
	Time     = "time"
)

// A Builder makes the fix of one finding, in one file.
type Builder struct {
	pass  *analysis.Pass
	file  *ast.File
	edits []analysis.TextEdit
	added map[string]string
	wrong bool // it cannot be made: a name that it needs means something else there

	unsafe  string // why, of an unsafe fix
	content []byte // the file's
}

// New starts a fix in the file of node. It returns nil where there is no
// file to fix: none is known, or it is generated.
func New(pass *analysis.Pass, node ast.Node) *Builder {
	for _, f := range pass.Files {
		if f.FileStart <= node.Pos() && node.Pos() <= f.FileEnd {
			if isGenerated(pass, f) {
				return nil
			}
			return &Builder{pass: pass, file: f, added: map[string]string{}}
		}
	}
	return nil
}

// Has reports whether a node stands in the file of the fix.
func (b *Builder) Has(n ast.Node) bool {
	return n != nil && b.file.FileStart <= n.Pos() && n.End() <= b.file.FileEnd
}

// Replace replaces a node by text.
func (b *Builder) Replace(n ast.Node, text string) *Builder {
	b.edits = append(b.edits, analysis.TextEdit{Pos: n.Pos(), End: n.End(), NewText: []byte(text)})
	return b
}

// Insert inserts text at a position.
func (b *Builder) Insert(pos token.Pos, text string) *Builder {
	b.edits = append(b.edits, analysis.TextEdit{Pos: pos, End: pos, NewText: []byte(text)})
	return b
}

// Delete removes what stands between two positions.
func (b *Builder) Delete(from, to token.Pos) *Builder {
	b.edits = append(b.edits, analysis.TextEdit{Pos: from, End: to})
	return b
}

// Unsafe marks the fix as one that a person should look at before it is
// applied, and says why.
func (b *Builder) Unsafe(why string) *Builder {
	b.unsafe = why
	return b
}

// Done returns the fix, or nil when it would not compile or deletes a
// comment: a name that it needs is hidden, or a variable that it no longer
// uses is used nowhere else. Imports that it adds or leaves without use are
// part of it. Whether it compiles otherwise is for a [Set] to tell.
func (b *Builder) Done(message string) *analysis.SuggestedFix {
	if len(b.edits) == 0 {
		return nil
	}
	b.addImports()
	if b.wrong || !b.settle() || b.wrong || overlap(b.edits) || !keepComments(b.file, b.edits) {
		return nil
	}
	return &analysis.SuggestedFix{Message: Title(message, b.unsafe), TextEdits: b.edits}
}

// Title returns the message of a fix, with why it is unsafe unless that is "".
func Title(message, unsafe string) string {
	if unsafe != "" {
		message += unsafeMark + unsafe + ")"
	}
	return message
}

const unsafeMark = " (unsafe: "

// IsUnsafe reports whether a fix is one that a person should look at before
// it is applied. Its message says so, since nothing else of it reaches
// editors.
func IsUnsafe(f analysis.SuggestedFix) bool { return strings.Contains(f.Message, unsafeMark) }

// Duration writes a duration as Go has it: 30*time.Minute.
func (b *Builder) Duration(d time.Duration, at token.Pos) string {
	for _, u := range []struct {
		unit time.Duration
		name string
	}{
		{time.Hour, "Hour"}, {time.Minute, "Minute"}, {time.Second, "Second"},
		{time.Millisecond, "Millisecond"}, {time.Microsecond, "Microsecond"},
	} {
		if d%u.unit == 0 {
			unit := b.Ref(Time, u.name, at)
			if d == u.unit {
				return unit
			}
			return strconv.FormatInt(int64(d/u.unit), 10) + "*" + unit
		}
	}
	return strconv.FormatInt(int64(d), 10)
}

// Timestamp reports whether an expression of type t may be replaced by one of
// type bigtable.Timestamp: it is one, or an untyped constant in its place.
func (b *Builder) Timestamp(t types.Type) bool {
	if t == nil {
		return false
	}
	if basic, ok := t.(*types.Basic); ok && basic.Info()&types.IsUntyped != 0 {
		return true
	}
	return btapi.Type(t) == "bigtable.Timestamp"
}
