package script

import (
	"path/filepath"
	"testing"

	"github.com/ttlvet/ttlvet/internal/evidence"
	"github.com/ttlvet/ttlvet/internal/evidence/evidencetest"
)

// TestFiles reads scripts and what carries them.
func TestFiles(t *testing.T) {
	evidencetest.Run(t, func(t *testing.T, _ string, paths []string) string {
		return evidencetest.Read(t, Reader, &evidence.Input{Paths: paths})
	})
}

func FuzzText(f *testing.F) {
	for _, file := range evidencetest.Files(f, "") {
		f.Add(filepath.Base(file.Name), file.Data)
	}
	f.Fuzz(func(t *testing.T, name string, data []byte) {
		s := &evidence.Schema{}
		Text(s, name, data)
		_ = s.Dump()
	})
}
