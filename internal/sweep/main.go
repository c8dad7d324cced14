// Command sweep runs ttlvet over public modules that nobody wrote for it, and
// fails on what no user should see: a panic, an internal error, a difference
// between drivers, fixes that do not compile, or a second -fix that changes
// anything. From the root of ttlvet:
//
//	go run ./internal/sweep [-run regexp] [-drivers ttlvet,vet,golangci,gopls] [-dir module [packages]]
//
// Modules come from the Go module proxy and are copied out of the module
// cache. One that cannot be had, or does not build by itself, is skipped with a
// note. In those that use Bigtable, every word that could be the name of a
// column family is declared as one, under one strategy after another, so that
// there is something to find.
//
// It prints a line per module and a summary. It exits with 0 when all is
// clean, with 1 when it found a fault, and with 2 when it could not run or
// everything was skipped.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
)

func main() {
	os.Exit(run(os.Args[1:], os.Stdout, os.Stderr))
}

// run is the program. It returns the exit code.
func run(args []string, stdout, stderr io.Writer) int {
	flags := flag.NewFlagSet("sweep", flag.ContinueOnError)
	flags.SetOutput(stderr)
	only := flags.String("run", "", "sweep only modules whose path@version matches this `regexp`")
	drivers := flags.String("drivers", "ttlvet,vet", "the `drivers` to hold against each other: ttlvet, vet, golangci, gopls; building the last two takes minutes")
	own := flags.String("dir", "", "sweep the module in this `directory` in place of the list; the arguments are its packages")
	program := flags.String("ttlvet", "", "use this `program` in place of one built from the current directory")
	if err := flags.Parse(args); err != nil {
		return 2
	}
	code, err := sweep(stdout, stderr, *only, *own, *program, strings.Split(*drivers, ","), flags.Args())
	if err != nil {
		fmt.Fprintf(stderr, "sweep: %v\n", err)
	}
	return code
}

// A tally counts modules and what was found in them.
type tally struct{ swept, bigtable, skipped, faulty, findings, fixed int }

func sweep(stdout, stderr io.Writer, only, own, program string, drivers, patterns []string) (int, error) {
	match, err := regexp.Compile(only)
	if err != nil {
		return 2, err
	}
	list := slices.DeleteFunc(slices.Clone(modules), func(m module) bool { return !match.MatchString(m.String()) })
	switch {
	case own != "":
		if len(patterns) == 0 {
			patterns = []string{"./..."}
		}
		list = []module{{path: own, packages: patterns, bigtable: true, local: true}}
	case len(patterns) > 0:
		return 2, errors.New("packages are for -dir only")
	case len(list) == 0:
		return 2, fmt.Errorf("no module of the list matches %q", only)
	}
	tmp, err := os.MkdirTemp("", "ttlvet-sweep-")
	if err != nil {
		return 2, err
	}
	defer os.RemoveAll(tmp)
	// The go command prints paths without links.
	if tmp, err = filepath.EvalSymlinks(tmp); err != nil {
		return 2, err
	}
	t, err := newTools(tmp, program, drivers, stderr)
	if err != nil {
		return 2, err
	}
	var sum tally
	for i, m := range list {
		start := time.Now()
		r := t.sweep(m, filepath.Join(tmp, fmt.Sprint(i)))
		elapsed := time.Since(start).Round(time.Second)
		sum.add(m, r)
		switch {
		case r.skipped != "":
			fmt.Fprintf(stdout, "skip  %s: %s\n", m, r.skipped)
		case len(r.faults) > 0:
			fmt.Fprintf(stdout, "FAIL  %s (%v)\n", m, elapsed)
			for _, f := range r.faults {
				fmt.Fprintf(stdout, "      %s\n", strings.ReplaceAll(f, "\n", "\n      "))
			}
		default:
			fmt.Fprintf(stdout, "ok    %s: %s, %d fixed (%v)\n", m, count(r.findings, "finding"), r.fixed, elapsed)
		}
	}
	fmt.Fprintf(stdout, "%s swept, %d of which use Bigtable, %d skipped: %s, %d fixed, %s\n",
		count(sum.swept, "module"), sum.bigtable, sum.skipped, count(sum.findings, "finding"), sum.fixed, count(sum.faulty, "faulty module"))
	switch {
	case sum.faulty > 0:
		return 1, nil
	case sum.swept == 0:
		return 2, errors.New("everything was skipped")
	}
	return 0, nil
}

func (s *tally) add(m module, r result) {
	if r.skipped != "" {
		s.skipped++
		return
	}
	s.swept++
	if m.bigtable {
		s.bigtable++
	}
	if len(r.faults) > 0 {
		s.faulty++
	}
	s.findings += r.findings
	s.fixed += r.fixed
}

func count(n int, what string) string {
	if n != 1 {
		what += "s"
	}
	return fmt.Sprintf("%d %s", n, what)
}

// newTools builds ttlvet, and the programs that hold it where they are asked
// for.
func newTools(dir, program string, drivers []string, stderr io.Writer) (*tools, error) {
	t := &tools{ttlvet: program}
	build := func(args ...string) error {
		cmd := exec.Command(args[0], args[1:]...)
		cmd.Stderr = stderr
		return cmd.Run()
	}
	if program == "" {
		t.ttlvet = filepath.Join(dir, "ttlvet")
		if err := build("go", "build", "-o", t.ttlvet, "github.com/ttlvet/ttlvet/cmd/ttlvet"); err != nil {
			return nil, fmt.Errorf("building ttlvet: %v", err)
		}
	}
	for _, name := range drivers {
		switch name {
		case "ttlvet":
		case "vet":
			t.drivers = append(t.drivers, driver{"go vet", t.goVet})
		case "golangci":
			t.golangci = filepath.Join(dir, "golangci-lint")
			t.config = filepath.Join(dir, "golangci.yml")
			if err := build(t.ttlvet, "build-golangci-lint", "-o", t.golangci); err != nil {
				return nil, err
			}
			if err := os.WriteFile(t.config, []byte(golangciConfig), 0o666); err != nil {
				return nil, err
			}
			t.drivers = append(t.drivers, driver{"golangci-lint", t.golangciLint})
		case "gopls":
			t.gopls = filepath.Join(dir, "gopls")
			if err := build(t.ttlvet, "build-gopls", "-o", t.gopls); err != nil {
				return nil, err
			}
			t.drivers = append(t.drivers, driver{"gopls", t.goplsCheck})
		default:
			return nil, fmt.Errorf("no driver %q: there are ttlvet, vet, golangci and gopls", name)
		}
	}
	return t, nil
}
