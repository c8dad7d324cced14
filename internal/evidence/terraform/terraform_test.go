package terraform

import (
	"os"
	"path/filepath"
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

func FuzzConfiguration(f *testing.F) {
	for _, file := range evidencetest.Files(f, ".tf") {
		f.Add(file.Data)
	}
	path := filepath.Join(f.TempDir(), "main.tf")
	f.Fuzz(func(t *testing.T, data []byte) {
		if err := os.WriteFile(path, data, 0o666); err != nil {
			t.Fatal(err)
		}
		_ = read(&evidence.Input{Paths: []string{path}}).Dump()
	})
}
