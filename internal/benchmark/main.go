//go:build unix

// Command benchmark measures what ttlvet costs beside go vet, on a generated
// module of which few packages reach Bigtable. From the root of ttlvet:
//
//	go run ./internal/benchmark [-packages 130] [-reaching 10] [-runs 1]
//
// It prints processor time, peak memory and elapsed time of each way to run
// the analyzers, with what the compiler makes cached and what vet makes not,
// and processor time as a share of the others'. It takes about two minutes.
package main

import (
	"flag"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"
)

var (
	packages = flag.Int("packages", 130, "how many packages the module has")
	reaching = flag.Int("reaching", 10, "how many of them reach Bigtable")
	runs     = flag.Int("runs", 1, "how often everything is measured; the least counts")
	keep     = flag.String("dir", "", "generate the module in this `directory` and keep it")
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("benchmark: ")
	flag.Parse()
	dir := *keep
	if dir == "" {
		var err error
		if dir, err = os.MkdirTemp("", "ttlvet-benchmark-"); err != nil {
			log.Fatal(err)
		}
		defer os.RemoveAll(dir)
	}
	if err := run(dir); err != nil {
		log.Print(err)
		if *keep == "" {
			os.RemoveAll(dir)
		}
		os.Exit(1)
	}
}

// A way is one way to run analyzers, and what it took.
type way struct {
	name    string
	command func(round int) ([]string, error)
	cpu     time.Duration
	elapsed time.Duration
	memory  int64 // bytes, of the largest process
}

func run(dir string) error {
	tools, module := filepath.Join(dir, "tools"), filepath.Join(dir, "module")
	if err := generate(module); err != nil {
		return err
	}
	if err := os.MkdirAll(tools, 0o777); err != nil {
		return err
	}
	for name, pkg := range map[string]string{"ttlvet": "./cmd/ttlvet", "nothing": "./internal/benchmark/nothing"} {
		if _, err := measure(".", []string{"go", "build", "-o", filepath.Join(tools, name), pkg}); err != nil {
			return err
		}
	}
	// The compiler's share of go vet is not what is measured.
	if _, err := measure(module, []string{"go", "vet", "-vettool=" + filepath.Join(tools, "nothing"), "./..."}); err != nil {
		return err
	}
	stamp := time.Now().UnixNano()
	// A vet tool that is not known to the go command yet has nothing cached.
	vetWith := func(tool string) func(int) ([]string, error) {
		return func(round int) ([]string, error) {
			fresh := filepath.Join(tools, fmt.Sprintf("%s-%d", tool, round))
			if err := refresh(filepath.Join(tools, tool), fresh, fmt.Sprint(stamp, round)); err != nil {
				return nil, err
			}
			return []string{"go", "vet", "-vettool=" + fresh, "./..."}, nil
		}
	}
	ways := []*way{
		{name: "ttlvet ./...", command: func(int) ([]string, error) {
			return []string{filepath.Join(tools, "ttlvet"), "./..."}, nil
		}},
		{name: "go vet -vettool=ttlvet ./...", command: vetWith("ttlvet")},
		{name: "go vet -vettool=nothing ./...", command: vetWith("nothing")},
		{name: "go vet ./...", command: func(round int) ([]string, error) {
			// Nor has one with a flag that was never given.
			return []string{"go", "vet", fmt.Sprintf("-printf.funcs=f%d", stamp+int64(round)), "./..."}, nil
		}},
	}
	for round := range *runs {
		for _, w := range ways {
			args, err := w.command(round)
			if err != nil {
				return err
			}
			m, err := measure(module, args)
			if err != nil {
				return fmt.Errorf("%s: %v", w.name, err)
			}
			if w.cpu == 0 || m.cpu < w.cpu {
				w.cpu, w.elapsed, w.memory = m.cpu, m.elapsed, m.memory
			}
		}
	}
	report(module, ways)
	return nil
}

// report prints the table.
func report(module string, ways []*way) {
	list := exec.Command("go", "list", "-deps", "./...")
	list.Dir = module
	deps, _ := list.Output()
	fmt.Printf("%d packages, %d of which reach Bigtable; %d with dependencies\n\n",
		*packages, *reaching, strings.Count(string(deps), "\n"))
	fmt.Printf("%-32s %8s %8s %9s", "", "CPU s", "wall s", "peak MB")
	for i := range ways[1:] {
		fmt.Printf(" %7s", fmt.Sprintf("of (%d)", i+2))
	}
	fmt.Println()
	for i, w := range ways {
		fmt.Printf("(%d) %-28s %8.2f %8.2f %9d", i+1, w.name, w.cpu.Seconds(), w.elapsed.Seconds(), w.memory>>20)
		for _, other := range ways[1:] {
			fmt.Printf(" %6.1f%%", 100*w.cpu.Seconds()/other.cpu.Seconds())
		}
		fmt.Println()
	}
}

