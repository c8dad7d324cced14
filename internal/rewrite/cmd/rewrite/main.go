// Command rewrite says which findings appear and which are lost when modules are
// rewritten to others that do the same.
//
//	go run ./internal/rewrite/cmd/rewrite -t channel -kinds timestamp -o out testdata/blind/idp
//
// Without -t it tries every transformation and prints a table; -v adds the
// findings.
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
	patterns := flag.String("patterns", "./...", "the `packages` of each module, with commas between")
	flag.Parse()
	var kinds []string
	if *only != "" {
		kinds = strings.Split(*only, ",")
	}
	list := slices.DeleteFunc(slices.Clone(rewrite.All), func(t *rewrite.Transformation) bool { return *name != "" && t.Name != *name })
	if len(list) == 0 || flag.NArg() == 0 {
		flag.Usage()
		for _, t := range rewrite.All {
			fmt.Fprintln(os.Stderr, "  ", t.Name)
		}
		os.Exit(2)
	}
	for _, dir := range flag.Args() {
		m, err := rewrite.Load(dir, strings.Split(*patterns, ",")...)
		if err != nil {
			log.Fatal(err)
		}
		for _, t := range list {
			c, err := m.Measure(t, kinds...)
			if err != nil {
				log.Fatal(err)
			}
			fmt.Printf("%-24s %-12s %4d findings, %4d concerned, %4d appeared, %4d lost\n", t.Name, m.Name, m.Findings(), c.Concerned, len(c.Appeared), len(c.Lost))
			if *verbose || *name != "" {
				for _, f := range c.Appeared {
					fmt.Println("  appeared", f)
				}
				for _, f := range c.Lost {
					fmt.Println("  lost    ", f)
				}
			}
			if *out != "" {
				if err := leave(m, t, filepath.Join(*out, m.Name, strings.ReplaceAll(t.Name, " ", "-")), kinds); err != nil {
					log.Fatal(err)
				}
			}
		}
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
