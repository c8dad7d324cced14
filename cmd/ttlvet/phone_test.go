package main

import (
	"net/http"
	"net/http/httptest"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// phone opens the page in a frame as wide as a phone, and lists what is cut off there.
const phone = `<!doctype html><iframe id=f width=390 height=800 src="page.html"></iframe><pre id=out></pre><script>
f.onload = () => {
	const d = f.contentDocument, parts = [d.documentElement, ...d.querySelectorAll(".wide")]
	const heads = [...d.querySelectorAll(".overview th")].filter(th => th.offsetWidth > 0).map(th => th.textContent)
	out.textContent = parts.filter(e => e.scrollWidth > e.clientWidth).map(e => e.textContent.slice(0, 60)).join("") + "; " + heads.join(" ")
}
</script>`

// TestInventoryPage looks at the page about the demo in Chromium, as wide as a phone.
func TestInventoryPage(t *testing.T) {
	slow(t, "starts a browser")
	chromium, err := exec.LookPath("chromium")
	if err != nil {
		t.Skip("Chromium is needed")
	}
	page, errout, code := ttlvet(t, "../../testdata/demo", nil, "inventory", "-html", "-")
	if code != exitClean {
		t.Fatal(errout)
	}
	if !strings.Contains(page, " on "+time.Now().Format(time.DateOnly)) || exists("../../.git") && !regexp.MustCompile(`at commit <code>[0-9a-f]{7,}<`).MatchString(page) {
		t.Error("the page does not say when and of what it was made")
	}
	dir := t.TempDir()
	writeFile(t, filepath.Join(dir, "page.html"), page, 0o666)
	writeFile(t, filepath.Join(dir, "index.html"), phone, 0o666)
	server := httptest.NewServer(http.FileServer(http.Dir(dir)))
	defer server.Close()
	dom, err := exec.CommandContext(t.Context(), chromium, "--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update",
		"--disable-sync", "--no-first-run", "--user-data-dir="+t.TempDir(), "--virtual-time-budget=10000", "--dump-dom", server.URL).Output()
	if err != nil {
		t.Fatal(err)
	}
	_, got, _ := strings.Cut(string(dom), `<pre id="out">`)
	if got, _, _ = strings.Cut(got, "<"); got != "; Table Family Strategy Findings" {
		t.Errorf("cut off, and the columns that are seen: %q", got)
	}
}
