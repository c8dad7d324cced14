package product

import (
	"bytes"
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

	"github.com/ttlvet/ttlvet/cmd/ttlvet/internal/self"
)

// Build builds the product as file out in a module of its own, with no other
// source than the module proxy: a version of it, with the checkout of ttlvet in the
// directory source, or else with this program's version.
func (p Product) Build(out, source, version string, stdout, stderr io.Writer) error {
	own, source, err := ownSource(source)
	if err != nil {
		return err
	}
	if out == "" {
		out = p.Name
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

	gomod := fmt.Sprintf("module %s\n\ngo 1.26.0\n\nrequire (\n\t%s %s\n\t%s %s\n)\n", p.path, p.module, version, self.Path, own)
	stamp := own
	if source != "" {
		for path, dir := range map[string]string{self.Path: source, self.RuntimePath: filepath.Join(source, "runtime")} {
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
	fmt.Fprintf(stderr, "building %s %s with ttlvet %s; this takes minutes the first time\n", p.Name, version, stamp)
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
	version = self.Version()
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
	return err == nil && modfile.ModulePath(data) == self.Path
}
