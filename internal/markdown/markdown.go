// Package markdown renders Markdown for terminals: wrapped, with styles in
// place of marks, and links that lead somewhere from there.
package markdown

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	east "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/text"
)

// Options say how text is rendered.
type Options struct {
	Width int  // the columns of the terminal; 0 does not wrap
	Color bool // use the terminal's styles

	// Link returns what stands in parentheses behind the text of a link, ""
	// for nothing. Without it, that is the destination.
	Link func(destination string) string
}

// Render renders a text. It ends with a newline unless it is empty.
func Render(source string, o Options) string {
	src := []byte(source)
	doc := goldmark.New(goldmark.WithExtensions(extension.Table)).Parser().Parse(text.NewReader(src))
	r := &renderer{src: src, Options: o}
	return strings.Join(r.blocks(doc, o.Width), "\n\n") + "\n"
}

type renderer struct {
	Options
	src []byte
}

// blocks renders the blocks in a node, each without a last newline.
func (r *renderer) blocks(n ast.Node, width int) []string {
	var list []string
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		if s := r.block(c, width); s != "" {
			list = append(list, s)
		}
	}
	return list
}

func (r *renderer) block(n ast.Node, width int) string {
	switch n := n.(type) {
	case *ast.Heading:
		return r.wrap(r.words(n, bold), width)
	case *ast.Paragraph, *ast.TextBlock:
		return r.wrap(r.words(n, ""), width)
	case *ast.FencedCodeBlock, *ast.CodeBlock:
		return indent(r.lines(n), "    ")
	case *ast.Blockquote:
		return indent(strings.Join(r.blocks(n, width-2), "\n\n"), "  ")
	case *ast.List:
		return r.list(n, width)
	case *ast.ThematicBreak:
		return "* * *"
	case *east.Table:
		return r.table(n, width)
	case *ast.HTMLBlock:
		return "" // comments for tools
	}
	return strings.Join(r.blocks(n, width), "\n\n")
}

// lines is the text of a code block.
func (r *renderer) lines(n ast.Node) string {
	var b strings.Builder
	for i := range n.Lines().Len() {
		line := n.Lines().At(i)
		b.Write(line.Value(r.src))
	}
	return strings.TrimRight(b.String(), "\n")
}

func (r *renderer) list(n *ast.List, width int) string {
	var items []string
	number := n.Start
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		mark := "- "
		if n.IsOrdered() {
			mark = strconv.Itoa(number) + ". "
			number++
		}
		between := "\n\n"
		if n.IsTight {
			between = "\n"
		}
		item := strings.Join(r.blocks(c, width-len(mark)), between)
		items = append(items, mark+strings.TrimLeft(indent(item, strings.Repeat(" ", len(mark))), " "))
	}
	if n.IsTight {
		return strings.Join(items, "\n")
	}
	return strings.Join(items, "\n\n")
}

// indent puts a prefix before every line that is not empty.
func indent(s, prefix string) string {
	var b strings.Builder
	for line := range strings.Lines(s) {
		if line != "\n" {
			b.WriteString(prefix)
		}
		b.WriteString(line)
	}
	return b.String()
}

// Styles, as the parameters of the terminal's "select graphic rendition".
const (
	bold = "1"
	cyan = "36"
)

// A piece is text of one style.
type piece struct{ text, style string }

// A word is what no line break divides.
type word []piece

func (w word) width() int {
	n := 0
	for _, p := range w {
		n += utf8.RuneCountInString(p.text)
	}
	return n
}

func (r *renderer) word(w word) string {
	var b strings.Builder
	for _, p := range w {
		if r.Color && p.style != "" {
			b.WriteString("\x1b[" + p.style + "m" + p.text + "\x1b[0m")
		} else {
			b.WriteString(p.text)
		}
	}
	return b.String()
}

// words divides the text in a node.
func (r *renderer) words(n ast.Node, style string) []word {
	var list []word
	var open word
	flush := func() {
		if open != nil {
			list, open = append(list, open), nil
		}
	}
	for _, p := range r.inline(n, style) {
		for i, part := range strings.FieldsFunc(p.text, isSpace) {
			if i > 0 || isSpace(rune(p.text[0])) {
				flush()
			}
			open = append(open, piece{part, p.style})
		}
		if p.text != "" && isSpace(rune(p.text[len(p.text)-1])) {
			flush()
		}
	}
	flush()
	return list
}

func isSpace(c rune) bool { return c == ' ' || c == '\n' || c == '\t' }

// inline returns the text in a node with its styles.
func (r *renderer) inline(n ast.Node, style string) []piece {
	var list []piece
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		switch c := c.(type) {
		case *ast.Text:
			s := string(c.Segment.Value(r.src))
			if c.SoftLineBreak() || c.HardLineBreak() {
				s += "\n"
			}
			list = append(list, piece{unescape(s), style})
		case *ast.String:
			list = append(list, piece{string(c.Value), style})
		case *ast.CodeSpan:
			var b strings.Builder
			for t := c.FirstChild(); t != nil; t = t.NextSibling() {
				if t, ok := t.(*ast.Text); ok {
					b.Write(t.Segment.Value(r.src))
				}
			}
			if r.Color {
				list = append(list, piece{b.String(), cyan})
			} else {
				list = append(list, piece{"`" + b.String() + "`", style})
			}
		case *ast.Emphasis:
			list = append(list, r.inline(c, bold)...)
		case *ast.Link:
			list = append(list, r.inline(c, style)...)
			list = append(list, r.link(string(c.Destination), style)...)
		case *ast.AutoLink:
			list = append(list, piece{string(c.URL(r.src)), style})
		case *ast.RawHTML:
		default:
			list = append(list, r.inline(c, style)...)
		}
	}
	return list
}

// link is what follows the text of a link.
func (r *renderer) link(destination, style string) []piece {
	if r.Link != nil {
		destination = r.Link(destination)
	}
	if destination == "" {
		return nil
	}
	return []piece{{" (" + destination + ")", style}}
}

// unescape takes the backslashes from before punctuation.
func unescape(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+1 < len(s) && strings.IndexByte("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~", s[i+1]) >= 0 {
			continue
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

// wrap puts as many words into a line as fit.
func (r *renderer) wrap(words []word, width int) string {
	var b strings.Builder
	column := 0
	for i, w := range words {
		n := w.width()
		switch {
		case i == 0:
		case width > 0 && column+1+n > width:
			b.WriteByte('\n')
			column = 0
		default:
			b.WriteByte(' ')
			column++
		}
		b.WriteString(r.word(w))
		column += n
	}
	return b.String()
}
