package input

import (
	"bytes"
	"fmt"
)

// What parsers take for the least that means something is up to 1 kB and, for each
// level, 5 kB of stack, of which the runtime has 1 GB: beyond, it ends the program.
const (
	// maxMarks bounds the characters that end a word or are one: 20,000 lines have
	// less.
	maxMarks = 200_000
	// MarksTogether and ValuesTogether bound those of all sources of one kind.
	MarksTogether  = 2 * maxMarks
	ValuesTogether = 2 * maxValues
	// maxLevels bounds how deep brackets and conditions nest. It is a bound for
	// the parsers' sake, far above what is written.
	maxLevels = 1000
	// maxValues bounds the values of a plan or a state.
	maxValues = 2_500_000
	// maxChoices bounds question marks, each of which may be a level and has no
	// end, and here documents, at each of which a parser may look to the text's end.
	maxChoices = 10_000
)

// Marks counts the lines, brackets, commas and other marks of a text, and returns an
// error if there are more than a parser can take.
func Marks(data []byte) (n int, err error) {
	for _, c := range data {
		switch c {
		case '\n', '\r', ',', ':', ';', '=', '(', ')', '[', ']', '{', '}', '<', '>', '-', '+', '?', '&', '*', '!', '|', '#', '"', '\'', '%', '@', '`', '$', '.':
			n++
		}
	}
	if n > maxMarks {
		err = fmt.Errorf("it has more than the %d lines, brackets and other marks that are read of such a file", maxMarks)
	}
	return n, err
}

// Values counts the values of a text in JSON, and returns an error if there are more
// than a decoder can take.
func Values(data []byte) (n int, err error) {
	for _, c := range data {
		switch c {
		case ',', '[', '{':
			n++
		}
	}
	if n > maxValues {
		err = fmt.Errorf("it has more than the %d values that are read of such a file", maxValues)
	}
	return n, err
}

// nesting counts the levels of the shell's conditions and loops: words that open or
// close one, where a command begins.
type nesting struct {
	level, deepest int
	begins         bool // whether a command may begin
}

// word counts a word.
func (n *nesting) word(w []byte) {
	begins := n.begins
	n.begins = false
	switch string(w) {
	case "then", "do", "else":
		n.begins = true
	case "if", "while", "until", "for", "case", "select":
		if begins {
			n.level++
			n.deepest = max(n.deepest, n.level)
		}
	case "fi", "done", "esac":
		if begins {
			n.level = max(n.level-1, 0)
		}
	}
}

func inWord(c byte) bool {
	return c == '_' || '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'z'
}

// conditions returns how deep conditions and loops nest.
func conditions(data []byte) int {
	n := nesting{begins: true}
	for i := 0; i < len(data); {
		start := i
		for i < len(data) && inWord(data[i]) {
			i++
		}
		if i > start {
			n.word(data[start:i])
			continue
		}
		switch data[i] {
		case '\n', ';', '&', '|', '(', '{', ')':
			n.begins = true
		case ' ', '\t':
		default:
			n.begins = false
		}
		i++
	}
	return n.deepest
}

// Levels returns an error if values, blocks or conditions may nest deeper than a
// parser can take. It knows no quotes and no comments: of what is written, its count
// is far off the bound.
func Levels(data []byte) error {
	level, run, choices := 0, 0, 0
	deepest, documents := 0, bytes.Count(data, []byte("<<"))
	for _, c := range data {
		switch c {
		case '(', '[', '{':
			level++
		case ')', ']', '}':
			level = max(level-1, 0)
		case '?':
			choices++
		}
		switch c {
		case '!', '-', '~': // operators before a value, each a level
			run++
		case ' ', '\t', '\n', '\r':
		default:
			run = 0
		}
		deepest = max(deepest, level, run)
	}
	if max(deepest, conditions(data)) > maxLevels || max(choices, documents) > maxChoices {
		return fmt.Errorf("it nests deeper than the %d levels that are read of such a file", maxLevels)
	}
	return nil
}
