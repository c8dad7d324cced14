//go:build unix

// Command benchmark measures what ttlvet costs beside go vet, a vet tool that
// does nothing and staticcheck, on generated modules. From the root of ttlvet:
//
//	go run ./internal/benchmark [-runs 1] [-scenario few,most]
//
// The scenarios are few (130 packages, 10 of which reach Bigtable), most (a
// service of 133 packages, nearly all of which do), empty (the same with an
// empty build cache), draft (what ttlvet init costs beside ttlvet ./..., on the
// first two), repository (10,000 packages, 300 of which do, and 1,000
// packages, 300 of which do) and large (a package of 20,000 lines and one of
// 100,000), or all.
//
// For each it prints processor time, peak memory and elapsed time of each way
// to run the analyzers, with what the compiler makes cached and what vet makes
// not, and processor time as a share of the others'. All takes an hour.
package main

import (
	"flag"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// staticcheckVersion is what people would run otherwise.
const staticcheckVersion = "v0.8.2"

var (
	runs     = flag.Int("runs", 1, "how often everything is measured; the least counts")
	keep     = flag.String("dir", "", "generate in this `directory` and keep it")
	chosen   = flag.String("scenario", "few", "which `scenarios` to run, separated by commas: few, most, empty, draft, repository, large or all")
	fewer    = flag.Bool("quick", false, "run ttlvet alone: with nothing remembered, and again")
	packages = flag.Int("packages", 10000, "how many packages the repository has")
)

// A scenario is a module and the ways to analyse it that are compared.
type scenario struct {
	name, about string
	generate    func(dir string) error
	ways        []string
	cold        bool // each way starts with an empty build cache
}

func scenarios() []scenario {
	all := []string{"ttlvet", "vettool", "nothing", "vet", "staticcheck"}
	alone, drafts := []string{"ttlvet"}, []string{"init", "ttlvet"}
	service := func(dir string) error {
		extra, err := extraDependencies(210)
		if err != nil {
			return err
		}
		return most(dir, extra)
	}
	return []scenario{
		{"few", "130 packages, 10 of which reach Bigtable", func(dir string) error { return few(dir, 130, 10) }, all, false},
		{"most", "133 packages, 121 of which reach Bigtable", service, all, false},
		{"empty", "the same with an empty build cache", service, []string{"ttlvet", "vet", "staticcheck"}, true},
		{"draft", "130 packages, 10 of which reach Bigtable", func(dir string) error { return few(dir, 130, 10) }, drafts, false},
		{"draft", "133 packages, 121 of which reach Bigtable", service, drafts, false},
		{"repository", "1,000 packages, 300 of which reach Bigtable", func(dir string) error { return repository(dir, 1000) }, alone, false},
		{"repository", fmt.Sprintf("%d packages, 300 of which reach Bigtable", *packages), func(dir string) error { return repository(dir, *packages) }, alone, false},
		{"large", "a package of 20,000 lines", func(dir string) error { return large(dir, 20000) }, all, false},
		{"large", "a package of 100,000 lines", func(dir string) error { return large(dir, 100000) }, all, false},
	}
}

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
	}
	err := run(dir)
	if *keep == "" {
		os.RemoveAll(dir)
	}
	if err != nil {
		log.Fatal(err)
	}
}

func run(dir string) error {
	names := strings.Split(*chosen, ",")
	b := &bench{tools: filepath.Join(dir, "tools")}
	if err := b.build(); err != nil {
		return err
	}
	found := false
	for i, s := range scenarios() {
		if !slices.Contains(names, s.name) && *chosen != "all" {
			continue
		}
		found = true
		b.module = filepath.Join(dir, fmt.Sprintf("%s-%d", s.name, i))
		b.caches = filepath.Join(dir, "caches")
		if err := s.generate(b.module); err != nil {
			return err
		}
		if *fewer && s.name != "draft" {
			s.ways = []string{"ttlvet", "again"}
		}
		if err := b.run(s); err != nil {
			return fmt.Errorf("%s: %v", s.name, err)
		}
	}
	if !found {
		return fmt.Errorf("no scenario %s", *chosen)
	}
	return nil
}

// extraDependencies returns packages of modules that ttlvet requires and
// that the client does not import: a service has more dependencies than that.
func extraDependencies(n int) ([]string, error) {
	client, err := output(".", "go", "list", "-deps", "cloud.google.com/go/bigtable")
	if err != nil {
		return nil, err
	}
	known := strings.Fields(client)
	more, err := output(".", "go", "list", "-e", "-f", "{{if not .DepsErrors}}{{.ImportPath}}{{end}}", "github.com/envoyproxy/go-control-plane/envoy/...")
	if err != nil {
		return nil, err
	}
	list := slices.DeleteFunc(strings.Fields(more), func(path string) bool { return slices.Contains(known, path) })
	return list[:min(n, len(list))], nil
}
