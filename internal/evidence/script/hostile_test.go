package script

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/ttlvet/ttlvet/internal/evidence"
)

// TestMakeExpansion expands variables that stand for others eight times over.
func TestMakeExpansion(t *testing.T) {
	var b strings.Builder
	b.WriteString("v0 = cbt\n")
	for i := 1; i < 10; i++ {
		fmt.Fprintf(&b, "v%d = %s\n", i, strings.Repeat(fmt.Sprintf("$(v%d)", i-1), 40))
	}
	b.WriteString("all:\n\tcbt createtable t families=f:maxage=1s\n\techo $(v9)\n")
	begin := time.Now()
	s := &evidence.Schema{}
	Text(s, "Makefile", []byte(b.String()))
	if len(s.Settings) == 0 || time.Since(begin) > 20*time.Second {
		t.Errorf("%d statements after %v", len(s.Settings), time.Since(begin))
	}
}

// TestManyRecipes follows a file of more commands than are followed. Each is a script
// of its own.
func TestManyRecipes(t *testing.T) {
	begin := time.Now()
	s := &evidence.Schema{}
	Text(s, "Makefile", []byte("all:\n"+strings.Repeat("\tcbt createtable t\n", 100_000)))
	if len(s.Settings) != maxSteps || len(s.Notes) != 1 || time.Since(begin) > 30*time.Second {
		t.Errorf("%d statements and %d notes after %v", len(s.Settings), len(s.Notes), time.Since(begin))
	}
}
