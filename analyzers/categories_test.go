package analyzers_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/ttlvet/ttlvet/docs"
	"github.com/ttlvet/ttlvet/internal/rule"
)

// withoutFix says why a category has no suggested fix.
var withoutFix = map[string]string{
	"ttlwrite/already-expired":       "whether the cell is meant to be dead is not known",
	"ttlwrite/read-modify-write":     "what to read and to add is not in the call",
	"ttlwrite/clock-in-sequence":     "the sequence number is not in the call",
	"ttlwrite/same-timestamp":        "which of the two values is meant is not known",
	"ttlwrite/aggregate-server-time": "the period that the cell counts is not known",
	"ttlread/sql":                    "the statement may be shared, and its text is not Go",
	"ttlgc/empty-mask":               "what the update means to change is not known",
	"ttlgc/existing-data":            "it takes a migration",
	"ttlunit/out-of-range":           "the time that is meant is not known",
	"ttlunit/sub-millisecond":        "the number that is meant is not known",
	"ttlunit/empty-range":            "the range that is meant is not known",
	"ttlunit/age-unit":               "the unit that is meant is not known",
	"ttlage/not-write-time":          "the time of writing is kept nowhere",
	"ttlage/server-sentinel":         "what the comparison means is not known",
	"ttlschema/inert":                "what is meant is not written",
	"ttlschema/drift":                "which of the sources is right is not known",
	"ttlschema/undeclared":           "the strategy is not known",
	"ttlschema/missing":              "which of the two is right is not known",
	"ttlschema/stored":               "nothing is ever written",
	"ttlvet/registry":                "which of the two declarations is right is not known",
	"ttlvet/directive":               "whether the reason or the directive is missing is not known",
}

// TestCategories holds the catalogue against the copy of the contract's
// categories, and checks that each has cases that are reported and cases that
// are silent, a golden file or a reason for none, a proof and a page.
func TestCategories(t *testing.T) {
	data, err := os.ReadFile("../testdata/rules/categories.txt")
	if err != nil {
		t.Fatal(err)
	}
	contract := map[string]bool{}
	for _, line := range strings.Split(strings.TrimSpace(string(data)), "\n") {
		name, strict, _ := strings.Cut(line, " ")
		contract[name] = true
		analyzer, category, _ := strings.Cut(name, "/")
		r, ok := rule.Lookup(analyzer, category)
		if !ok || r.Strict != (strict == "strict") {
			t.Errorf("%s is in the contract and not so in the catalogue", line)
		}
	}
	reported, silent, golden := evidence(t)
	proofs := source(t, "../internal/proof")
	for _, r := range rule.All {
		name := r.Name()
		if !contract[name] {
			t.Errorf("%s is in the catalogue and not in the contract", name)
		}
		if !reported[r.Category] {
			t.Errorf("%s: no case wants it", name)
		}
		if !silent[r.Category] {
			t.Errorf("%s: no package that wants it has a function that is silent", name)
		}
		if golden[r.Category] == (withoutFix[name] != "") {
			t.Errorf("%s: needs a golden file or a reason for none, and not both", name)
		}
		if r.Analyzer != "ttlvet" && !strings.Contains(proofs, `"`+name+`"`) {
			t.Errorf("%s: has neither proof nor reason", name)
		}
		if text, ok := docs.Section(name); !ok || len(text) < 200 {
			t.Errorf("%s: has no page", name)
		}
	}
}

var wanted = regexp.MustCompile("(?:want|` )`([a-z-]+): ")

// evidence finds the categories that cases want, those of which a package has
// silent functions too, and those of which a golden file shows the fix.
func evidence(t *testing.T) (reported, silent, golden map[string]bool) {
	reported, silent, golden = map[string]bool{}, map[string]bool{}, map[string]bool{}
	okFunc := regexp.MustCompile(`(?m)^(func (\([^)]*\) )?ok|var ok|// ok|.*\bok[A-Z])`)
	err := filepath.WalkDir("../testdata/cases", func(path string, d fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".go") {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		_, err = os.Stat(path + ".golden")
		for _, m := range wanted.FindAllStringSubmatch(strings.ReplaceAll(string(data), "want `", "want`"), -1) {
			reported[m[1]] = true
			if okFunc.Match(data) {
				silent[m[1]] = true
			}
			if err == nil {
				golden[m[1]] = true
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	// Rules about what is not Go have their cases in archives.
	archives, err := filepath.Glob("../internal/schema/testdata/*.txtar")
	if err != nil || len(archives) == 0 {
		t.Fatal(archives, err)
	}
	for _, name := range archives {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range regexp.MustCompile(`\(ttlschema/([a-z]+)\)`).FindAllSubmatch(data, -1) {
			reported[string(m[1])] = true
			silent[string(m[1])] = silent[string(m[1])] || strings.Contains(string(data), "# ok")
		}
	}
	// What is stored is no file.
	stored := strings.Contains(source(t, "../internal/schema"), "func TestStored(")
	reported["stored"], silent["stored"] = stored, stored
	return reported, silent, golden
}

// source returns the Go source of a directory.
func source(t *testing.T, dir string) string {
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil || len(files) == 0 {
		t.Fatal(dir, err)
	}
	var b strings.Builder
	for _, f := range files {
		data, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		b.Write(data)
	}
	return b.String()
}
