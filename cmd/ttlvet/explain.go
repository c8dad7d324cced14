package main

import (
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/ttlvet/ttlvet/analyzers"
	"github.com/ttlvet/ttlvet/docs"
)

// explain prints the pages of analyzers or the sections of rules.
func explain(args []string, out io.Writer) int {
	if len(args) == 0 || isHelp(args) {
		fmt.Fprintf(out, "usage: ttlvet explain RULE...\n\nRULE is an analyzer, such as ttlwrite, or one of these:\n\n%s", rulesText())
		if len(args) > 0 {
			return exitClean
		}
		return exitFailure
	}
	var texts []string
	for _, name := range args {
		text, ok := docs.Section(fullName(name))
		if !ok {
			err := analyzers.CheckRuleName(name)
			if err == nil {
				err = fmt.Errorf("rule %q is not documented", name)
			}
			fmt.Fprintf(os.Stderr, "ttlvet: %v\n", err)
			return exitFailure
		}
		texts = append(texts, strings.TrimSpace(text)+"\n")
	}
	fmt.Fprint(out, strings.Join(texts, "\n"))
	return exitClean
}

// fullName completes a bare category, as long as one rule alone has it.
func fullName(name string) string {
	full := name
	for _, rule := range analyzers.RuleNames() {
		if strings.HasSuffix(rule, "/"+name) {
			if full != name {
				return name
			}
			full = rule
		}
	}
	return full
}
