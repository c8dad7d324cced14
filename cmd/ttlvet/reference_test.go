package main

import (
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/ttlvet/ttlvet/cmd/ttlvet/internal/completion"
	"github.com/ttlvet/ttlvet/cmd/ttlvet/internal/usage"
)

const referenceFile = "../../docs/reference.md"

// TestReference holds the page of all flags, files and environment variables to what
// the program says of them. -update writes it.
func TestReference(t *testing.T) {
	const begin, end = "<!-- reference: made by go test ./cmd/ttlvet -run Reference -update -->\n", "<!-- end of reference -->"
	page := read(t, referenceFile)
	head, rest, ok1 := strings.Cut(page, begin)
	_, tail, ok2 := strings.Cut(rest, end)
	if !ok1 || !ok2 {
		t.Fatalf("%s has no place between %q and %q", referenceFile, begin, end)
	}
	text := head + begin + reference() + end + tail
	switch {
	case text == page:
	case *update:
		if err := os.WriteFile(referenceFile, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	default:
		t.Errorf("%s is not what the program says: run go test ./cmd/ttlvet -run Reference -update", referenceFile)
	}
}

// reference is the generated part of the page.
func reference() string {
	var b strings.Builder
	table := func(title string, columns string, rows func(row func(term, about string))) {
		fmt.Fprintf(&b, "\n## %s\n\n| %s | |\n|---|---|\n", title, columns)
		rows(func(term, about string) {
			fmt.Fprintf(&b, "| %s | %s |\n", term, strings.ReplaceAll(about, "|", `\|`))
		})
	}
	flags := func(title, command string) {
		list := usage.Flags(commandHelp(command))
		if len(list) == 0 {
			return
		}
		table(title, "flag", func(row func(term, about string)) {
			for _, f := range list {
				row("`"+strings.TrimSpace(f.Name+" "+f.Arg)+"`", f.About)
			}
		})
	}
	list := usage.Commands(helpText)
	table("Commands", "command", func(row func(term, about string)) {
		row("`ttlvet`", "report findings, and apply fixes")
		for _, c := range list {
			row("`ttlvet "+c.Name+"`", c.About)
		}
	})
	flags("Flags of ttlvet", "")
	for _, c := range list {
		if c.Name != "help" && c.Name != "version" {
			flags("Flags of ttlvet "+c.Name, c.Name)
		}
	}
	for _, part := range []struct {
		title, column string
		rows          []noted
	}{{"Files", "file", files}, {"Environment variables", "variable", variables}} {
		table(part.title, part.column, func(row func(term, about string)) {
			for _, n := range part.rows {
				row("`"+strings.ReplaceAll(n.name, ", ", "`, `")+"`", n.about)
			}
		})
	}
	return b.String() + "\n"
}

// TestFlagsAreDescribed checks that the help texts describe all flags that the commands
// read, and no others.
func TestFlagsAreDescribed(t *testing.T) {
	declared := regexp.MustCompile(`flags\.(?:\w*Var\([^"\n]*|String\(|Bool\(|Int\()"([\w-]+)"`)
	var have, want []string
	for _, pattern := range []string{"*.go", "internal/ruleflag/*.go"} {
		names, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			if strings.HasSuffix(name, "_test.go") {
				continue
			}
			for _, m := range declared.FindAllStringSubmatch(read(t, name), -1) {
				have = append(have, "-"+m[1])
			}
		}
	}
	for name := range commands {
		for _, f := range usage.Flags(commandHelp(name)) {
			flag, _, _ := strings.Cut(f.Name, "=")
			want = append(want, flag)
			if f.About == "" {
				t.Errorf("%s: nothing is said of %s", name, f.Name)
			}
		}
	}
	slices.Sort(have)
	slices.Sort(want)
	if have, want := slices.Compact(have), slices.Compact(want); !slices.Equal(have, want) {
		t.Errorf("flags are %q, described are %q", have, want)
	}
}

// TestCommandsAreListed checks that the help lists all commands.
func TestCommandsAreListed(t *testing.T) {
	var listed []string
	for _, c := range usage.Commands(helpText) {
		listed = append(listed, c.Name)
	}
	for name := range commands {
		if !slices.Contains(listed, name) && !strings.HasPrefix(name, "__") {
			t.Errorf("the help does not list %s", name)
		}
	}
}

// TestVariables checks that every environment variable that the program reads is listed.
func TestVariables(t *testing.T) {
	reads := regexp.MustCompile(`os\.(?:Getenv|LookupEnv)\("(\w+)"\)`)
	listed := environmentText()
	n := 0
	for _, root := range []string{".", "../../internal", "../../golangci", "../../analyzers"} {
		err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case d.IsDir() && (d.Name() == "testdata" || d.Name() == "sweep" || d.Name() == "benchmark" || d.Name() == "referee" || strings.HasSuffix(d.Name(), "test")):
				return fs.SkipDir
			case d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go"):
				return nil
			}
			for _, m := range reads.FindAllStringSubmatch(read(t, path), -1) {
				if n++; !strings.Contains(listed, m[1]) {
					t.Errorf("%s reads %s, which ttlvet help environment does not list", path, m[1])
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if n < 10 {
		t.Errorf("only %d variables are read", n)
	}
}

// TestCompletionInShells completes a flag in each shell that is installed.
func TestCompletionInShells(t *testing.T) {
	for shell, script := range map[string]string{
		"bash": `source <(ttlvet completion bash); COMP_LINE="ttlvet -enable=ttlread/sq" COMP_POINT=26; _ttlvet; echo "${COMPREPLY[@]}"; COMP_LINE="ttlvet -unsa" COMP_POINT=12; _ttlvet; echo "${COMPREPLY[@]}"`,
		"fish": `ttlvet completion fish | source; complete -C "ttlvet -enable=ttlread/sq"; complete -C "ttlvet -unsa"`,
		"zsh":  `compdef() { }; source <(ttlvet completion zsh); _describe() { print -l -- "${list[@]}" }; words=(ttlvet -enable=ttlread/sq) CURRENT=2; _ttlvet; words=(ttlvet -unsa); _ttlvet`,
		"pwsh": `ttlvet completion powershell | Out-String | Invoke-Expression; foreach ($line in "ttlvet -enable=ttlread/sq", "ttlvet -unsa") { (TabExpansion2 $line $line.Length).CompletionMatches.CompletionText }`,
	} {
		if _, err := exec.LookPath(shell); err != nil {
			continue
		}
		cmd := exec.CommandContext(t.Context(), shell, "-c", script)
		out, err := cmd.CombinedOutput()
		if want := "ttlread/sql"; err != nil || !strings.Contains(string(out), want) && !strings.Contains(string(out), "sql") || !strings.Contains(string(out), "-unsafe-fixes") {
			t.Errorf("%s: %v, %s", shell, err, out)
		}
	}
	if len(completion.Scripts) != 4 {
		t.Errorf("scripts for %d shells", len(completion.Scripts))
	}
}
