package evidence

import (
	"bytes"
	"strings"

	"github.com/ttlvet/ttlvet/internal/gcpolicy"
)

// An Edit replaces a part of a file.
type Edit struct {
	File       string
	Start, End int // bytes
	New        string
}

// Written is a policy that stands in a source word for word, where another
// can be written in its place, or the place where one that is missing can.
type Written struct {
	// File and Start tell texts apart: the turns of a loop and the calls of
	// a module make several settings of one.
	File  string
	Start int
	// Rewrite returns the edits that write another policy there, nil where
	// they are not certain. Nothing else in the file changes.
	Rewrite func(*gcpolicy.Policy) []Edit
	// Apart reports whether that is a statement of its own, which is applied
	// to a family that is there already, too.
	Apart bool
}

// A Mend makes a statement that does not do what is written do it.
type Mend struct {
	Was   *gcpolicy.Policy // what is applied now, nil for nothing
	Is    *gcpolicy.Policy // what is applied then
	Edits []Edit
}

// Lines returns the offsets of the whole lines of a file from first to last,
// counted from 1. ok is false if it has fewer.
func Lines(data []byte, first, last int) (start, end int, ok bool) {
	if first < 1 || last < first {
		return 0, 0, false
	}
	for n := 1; ; n++ {
		if n == first {
			start = end
		}
		i := bytes.IndexByte(data[end:], '\n')
		if i < 0 {
			return start, len(data), n >= last
		}
		end += i + 1
		if n == last {
			return start, end, true
		}
	}
}

// Only returns where the one occurrence of a text in data is that is no part
// of a longer word. ok is false if there are others, or none.
func Only(data []byte, text string) (at int, ok bool) {
	at = -1
	for from := 0; text != ""; {
		i := bytes.Index(data[from:], []byte(text))
		if i < 0 {
			break
		}
		i += from
		from = i + 1
		if i > 0 && inWord(data[i-1]) && inWord(text[0]) || i+len(text) < len(data) && inWord(data[i+len(text)]) && inWord(text[len(text)-1]) {
			continue
		}
		if at >= 0 {
			return 0, false
		}
		at = i
	}
	return at, at >= 0
}

func inWord(b byte) bool {
	return b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' || b >= '0' && b <= '9' || strings.IndexByte("_.-\\", b) >= 0
}
