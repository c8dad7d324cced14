package place

import (
	"regexp"
	"strconv"
)

// A finding's message ends with the places that it is about beside its own:
// "… (from line 12, reached at store/store.go:58), also store/store.go:71".

// Whence says where what is wrong comes from, and which call of the client it reaches;
// "" is neither.
func Whence(from, reached string) string {
	switch {
	case from == "" && reached == "":
		return ""
	case reached == "":
		return " (from " + from + ")"
	case from == "":
		return " (" + ReachedAt(reached)
	}
	return " (from " + from + ", " + ReachedAt(reached)
}

// ReachedAt is how a message ends that says which call of the client is reached.
func ReachedAt(where string) string { return "reached at " + where + ")" }

var (
	reached = regexp.MustCompile(`reached at (?:line |([^):]*):)(\d+)\)`)
	files   = regexp.MustCompile(`(\(from |reached at |\), also )([^(),:]+):`)
)

// Reached returns which call of the client a message says that is reached; file is "" of
// one in the finding's own.
func Reached(message string) (file string, line int, ok bool) {
	m := reached.FindStringSubmatch(message)
	if m == nil {
		return "", 0, false
	}
	line, err := strconv.Atoi(m[2])
	return m[1], line, err == nil
}

// Rename returns a message in which the files that it names at its end have other names.
func Rename(message string, name func(file string) string) string {
	return files.ReplaceAllStringFunc(message, func(place string) string {
		m := files.FindStringSubmatch(place)
		return m[1] + name(m[2]) + ":"
	})
}
