package main

import (
	"bytes"
	"fmt"
	"io"

	"github.com/ttlvet/ttlvet/cmd/ttlvet/internal/atomicfile"
	"github.com/ttlvet/ttlvet/cmd/ttlvet/internal/finding"
	"github.com/ttlvet/ttlvet/cmd/ttlvet/internal/report"
	"github.com/ttlvet/ttlvet/internal/plain"
	"github.com/ttlvet/ttlvet/internal/registry"
)

// writeReports writes the files that -sarif and -code-quality ask for.
func (c *config) writeReports(findings []*finding.Finding) error {
	sarif := func(w io.Writer, root string, findings []*finding.Finding) error {
		module := c.Dir
		if modules := registry.Modules(c.Dir); len(modules) > 0 && registry.Between(c.Dir) == nil {
			module = modules[0]
		}
		return report.SARIF(w, root, c.command, module, findings)
	}
	for _, r := range []struct {
		file  string
		write func(io.Writer, string, []*finding.Finding) error
	}{{c.sarif, sarif}, {c.codeQuality, report.CodeQuality}} {
		if r.file == "" {
			continue
		}
		var b bytes.Buffer
		if err := r.write(&b, report.Root(c.Dir), findings); err != nil {
			return fmt.Errorf("the report cannot be written: %v", err)
		}
		var err error
		if r.file == "-" {
			_, err = c.stdout.Write(b.Bytes())
		} else {
			err = atomicfile.Write(r.file, b.Bytes())
		}
		if err != nil {
			return fmt.Errorf("the report cannot be written: %v", err)
		}
	}
	return nil
}

// printAll prints the findings in the forms that were asked for.
func (c *config) printAll(findings []*finding.Finding) int {
	if err := c.writeReports(findings); err != nil {
		return c.fail(err)
	}
	return c.print(findings)
}

// print prints the findings for people or as JSON, unless a report takes the place.
func (c *config) print(findings []*finding.Finding) int {
	switch {
	case c.json:
		if err := report.JSON(c.stdout, findings); err != nil {
			return c.fail(err)
		}
		c.notes()
		return exitClean // like go vet
	case c.sarif != "-" && c.codeQuality != "-":
		c.text().Print(findings)
	}
	c.notes()
	return exitOf(findings)
}

// notes prints what is said after the findings.
func (c *config) notes() {
	for _, n := range c.Notes {
		if !c.quiet {
			fmt.Fprintf(c.Stderr, "ttlvet: %s\n", n)
		}
	}
}

// exact writes what programs read byte by byte, a patch or a registry: as it is, and
// on a terminal so that all of it can be seen.
func (c *config) exact(data []byte) {
	w := c.stdout
	if report.IsTerminal(w) {
		w = plain.Writer(w)
	}
	w.Write(data)
}

// text prints findings for people.
func (c *config) text() report.Text {
	return report.Text{Out: c.stdout, Shown: c.Load.Shown, Color: c.color, Verbose: c.verbose}
}

func exitOf(findings []*finding.Finding) int {
	if len(findings) > 0 {
		return exitFindings
	}
	return exitClean
}
