package analyzers_test

import (
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"golang.org/x/tools/go/analysis"
)

var update = flag.Bool("update", false, "write the list of messages")

// messages are the texts that the analyzers print on the cases, without what
// varies: names, numbers and places. In one list they can be read as users read
// them, and a changed one shows in a review.
type messages struct {
	mu   sync.Mutex
	text map[string]bool
}

// varying are the parts of messages that are left out, and what stands for them.
var varying = []struct {
	re   *regexp.Regexp
	with string
}{
	{regexp.MustCompile(` \((reached at|inferred from the policy at) [^)]*\)(, also \S+( and \d+ more)?)?`), ""},
	{regexp.MustCompile(` \(ttl[a-z]+/[a-z-]+\)$`), ""},
	{regexp.MustCompile(` of table "[^"]*"`), ""},
	{regexp.MustCompile(`"[^"]*"(, "[^"]*")*`), "“…”"},
	{regexp.MustCompile(`\b\d{4}-\d\d-\d\d(T[\d:]+Z)?`), "DATE"},
	{regexp.MustCompile(`\b(\d+\*)?time\.(Hour|Minute|Second|Millisecond)\b`), "LIFETIME"},
	{regexp.MustCompile(`-?\b\d+(\.\d+)?(µs|ns|ms|[smhd])?\b`), "N"},
}

// told are numbers that belong to a message.
var told = []string{"0", "1", "-1", "1000", "1ms", "1678", "1970", "2262"}

func (m *messages) add(analyzer string, d analysis.Diagnostic) {
	text := d.Message
	for _, v := range varying {
		text = v.re.ReplaceAllStringFunc(text, func(part string) string {
			if v.with == "N" && slices.Contains(told, part) {
				return part
			}
			return v.with
		})
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.text == nil {
		m.text = map[string]bool{}
	}
	m.text[analyzer+"/"+d.Category+": "+text] = true
}

func (m *messages) compare(t *testing.T) {
	t.Helper()
	var lines []string
	for text := range m.text {
		lines = append(lines, text)
	}
	slices.Sort(lines)
	got := strings.Join(lines, "\n") + "\n"
	file := filepath.Join(filepath.Dir(cases(t)), "messages.txt")
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if want, err := os.ReadFile(file); err != nil || string(want) != got {
		t.Errorf("testdata/messages.txt is not what the analyzers print (%v): run go test ./analyzers -run TestCases -update, and read it as a newcomer would", err)
	}
}
