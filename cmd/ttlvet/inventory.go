package main

import (
	"bytes"
	"flag"
	"fmt"
	"io"
	"time"

	"github.com/ttlvet/ttlvet/cmd/ttlvet/internal/atomicfile"
	"github.com/ttlvet/ttlvet/cmd/ttlvet/internal/page"
	"github.com/ttlvet/ttlvet/internal/changes"
	"github.com/ttlvet/ttlvet/internal/inventory"
	"github.com/ttlvet/ttlvet/internal/plain"
	"github.com/ttlvet/ttlvet/internal/trace"
)

const inventoryUsage = `usage: ttlvet inventory [-json | -html file | -dot] [flags] [packages]

Inventory prints for each table and column family its strategy, the policies with
their sources, every writer with its timestamp, every reader with its filter and
what the filter does, and what is not known.

	-C dir          change to dir first
	-dot            print a graph for Graphviz
	-from source    read this instead of the schema files that are found; may be
	                repeated
	-html file      write a page in one file
	-json           print JSON
	-no-baseline    show what baselines know among the findings
	-tags tags      build tags, separated by commas
	-test           analyse tests too
	-var-file file  Terraform variables; may be repeated
`

// takeInventory is the command inventory.
func takeInventory(args []string, stdout, stderr io.Writer) int {
	var html string
	var dot bool
	c, s, help, err := schemaArgs(args, stdout, stderr, func(flags *flag.FlagSet, c *config, _ *sourceFlags) {
		flags.BoolVar(&c.json, "json", false, "")
		flags.BoolVar(&c.baseline.None, "no-baseline", false, "")
		flags.BoolVar(&dot, "dot", false, "")
		flags.Var((*written)(&html), "html", "")
	})
	if help {
		fmt.Fprint(stdout, inventoryUsage)
		return exitClean
	}
	if n := bools(c.json, dot, html != ""); err == nil && n > 1 {
		err = fmt.Errorf("only one of -json, -html and -dot")
	}
	if err != nil {
		fmt.Fprintf(stderr, "ttlvet inventory: %v\nRun ttlvet help inventory for usage.\n", err)
		return exitFailure
	}
	c.joined = dot || html != ""
	var all []*inventory.Inventory
	code := c.eachModule("", func(c *config) int {
		inv, err := s.inventory(c)
		switch {
		case err != nil:
		case c.joined:
			all = append(all, inv)
		case c.json:
			err = inv.JSON(c.stdout)
		default:
			inv.Text(plain.Writer(c.stdout))
		}
		switch {
		case err != nil:
			return c.fail(err)
		case c.Broken || trace.Failures() > 0:
			return exitFailure
		}
		return exitClean
	})
	if len(all) > 0 {
		if err := c.picture(inventory.Join(all), html); err != nil {
			return c.fail(err)
		}
	}
	return code
}

// inventory takes the inventory of one module.
func (s *sourceFlags) inventory(c *config) (*inventory.Inventory, error) {
	if _, err := c.moduleRoot(); err != nil {
		return nil, err
	}
	if err := s.open(c); err != nil {
		return nil, err
	}
	if err := c.baseline.Open(&c.Job); err != nil {
		return nil, err
	}
	a, found, known, err := c.Survey()
	if err != nil {
		return nil, err
	}
	if c.several {
		a.Base = string(c.Load.Shown)
	}
	inv := inventory.New(a, found, known)
	if len(inv.Tables)+len(inv.Findings)+len(inv.Unknown) == 0 {
		fmt.Fprintf(c.Stderr, "ttlvet: %s\n", nothingKnown(a))
	}
	return inv, nil
}

// picture writes an inventory as a page into a file, or as a graph.
func (c *config) picture(inv *inventory.Inventory, html string) error {
	if html == "" {
		inv.Dot(c.stdout)
		return nil
	}
	var b bytes.Buffer
	made := page.Stamp{Day: time.Now().Format(time.DateOnly), Commit: changes.Commit(c.Dir)}
	if err := page.Write(plain.Writer(&b), inv, made); err != nil {
		return err
	}
	if html == "-" {
		_, err := c.stdout.Write(b.Bytes())
		return err
	}
	return atomicfile.Write(html, b.Bytes())
}

func bools(list ...bool) (n int) {
	for _, b := range list {
		if b {
			n++
		}
	}
	return n
}
