package input

import (
	"fmt"

	"github.com/ttlvet/ttlvet/internal/lazy"
)

// What parsers take for the least that means something is up to 1 kB and, for each
// level, 5 kB of stack, of which the runtime has 1 GB: beyond, it ends the program.
const (
	// maxMarks bounds the characters that end a word or are one: 30,000 lines have
	// less.
	maxMarks = 300_000
	// maxLevels bounds how deep brackets and conditions nest. It is a bound for
	// the parsers' sake, far above what is written.
	maxLevels = 1000
	// maxValues bounds the values of a plan or a state.
	maxValues = 2_500_000
	// maxChoices bounds question marks, each of which may be a level and has no
	// end.
	maxChoices = 10_000
)

// Marks returns an error if a text has more lines, brackets, commas and other marks
// than a parser can take.
func Marks(data []byte) error {
	n := 0
	for _, c := range data {
		switch c {
		case '\n', '\r', ',', ':', ';', '=', '(', ')', '[', ']', '{', '}', '<', '>', '-', '+', '?', '&', '*', '!', '|', '#', '"', '\'', '%', '@', '`', '$':
			n++
		}
	}
	if n > maxMarks {
		return fmt.Errorf("it has more than the %d lines, brackets and other marks that are read of such a file", maxMarks)
	}
	return nil
}

// Values returns an error if a text in JSON has more values than a decoder can take.
func Values(data []byte) error {
	n := 0
	for _, c := range data {
		switch c {
		case ',', '[', '{':
			n++
		}
	}
	if n > maxValues {
		return fmt.Errorf("it has more than the %d values that are read of such a file", maxValues)
	}
	return nil
}

// conditions are the words with which the shell opens and closes a level.
var conditions = lazy.Regexp(`(?m)(?:^|[;&|({)]|\b(?:then|do|else)\b)[ \t]*(?:(if|while|until|for|case|select)|(fi|done|esac))\b`)

// Levels returns an error if values, blocks or conditions may nest deeper than a
// parser can take. It knows no quotes and no comments: of what is written, its count
// is far off the bound.
func Levels(data []byte) error {
	level, run, choices := 0, 0, 0
	deepest := 0
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
	level = 0
	for _, m := range conditions().FindAllSubmatchIndex(data, -1) {
		if m[2] >= 0 {
			level++
		} else {
			level = max(level-1, 0)
		}
		deepest = max(deepest, level)
	}
	if deepest > maxLevels || choices > maxChoices {
		return fmt.Errorf("it nests deeper than the %d levels that are read of such a file", maxLevels)
	}
	return nil
}
