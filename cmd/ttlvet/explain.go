package main

import (
	"fmt"
	"io"
	"os"
	"strings"

	"golang.org/x/term"

	"github.com/ttlvet/ttlvet/cmd/ttlvet/internal/report"
	"github.com/ttlvet/ttlvet/docs"
	"github.com/ttlvet/ttlvet/internal/markdown"
	"github.com/ttlvet/ttlvet/internal/rule"
)

// explainRule prints pages of the documentation or sections of them: rendered on
// a terminal, and as they are, which is Markdown, elsewhere.
func explainRule(args []string, stdout, stderr io.Writer) int {
	if len(args) == 0 || isHelp(args) {
		out := stdout
		if len(args) == 0 {
			out = stderr
		}
		fmt.Fprintf(out, "usage: ttlvet explain RULE...\n\nRULE is an analyzer, such as ttlwrite, a page, such as registry.md, or one of these:\n\n%s", rulesText())
		if len(args) > 0 {
			return exitClean
		}
		return exitFailure
	}
	var texts []string
	for _, name := range args {
		page, text, err := explained(name)
		if err != nil {
			fmt.Fprintf(stderr, "ttlvet: %v\n", err)
			return exitFailure
		}
		if report.IsTerminal(stdout) {
			if section, ok := strings.CutPrefix(text, "## "); ok {
				text = "## " + page + "/" + section // it stands alone
			}
			text = markdown.Render(text, markdown.Options{
				Width: terminalWidth(stdout),
				Color: os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb",
				Link:  func(to string) string { return docs.Reference(page, to) },
			})
		}
		texts = append(texts, strings.TrimSpace(text)+"\n")
	}
	fmt.Fprint(stdout, strings.Join(texts, "\n"))
	return exitClean
}

// explained returns the page or section of that name, and its page's name.
func explained(name string) (page, text string, err error) {
	full, isPage := strings.CutSuffix(name, ".md")
	if !isPage {
		full = fullName(name)
	}
	page, _, _ = strings.Cut(full, "/")
	if text, ok := docs.Section(full); ok {
		return page, text, nil
	}
	if err := rule.Check(name); err != nil {
		return "", "", err
	}
	return "", "", fmt.Errorf("rule %q is not documented", name)
}

// terminalWidth is the width in which text reads well on the terminal.
func terminalWidth(w io.Writer) int {
	const best = 90
	if f, ok := w.(interface{ Fd() uintptr }); ok {
		if width, _, err := term.GetSize(int(f.Fd())); err == nil && width > 0 {
			return min(width, best)
		}
	}
	return 80
}

// fullName completes a bare category, as long as one rule alone has it.
func fullName(name string) string {
	full := name
	for _, rule := range rule.Names() {
		if strings.HasSuffix(rule, "/"+name) {
			if full != name {
				return name
			}
			full = rule
		}
	}
	return full
}
