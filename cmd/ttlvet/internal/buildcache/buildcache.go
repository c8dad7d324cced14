// Package buildcache finds the export data that the go command has in its
// build cache, and compiles nothing where there is none.
package buildcache

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"

	"github.com/ttlvet/ttlvet/cmd/ttlvet/internal/instead"
)

// Exports returns the files with export data of those of the packages that
// are in the build cache, by package path; with deps also of what they
// import, directly or not. A package in the cache has all that it imports
// there. The flags are for the go command.
//
// The go command starts the program that calls Exports in place of its tools.
func Exports(flags []string, deps bool, paths ...string) (map[string]string, error) {
	exe, err := os.Executable()
	if err != nil {
		return nil, err
	}
	// go list -export compiles what is missing. It looks into the cache
	// first, so that a compiler that always fails leaves what is there.
	flags = append(slices.Clone(flags), "-toolexec="+quote(exe))
	env := append(Environ(), instead.Asked+"=1")
	exports := map[string]string{}
	if HasDriver() {
		return exports, ofDriver(exports, flags, env, deps, paths)
	}
	// packages.Load begins a process for each 16 kB of paths, each of which
	// reads the whole module.
	for len(paths) > 0 {
		n, size := 0, 0
		for n < len(paths) && (n == 0 || size+len(paths[n]) < maxArguments()) {
			size += len(paths[n]) + 1
			n++
		}
		if err := list(exports, flags, env, deps, paths[:n]); err != nil {
			return nil, err
		}
		paths = paths[n:]
	}
	return exports, nil
}

// maxArguments is how many bytes of arguments a process may be given for
// certain.
func maxArguments() int {
	if runtime.GOOS == "windows" {
		return 16 << 10
	}
	return 128 << 10
}

// list adds the export data of packages that go list finds.
func list(exports map[string]string, flags, env []string, deps bool, paths []string) error {
	args := []string{"list", "-e", "-export", "-f", "{{.ImportPath}}\t{{.Export}}", "-pgo=off"}
	if deps {
		args = append(args, "-deps")
	}
	cmd := exec.Command("go", slices.Concat(args, flags, []string{"--"}, paths)...)
	cmd.Env = env
	out, err := cmd.Output()
	// The go command fails where a package is not in the cache, and says all
	// the same what it found.
	if err != nil && !errors.As(err, new(*exec.ExitError)) {
		return err
	}
	for line := range bytes.Lines(out) {
		if path, file, ok := strings.Cut(strings.TrimRight(string(line), "\r\n"), "\t"); ok {
			exports[path] = file
		}
	}
	return nil
}

// Environ returns the environment in which the go command lists packages. A
// third of what it takes there goes into collecting garbage that nobody needs
// back: it lives for a second.
func Environ() []string {
	if os.Getenv("GOGC") != "" || os.Getenv("GOMEMLIMIT") != "" {
		return os.Environ() // what the user has chosen
	}
	return append(os.Environ(), "GOGC=400")
}

// HasDriver reports whether another build system lists packages.
func HasDriver() bool {
	if driver := os.Getenv("GOPACKAGESDRIVER"); driver != "" {
		return driver != "off"
	}
	_, err := exec.LookPath("gopackagesdriver")
	return err == nil
}

// ofDriver adds the export data of packages that another build system has.
func ofDriver(exports map[string]string, flags, env []string, deps bool, paths []string) error {
	mode := packages.NeedName | packages.NeedExportFile
	if deps {
		mode |= packages.NeedImports | packages.NeedDeps
	}
	list, err := packages.Load(&packages.Config{Mode: mode, BuildFlags: flags, Env: env}, paths...)
	if err != nil {
		return err
	}
	packages.Visit(list, nil, func(p *packages.Package) {
		exports[p.PkgPath] = p.ExportFile
	})
	return nil
}

// quote quotes a path as the go command's flags want it: there are no
// escapes.
func quote(path string) string {
	if strings.Contains(path, "'") {
		return `"` + path + `"`
	}
	return "'" + path + "'"
}
