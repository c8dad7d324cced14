package unit

import (
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"

	"golang.org/x/mod/semver"

	"github.com/ttlvet/ttlvet/analyzers"
	_ "github.com/ttlvet/ttlvet/cmd/ttlvet/internal/early" // answers for most units
	"github.com/ttlvet/ttlvet/cmd/ttlvet/internal/heap"
	"github.com/ttlvet/ttlvet/cmd/ttlvet/internal/ruleflag"
	"github.com/ttlvet/ttlvet/internal/plain"
)

func init() {
	if len(os.Args) > 1 && strings.HasSuffix(os.Args[len(os.Args)-1], ".cfg") {
		heap.Bound(heap.ForUnit)
		if code, ok := answer(os.Args[1:]); ok {
			os.Exit(code)
		}
	}
}

// answer answers for a unit and returns the exit code, or false where that is
// left to the library.
func answer(args []string) (code int, ok bool) {
	u, err := readUnit(args[len(args)-1])
	if err != nil {
		return 0, false
	}
	// What is related is in the messages; of it go vet, which asks for JSON in
	// any case, would print lines that look like findings of their own.
	o := analyzers.Options{NoRelated: true}
	plain, known := parse(args, &o)
	if !known {
		return 0, false // no unit may succeed, not even one that has nothing to report
	}
	if (plain || mayAnswerEmpty()) && !u.reaches() {
		if err := u.answerEmpty(slices.ContainsFunc(args, isJSON)); err != nil {
			return fail(err), true
		}
		return 0, true
	}
	if !plain || u.Compiler != "gc" || u.FixArchive != "" || len(u.GoFiles) == 0 {
		if err := u.readable(); err != nil {
			return fail(err), true
		}
		return 0, false
	}
	if err := u.analyze(analyzers.New(&o)); err != nil {
		return fail(err), true
	}
	return 0, true
}

// parse reads the flags that choose rules. It reports whether the unit is asked
// for findings as the go command asks by itself, and whether the rules are known.
func parse(args []string, o *analyzers.Options) (plain, known bool) {
	flags := flag.NewFlagSet("", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	asJSON := flags.Bool("json", false, "")
	ruleflag.Add(flags, o)
	err := flags.Parse(args)
	return err == nil && *asJSON && flags.NArg() == 1, err == nil || rulesAreKnown(args)
}

func isJSON(arg string) bool {
	name := strings.TrimLeft(arg, "-")
	return arg != name && (name == "json" || name == "json=true")
}

// rulesAreKnown reports whether the flags that choose rules hold.
func rulesAreKnown(args []string) bool {
	for i, a := range args {
		name, value, ok := strings.Cut(strings.TrimLeft(a, "-"), "=")
		if !strings.HasPrefix(a, "-") || name != "enable" && name != "disable" {
			continue
		}
		if !ok && i+1 < len(args) {
			value = args[i+1]
		}
		if new(ruleflag.List).Set(value) != nil {
			return false
		}
	}
	return true
}

// mayAnswerEmpty reports whether a unit that the library is asked about may be
// left without facts: whether the types of a package come from the compiler's
// export data, as with golang.org/x/tools before v0.50, and not from the file of
// facts. With go get -tool it is the user's module that chooses the version.
func mayAnswerEmpty() bool {
	info, ok := debug.ReadBuildInfo()
	return ok && slices.ContainsFunc(info.Deps, func(m *debug.Module) bool {
		if m.Replace != nil {
			m = m.Replace
		}
		return m.Path == "golang.org/x/tools" && semver.Compare(m.Version, "v0.50.0-0") < 0
	})
}

// fail prints an error as the library does.
func fail(err error) int {
	fmt.Fprintf(plain.Writer(os.Stderr), "%s: %v\n", filepath.Base(os.Args[0]), err)
	return 1
}
