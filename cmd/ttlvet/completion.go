package main

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/ttlvet/ttlvet/cmd/ttlvet/internal/completion"
	"github.com/ttlvet/ttlvet/cmd/ttlvet/internal/usage"
	"github.com/ttlvet/ttlvet/internal/rule"
)

const completionUsage = `usage: ttlvet completion SHELL

Completion prints a script for bash, zsh, fish or powershell that completes commands,
flags and rules of ttlvet. To use it now and in every new shell:

	bash        echo 'source <(ttlvet completion bash)' >>~/.bashrc
	zsh         echo 'source <(ttlvet completion zsh)' >>~/.zshrc, below compinit
	fish        ttlvet completion fish >~/.config/fish/completions/ttlvet.fish
	powershell  in $PROFILE: ttlvet completion powershell | Out-String |
	            Invoke-Expression
`

// completionScript is the command completion.
func completionScript(args []string, stdout, stderr io.Writer) int {
	switch {
	case isHelp(args):
		fmt.Fprint(stdout, completionUsage)
		return exitClean
	case len(args) != 1 || completion.Scripts[args[0]] == "":
		fmt.Fprintf(stderr, "ttlvet completion: name a shell, %s\n", strings.Join(slices.Sorted(maps.Keys(completion.Scripts)), ", "))
		return exitFailure
	}
	fmt.Fprint(stdout, completion.Scripts[args[0]])
	return exitClean
}

// complete is what the scripts ask: the words that may complete a line.
func complete(args []string, stdout, _ io.Writer) int {
	words := strings.Fields(strings.Join(args, " "))
	if line := strings.Join(args, " "); line == "" || strings.TrimRight(line, " \t") != line {
		words = append(words, "")
	}
	g := completion.Grammar{Commands: usage.Commands(helpText), Help: commandHelp}
	for _, name := range rule.Analyzers() {
		g.Rules = append(g.Rules, completion.Candidate{Word: name})
	}
	for _, r := range rule.All {
		g.Rules = append(g.Rules, completion.Candidate{Word: r.Name(), About: r.Summary})
	}
	for _, c := range g.Complete(words[min(1, len(words)):]) {
		fmt.Fprintf(stdout, "%s\t%s\n", c.Word, c.About)
	}
	return exitClean
}

// commandHelp is the help text of a command, or of the program for "".
func commandHelp(name string) string {
	if name == "" || name == "help" || name == "version" || commands[name] == nil {
		return helpText
	}
	var b bytes.Buffer
	commands[name]([]string{"-h"}, &b, io.Discard)
	return b.String()
}
