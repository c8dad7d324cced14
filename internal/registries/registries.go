// Package registries answers for all registry files that a run can read: whether
// they hold, and what changes with them, by which drivers key what they keep.
package registries

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"golang.org/x/tools/go/analysis"

	"github.com/ttlvet/ttlvet/internal/registry"
	"github.com/ttlvet/ttlvet/internal/schema"
)

// Parse parses every registry file that a run started in dir can read.
// It returns a hash that changes with any of them, by which drivers keep
// their caches from answering for an older registry. The error lists every
// mistake on a line of its own, as "file:line:col: message".
//
// The baselines that the registries name count as part of them.
func Parse(dir string) (hash string, err error) {
	return parse(dir, (*registry.File).CheckBaseline)
}

// ParseWithoutBaselines is [Parse] for runs that are about to write
// a baseline, and do not mind that it is missing or malformed.
func ParseWithoutBaselines(dir string) (hash string, err error) {
	return parse(dir, func(*registry.File) error { return nil })
}

func parse(dir string, check func(*registry.File) error) (hash string, err error) {
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
	return hashOf(files), err
}

// hashOf changes with the registry files, and with the files that they
// name as sources of policies.
func hashOf(files []string) string {
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

// Key returns an analyzer that does nothing and whose name carries the hash of
// the registries readable from dir. Drivers that keep results by the names of
// analyzers do not answer from results that were found with another registry
// when it is among those that they run, which golangci-lint looks at, or among
// those that these require, which gopls looks at.
func Key(dir string) *analysis.Analyzer {
	hash := hashOf(registry.Readable(dir))
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

// Keyed makes every analyzer of the list require an analyzer like that of [Key],
// for the registries of all the directories, by their content and by when they
// were written: a program that lives on while they are edited may have looked at
// a package with one while it still took itself to be at the one before. Keyed
// changes the analyzers that it is given and returns them.
func Keyed(list []*analysis.Analyzer, dirs ...string) []*analysis.Analyzer {
	h := sha256.New()
	for _, dir := range dirs {
		key := Key(dir)
		io.WriteString(h, key.Name+"\x00"+registry.Stamp(registry.Places(dir))+"\x00")
	}
	key := keyAnalyzer(hex.EncodeToString(h.Sum(nil)))
	for _, a := range list {
		a.Requires = append(a.Requires[:len(a.Requires):len(a.Requires)], key)
	}
	return list
}
