// Command rewrite says which findings appear and which are lost when modules are
// rewritten to others that do the same.
//
//	go run ./internal/rewrite/cmd/rewrite -t channel -kinds timestamp -o out testdata/blind/idp
//
// Without -t it tries every transformation; -v adds the findings. Of several
// modules it prints what they come to.
package main

import (
	"flag"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ttlvet/ttlvet/internal/rewrite"
)

func main() {
	log.SetFlags(0)
	name := flag.String("t", "", "the `name` of a transformation; all without it")
	only := flag.String("kinds", "", "carry only values of these `kinds`: "+strings.Join(rewrite.Kinds(), ","))
	out := flag.String("o", "", "leave the rewritten modules in this `directory`")
	verbose := flag.Bool("v", false, "print the findings, also of several transformations")
	patterns := flag.String("patterns", "", "the `packages` of each module, with commas between")
	flag.Parse()
	list := slices.DeleteFunc(slices.Clone(rewrite.All), func(t *rewrite.Transformation) bool { return *name != "" && t.Name != *name })
	if len(list) == 0 || flag.NArg() == 0 {
		flag.Usage()
		for _, t := range rewrite.All {
			fmt.Fprintln(os.Stderr, "  ", t.Name)
		}
		os.Exit(2)
	}
	kinds, table := split(*only), rewrite.Table{}
	for _, dir := range flag.Args() {
		m, err := rewrite.Load(dir, split(*patterns)...)
		if err != nil {
			log.Fatal(err)
		}
		for _, t := range list {
			c, err := m.Measure(t, kinds...)
			if err != nil {
				log.Fatal(err)
			}
			table.Add(m, t, c)
			fmt.Printf("%-24s %-12s %4d findings, %4d concerned, %4d appeared, %4d lost, %4d moved\n", t.Name, m.Name, m.Findings(), c.Concerned, len(c.Appeared), len(c.Lost), len(c.Moved))
			if *verbose || *name != "" {
				show("appeared", c.Appeared)
				show("lost", c.Lost)
				show("moved to", c.Moved)
			}
			if *out != "" {
				if err := leave(m, t, filepath.Join(*out, m.Name, strings.ReplaceAll(t.Name, " ", "-")), kinds); err != nil {
					log.Fatal(err)
				}
			}
		}
	}
	if flag.NArg() > 1 {
		fmt.Print("\n" + table.String())
	}
}

func split(list string) []string {
	return strings.FieldsFunc(list, func(r rune) bool { return r == ',' })
}

func show(what string, list []rewrite.Report) {
	for _, f := range list {
		fmt.Printf("  %-8s %s\n", what, f)
	}
}

// leave writes the module rewritten. Its tests are as they were.
func leave(m *rewrite.Module, t *rewrite.Transformation, to string, kinds []string) error {
	if err := os.CopyFS(to, os.DirFS(m.Dir)); err != nil {
		return err
	}
	r, err := t.Apply(m.Program, kinds...)
	if err != nil {
		return err
	}
	for name, text := range r.Texts {
		rel, err := filepath.Rel(m.Dir, name)
		if err != nil {
			return err
		}
		name = filepath.Join(to, rel)
		if text == "" {
			err = os.Remove(name)
		} else if err = os.MkdirAll(filepath.Dir(name), 0o755); err == nil {
			err = os.WriteFile(name, []byte(text), 0o644)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
