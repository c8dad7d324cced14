package main

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/ttlvet/ttlvet/internal/rule"
	"github.com/ttlvet/ttlvet/internal/suggest"
)

const helpText = `ttlvet finds uses of Cloud Bigtable that lose data, or serve data that should
be gone. It checks reads, writes and garbage collection policies against the
expiration strategies that ttlvet.yaml or Go code declares for column families.

Usage:

	ttlvet [flags] [packages]
	ttlvet command [arguments]
	go vet -vettool=$(which ttlvet) [flags] [packages]

Packages are named as for the go command. Without any, ttlvet analyses the one
in the current directory. At the root of a workspace ./... means its modules, and
work means them everywhere in it. Only packages from which Bigtable can be
reached cost time. Go files may be named instead: ttlvet analyses their packages,
and reports findings in these files only.

Flags:

	-C dir              change to dir first
	-adopt              with -fix or -diff, use the runtime package in correct code
	                    of tables that it declares
	-baseline file      do not report the findings in this baseline, instead of
	                    that which ttlvet.yaml names
	-code-quality file  write findings for GitLab; - is standard output
	-color when         colour, source lines and a count: auto (on a terminal),
	                    always or never
	-diff               print what -fix would do as a diff
	-disable rules      do not report these analyzers or rules
	-enable rules       report these although they are strict or disabled
	-fix                apply the safe fixes and report the rest
	-json               print findings and fixes as go vet -json does
	-new-from rev       report only findings on lines that were changed since
	                    the branch left rev
	-no-baseline        report the findings in baselines too
	-prune-baseline     remove findings from the baseline that are gone from the
	                    code
	-q                  do not say how many calls are not checked because there is
	                    no registry
	-sarif file         write findings and fixes as SARIF 2.1.0; - is standard
	                    output
	-strict             report the strict rules too
	-tags tags          build tags, separated by commas
	-test=false         leave tests out
	-unsafe-fixes       like -fix, with fixes to review, too; with -diff, -json
	                    or -sarif, show them
	-v                  print under each finding where its values come from
	-version            print the version
	-write-baseline file
	                    write all findings to a new baseline, and report none

Rules are analyzers (ttlread) or rules of theirs (ttlread/missing-filter),
separated by commas; the flags may be repeated. They overrule the registry.

Commands:

	audit                compare registry, code, schema files and live schema
	build-golangci-lint  build a golangci-lint that has ttlvet in it
	build-gopls          build a gopls that has ttlvet in it
	completion           print a script that completes command lines, for bash, zsh,
	                     fish or powershell
	coverage             print how many values are known, and what stops the others
	doctor               print what is checked, and why ttlvet is silent about the
	                     rest
	explain              print the documentation of a rule
	help                 print this, or help on a command, the "rules" or the
	                     "environment"
	init                 draft ttlvet.yaml from code, Terraform, scripts, manifests
	inventory            print who writes and reads each family, and its policies
	proxy                check the requests of clients in any language, on their way
	                     to the emulator
	trace                print what is known at FILE:LINE, and why it is reported or
	                     not
	version              print the version, the commit, and the client's releases
	                     that are known

Exit codes:

	0  no findings (with -diff: nothing to fix; with -json: in any case)
	1  findings; after -fix, those that are left; with -diff, fixes
	2  could not run: wrong flags, a malformed registry, code that does not
	   build, no such package

A line "//ttlvet:ignore ttlread/missing-filter reason", at the end of a line or
above a declaration, ignores a rule there. The reason is required.
`

// help prints the usage, which is all the help on "help" and "version", or help on a topic.
func help(args []string, stdout, stderr io.Writer) int {
	switch {
	case len(args) == 0, len(args) == 1 && (args[0] == "help" || args[0] == "version"):
		fmt.Fprint(stdout, helpText)
	case len(args) == 1 && args[0] == "rules":
		fmt.Fprint(stdout, rulesText())
	case len(args) == 1 && args[0] == "environment":
		fmt.Fprint(stdout, environmentText())
	case len(args) == 1 && commands[args[0]] != nil:
		return commands[args[0]]([]string{"-h"}, stdout, stderr)
	default:
		topics := append(slices.Sorted(maps.Keys(commands)), "rules", "environment")
		fmt.Fprintf(stderr, "ttlvet: no help on %q%s\n", strings.Join(args, " "), suggest.DidYouMean(suggest.Nearest(args[0], topics)))
		return exitFailure
	}
	return exitClean
}

func isHelp(args []string) bool {
	return slices.ContainsFunc(args, func(a string) bool {
		return a == "-h" || a == "-help" || a == "--help"
	})
}

// rulesText lists the rules for people.
func rulesText() string {
	var b strings.Builder
	for _, r := range rule.All {
		strict := ""
		if r.Strict {
			strict = " [strict]"
		}
		fmt.Fprintf(&b, "%-*s  %s%s\n", ruleWidth(), r.Name(), r.Summary, strict)
	}
	return b.String()
}

func ruleWidth() int {
	width := 0
	for _, name := range rule.Names() {
		width = max(width, len(name))
	}
	return width
}
