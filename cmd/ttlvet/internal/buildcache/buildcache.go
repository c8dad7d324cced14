// Package buildcache finds the export data that the go command has in its
// build cache, and compiles nothing where there is none.
package buildcache

import (
	"cmp"
	"os"
	"os/exec"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"
)

// asked is the environment variable that tells the program that the go
// command has started it in place of a tool.
const asked = "TTLVET_INSTEAD_OF_TOOL"

// Exports returns the files with export data of those of the packages that
// are in the build cache, by package path; with deps also of what they
// import, directly or not. A package in the cache has all that it imports
// there. The flags are for the go command.
//
// The program that calls Exports must have called [Intercept] first.
func Exports(flags []string, deps bool, paths ...string) (map[string]string, error) {
	exe, err := os.Executable()
	if err != nil {
		return nil, err
	}
	// go list -export compiles what is missing. It looks into the cache
	// first, so that a compiler that always fails leaves what is there.
	mode := packages.NeedName | packages.NeedExportFile
	if deps {
		mode |= packages.NeedImports | packages.NeedDeps
	}
	list, err := packages.Load(&packages.Config{
		Mode:       mode,
		BuildFlags: append(slices.Clone(flags), "-toolexec="+quote(exe)),
		Env:        append(os.Environ(), asked+"=1"),
	}, paths...)
	if err != nil {
		return nil, err
	}
	exports := map[string]string{}
	packages.Visit(list, nil, func(p *packages.Package) {
		exports[p.PkgPath] = p.ExportFile
	})
	return exports, nil
}

// Intercept ends the program when the go command has started it in place of
// a compiler, assembler or linker. Main functions call it before anything
// else, and so do those of tests.
func Intercept() {
	if os.Getenv(asked) != "" {
		os.Exit(instead(os.Args[1:]))
	}
}

// instead runs a tool to say its version, without which the go command finds
// nothing in the cache, and fails where it would do anything else.
func instead(args []string) int {
	if len(args) == 0 || args[len(args)-1] != "-V=full" && !slices.Contains(args, "-###") {
		return 1
	}
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	if err := cmd.Run(); err != nil {
		return cmp.Or(cmd.ProcessState.ExitCode(), 1)
	}
	return 0
}

// quote quotes a path as the go command's flags want it: there are no
// escapes.
func quote(path string) string {
	if strings.Contains(path, "'") {
		return `"` + path + `"`
	}
	return "'" + path + "'"
}
