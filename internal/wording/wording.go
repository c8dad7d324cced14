// Package wording knows what names say of times: that something is the time of
// writing (createdAt, LAST_UPDATE, "Last-Modified"), or in which unit a number
// counts (RetentionSeconds).
package wording

import (
	"slices"
	"strings"

	"github.com/ttlvet/ttlvet/internal/lazy"
)

// said are the words that say so by themselves, in whatever they stand.
var said = lazy.Regexp(`(?i)(created|written|updated|modified|(create|update|write)_?time)`)

var (
	// by itself: those that are often written as one word.
	wholeWords = []string{"creation", "modification", "mtime", "modtime", "lastmod", "lastupdate", "lastwrite", "lastchange", "writets", "createts", "updatets"}
	// last and one of these.
	afterLast = []string{"update", "write", "modify", "change", "changed", "save", "saved", "edit", "edited", "mutation"}
	// one of the first and one of the second.
	deeds = []string{"create", "update", "write", "insert", "insertion", "modify", "mod", "change", "save", "store",
		"saved", "stored", "inserted", "persisted", "changed", "edited"}
	moments = []string{"time", "date", "at", "on", "ts", "timestamp", "stamp", "epoch", "millis", "micros", "unix"}
	// beginnings of words that say that the time lies ahead.
	ahead = []string{"expir", "until", "deadline", "valid", "ttl", "due", "next"}
)

// SaysWritten reports whether a name, or a text, says that something is the
// time of writing.
func SaysWritten(name string) bool {
	if SaysAhead(name) {
		return false
	}
	words := wordsOf(name)
	if said().MatchString(name) {
		return true
	}
	for i, w := range words {
		next := ""
		if i+1 < len(words) {
			next = words[i+1]
		}
		switch {
		case slices.Contains(wholeWords, w),
			w == "last" && slices.Contains(afterLast, next),
			w == "date" && slices.Contains([]string{"added", "saved", "stored", "changed", "inserted"}, next),
			slices.Contains(deeds, w) && slices.Contains(moments, next):
			return true
		}
	}
	return false
}

// SaysAhead reports whether a name, or a text, says that a time lies ahead: that
// something ends then.
func SaysAhead(name string) bool {
	return slices.ContainsFunc(wordsOf(name), func(w string) bool {
		return slices.ContainsFunc(ahead, func(prefix string) bool { return strings.HasPrefix(w, prefix) })
	})
}

// wordsOf splits a name into its words, in small letters: lastUpdate,
// LAST_UPDATE and "last update" are the same two.
func wordsOf(name string) []string {
	var out []string
	for _, part := range strings.FieldsFunc(name, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z')
	}) {
		for _, w := range camel(part) {
			out = append(out, strings.ToLower(w))
		}
	}
	return out
}

// camel splits lastUpdate, LastUpdate, updateTS and TSOfUpdate at their
// capital letters; LASTUPDATE is one word.
func camel(s string) []string {
	var out []string
	start := 0
	upper := func(i int) bool { return s[i] >= 'A' && s[i] <= 'Z' }
	for i := 1; i < len(s); i++ {
		if upper(i) && !upper(i-1) || i+1 < len(s) && upper(i) && upper(i-1) && !upper(i+1) {
			out = append(out, s[start:i])
			start = i
		}
	}
	return append(out, s[start:])
}
