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

const usage = `ttlvet finds uses of Cloud Bigtable that lose data, or serve data that should
be gone: it holds reads, writes and garbage collection policies against the
expiration strategies that ttlvet.yaml or Go code declares for column families.

Usage:

	ttlvet [flags] [packages]
	ttlvet command [arguments]
	go vet -vettool=$(which ttlvet) [flags] [packages]

Packages are named as for the go command; without any, it is the one in the
current directory. At the root of a workspace ./... stands for its modules, and
work does so everywhere in it. Only packages from which Bigtable can be reached cost time.
Go files may be named instead, of any packages: these are analysed, and what is
found in their other files is left out.

Flags:

	-C dir              change to dir first
	-adopt              with -fix or -diff, rewrite correct plain writes, reads and
	                    policies of tables that are declared with the runtime
	                    package to its helpers; to be looked at afterwards
	-baseline file      do not report what this file knows, in place of the one
	                    that ttlvet.yaml names
	-code-quality file  write findings for GitLab; - is standard output
	-color when         colour, source lines and a count: auto (on a terminal),
	                    always or never; NO_COLOR is honoured
	-diff               print what -fix would do as a diff
	-disable rules      do not report these analyzers or rules
	-enable rules       report these although they are strict or disabled
	-fix                mend what can be mended safely and report the rest
	-json               print findings and fixes as go vet -json does
	-new-from rev       report only what stands on lines that were added or
	                    changed since the branch left rev, committed or not
	-no-baseline        report what baselines know, too
	-prune-baseline     take out of the baseline what is gone from the code
	-q                  do not say how many calls are not checked because there is no
	                    registry
	-sarif file         write findings and fixes as SARIF 2.1.0; - is standard
	                    output
	-strict             report the strict rules too
	-tags tags          build tags, separated by commas
	-test=false         leave tests out
	-unsafe-fixes       like -fix, with fixes that a person should look at, such
	                    as a policy that collects more; with -diff, -json or
	                    -sarif, show them
	-v                  print how the values at each finding were resolved
	-version            print the version
	-write-baseline file
	                    write all findings to a new baseline, and report none

Rules are analyzers (ttlread) or rules of theirs (ttlread/missing-filter),
separated by commas; the flags may be repeated. They overrule the registry.

Commands:

	audit                hold registry, code, schema files and live schema against
	                     each other
	build-golangci-lint  build a golangci-lint that has ttlvet in it
	build-gopls          build a gopls that has ttlvet in it
	coverage             print how many of the values that reach Bigtable are known,
	                     and what stops the others
	doctor               print what is checked, what of the registry matches which
	                     calls, and why ttlvet is silent about the rest
	explain              print what is documented of a rule
	help                 print this text, or with "rules" the list of rules
	init                 draft ttlvet.yaml from code, Terraform, scripts, manifests
	inventory            print who writes and reads each family, and its policies
	proxy                hold the requests of clients in any language, on their way
	                     to the emulator, to ttlvet.yaml
	trace                print how the values at FILE:LINE were resolved
	version              print the version

Exit codes:

	0  no findings (with -diff: nothing to mend; with -json: in any case)
	1  findings; after -fix, those that are left; with -diff, fixes
	2  could not run: wrong flags, a malformed registry, code that does not
	   build, no such package

A line "//ttlvet:ignore ttlread/missing-filter reason", at the end of a line or
above a declaration, silences a rule there. The reason is mandatory.
`

// help prints the usage or the list of rules.
func help(args []string, stdout, stderr io.Writer) int {
	switch {
	case len(args) == 0:
		fmt.Fprint(stdout, usage)
	case len(args) == 1 && args[0] == "rules":
		fmt.Fprint(stdout, rulesText())
	case len(args) == 1 && commands[args[0]] != nil && args[0] != "version" && args[0] != "help":
		return commands[args[0]]([]string{"-h"}, stdout, stderr)
	default:
		topics := append(slices.Sorted(maps.Keys(commands)), "rules")
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
