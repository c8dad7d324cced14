package golangci

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/golangci/plugin-module-register/register"

	"github.com/ttlvet/ttlvet/internal/registry"
)

func TestSettings(t *testing.T) {
	for _, tt := range []struct {
		conf any
		err  string
	}{
		{nil, ""},
		{map[string]any{"strict": true, "disable": []string{"ttlread"}}, ""},
		{map[string]any{"stirct": true}, `unknown field "stirct"`},
		{map[string]any{"enable": []string{"ttlraed"}}, `did you mean "ttlread"?`},
	} {
		_, err := New(tt.conf)
		switch {
		case tt.err == "" && err != nil:
			t.Errorf("New(%v) fails: %v", tt.conf, err)
		case tt.err != "" && (err == nil || !strings.Contains(err.Error(), tt.err)):
			t.Errorf("New(%v) fails with %v, want %s", tt.conf, err, tt.err)
		}
	}
}

func TestPlugin(t *testing.T) {
	if _, err := register.GetPlugin("ttlvet"); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	t.Chdir(dir)
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	write("go.mod", "module x\n")
	names := func() string {
		t.Helper()
		p, err := New(nil)
		if err != nil {
			t.Fatal(err)
		}
		list, err := p.BuildAnalyzers()
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, a := range list {
			names = append(names, a.Name)
		}
		return strings.Join(names, " ")
	}
	if !registry.None(dir) {
		t.Error("it is not said that there is no registry")
	}
	before := names()
	if names() != before {
		t.Error("the analyzers' names vary")
	}
	write("ttlvet.yaml", "version: 1\n")
	if registry.None(dir) {
		t.Error("it is said that there is no registry")
	}
	if names() == before {
		t.Error("the analyzers' names do not tell one registry from another")
	}
	write("ttlvet.yaml", "version: 2\n")
	p, err := New(nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.BuildAnalyzers(); err == nil || !strings.Contains(err.Error(), "ttlvet.yaml:1:10: ") {
		t.Errorf("a malformed registry gives %v", err)
	}
}
