package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/ttlvet/ttlvet/cmd/ttlvet/internal/finding"
	"github.com/ttlvet/ttlvet/cmd/ttlvet/internal/load"
	"github.com/ttlvet/ttlvet/internal/agreement"
	"github.com/ttlvet/ttlvet/internal/draft"
	"github.com/ttlvet/ttlvet/internal/registry"
)

// trials is how often a draft is tried: what is taken back rarely shows more.
const trials = 5

// analysed returns the findings in Go code, under the registry that there is or
// that is proposed, and what the code does.
func (c *config) analysed() ([]*finding.Finding, []any, error) {
	job := c.Job
	job.Sources, job.Gather, job.Stderr = nil, true, io.Discard
	job.Options.NoBaseline = true
	findings, err := job.Findings()
	if errors.As(err, new(load.NoPackages)) {
		return nil, nil, nil
	}
	return findings, job.Gathered, err
}

// try holds that a draft is a registry, of which every handle names something,
// and that with it nothing goes unreported that was found before in a family
// that it decides. What fails is taken back.
func (c *config) try(a *agreement.Agreement, d *draft.Draft, path string, before []*finding.Finding) error {
	for range trials {
		text, err := drafted(a, d, path)
		if err != nil {
			return err
		}
		withdraw := registry.Propose(path, []byte(text))
		_, err = registry.Load(path)
		if err == nil {
			var after []*finding.Finding
			if after, _, err = c.analysed(); err == nil && !c.takeBack(d, before, after) {
				withdraw()
				return nil
			}
		} else if d.Drop(err.Error()) {
			err = nil
		}
		withdraw()
		if err != nil {
			return fmt.Errorf("what would be written is no registry, and nothing is: %w", err)
		}
	}
	return nil
}

// drafted is the registry file with the draft in it.
func drafted(a *agreement.Agreement, d *draft.Draft, path string) (string, error) {
	if a.File == nil || a.File.Path != path {
		return d.File(), nil
	}
	old, err := os.ReadFile(path)
	if err != nil {
		return "", err
	}
	text, _, err := d.Update(path, old)
	return text, err
}

// takeBack takes back what findings show to be wrong of a draft, and reports
// whether that is anything.
func (c *config) takeBack(d *draft.Draft, before, after []*finding.Finding) (any bool) {
	still := map[string]bool{}
	// What a line is reported for may change: one analyzer wins over another.
	key := func(f *finding.Finding) string { return fmt.Sprintf("%s:%d", f.From.Filename, f.From.Line) }
	for _, f := range after {
		still[key(f)] = true
		if f.Rule() == "ttlvet/registry" {
			any = d.Drop(f.Message) || any
		}
	}
	for _, f := range before {
		if still[key(f)] {
			continue
		}
		at := fmt.Sprintf("%s:%d", c.Load.Shown.Path(f.From.Filename), f.From.Line)
		for _, family := range strings.Split(f.Fingerprint.Family, ",") {
			why := fmt.Sprintf("as it is decided, what ttlvet finds at %s without it (%s) is none", at, f.Rule())
			any = family != "" && d.Open(f.Fingerprint.Table, family, why) || any
		}
	}
	return any
}
