// Package usage reads the texts that commands print as their help, which are the one
// place where flags are described, for completion and for the page of all flags.
package usage

import "strings"

// A Flag is a flag as a help text describes it.
type Flag struct {
	Name  string // with its dash, such as "-sarif"
	Arg   string // what it takes, such as "file", or ""
	About string
}

// A Command is a command in the list of commands.
type Command struct{ Name, About string }

// Flags returns the flags that a help text describes: in each line one, behind a tab,
// and behind two blanks or on the next lines what it does.
func Flags(text string) []Flag {
	var list []Flag
	for _, row := range rows(text) {
		if name, arg, _ := strings.Cut(row[0], " "); strings.HasPrefix(name, "-") {
			list = append(list, Flag{name, arg, row[1]})
		}
	}
	return list
}

// Commands returns the commands that a help text lists under "Commands:".
func Commands(text string) []Command {
	_, text, _ = strings.Cut(text, "\nCommands:\n")
	text, _, _ = strings.Cut(strings.TrimLeft(text, "\n"), "\n\n")
	var list []Command
	for _, row := range rows(text) {
		list = append(list, Command{row[0], row[1]})
	}
	return list
}

// rows returns the lines of lists, each as its term and what is said of it.
func rows(text string) [][2]string {
	var list [][2]string
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\n")
		row, isRow := strings.CutPrefix(line, "\t")
		switch {
		case !isRow:
		case !strings.HasPrefix(row, " "):
			term, about, _ := strings.Cut(row, "  ")
			list = append(list, [2]string{term, strings.TrimSpace(about)})
		case len(list) > 0:
			about := &list[len(list)-1][1]
			*about = strings.TrimSpace(*about + " " + strings.TrimSpace(row))
		}
	}
	return list
}
