// Package vettool speaks the go command's protocol of vet tools as far as
// package unit does not: the flags, the version, and units that are asked for
// anything but findings.
package vettool

import (
	"flag"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis/unitchecker"

	"github.com/ttlvet/ttlvet/analyzers"
	"github.com/ttlvet/ttlvet/cmd/ttlvet/internal/heap"
	"github.com/ttlvet/ttlvet/cmd/ttlvet/internal/ruleflag"
	_ "github.com/ttlvet/ttlvet/cmd/ttlvet/internal/unit" // answers for most units
)

// Asked reports whether the arguments are those with which the go command
// calls its vet tool.
func Asked(args []string) bool {
	if len(args) == 0 {
		return false
	}
	last := args[len(args)-1]
	return strings.HasSuffix(last, ".cfg") || slices.ContainsFunc(args, func(a string) bool {
		return a == "-flags" || strings.HasPrefix(a, "-V=")
	})
}

// Run answers and does not return.
func Run() {
	heap.Bound(heap.ForUnit)
	o := analyzers.Options{NoRelated: true}
	ruleflag.Add(flag.CommandLine, &o)
	flag.Var(versionFlag{}, "V", "print version and exit")
	unitchecker.Main(analyzers.New(&o)...)
}
