// Package strutil has the string helpers.
package strutil

import (
	"crypto/rand"
	"encoding/hex"
	"strings"
	"unicode/utf8"
)

// NanoID is a random id.
func NanoID() string {
	var b [10]byte
	_, _ = rand.Read(b[:])
	return hex.EncodeToString(b[:])
}

// Key joins parts of a row key.
func Key(parts ...string) string { return strings.Join(parts, "#") }

// Tail is the last part of a row key.
func Tail(key string) string { return key[strings.LastIndex(key, "#")+1:] }

// Truncate cuts to n runes.
func Truncate(s string, n int) string {
	if utf8.RuneCountInString(s) <= n {
		return s
	}
	r := []rune(s)
	return string(r[:n]) + "…"
}

// Slug is for permalinks.
func Slug(s string) string {
	var b strings.Builder
	dash := true
	for _, r := range strings.ToLower(s) {
		switch {
		case r >= 'a' && r <= 'z' || r >= '0' && r <= '9':
			b.WriteRune(r)
			dash = false
		case !dash:
			b.WriteByte('-')
			dash = true
		}
	}
	return strings.TrimSuffix(b.String(), "-")
}
