// Package vettool speaks the go command's protocol of vet tools, before what
// units do not need is initialised.
//
// As a vet tool ttlvet is started once for each package of a build. What its
// other commands are linked with (clients, servers, a renderer) takes as long to
// initialise as a small package to analyse. Package main imports this package,
// which imports nothing of that, and is initialised before it (see package
// early for the order, which answers for most units before even this).
package vettool

import (
	"flag"
	"fmt"
	"os"
	"runtime/debug"
	"slices"
	"strings"

	"golang.org/x/mod/semver"
	"golang.org/x/tools/go/analysis/unitchecker"

	"github.com/ttlvet/ttlvet/analyzers"
	_ "github.com/ttlvet/ttlvet/cmd/ttlvet/internal/early" // answers for most units
	"github.com/ttlvet/ttlvet/cmd/ttlvet/internal/heap"
	"github.com/ttlvet/ttlvet/cmd/ttlvet/internal/ruleflag"
)

func init() {
	if asked(os.Args[1:]) {
		heap.Bound(heap.ForUnit)
		run(os.Args[1:])
	}
}

// asked reports whether the arguments are those with which the go command
// calls its vet tool.
func asked(args []string) bool {
	if len(args) == 0 {
		return false
	}
	last := args[len(args)-1]
	return strings.HasSuffix(last, ".cfg") || slices.ContainsFunc(args, func(a string) bool {
		return a == "-flags" || strings.HasPrefix(a, "-V=")
	})
}

// run answers and does not return.
func run(args []string) {
	asJSON := slices.Contains(args, "-json") || slices.Contains(args, "-json=true")
	// What is related is in the messages; of it go vet, which asks for JSON in
	// any case, would print lines that look like findings of their own.
	o := analyzers.Options{NoRelated: true}
	ruleflag.Add(flag.CommandLine, &o)
	flag.Var(versionFlag{}, "V", "print version and exit")
	if last := args[len(args)-1]; strings.HasSuffix(last, ".cfg") && rulesAreKnown(args) {
		cfg, err := readUnit(last)
		switch {
		case err != nil: // the library words it
		case mayAnswerEmpty() && !cfg.reaches():
			if err := cfg.answerEmpty(asJSON); err != nil {
				exit(err)
			}
			os.Exit(0)
		default:
			if err := cfg.readable(); err != nil {
				exit(err)
			}
		}
	}
	unitchecker.Main(analyzers.New(&o)...)
}

// exit ends a vet tool that cannot run.
func exit(err error) {
	fmt.Fprintf(os.Stderr, "ttlvet: %v\n", err)
	os.Exit(1)
}

// mayAnswerEmpty reports whether a unit may be left without facts: whether the
// types of a package come from the compiler's export data, as with
// golang.org/x/tools before v0.50, and not from the file of facts. With go get
// -tool it is the user's module that chooses the version.
func mayAnswerEmpty() bool {
	info, ok := debug.ReadBuildInfo()
	return ok && slices.ContainsFunc(info.Deps, func(m *debug.Module) bool {
		if m.Replace != nil {
			m = m.Replace
		}
		return m.Path == "golang.org/x/tools" && semver.Compare(m.Version, "v0.50.0-0") < 0
	})
}

// rulesAreKnown reports whether the flags that choose rules hold. Otherwise
// no unit may succeed, not even one that has nothing to report.
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