// measure runs a command. Its children's and their children's time counts.
// Findings are no error.
func measure(dir string, args []string) (*way, error) {
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=mod -buildvcs=false")
	start := time.Now()
	out, err := cmd.CombinedOutput()
	if err != nil && cmd.ProcessState.ExitCode() != 1 {
		return nil, fmt.Errorf("%s: %v\n%s", strings.Join(args, " "), err, out)
	}
	w := &way{
		elapsed: time.Since(start),
		cpu:     cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime(),
	}
	if usage, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage); ok {
		w.memory = usage.Maxrss << 10
	}
	return w, nil
}

// refresh copies a program so that it answers -V=full anew: what follows the
// end of an executable is not looked at when it runs.
func refresh(from, to, stamp string) error {
	data, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	return os.WriteFile(to, append(data, stamp...), 0o777)
}

// generate writes the module. It has the requirements of ttlvet itself, with
// the real client and all that it depends on.
func generate(dir string) error {
	mod, err := os.ReadFile("go.mod")
	if err != nil {
		return fmt.Errorf("run this in the root of ttlvet: %v", err)
	}
	_, requirements, ok := strings.Cut(string(mod), "\n")
	if !ok {
		return fmt.Errorf("go.mod has one line")
	}
	sum, err := os.ReadFile("go.sum")
	if err != nil {
		return err
	}
	files := map[string]string{
		"go.mod":      "module example.com/service\n" + requirements,
		"go.sum":      string(sum),
		"ttlvet.yaml": "version: 1\ntables:\n  sessions:\n    families:\n      token: {strategy: one-second-expiration, ttl: 30m}\n",
	}
	for i := range *packages {
		name := fmt.Sprintf("p%03d", i)
		text := plain
		if i < *reaching {
			text = reaches
		}
		// Packages import one another: the plain ones the plain one before.
		imports := ""
		if i > *reaching {
			imports = fmt.Sprintf("import _ \"example.com/service/p%03d\"\n", i-1)
		}
		files[name+"/"+name+".go"] = fmt.Sprintf("package %s\n\n%s%s", name, imports, text)
		files[name+"/"+name+"_test.go"] = fmt.Sprintf("package %s\n\nimport \"testing\"\n\nfunc Test(t *testing.T) {}\n", name)
	}
	names := make([]string, 0, len(files))
	for name := range files {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			return err
		}
		if err := os.WriteFile(path, []byte(files[name]), 0o666); err != nil {
			return err
		}
	}
	return nil
}

// plain is the body of a package that does not reach Bigtable.
const plain = `
import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"

	"google.golang.org/grpc"
	"google.golang.org/protobuf/types/known/timestamppb"
)

type Server struct {
	conn *grpc.ClientConn
	at   *timestamppb.Timestamp
}

func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var body map[string]any
	if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	for k, v := range body {
		fmt.Fprintf(w, "%s: %v at %v\n", k, v, s.at.AsTime())
	}
}

func (s *Server) Call(ctx context.Context, method string, in, out any) error {
	return s.conn.Invoke(ctx, method, in, out)
}
`

// reaches is the body of a package that does.
const reaches = `
import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"
	"google.golang.org/api/option"
)

type Store struct {
	client *bigtable.Client
	table  *bigtable.Table
}

func Open(ctx context.Context, opts ...option.ClientOption) (*Store, error) {
	client, err := bigtable.NewClient(ctx, "project", "instance", opts...)
	if err != nil {
		return nil, err
	}
	return &Store{client, client.Open("sessions")}, nil
}

func expiry(ttl time.Duration) bigtable.Timestamp {
	return bigtable.Time(time.Now().Add(ttl)).TruncateToMilliseconds()
}

func (s *Store) Put(ctx context.Context, key string, token []byte) error {
	mut := bigtable.NewMutation()
	mut.Set("token", "jwt", expiry(30*time.Minute), token)
	return s.table.Apply(ctx, key, mut)
}

func (s *Store) Get(ctx context.Context, key string) ([]byte, error) {
	row, err := s.table.ReadRow(ctx, key, bigtable.RowFilter(
		bigtable.TimestampRangeFilterMicros(bigtable.Now().TruncateToMilliseconds(), 0)))
	if err != nil {
		return nil, err
	}
	for _, item := range row["token"] {
		return item.Value, nil
	}
	return nil, nil
}
`
