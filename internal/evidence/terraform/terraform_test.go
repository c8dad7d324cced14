package terraform

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ttlvet/ttlvet/internal/evidence"
	"github.com/ttlvet/ttlvet/internal/evidence/evidencetest"
)

// TestConfigurations reads configurations, plans and states. Files whose name
// begins with "vars" are given by name.
func TestConfigurations(t *testing.T) {
	evidencetest.Run(t, func(t *testing.T, dir string, paths []string) string {
		in := &evidence.Input{Paths: paths}
		for _, p := range paths {
			if strings.HasPrefix(filepath.Base(p), "vars") {
				in.VarFiles = append(in.VarFiles, p)
			}
		}
		return evidencetest.Read(t, Reader, in)
	})
}

func FuzzShow(f *testing.F) {
	for _, file := range evidencetest.Files(f, ".json") {
		f.Add(file.Data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		s := &evidence.Schema{}
		show(s, "plan.json", data)
		_ = s.Dump()
	})
}

// FuzzConfiguration reads configurations of the tests with two pieces of them replaced.
// Of a whole configuration each new input would be minimised first, which takes tries
// that are the square of its length: the time of the run.
func FuzzConfiguration(f *testing.F) {
	malformed, err := os.ReadFile("testdata/malformed.tf")
	if err != nil {
		f.Fatal(err)
	}
	texts := [][]byte{malformed}
	for _, file := range evidencetest.Files(f, ".tf") {
		texts = append(texts, file.Data)
	}
	for i := range texts {
		f.Add(uint8(i), uint16(0), uint8(0), "", uint16(0), uint8(0), "")
		f.Add(uint8(i), uint16(100), uint8(1), "for_each = {", uint16(200), uint8(9), "${[for k in each.value: k]}")
	}
	path := filepath.Join(f.TempDir(), "main.tf")
	f.Fuzz(func(t *testing.T, which uint8, at uint16, cut uint8, put string, at2 uint16, cut2 uint8, put2 string) {
		text := spliced(texts[int(which)%len(texts)], int(at), int(cut), put)
		text = spliced(text, int(at2), int(cut2), put2)
		if err := os.WriteFile(path, text, 0o666); err != nil {
			t.Fatal(err)
		}
		_ = read(&evidence.Input{Paths: []string{path}}).Dump()
	})
}

// spliced returns a text in which something takes the place of some bytes.
func spliced(text []byte, at, cut int, put string) []byte {
	at = min(at, len(text))
	end := min(at+cut, len(text))
	return slices.Concat(text[:at], []byte(put), text[end:])
}
