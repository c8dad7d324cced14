// Command ttlvet finds uses of Cloud Bigtable that lose data or serve data
// that should be gone. See ttlvet help.
package main

import (
	"fmt"
	"io"
	"os"

	"golang.org/x/term"

	"github.com/ttlvet/ttlvet/cmd/ttlvet/internal/heap"
	"github.com/ttlvet/ttlvet/cmd/ttlvet/internal/load"
	"github.com/ttlvet/ttlvet/cmd/ttlvet/internal/self"
	"github.com/ttlvet/ttlvet/cmd/ttlvet/internal/vettool"
	"github.com/ttlvet/ttlvet/internal/plain"
	"github.com/ttlvet/ttlvet/internal/trace"
)

func main() {
	if vettool.Asked(os.Args[1:]) {
		vettool.Run()
	}
	heap.Bound(heap.ForAll)
	out := &output{file: os.Stdout}
	os.Exit(out.ended(run(os.Args[1:], out, os.Stderr), os.Stderr))
}

// commands are the subcommands by name. What does not begin with one of
// these names is flags and packages to analyse.
var commands = map[string]func(args []string, stdout, stderr io.Writer) int{
	"audit":               audit,
	"build-golangci-lint": buildGolangciLint,
	"build-gopls":         buildGopls,
	"explain":             explainRule,
	"init":                initRegistry,
	"inventory":           takeInventory,
	"coverage":            coverage,
	"doctor":              examine,
	"proxy":               runProxy,
	"trace":               traceLine,
	"version": func(args []string, stdout, stderr io.Writer) int {
		fmt.Fprint(stdout, self.Description())
		return exitClean
	},
}

func init() {
	// Not in the literal: help lists the commands.
	commands["help"] = help
	commands["completion"] = completionScript
	commands["__complete"] = complete
}

// run is the program without its process.
func run(args []string, stdout, stderr io.Writer) int {
	stderr = plain.Writer(stderr)
	if len(args) > 0 {
		if command := commands[args[0]]; command != nil {
			return command(args[1:], stdout, stderr)
		}
	}
	c, helpAsked, versionAsked, err := parseArgs(args, stdout, stderr)
	switch {
	case helpAsked:
		return help(nil, stdout, stderr)
	case err != nil:
		fmt.Fprintf(stderr, "ttlvet: %v\nRun ttlvet help for usage.\n", err)
		return exitFailure
	case versionAsked:
		fmt.Fprintln(stdout, self.Line())
		return exitClean
	}
	if err := c.change(); err != nil {
		return c.fail(err)
	}
	runs, err := c.runs()
	if err != nil {
		return c.fail(err)
	}
	code := exitClean
	for _, r := range runs {
		code = max(code, r.run())
	}
	return code
}

// run analyses the packages of one module, or of a workspace.
func (c *config) run() int {
	if err := c.enter(); err != nil {
		return c.fail(err)
	}
	code := c.report()
	if trace.Failures() > 0 || c.Broken {
		return exitFailure
	}
	return code
}

// report analyses the packages and does with the findings what was asked.
func (c *config) report() int {
	if err := c.baseline.Open(&c.Job); err != nil {
		return c.fail(err)
	}
	switch {
	case c.diff:
		return c.showFixes()
	case c.fix:
		return c.applyFixes()
	}
	findings, err := c.Findings()
	if err != nil {
		return c.fail(c.unknownCommand(err))
	}
	if c.baseline.New != "" {
		if asks(c.Stderr) {
			c.baseline.Ask = os.Stdin
		}
		if err := c.baseline.Write(&c.Job, findings); err != nil {
			return c.fail(err)
		}
		c.notes()
		return exitClean
	}
	if err := c.baseline.Close(&c.Job); err != nil {
		return c.fail(err)
	}
	return c.printAll(findings)
}

// asks reports whether what is written is read by somebody who can answer.
func asks(stderr io.Writer) bool {
	out, ok := plain.Raw(stderr).(*os.File)
	return ok && term.IsTerminal(int(out.Fd())) && term.IsTerminal(int(os.Stdin.Fd()))
}

// fail prints an error that kept the packages from being analysed. Messages
// with a position of their own stand as they are.
func (c *config) fail(err error) int {
	if lines, ok := err.(load.BuildErrors); ok {
		for _, line := range lines {
			fmt.Fprintln(c.Stderr, line)
		}
	} else {
		fmt.Fprintf(c.Stderr, "ttlvet: %v\n", err)
	}
	return exitFailure
}
