package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sort"
	"strconv"
	"strings"

	"github.com/ttlvet/ttlvet/analyzers"
	"github.com/ttlvet/ttlvet/cmd/ttlvet/internal/analyze"
	"github.com/ttlvet/ttlvet/internal/explain"
	"github.com/ttlvet/ttlvet/internal/plain"
)

const traceUsage = `usage: ttlvet trace [-C dir] [-tags tags] [-v] FILE:LINE

Trace prints a verdict on the Bigtable calls that a line makes or reaches: the finding,
or why there is none. Below it, for each call, what is known of its table, family,
timestamp and filter.

	-C dir      change to dir first
	-tags tags  build tags, separated by commas
	-v          print each combination of values by itself, with conditions and
	            places
`

// traceLine is the command trace.
func traceLine(args []string, stdout, stderr io.Writer) int {
	stdout = plain.Writer(stdout)
	c, helpAsked, _, err := parseArgs(args, stdout, stderr)
	if helpAsked {
		fmt.Fprint(stdout, traceUsage)
		return exitClean
	}
	if err != nil {
		return c.fail(err)
	}
	patterns := c.Load.Patterns
	if err := c.start(); err != nil {
		return c.fail(err)
	}
	name, line, err := position(patterns)
	if err != nil {
		return c.fail(err)
	}
	file, err := filepath.Abs(name)
	if err != nil {
		return c.fail(err)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return c.fail(fmt.Errorf("%s: no such file", name))
	}
	if c.excluded(file) {
		return c.fail(fmt.Errorf("%s is left out: its build constraints exclude it", name))
	}
	if n := bytes.Count(text, []byte("\n")) + 1; line > n {
		return c.fail(fmt.Errorf("%s has only %d lines", name, n))
	}
	c.Load.Patterns = []string{"file=" + file}
	results, err := c.Results(explain.Lines(analyzers.New(&analyzers.Options{NoBaseline: true}), c.verbose, explain.Place{File: file, Line: line}))
	if err == analyze.ErrUnreached {
		err = fmt.Errorf("%s: its package does not reach Bigtable", name)
	}
	if err != nil {
		return c.fail(err)
	}
	printed := false
	for _, r := range results {
		for _, lines := range r.(map[explain.Place][]string) {
			for _, text := range lines {
				fmt.Fprintln(stdout, text)
				printed = true
			}
		}
		if printed {
			return exitClean
		}
	}
	fmt.Fprintf(stderr, "ttlvet: nothing reaches Bigtable at %s:%d\n", c.Load.Shown.Path(file), line)
	return exitFailure
}

// position reads the arguments of trace, which are one FILE:LINE. What else
// findings have behind the line may be copied with it.
func position(args []string) (file string, line int, err error) {
	if len(args) != 1 || args[0] == "." {
		return "", 0, errors.New("trace takes one position, FILE:LINE: ttlvet trace store/sessions.go:70")
	}
	file, rest, found := strings.Cut(args[0], ".go:")
	if name, _, _ := strings.Cut(args[0], ":"); !found && isFile(name) && !strings.HasSuffix(name, ".go") {
		return "", 0, fmt.Errorf("%s is no Go file: trace explains Go code, and ttlvet audit checks schema files", name)
	}
	if !found {
		return "", 0, fmt.Errorf("%q is not FILE:LINE: ttlvet trace store/sessions.go:70", args[0])
	}
	number, _, _ := strings.Cut(rest, ":")
	if line, err = strconv.Atoi(number); err != nil || line < 1 {
		return "", 0, fmt.Errorf("%q has no line: %q is no number of at least 1", args[0], number)
	}
	return file + ".go", line, nil
}

// isFile reports whether there is a file of that name.
func isFile(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.Mode().IsRegular()
}

const coverageUsage = `usage: ttlvet coverage [-C dir] [-tags tags] [-v] [packages]

Coverage prints for each kind of value that reaches Bigtable how many are known, and
what stops the others.

	-C dir      change to dir first
	-tags tags  build tags, separated by commas
	-v          print the places of those that are not known
`

// coverage is the command coverage: it prints how many values tracing
// resolved, and why it did not resolve the rest.
func coverage(args []string, stdout, stderr io.Writer) int {
	stdout = plain.Writer(stdout)
	c, helpAsked, _, err := parseArgs(args, stdout, stderr)
	if helpAsked {
		fmt.Fprint(stdout, coverageUsage)
		return exitClean
	}
	if err != nil {
		return c.fail(err)
	}
	if err := c.start(); err != nil {
		return c.fail(err)
	}
	results, err := c.Results(explain.CoverageAnalyzer)
	if err != nil {
		return c.fail(err)
	}
	total := explain.Coverage{}
	for _, r := range results {
		total.Add(r.(explain.Coverage))
	}
	var kinds []string
	for k := range total {
		kinds = append(kinds, k)
	}
	sort.Strings(kinds)
	for _, k := range kinds {
		s := total[k]
		share := "–"
		if n := s.Resolved + s.Unresolved; n > 0 {
			share = fmt.Sprintf("%d %%", 100*s.Resolved/n)
		}
		fmt.Fprintf(stdout, "%-22s %5s of %d, and %d parameters of exported functions\n", k, share, s.Resolved+s.Unresolved, s.Exported)
		for _, r := range s.Commonest() {
			fmt.Fprintf(stdout, "    %4d %s\n", s.Reasons[r], r)
			for _, at := range s.Places[r] {
				if c.verbose {
					fmt.Fprintf(stdout, "         %s\n", at)
				}
			}
		}
	}
	return exitClean
}
