package main

import (
	"bytes"
	_ "embed"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"text/template"
	"time"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/semver"
)

// A product is another program that can be built with ttlvet in it.
type product struct {
	name    string
	about   string
	module  string // the program's module
	version string // the newest that is known to work with this ttlvet
	main    string // template of the main package
	// path is the path of the generated main module.
	path string
}

//go:embed template/gopls.go.tmpl
var goplsMain string

//go:embed template/golangci.go.tmpl
var golangciMain string

var gopls = product{
	name: "gopls",
	about: `builds a gopls that has ttlvet in it. Editors use it when their Go plugin is
pointed at the file: in VS Code, "go.alternateTools": {"gopls": "/path/to/gopls"}.`,
	module:  "golang.org/x/tools/gopls",
	version: "v0.23.0",
	main:    goplsMain,
	// gopls' packages are internal. Only a module below its path may import
	// them.
	path: "golang.org/x/tools/gopls/ttlvet",
}

var golangciLint = product{
	name: "golangci-lint",
	about: `builds a golangci-lint that has ttlvet in it. It is switched on in .golangci.yml:
version: "2"
linters:
  enable: [ttlvet]
  settings:
    custom:
      ttlvet: {type: module}`,
	module:  "github.com/golangci/golangci-lint/v2",
	version: "v2.15.0",
	main:    golangciMain,
	path:    "ttlvet.invalid/golangci-lint",
}

func buildGopls(args []string, stdout, stderr io.Writer) int {
	return gopls.command(args, stdout, stderr)
}

func buildGolangciLint(args []string, stdout, stderr io.Writer) int {
	return golangciLint.command(args, stdout, stderr)
}

// command runs the subcommand that builds the product.
func (p product) command(args []string, stdout, stderr io.Writer) int {
	flags := flag.NewFlagSet("ttlvet build-"+p.name, flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	out := flags.String("o", "", "write the program to `file` (default: "+p.name+" in the current directory)")
	source := flags.String("source", "", "use the checkout of ttlvet in `dir` (default: this program's version; a program that was\nbuilt from a checkout needs one and finds that of the current directory)")
	version := flags.String("version", p.version, "build this version of "+p.name)
	err := flags.Parse(args)
	switch {
	case errors.Is(err, flag.ErrHelp):
		fmt.Fprintf(stdout, "usage: ttlvet build-%s [flags]\n\nIt %s\n\nFlags:\n", p.name, p.about)
		flags.SetOutput(stdout)
		flags.PrintDefaults()
		return exitClean
	case err == nil && flags.NArg() > 0:
		err = fmt.Errorf("unexpected argument %q", flags.Arg(0))
	case err == nil:
		err = p.build(*out, *source, *version, stdout, stderr)
	}
	if err != nil {
		fmt.Fprintf(stderr, "ttlvet build-%s: %v\n", p.name, err)
		return exitFailure
	}
	return exitClean
}

// build builds the product in a module of its own, with no other source than
// the module proxy.
func (p product) build(out, source, version string, stdout, stderr io.Writer) error {
	own, source, err := ownSource(source)
	if err != nil {
		return err
	}
	if out == "" {
		out = p.name
		if runtime.GOOS == "windows" {
			out += ".exe"
		}
	}
	if out, err = filepath.Abs(out); err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "ttlvet-build-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)

	gomod := fmt.Sprintf("module %s\n\ngo 1.26.0\n\nrequire (\n\t%s %s\n\t%s %s\n)\n", p.path, p.module, version, modulePath, own)
	stamp := own
	if source != "" {
		for path, dir := range map[string]string{modulePath: source, runtimePath: filepath.Join(source, "runtime")} {
			gomod += fmt.Sprintf("\nreplace %s => %s\n", path, modfile.AutoQuote(dir))
		}
		// A checkout changes without changing its version.
		stamp = fmt.Sprintf("devel.%d", time.Now().Unix())
	}
	var text bytes.Buffer
	data := struct{ Version, Stamp string }{version, stamp}
	if err := template.Must(template.New("main").Parse(p.main)).Execute(&text, data); err != nil {
		return err
	}
	for name, data := range map[string][]byte{"go.mod": []byte(gomod), "main.go": text.Bytes()} {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o666); err != nil {
			return err
		}
	}
	fmt.Fprintf(stderr, "building %s %s with ttlvet %s; this takes minutes the first time\n", p.name, version, stamp)
	build := exec.Command("go", "build", "-mod=mod", "-o", out, ".")
	build.Dir = dir
	// The user's workspace and vendor directory are not this module's.
	build.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS="+goflags(), "PWD="+dir)
	build.Stdout, build.Stderr = stderr, stderr
	if err := build.Run(); err != nil {
		return fmt.Errorf("go build: %v", err)
	}
	fmt.Fprintln(stdout, out)
	return nil
}

// goflags returns the user's GOFLAGS without those that concern modules.
func goflags() string {
	var keep []string
	for _, f := range strings.Fields(os.Getenv("GOFLAGS")) {
		name, _, _ := strings.Cut(strings.TrimLeft(f, "-"), "=")
		if name != "mod" && name != "modfile" {
			keep = append(keep, f)
		}
	}
	return strings.Join(keep, " ")
}

// ownSource returns the version of ttlvet to build with, or a directory that
// holds its source and a version to stand for it.
func ownSource(source string) (version, dir string, err error) {
	const standIn = "v0.0.0-00010101000000-000000000000"
	version = ownVersion()
	if source == "" {
		if semver.IsValid(version) && semver.Build(version) == "" && semver.Prerelease(version) == "" {
			return version, "", nil
		}
		// A version made up from a commit can only be fetched when the
		// commit was published. The checkout, when at hand, is surer.
		source = checkout()
		if source == "" && semver.IsValid(version) && semver.Build(version) == "" {
			return version, "", nil
		}
		if source == "" {
			return "", "", fmt.Errorf("this ttlvet (%s) was built from a checkout: name its directory with -source", version)
		}
	}
	if source, err = filepath.Abs(source); err != nil {
		return "", "", err
	}
	if !isCheckout(source) {
		return "", "", fmt.Errorf("%s is not the root of a checkout of ttlvet", source)
	}
	return standIn, source, nil
}

// checkout returns the root of the checkout of ttlvet that the current
// directory belongs to, or "".
func checkout() string {
	out, err := exec.Command("go", "env", "GOMOD").Output()
	if err != nil {
		return ""
	}
	if dir := filepath.Dir(strings.TrimSpace(string(out))); isCheckout(dir) {
		return dir
	}
	return ""
}

func isCheckout(dir string) bool {
	data, err := os.ReadFile(filepath.Join(dir, "go.mod"))
	return err == nil && modfile.ModulePath(data) == modulePath
}
