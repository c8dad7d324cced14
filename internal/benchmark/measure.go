//go:build unix

package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"
)

// A bench runs the ways to analyse a module.
type bench struct {
	tools, module, caches string // directories
	fresh                 int    // counts what must be new each time
}

// A cost is what a way took.
type cost struct {
	way     string
	cpu     time.Duration
	elapsed time.Duration
	memory  int64 // bytes, of the largest process
}

// build builds the tools.
func (b *bench) build() error {
	if err := os.MkdirAll(b.tools, 0o777); err != nil {
		return err
	}
	for name, pkg := range map[string]string{"ttlvet": "./cmd/ttlvet", "nothing": "./internal/benchmark/nothing"} {
		// Without cgo a program is static, which a vet tool that is started a thousand
		// times is a second quicker by.
		if _, err := measure(".", []string{"CGO_ENABLED=0"}, "go", "build", "-o", filepath.Join(b.tools, name), pkg); err != nil {
			return err
		}
	}
	_, err := measure(".", []string{"GOBIN=" + b.tools, "GOFLAGS="}, "go", "install", "honnef.co/go/tools/cmd/staticcheck@"+staticcheckVersion)
	return err
}

// run measures a scenario and prints it.
func (b *bench) run(s scenario) error {
	if !s.cold && slices.Contains(s.ways, "nothing") {
		// The compiler's share of go vet is not what is measured.
		if _, err := measure(b.module, nil, "go", "vet", "-vettool="+filepath.Join(b.tools, "nothing"), "./..."); err != nil {
			return err
		}
	}
	var costs []*cost
	for _, way := range s.ways {
		var least *cost
		for range *runs {
			c, err := b.measure(way, s.cold)
			if err != nil {
				return err
			}
			if least == nil || c.cpu < least.cpu {
				least = c
			}
		}
		costs = append(costs, least)
	}
	deps, err := output(b.module, "go", "list", "-deps", "./...")
	if err != nil {
		return err
	}
	fmt.Printf("%s; %d with dependencies\n\n", s.about, strings.Count(deps, "\n"))
	report(costs)
	return nil
}

// measure runs one way, with nothing of its own cached.
func (b *bench) measure(way string, cold bool) (*cost, error) {
	b.fresh++
	stamp := fmt.Sprintf("%d-%d", time.Now().UnixNano(), b.fresh)
	remembered := filepath.Join(b.caches, "ttlvet-"+stamp)
	env := []string{"TTLVET_CACHE=" + remembered}
	defer os.RemoveAll(remembered)
	if cold {
		env = append(env, "GOCACHE="+filepath.Join(b.caches, stamp))
		defer os.RemoveAll(filepath.Join(b.caches, stamp))
	}
	var args []string
	switch way {
	case "ttlvet", "again":
		args = []string{filepath.Join(b.tools, "ttlvet"), "./..."}
	case "init":
		args = []string{filepath.Join(b.tools, "ttlvet"), "init", "-check", "./..."}
	case "vet":
		// A flag that was never given makes vet's answers new.
		args = []string{"go", "vet", "-printf.funcs=f" + strings.ReplaceAll(stamp, "-", "x"), "./..."}
	case "staticcheck":
		args = []string{filepath.Join(b.tools, "staticcheck"), "./..."}
		env = append(env, "STATICCHECK_CACHE="+filepath.Join(b.caches, "staticcheck-"+stamp))
		defer os.RemoveAll(filepath.Join(b.caches, "staticcheck-"+stamp))
	default:
		// A vet tool that is not known to the go command yet has nothing
		// cached. What follows the end of an executable changes what it
		// answers to -V=full, and is not looked at when it runs.
		tool := map[string]string{"vettool": "ttlvet", "nothing": "nothing"}[way]
		data, err := os.ReadFile(filepath.Join(b.tools, tool))
		if err != nil {
			return nil, err
		}
		fresh := filepath.Join(b.tools, "fresh")
		if err := os.WriteFile(fresh, append(data, stamp...), 0o777); err != nil {
			return nil, err
		}
		args = []string{"go", "vet", "-vettool=" + fresh, "./..."}
	}
	c, err := measure(b.module, env, args...)
	if err == nil && way == "again" {
		c, err = measure(b.module, env, args...)
	}
	if err != nil {
		return nil, err
	}
	c.way = titles[way]
	return c, nil
}

var titles = map[string]string{
	"ttlvet":      "ttlvet ./...",
	"again":       "ttlvet ./... again",
	"init":        "ttlvet init -check ./...",
	"vettool":     "go vet -vettool=ttlvet ./...",
	"nothing":     "go vet -vettool=nothing ./...",
	"vet":         "go vet ./...",
	"staticcheck": "staticcheck ./...",
}

// measure runs a command. Its children's and their children's time counts.
// Findings are no error.
func measure(dir string, env []string, args ...string) (*cost, error) {
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Dir = dir
	cmd.Env = append(environ(dir), env...)
	start := time.Now()
	out, err := cmd.CombinedOutput()
	if err != nil && (cmd.ProcessState == nil || cmd.ProcessState.ExitCode() != 1) {
		return nil, fmt.Errorf("%s: %v\n%s", strings.Join(args, " "), err, out)
	}
	c := &cost{
		elapsed: time.Since(start),
		cpu:     cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime(),
	}
	if usage, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage); ok {
		c.memory = usage.Maxrss << 10
	}
	return c, nil
}

// environ is the environment of a command: ttlvet is built in its workspace,
// the generated module stands by itself.
func environ(dir string) []string {
	if dir == "." {
		return append(os.Environ(), "GOWORK=", "GOFLAGS=-buildvcs=false")
	}
	return append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=mod -buildvcs=false")
}

func output(dir string, args ...string) (string, error) {
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Dir = dir
	cmd.Env = environ(dir)
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("%s: %v", strings.Join(args, " "), err)
	}
	return string(out), nil
}

// report prints the table.
func report(costs []*cost) {
	fmt.Printf("%-32s %8s %8s %9s", "", "CPU s", "wall s", "peak MB")
	for i := range costs[1:] {
		fmt.Printf(" %7s", fmt.Sprintf("of (%d)", i+2))
	}
	fmt.Println()
	for i, c := range costs {
		fmt.Printf("(%d) %-28s %8.2f %8.2f %9d", i+1, c.way, c.cpu.Seconds(), c.elapsed.Seconds(), c.memory>>20)
		for _, other := range costs[1:] {
			fmt.Printf(" %6.1f%%", 100*c.cpu.Seconds()/other.cpu.Seconds())
		}
		fmt.Println()
	}
	fmt.Println()
}
