package analyzers

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/tools/go/analysis"

	"github.com/ttlvet/ttlvet/internal/btapi"
	"github.com/ttlvet/ttlvet/internal/check"
	"github.com/ttlvet/ttlvet/internal/fix"
	"github.com/ttlvet/ttlvet/internal/module"
	"github.com/ttlvet/ttlvet/internal/registry"
	"github.com/ttlvet/ttlvet/internal/rule"
	"github.com/ttlvet/ttlvet/internal/schema"
	"github.com/ttlvet/ttlvet/internal/trace"
)

// Failures is the number of internal errors that the analyzers of this
// process have reported on standard error. What they say is incomplete then.
func Failures() int { return trace.Failures() }

// A Rule is one category of what an analyzer reports.
type Rule = rule.Rule

// Rules returns all rules in the documentation's order.
func Rules() []Rule { return append([]Rule(nil), rule.All...) }

// RuleNames returns the names of all rules, "analyzer/category", sorted.
func RuleNames() []string { return rule.Names() }

// LookupRule returns the rule of that analyzer and category.
func LookupRule(analyzer, category string) (Rule, bool) { return rule.Lookup(analyzer, category) }

// CheckRuleName returns an error that suggests the nearest name unless name
// is an analyzer's or a rule's.
func CheckRuleName(name string) error {
	if rule.Known(name) {
		return nil
	}
	if s := rule.Suggest(name); s != "" {
		return fmt.Errorf("unknown rule %q; did you mean %q?", name, s)
	}
	return fmt.Errorf("unknown rule %q; the rules are listed by ttlvet help rules", name)
}

// IsUnsafe reports whether a fix is one that a person should look at before it
// is applied. Only [Options] with UnsafeFixes make analyzers offer such ones;
// their messages say so.
func IsUnsafe(f analysis.SuggestedFix) bool { return fix.IsUnsafe(f) }

// ReachesByItself reports whether a package reaches Bigtable by the mere
// import of the package with that path. Packages that import a package that
// reaches Bigtable reach it too, unless that one [IsClient].
func ReachesByItself(importPath string) bool { return btapi.IsRoot(importPath) }

// Roots lists the import paths of which [ReachesByItself] holds.
func Roots() []string { return btapi.Roots() }

// IsClient reports whether the package belongs to the Bigtable client or to
// ttlvet's runtime package. What these do is known without analysis, so that
// drivers need not give their source to the analyzers.
func IsClient(importPath string) bool { return btapi.IsClient(importPath) }

// Followed reports whether values are followed through the package in a
// directory although it cannot reach Bigtable: whether it is of the module at
// hand, of its workspace, behind a replace directive, or of a dependency that
// requires the client.
func Followed(dir string) bool { return module.Followed(dir) }

// Registries parses every registry file that a run started in dir can read.
// It returns a hash that changes with any of them, by which drivers keep
// their caches from answering for an older registry. The error lists every
// mistake on a line of its own, as "file:line:col: message".
//
// The baselines that the registries name count as part of them.
func Registries(dir string) (hash string, err error) {
	return registries(dir, (*registry.File).CheckBaseline)
}

// RegistriesWithoutBaselines is [Registries] for runs that are about to write
// a baseline, and do not mind that it is missing or malformed.
func RegistriesWithoutBaselines(dir string) (hash string, err error) {
	return registries(dir, func(*registry.File) error { return nil })
}

func registries(dir string, check func(*registry.File) error) (hash string, err error) {
	files := registry.Readable(dir)
	var mistakes []string
	for _, file := range files {
		f, err := registry.Load(file)
		if err == nil {
			err = check(f)
		}
		if err != nil {
			mistakes = append(mistakes, err.Error())
		}
	}
	if mistakes != nil {
		err = errors.New(strings.Join(mistakes, "\n"))
	}
	return registryHash(files), err
}

// registryHash changes with the registry files, and with the files that they
// name as sources of policies.
func registryHash(files []string) string {
	var sources []string
	for _, file := range files {
		if f, err := registry.Load(file); err == nil {
			sources = append(sources, schema.Files(f)...)
		}
	}
	hash := registry.Hash(files)
	if sources != nil {
		hash += registry.Hash(sources)
	}
	return hash
}

// Baselines returns the paths of the baseline files that the registries
// readable from dir name.
func Baselines(dir string) []string { return registry.Baselines(registry.Readable(dir)) }

// RegistryFiles returns the paths of the registry files readable from dir.
func RegistryFiles(dir string) []string { return registry.Readable(dir) }

