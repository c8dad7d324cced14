package main

import (
	"archive/zip"
	"crypto/sha256"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"slices"
	"strings"

	"golang.org/x/mod/semver"
	"golang.org/x/tools/go/analysis/unitchecker"

	"github.com/ttlvet/ttlvet/analyzers"
	_ "github.com/ttlvet/ttlvet/cmd/ttlvet/internal/early" // answers for most units
)

// isVetTool reports whether the arguments are those with which the go
// command calls its vet tool.
func isVetTool(args []string) bool {
	if len(args) == 0 {
		return false
	}
	last := args[len(args)-1]
	return strings.HasSuffix(last, ".cfg") || slices.ContainsFunc(args, func(a string) bool {
		return a == "-flags" || strings.HasPrefix(a, "-V=")
	})
}

// vetTool speaks the go command's protocol and does not return.
func vetTool(args []string) {
	asJSON := slices.Contains(args, "-json") || slices.Contains(args, "-json=true")
	// What is related is in the messages; of it go vet, which asks for JSON in
	// any case, would print lines that look like findings of their own.
	o := analyzers.Options{NoRelated: true}
	ruleFlags(flag.CommandLine, &o)
	flag.Var(versionFlag{}, "V", "print version and exit")
	if last := args[len(args)-1]; strings.HasSuffix(last, ".cfg") && rulesAreKnown(args) {
		cfg, err := readUnit(last)
		switch {
		case err != nil: // the library words it
		case mayAnswerEmpty() && !cfg.reaches():
			if err := cfg.answerEmpty(asJSON); err != nil {
				exit(err)
			}
			os.Exit(0)
		default:
			if err := cfg.readable(); err != nil {
				exit(err)
			}
		}
	}
	unitchecker.Main(analyzers.New(&o)...)
}

// exit ends a vet tool that cannot run.
func exit(err error) {
	fmt.Fprintf(os.Stderr, "ttlvet: %v\n", err)
	os.Exit(1)
}

// readable returns an error when the export data of what the unit imports
// cannot be read. The library panics then. All were written by one compiler: one
// tells, and a small one soonest.
func (u *vetUnit) readable() error {
	smallest, size := "", int64(0)
	for _, path := range sortedKeys(u.PackageFile) {
		info, err := os.Stat(u.PackageFile[path])
		if err == nil && (smallest == "" || info.Size() < size) {
			smallest, size = u.PackageFile[path], info.Size()
		}
	}
	if smallest == "" {
		return nil
	}
	return readable(smallest)
}

// mayAnswerEmpty reports whether a unit may be left without facts: whether the
// types of a package come from the compiler's export data, as with
// golang.org/x/tools before v0.50, and not from the file of facts. With go get
// -tool it is the user's module that chooses the version.
func mayAnswerEmpty() bool {
	info, ok := debug.ReadBuildInfo()
	return ok && slices.ContainsFunc(info.Deps, func(m *debug.Module) bool {
		if m.Replace != nil {
			m = m.Replace
		}
		return m.Path == "golang.org/x/tools" && semver.Compare(m.Version, "v0.50.0-0") < 0
	})
}

// rulesAreKnown reports whether the flags that choose rules hold. Otherwise
// no unit may succeed, not even one that has nothing to report.
func rulesAreKnown(args []string) bool {
	for i, a := range args {
		name, value, ok := strings.Cut(strings.TrimLeft(a, "-"), "=")
		if !strings.HasPrefix(a, "-") || name != "enable" && name != "disable" {
			continue
		}
		if !ok && i+1 < len(args) {
			value = args[i+1]
		}
		if new(ruleList).Set(value) != nil {
			return false
		}
	}
	return true
}

// A vetUnit is what is read of a unit's configuration.
type vetUnit struct {
	ID          string
	Dir         string
	ImportPath  string
	GoFiles     []string
	ImportMap   map[string]string
	PackageFile map[string]string
	PackageVetx map[string]string
	VetxOnly    bool
	VetxOutput  string
	Stdout      string
	FixArchive  string
}

func readUnit(name string) (*vetUnit, error) {
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	u := new(vetUnit)
	return u, json.Unmarshal(data, u)
}

// reaches reports whether the unit must be analysed: whether a package that
// it imports is Bigtable's client or has facts, as every package has that
// reaches the client, or values are followed through it, or one of its files
// does not parse, so that its imports are not known. Nearly all units of a
// build are dependencies that do not, and not even parsing them is what makes
// ttlvet cheap as a vet tool.
func (u *vetUnit) reaches() bool {
	path, _, _ := strings.Cut(u.ImportPath, " ") // without " [p.test]"
	if analyzers.IsClient(path) {
		return false
	}
	for _, imp := range u.ImportMap {
		if imp, _, _ := strings.Cut(imp, " "); analyzers.ReachesByItself(imp) {
			return true
		}
	}
	for _, file := range u.PackageVetx {
		if info, err := os.Stat(file); err == nil && info.Size() > 0 {
			return true
		}
	}
	return analyzers.Followed(u.Dir) || !u.VetxOnly && slices.ContainsFunc(u.GoFiles, func(file string) bool {
		seen := glanceAt(file)
		return seen.directive || seen.err != nil
	})
}

// answerEmpty writes what the go command expects of a unit without facts
// and findings.
func (u *vetUnit) answerEmpty(asJSON bool) error {
	if err := os.WriteFile(u.VetxOutput, nil, 0o666); err != nil || u.VetxOnly {
		return err
	}
	if u.FixArchive != "" {
		f, err := os.Create(u.FixArchive)
		if err != nil {
			return err
		}
		zw := zip.NewWriter(f)
		zw.SetComment(u.ID)
		if err := zw.Close(); err != nil {
			return err
		}
		if err := f.Close(); err != nil {
			return err
		}
	}
	var out []byte
	if asJSON {
		out = []byte("{}\n")
	}
	if u.Stdout == "" {
		_, err := os.Stdout.Write(out)
		return err
	}
	return os.WriteFile(u.Stdout, out, 0o666)
}

// versionFlag is the flag -V=full, by whose answer the go command keys its
// cache. The answer covers the registries too: the go command does not know
// that analysis reads them, and would go on replaying what was found with
// older ones. Where one is malformed the run ends here, each time.
type versionFlag struct{}

func (versionFlag) IsBoolFlag() bool { return true }
func (versionFlag) String() string   { return "" }

func (versionFlag) Set(s string) error {
	if s != "full" {
		return fmt.Errorf("unsupported value %q: use -V=full", s)
	}
	wd, err := os.Getwd()
	if err == nil {
		var registries, program string
		if registries, err = analyzers.Registries(wd); err == nil {
			program, err = os.Executable()
			if err == nil {
				return printBuildID(program, registries)
			}
		}
	}
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
	return nil
}

// printBuildID prints the program's version in the go command's format.
func printBuildID(program, registries string) error {
	f, err := os.Open(program)
	if err != nil {
		return err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return err
	}
	io.WriteString(h, registries)
	fmt.Printf("ttlvet version devel buildID=%x\n", h.Sum(nil))
	os.Exit(0)
	return nil
}
