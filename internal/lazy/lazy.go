// Package lazy compiles regular expressions when they are first used. A vet tool
// is a process for each package, and most packages need none of the dozens that
// ttlvet has.
package lazy

import (
	"regexp"
	"sync"
)

// Regexp returns a function that returns the regular expression, compiled by the
// first call. A call panics where [regexp.MustCompile] would.
func Regexp(expr string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) })
}
