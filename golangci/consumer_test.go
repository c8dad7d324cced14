package golangci

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// few are the modules that whoever uses the plugin or the analyzers needs, with
// those of the tests that go mod tidy looks at. The client and what comes with
// it are not among them: golangci-lint's module, into which golangci-lint custom
// puts the plugin, has another version of a part of them, and fails with an
// ambiguous import. Tests that need more belong into packages that nothing
// imports, such as internal/proof.
var few = []string{
	"github.com/agext/levenshtein",
	"github.com/goccy/go-yaml",
	"github.com/golangci/plugin-module-register",
	"golang.org/x/mod",
	"golang.org/x/sync",
	"golang.org/x/tools",
	// For the schemas that a registry names: Terraform and scripts.
	"github.com/apparentlymart/go-textseg/v15",
	"github.com/apparentlymart/go-textseg/v17",
	"github.com/hashicorp/hcl/v2",
	"github.com/mitchellh/go-wordwrap",
	"github.com/zclconf/go-cty",
	"golang.org/x/text",
	"mvdan.cc/sh/v3",
	// For the tests of these.
	"github.com/davecgh/go-spew",
	"github.com/go-quicktest/qt",
	"github.com/go-test/deep",
	"github.com/google/go-cmp",
	"github.com/kr/pretty",
	"github.com/kr/text",
	"github.com/rogpeppe/go-internal",
	"github.com/zclconf/go-cty-debug",
}

// TestConsumer tidies modules that use the plugin and the analyzers, and looks
// at what they come to need.
func TestConsumer(t *testing.T) {
	source, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command("go", "env", "GOPROXY").Output()
	if err != nil {
		t.Fatal(err)
	}
	if strings.TrimSpace(string(out)) == "off" {
		t.Skip("fetches modules")
	}
	for _, pkg := range []string{"golangci", "analyzers"} {
		t.Run(pkg, func(t *testing.T) {
			dir := t.TempDir()
			for name, text := range map[string]string{
				"go.mod": fmt.Sprintf("module example.com/consumer\n\ngo 1.26.0\n\nrequire github.com/ttlvet/ttlvet v0.0.0\n\nreplace (\n\tgithub.com/ttlvet/ttlvet => %q\n\tgithub.com/ttlvet/ttlvet/runtime => %q\n)\n", source, filepath.Join(source, "runtime")),
				"x.go":   fmt.Sprintf("package consumer\n\nimport _ \"github.com/ttlvet/ttlvet/%s\"\n", pkg),
			} {
				if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
					t.Fatal(err)
				}
			}
			cmd := exec.Command("go", "mod", "tidy")
			cmd.Dir = dir
			cmd.Env = append(os.Environ(), "PWD="+dir, "GOFLAGS=", "GOWORK=off")
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Fatalf("go mod tidy: %v\n%s", err, out)
			}
			// Of modules from which packages come, go.sum has the content.
			sums, err := os.ReadFile(filepath.Join(dir, "go.sum"))
			if err != nil {
				t.Fatal(err)
			}
			for line := range strings.Lines(string(sums)) {
				module, version, _ := strings.Cut(line, " ")
				if !strings.Contains(version, "/go.mod") && !slices.Contains(few, module) {
					t.Errorf("a consumer of %s needs %s", pkg, module)
				}
			}
		})
	}
}
