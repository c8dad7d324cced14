// Package completion completes command lines of ttlvet in shells. A script for each
// shell asks the program itself, which knows its commands, flags and rules.
//
// The libraries for this (cobra, carapace, urfave/cli) complete flags with two dashes
// only, and bring a parser of their own. Flags of Go programs have one dash.
package completion

import (
	_ "embed"
	"strings"

	"github.com/ttlvet/ttlvet/cmd/ttlvet/internal/usage"
)

//go:embed bash.sh
var bash string

//go:embed zsh.sh
var zsh string

//go:embed fish.fish
var fish string

//go:embed powershell.ps1
var powershell string

// Scripts are what shells read, by their names.
var Scripts = map[string]string{"bash": bash, "zsh": zsh, "fish": fish, "powershell": powershell}

// A Candidate is a word that may come next, and what it is.
type Candidate struct{ Word, About string }

// A Grammar is what can be written behind the name of the program.
type Grammar struct {
	Commands []usage.Command
	Help     func(command string) string // the help text of a command, or of none for ""
	Rules    []Candidate                 // the rules and the analyzers
}

// Complete returns the words that may stand in place of the last one, which may be
// empty. Nothing leaves the shell to complete the names of files.
func (g *Grammar) Complete(words []string) []Candidate {
	if len(words) == 0 {
		return nil
	}
	last := words[len(words)-1]
	command := ""
	for i, c := range words[:len(words)-1] {
		if i == 0 && g.isCommand(c) {
			command = c
		}
	}
	flags := usage.Flags(g.Help(command))
	var list []Candidate
	name, value, assigned := strings.Cut(last, "=")
	switch {
	case assigned:
		for _, v := range g.values(name) {
			list = append(list, Candidate{name + "=" + v.Word, v.About})
		}
		return afterComma(list, name+"="+value)
	case strings.HasPrefix(last, "-"):
		for _, f := range flags {
			list = append(list, Candidate{f.Name, f.About})
		}
	case len(words) > 1 && takes(flags, words[len(words)-2]):
		return afterComma(g.values(words[len(words)-2]), last)
	case command == "explain":
		list = g.Rules
	case command == "completion":
		for name := range Scripts {
			list = append(list, Candidate{Word: name})
		}
	case len(words) == 1 || command == "help" && len(words) == 2:
		for _, c := range g.Commands {
			list = append(list, Candidate{c.Name, c.About})
		}
		if command == "" {
			list = append(list, Candidate{"./...", "all packages of the module"})
		}
	case command != "help" && command != "trace" && command != "version":
		list = []Candidate{{"./...", "all packages of the module"}}
	}
	return begin(list, last)
}

func (g *Grammar) isCommand(word string) bool {
	for _, c := range g.Commands {
		if c.Name == word {
			return true
		}
	}
	return false
}

// takes reports whether a word is a flag that takes what comes behind it.
func takes(flags []usage.Flag, word string) bool {
	for _, f := range flags {
		if f.Name == word && f.Arg != "" {
			return true
		}
	}
	return false
}

// values are what a flag takes, where that is not the name of a file.
func (g *Grammar) values(flag string) []Candidate {
	switch flag {
	case "-enable", "-disable":
		return g.Rules
	case "-color":
		return []Candidate{{"auto", "on a terminal"}, {"always", ""}, {"never", ""}}
	}
	return nil
}

// afterComma returns the candidates for the last element of a list.
func afterComma(list []Candidate, word string) []Candidate {
	i := strings.LastIndex(word, ",") + 1
	if i == 0 {
		return begin(list, word)
	}
	var out []Candidate
	for _, c := range list {
		if _, v, ok := strings.Cut(c.Word, "="); ok {
			c.Word = v
		}
		out = append(out, Candidate{word[:i] + c.Word, c.About})
	}
	return begin(out, word)
}

// begin returns the candidates that begin with a word.
func begin(list []Candidate, word string) []Candidate {
	var out []Candidate
	for _, c := range list {
		if strings.HasPrefix(c.Word, word) {
			out = append(out, c)
		}
	}
	return out
}
