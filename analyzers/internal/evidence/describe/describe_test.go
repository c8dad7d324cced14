package describe

import (
	"testing"

	"github.com/ttlvet/ttlvet/analyzers/internal/evidence"
	"github.com/ttlvet/ttlvet/analyzers/internal/evidence/evidencetest"
)

// TestDescriptions reads descriptions of tables, each of which is claimed.
func TestDescriptions(t *testing.T) {
	evidencetest.Run(t, func(t *testing.T, _ string, paths []string) string {
		return evidencetest.Read(t, Reader, &evidence.Input{Paths: paths})
	})
}