// Modules returns the root directories of the modules that a run started in
// dir is about: that of dir first, and those that its workspace uses.
func Modules(dir string) []string { return registry.Modules(dir) }

// Details are what an analyzer of the suite found besides its diagnostics.
type Details = check.Details

// DetailsOf returns the details of a run of an analyzer from its result.
func DetailsOf(result any) (d Details, ok bool) {
	out, ok := result.(*check.Outcome)
	if !ok || out == nil {
		return d, false
	}
	return out.Details, true
}

// NoRegistry is what drivers say when nothing declares a table: what ttlvet then
// checks is little, and looks like success.
const NoRegistry = "no ttlvet.yaml: " + littleChecked + "; ttlvet init drafts one"

const littleChecked = "only units and inferred families are checked"

// RegistryNote says of the result of an analyzer of the suite, like
// [NoRegistry], that no table is declared for its package. known reports whether
// the package reaches Bigtable and the result can tell.
func RegistryNote(result any) (note string, known bool) {
	out, ok := result.(*check.Outcome)
	switch {
	case !ok || !out.Reaches:
		return "", false
	case out.Declares:
		return "", true
	case out.Registry:
		return "ttlvet.yaml declares no table: " + littleChecked + "; declare what is commented out, or let ttlvet init -update draft it", true
	}
	return NoRegistry, true
}

// NothingRegistered reports whether a run started in dir reads no registry
// file, in modules that do not require ttlvet's runtime package either, with
// which Go code declares tables.
func NothingRegistered(dir string) bool {
	return registry.InModule(dir) && len(registry.Readable(dir)) == 0 && !registry.Requires(dir, "github.com/ttlvet/ttlvet")
}

// RegistryKey returns an analyzer that does nothing and whose name carries
// the hash of the registries readable from dir. Drivers that keep results by
// the names of analyzers do not answer from results that were found with
// another registry when it is among those that they run, which golangci-lint
// looks at, or among those that these require, which gopls looks at.
func RegistryKey(dir string) *analysis.Analyzer {
	hash := registryHash(registry.Readable(dir))
	if !registry.InModule(dir) {
		// Started elsewhere, the driver may come to read any registry:
		// nothing that an earlier process left behind can be trusted.
		hash = fmt.Sprintf("%x_%x", time.Now().UnixNano(), os.Getpid())
	}
	return keyAnalyzer(hash)
}

func keyAnalyzer(hash string) *analysis.Analyzer {
	return &analysis.Analyzer{
		Name: "ttlvetregistry_" + hash,
		Doc:  "carries the hash of the registry into caches",
		URL:  "https://github.com/ttlvet/ttlvet",
		Run:  func(*analysis.Pass) (any, error) { return nil, nil },
	}
}

// Keyed makes every analyzer of the list require an analyzer like [RegistryKey],
// for the registries of all the directories, by their content and by when they
// were written: a program that lives on while they are edited may have looked at
// a package with one while it still took itself to be at the one before. Keyed
// changes the analyzers that it is given and returns them.
func Keyed(list []*analysis.Analyzer, dirs ...string) []*analysis.Analyzer {
	h := sha256.New()
	for _, dir := range dirs {
		key := RegistryKey(dir)
		io.WriteString(h, key.Name+"\x00"+RegistryStamp(dir)+"\x00")
	}
	key := keyAnalyzer(hex.EncodeToString(h.Sum(nil)))
	for _, a := range list {
		a.Requires = append(a.Requires[:len(a.Requires):len(a.Requires)], key)
	}
	return list
}

// RegistryStamp returns a text that changes when a registry of the modules of
// dir, or a baseline that it names, is written, removed or made. It costs little.
func RegistryStamp(dir string) string { return registry.Stamp(registry.Places(dir)) }

// A Mistake is what is wrong at a place of a registry file.
type Mistake struct {
	File         string // its absolute path
	Line, Column int    // counted from 1
	Message      string
}

// RegistryMistakes returns what is wrong with the registries of the modules of
// dir.
func RegistryMistakes(dir string) []Mistake {
	var list []Mistake
	for _, path := range registry.Places(dir) {
		if _, err := os.Lstat(path); err != nil || !registry.IsName(filepath.Base(path)) {
			continue
		}
		f, err := registry.Load(path)
		if err == nil {
			err = f.CheckBaseline()
		}
		var errs registry.Errors
		switch {
		case errors.As(err, &errs):
			for _, e := range errs {
				list = append(list, Mistake{path, e.Pos.Line, e.Pos.Column, e.Msg})
			}
		case err != nil:
			list = append(list, Mistake{path, 1, 1, err.Error()})
		}
	}
	return list
}
