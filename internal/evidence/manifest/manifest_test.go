package manifest

import (
	"testing"

	"github.com/ttlvet/ttlvet/internal/evidence"
	"github.com/ttlvet/ttlvet/internal/evidence/evidencetest"
)

// TestManifests reads manifests of all providers, and what is broken.
func TestManifests(t *testing.T) {
	evidencetest.Run(t, func(t *testing.T, _ string, paths []string) string {
		return evidencetest.Read(t, Reader, &evidence.Input{Paths: paths})
	})
}

func FuzzObjects(f *testing.F) {
	for _, file := range evidencetest.Files(f, ".yaml") {
		f.Add(string(file.Data))
	}
	f.Fuzz(func(t *testing.T, text string) {
		r := &reader{schema: &evidence.Schema{}}
		r.file("m.yaml", []byte(text))
		r.finish()
		_ = r.schema.Dump()
	})
}
