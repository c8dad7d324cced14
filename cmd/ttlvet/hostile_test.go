package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/ttlvet/ttlvet/cmd/ttlvet/internal/product"
)

// What each run on a hostile module may take, of itself and of what it starts.
const (
	hostileTime   = 20 * time.Second // of processors
	hostileMemory = 500 << 20
	// What gopls may take besides. By itself it takes 250 MB for a module of one file,
	// and 530 to 700 MB for the long function of grown.txt.
	goplsText = 50 << 20
	goplsCode = 250 << 20
)

// A hostileFile is one file of a module, of testdata/hostile.
type hostileFile struct {
	name, path   string
	begin, grown string
	times        int
	end          string
}

// hostileFiles lists the files of testdata/hostile with where they stand in a module.
func hostileFiles(t *testing.T) (list []hostileFile) {
	t.Helper()
	const dir = "../../testdata/hostile"
	for name, path := range map[string]string{
		"escapes.yaml": "ttlvet.yaml", "aliases.yaml": "ttlvet.yaml", "functions.tf": "src/functions.tf",
		"loops.sh": "src/loops.sh", "code.go.txt": "code/code.go",
	} {
		data, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, hostileFile{name: name, path: path, begin: string(data)})
	}
	f, err := os.Open(filepath.Join(dir, "grown.txt"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	s := bufio.NewScanner(f)
	for n := 1; s.Scan(); n++ {
		if line := s.Text(); !strings.HasPrefix(line, "#") {
			h := hostileFile{name: fmt.Sprintf("grown.txt:%d", n)}
			if _, err := fmt.Sscanf(line, "%s %q %q %d %q", &h.path, &h.begin, &h.grown, &h.times, &h.end); err != nil {
				t.Fatalf("%s: %v", h.name, err)
			}
			list = append(list, h)
		}
	}
	if err := s.Err(); err != nil {
		t.Fatal(err)
	}
	return list
}

// write writes the file into the module in dir, ten times if its name has a number.
func (h hostileFile) write(dir string) error {
	if before, after, many := strings.Cut(h.path, "#"); many {
		for i := range 10 {
			h.path = fmt.Sprint(before, i, after)
			if err := h.write(dir); err != nil {
				return err
			}
		}
		return nil
	}
	path := filepath.Join(dir, filepath.FromSlash(h.path))
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return err
	}
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	w := bufio.NewWriter(f)
	io.WriteString(w, h.begin)
	for range h.times {
		io.WriteString(w, h.grown)
	}
	io.WriteString(w, h.end)
	return errors.Join(w.Flush(), f.Close())
}

const hostileRegistry = `version: 1
tables:
  sessions:
    families:
      token: {strategy: one-second-expiration, ttl: 30m}
schema: ["src/*"]
`

// TestHostile runs ttlvet on what adversaries write: it ends soon, without much memory,
// and with findings, lines that people can read, or silence.
func TestHostile(t *testing.T) {
	slow(t, "runs three programs on each of many modules")
	alongside(t)
	vettool, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	bin := filepath.Join(t.TempDir(), "ttlvet")
	if err := os.Symlink(vettool, bin); err != nil {
		t.Skip("no links: ", err)
	}
	hostile(t, func(h hostileFile) [][]string {
		runs := [][]string{{bin, "./..."}, {bin, "audit", "-v"}}
		if strings.HasSuffix(h.path, ".go") || h.path == "ttlvet.yaml" && h.times == 0 {
			runs = append(runs, []string{"go", "vet", "-vettool=" + bin, "./..."})
		}
		return runs
	})
}

// TestHostilePrograms is the same with the programs that ttlvet is built into.
func TestHostilePrograms(t *testing.T) {
	slow(t, "builds two programs")
	alongside(t)
	golangci, gopls := built(t, product.GolangciLint), built(t, product.Gopls)
	hostile(t, func(h hostileFile) [][]string {
		code := "m.go"
		if strings.HasSuffix(h.path, ".go") {
			code = h.path
		}
		// The lines that it shows of code are its own affair.
		return [][]string{{golangci, "run", "--allow-parallel-runners", "--output.text.print-issued-lines=false", "./..."}, {gopls, "check", code}}
	})
}

