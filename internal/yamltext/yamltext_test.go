package yamltext

import (
	"fmt"
	"runtime/debug"
	"runtime/metrics"
	"strings"
	"testing"
	"time"

	"github.com/goccy/go-yaml/parser"
)

func TestParse(t *testing.T) {
	for _, text := range []string{
		"a: 1\nb: [c, {d: e}]\n",
		"a:\n  - b\n  - c\n" + strings.Repeat("f:\n- x: y\n  z: [1]\n", 1000),
		strings.Repeat("[", 90) + strings.Repeat("]", 90),
		strings.Repeat("- ", 90) + "a",
		"", "# nothing\n", "---\na: b\n---\nc: d\n",
	} {
		if _, err := Parse([]byte(text), parser.AllowDuplicateMapKey()); err != nil {
			t.Errorf("%.40q: %v", text, err)
		}
	}
}

// hostile are texts for which the library takes gigabytes or minutes.
func hostile() map[string]string {
	var keys strings.Builder
	for i := range 1000 {
		fmt.Fprintf(&keys, "%*sa:\n", i, "")
	}
	const mega = 1 << 20
	return map[string]string{
		"brackets":    strings.Repeat("[", 100_000),
		"braces":      strings.Repeat("{a: ", 100_000),
		"entries":     strings.Repeat("- ", 100_000) + "a",
		"flow keys":   "a: {" + strings.Repeat("k,", 100_000) + "}",
		"flow values": "a: [{" + strings.Repeat("k: v,", 50_000) + "}]",
		"key marks":   strings.Repeat("? ", 100_000),
		"keys":        keys.String(),
		"elements":    "a: [" + strings.Repeat("b,", 8*mega) + "]",
		"flow braces": "a: [" + strings.Repeat("{},", mega) + "]",
		"mapping":     strings.Repeat("a: b\n", 20_000),
		"lines":       strings.Repeat("a: b\n", 3*mega),
		"comments":    strings.Repeat("#\n", 8*mega),
		"documents":   strings.Repeat("---\n", mega),
		"texts":       strings.Repeat("---\na\n", 50_000),
		"text":        "a: " + strings.Repeat("a ", 8*mega),
		"quotes":      "[" + strings.Repeat(`"",`, mega) + "]",
	}
}

func TestHostile(t *testing.T) {
	for name, text := range hostile() {
		begin := time.Now()
		_, err := Parse([]byte(text))
		switch {
		case err == nil:
			t.Errorf("%s: it is read", name)
		case !strings.Contains(err.Message, "that are read") || err.Line < 1:
			t.Errorf("%s: %.200v", name, err)
		case time.Since(begin) > 5*time.Second:
			t.Errorf("%s took %v", name, time.Since(begin))
		}
	}
}

// most is how many marks there may be.
const most = 200_000

// TestMost parses the worst texts that are within the limits.
func TestMost(t *testing.T) {
	line := strings.Repeat("[", 90) + strings.Repeat("b,", 3900) + strings.Repeat("]", 90)
	for name, text := range map[string]string{
		"deep": strings.Repeat("- "+line+"\n", most/4100),
		"flat": "a: [" + strings.Repeat("b,", most-10) + "]",
		"keys": strings.Repeat("- x\n"+strings.Repeat("- a: b\n", 5), most/20),
		"maps": strings.Repeat("-\n"+strings.Repeat("  a: b\n", maxKeys), most/(2*maxKeys)-1),
	} {
		debug.FreeOSMemory()
		begin := time.Now()
		if _, err := Parse([]byte(text), parser.AllowDuplicateMapKey()); err != nil {
			t.Errorf("%s: %.200v", name, err)
		}
		s := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
		metrics.Read(s)
		mega := (s[0].Value.Uint64() - s[1].Value.Uint64()) >> 20
		t.Logf("%s: %v, %d MB", name, time.Since(begin), mega)
		if mega > 450 || time.Since(begin) > 30*time.Second {
			t.Errorf("%s took %v and %d MB", name, time.Since(begin), mega)
		}
	}
}

func TestJSON(t *testing.T) {
	if data, err := JSON([]byte("a: &x {n: 1}\nb: *x\n")); err != nil || string(data) != `{"a": {"n": 1}, "b": {"n": 1}}`+"\n" {
		t.Errorf("%q, %v", data, err)
	}
	var b strings.Builder
	b.WriteString("x0: &x0 [a, a, a, a, a, a, a, a, a, a]\n")
	for i := 1; i < 10; i++ {
		fmt.Fprintf(&b, "x%d: &x%d [%s*x%d]\n", i, i, strings.Repeat(fmt.Sprintf("*x%d, ", i-1), 9), i-1)
	}
	if _, err := JSON([]byte(b.String())); err == nil || !strings.Contains(err.Error(), "aliases are more than") {
		t.Error(err)
	}
}

// TestError holds that an error has a place and does not quote the text.
func TestError(t *testing.T) {
	_, err := Parse([]byte("a: hunter2\n  b: c\n"))
	if err == nil || err.Column < 2 || strings.Contains(err.Error(), "hunter2") {
		t.Errorf("%+v", err)
	}
	if _, err := JSON([]byte("a: hunter2\na: c\n")); err == nil || strings.Contains(err.Error(), "hunter2") {
		t.Error(err)
	}
	begin := time.Now()
	if _, err := Parse([]byte(strings.Repeat("a: ", most-10))); err == nil || len(err.Error()) > 1000 || time.Since(begin) > 10*time.Second {
		t.Errorf("%.100v in %v", err, time.Since(begin))
	}
}

// FuzzJSON: whatever a text is, reading it ends, and an error has a place in it.
func FuzzJSON(f *testing.F) {
	for _, text := range []string{"a: &x {n: 1}\nb: *x\n", "- |\n a\n- !!str 1\n", "<<: {a: b}\n? [c]\n: d\n---\n\"e\"", "%YAML 1.2\n---\na:\n- - b: 'c'\n"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if _, bad := Parse([]byte(text), parser.AllowDuplicateMapKey()); bad != nil && (bad.Line < 1 || bad.Column < 1 || bad.Line > strings.Count(text, "\n")+strings.Count(text, "\r")+2) {
			t.Errorf("%+v of %q", bad, text)
		}
		_, _ = JSON([]byte(text))
	})
}
