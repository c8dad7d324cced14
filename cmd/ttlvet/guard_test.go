package main

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"cloud.google.com/go/bigtable/apiv2/bigtablepb"
	"github.com/goccy/go-yaml"

	"github.com/ttlvet/ttlvet/analyzers"
	"github.com/ttlvet/ttlvet/cmd/ttlvet/internal/wire"
	"github.com/ttlvet/ttlvet/internal/rule"
	"github.com/ttlvet/ttlvet/runtime/strategy"
	"github.com/ttlvet/ttlvet/runtime/ttlguard"
)

// TestGuardReadsRegistries: ttlguard, which reads ttlvet.yaml with whatever
// library its program has, makes the same of every registry of the tests as the
// linter.
func TestGuardReadsRegistries(t *testing.T) {
	files := 0
	err := filepath.WalkDir("../../testdata", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.Name() != "ttlvet.yaml" {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		declared, err := wire.Read("", path, &analyzers.Options{})
		if err != nil || strings.Contains(string(data), "baseline:") {
			return nil // not a registry for this
		}
		files++
		options := []ttlguard.Option{ttlguard.WithRegistry(data, yaml.Unmarshal)}
		for _, f := range declared.Families {
			// A family that is declared twice must be the same.
			options = append(options, ttlguard.Declare(f.Table, f.Agreement))
		}
		if _, err := ttlguard.New(options...); err != nil {
			t.Errorf("%s: %v", path, err)
		}
		return nil
	})
	if err != nil || files < 8 {
		t.Errorf("%d files: %v", files, err)
	}
}

// TestGuardRules: the rules of ttlguard are the linter's.
func TestGuardRules(t *testing.T) {
	known := map[string]bool{}
	for _, name := range rule.Names() {
		known[name] = true
	}
	for _, name := range ttlguard.Rules() {
		if !known[name] {
			t.Errorf("there is no rule %s", name)
		}
	}
}

// TestDeclarations: a registry is found without a go.mod, and its rules can be
// overruled.
func TestDeclarations(t *testing.T) {
	dir := t.TempDir()
	inner := filepath.Join(dir, "services", "web")
	if err := os.MkdirAll(inner, 0o777); err != nil {
		t.Fatal(err)
	}
	if _, err := wire.Read(inner, "", &analyzers.Options{}); err == nil || !strings.Contains(err.Error(), "no ttlvet.yaml") {
		t.Error(err)
	}
	const text = "version: 1\ntables:\n  t:\n    families:\n      f: {strategy: one-second-expiration}\nrules:\n  disable: [ttlread]\n"
	if err := os.WriteFile(filepath.Join(dir, "ttlvet.yaml"), []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	d, err := wire.Read(inner, "", &analyzers.Options{Enable: []string{"ttlread/missing-filter"}})
	if err != nil {
		t.Fatal(err)
	}
	if len(d.Families) != 1 || d.Families[0].Line != 5 || d.Families[0].Agreement.Strategy != strategy.OneSecond {
		t.Errorf("%+v", d.Families)
	}
	for rule, want := range map[string]bool{"ttlread/missing-filter": true, "ttlread/wrong-bound": false, "ttlwrite/write-time": true, "ttlgc/existing-data": false, "nosuch/rule": false} {
		if d.On(rule) != want {
			t.Errorf("%s is %t", rule, !want)
		}
	}
}

// TestGuardFromYAML judges a request by a registry in YAML, with days in its
// durations.
func TestGuardFromYAML(t *testing.T) {
	const text = "version: 1\ntables:\n  \"click*\":\n    families:\n      event: {strategy: default-expiration, ttl: 30d}\n"
	var found []string
	guard, err := ttlguard.New(ttlguard.WithRegistry([]byte(text), yaml.Unmarshal), ttlguard.WithLogger(nil),
		ttlguard.OnViolation(func(_ context.Context, v ttlguard.Violation) { found = append(found, v.Rule) }))
	if err != nil {
		t.Fatal(err)
	}
	req := &bigtablepb.ReadRowsRequest{TableName: "projects/p/instances/i/tables/clicks"}
	if _, err := guard.Begin(t.Context(), bigtablepb.Bigtable_ReadRows_FullMethodName, req); err != nil || len(found) != 1 || found[0] != "ttlread/missing-filter" {
		t.Error(found, err)
	}
}