// hostile runs programs on each of the hostile modules.
func hostile(t *testing.T, programs func(hostileFile) [][]string) {
	for _, h := range hostileFiles(t) {
		t.Run(strings.ReplaceAll(h.name, "/", "-"), func(t *testing.T) {
			dir := t.TempDir()
			files := []hostileFile{
				{path: "go.mod", begin: "module example.com/m\n\ngo 1.25\n\nrequire cloud.google.com/go/bigtable v1.40.0\n\nreplace cloud.google.com/go/bigtable => ./.stub\n"},
				{path: "m.go", begin: "package m\n\nimport \"cloud.google.com/go/bigtable\"\n\nfunc Put(mut *bigtable.Mutation) { mut.Set(\"token\", \"jwt\", bigtable.ServerTime, nil) }\n"},
				{path: "ttlvet.yaml", begin: hostileRegistry},
				{path: "src/x.tf"},
				{path: ".golangci.yml", begin: "version: \"2\"\nlinters: {default: none, enable: [ttlvet], settings: {custom: {ttlvet: {type: module}}}}\n"},
				h,
			}
			for _, f := range files {
				if err := f.write(dir); err != nil {
					t.Fatal(err)
				}
			}
			if err := copyStub(filepath.Join(dir, ".stub")); err != nil {
				t.Fatal(err)
			}
			for _, args := range programs(h) {
				runHostile(t, dir, args)
			}
		})
	}
}

// crashed are traces of a program that has not ended by itself, and what a terminal
// takes for commands.
var crashed = regexp.MustCompile(`(?m)^(panic: |fatal error: |goroutine \d+ |runtime: )|internal error|Panic: |[\x00-\x08\x0b-\x1f\x7f]|\x{202e}`)

// runHostile runs a program on a hostile module.
func runHostile(t *testing.T, dir string, args []string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	var out bytes.Buffer
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, &out, &out
	cmd.Env = append(os.Environ(), "GOWORK=", "GOFLAGS=", "GOPROXY=off", "TTLVET_CACHE=off", "PWD="+dir, "GOLANGCI_LINT_CACHE="+t.TempDir(), "GOPLSCACHE="+t.TempDir())
	cmd.WaitDelay = time.Second
	err := cmd.Run()
	state := cmd.ProcessState
	if state == nil || ctx.Err() != nil || state.ExitCode() < 0 || state.ExitCode() > 7 { // the last is golangci-lint's
		t.Errorf("%s: %v\n%.2000s", filepath.Base(args[0])+" "+args[1], err, out.String())
		return
	}
	took, memory := state.UserTime()+state.SystemTime(), peak(state)
	t.Logf("%s: exit code %d, %v, %d MB, %s", filepath.Base(args[0])+" "+args[1], state.ExitCode(), took, memory>>20, strconv.Quote(fmt.Sprintf("%.100s", out.String())))
	limit := int64(hostileMemory)
	switch {
	case filepath.Base(args[0]) != product.Gopls.Name:
	case args[len(args)-1] == "m.go":
		limit += goplsText
	default:
		limit += goplsCode
	}
	if took > hostileTime || memory > limit {
		t.Errorf("%s took %v and %d MB", strings.Join(args, " "), took, memory>>20)
	}
	if m := crashed.Find(out.Bytes()); m != nil {
		t.Errorf("%s printed %q:\n%.2000s", strings.Join(args, " "), m, out.String())
	}
	for line := range strings.Lines(out.String()) {
		if len(line) > 8000 {
			t.Errorf("a line of %d bytes: %.200s", len(line), line)
		}
	}
}
