package script

import (
	"fmt"
	"runtime"
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

// TestGrowth follows scripts whose words stand for more with each statement. What they
// say besides is known.
func TestGrowth(t *testing.T) {
	for name, script := range map[string]string{
		"variables":    "a=x\n" + strings.Repeat("a=$a$a\n", 1000) + "echo $a\n",
		"appended":     "a=x\n" + strings.Repeat("a+=$a\n", 1000),
		"lists":        "a=(x)\n" + strings.Repeat("a=(${a[@]} ${a[@]})\n", 1000),
		"replacements": "a=x\n" + strings.Repeat("a=${a//x/xx}\n", 11) + strings.Repeat("echo ${a//x/$a}${a//x/$a}${a//x/$a}\n", 1000),
		"braces":       "echo " + strings.Repeat("{a,b}", 1000) + " {1..1000000000}\n",
		"one word":     "a=" + strings.Repeat("x", 4000) + "\necho " + strings.Repeat("$a", 50_000) + "\n",
		"many words":   "a=" + strings.Repeat("x", 4000) + "\necho " + strings.Repeat("$a ", 50_000) + "\n",
		"branches":     strings.Repeat("a=1 b=2\n", 1000) + strings.Repeat("if $x; then y=1; fi\n", 1000),
		"literals":     "echo " + strings.Repeat("a ", 400_000) + "\n",
		"assignments":  strings.Repeat("a=1 ", 50_000) + "true\n",
	} {
		begin := time.Now()
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		s := &evidence.Schema{}
		Text(s, "x.sh", []byte("cbt createtable t families=f:maxage=1s\n"+script))
		runtime.ReadMemStats(&after)
		took, mega := time.Since(begin), (after.TotalAlloc-before.TotalAlloc)>>20
		if len(s.Settings) == 0 || took > 20*time.Second || mega > 1000 {
			t.Errorf("%s: %d statements after %v and %d MB", name, len(s.Settings), took, mega)
		}
		t.Logf("%s: %v, %d MB", name, took, mega)
	}
}
