// Package suggest guesses what was meant by a word that nothing is called.
package suggest

import (
	"fmt"
	"strings"

	"github.com/agext/levenshtein"
)

// Nearest returns the candidate that a writer of word most likely meant, or
// "" when none is within a third of its length and one letter.
func Nearest(word string, candidates []string) string {
	best, distance := "", len(word)/3+2
	for _, c := range candidates {
		if d := levenshtein.Distance(strings.ToLower(word), strings.ToLower(c), nil); d < distance {
			best, distance = c, d
		}
	}
	return best
}

// DidYouMean words the suggestion that ends an error message, "" for none.
func DidYouMean(s string) string {
	if s == "" {
		return ""
	}
	return fmt.Sprintf("; did you mean %q?", s)
}
