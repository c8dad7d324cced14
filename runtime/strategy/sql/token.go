package sql

import "strings"

type kind uint8

const (
	punctuation kind = iota
	word
	quotedName
	text
	number
)

type token struct {
	kind kind
	text string
}

// is reports whether t is that keyword or name, which GoogleSQL compares
// without case.
func (t token) is(name string) bool { return t.kind == word && strings.EqualFold(t.text, name) }

func isLetter(c byte) bool {
	return c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// tokenize splits a statement. Comments are left out; a quote that is not
// closed ends with the statement.
func tokenize(s string) []token {
	var out []token
	for i := 0; i < len(s); {
		c := s[i]
		start := i
		switch {
		case c == ' ' || c == '\t' || c == '\n' || c == '\r':
			i++
		case strings.HasPrefix(s[i:], "--") || c == '#':
			i = after(s, i, "\n")
		case strings.HasPrefix(s[i:], "/*"):
			i = after(s, i+2, "*/")
		case c == '`' || c == '\'' || c == '"':
			var body string
			body, i = quoted(s, i)
			k := text
			if c == '`' {
				k = quotedName
			}
			out = append(out, token{k, body})
		case isLetter(c) || c == '@':
			for i++; i < len(s) && (isLetter(s[i]) || isDigit(s[i])); i++ {
			}
			out = append(out, token{word, s[start:i]})
		case isDigit(c):
			for i++; i < len(s) && (isDigit(s[i]) || s[i] == '.' || isLetter(s[i])); i++ {
			}
			out = append(out, token{number, s[start:i]})
		case strings.HasPrefix(s[i:], "=>"):
			i += 2
			out = append(out, token{punctuation, "=>"})
		default:
			i++
			out = append(out, token{punctuation, s[start:i]})
		}
	}
	return out
}

// after returns the position behind the next occurrence of end.
func after(s string, i int, end string) int {
	if j := strings.Index(s[i:], end); j >= 0 {
		return i + j + len(end)
	}
	return len(s)
}

// quoted reads a text or name in quotes from position i.
func quoted(s string, i int) (body string, end int) {
	q := s[i]
	var b strings.Builder
	for i++; i < len(s); i++ {
		switch {
		case s[i] == '\\' && i+1 < len(s):
			i++
			b.WriteByte(s[i])
		case s[i] == q:
			return b.String(), i + 1
		default:
			b.WriteByte(s[i])
		}
	}
	return b.String(), len(s)
}
