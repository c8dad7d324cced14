package docs

import (
	"context"
	"encoding/json"
	"fmt"
	"html"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// TestSite builds the site of the pages by its documented command and checks its links
// and, where Chromium is installed, its search and its width on a phone.
func TestSite(t *testing.T) {
	if os.Getenv("TTLVET_SLOW") == "" {
		t.Skip("builds Hugo; set TTLVET_SLOW=1")
	}
	config, err := os.ReadFile("../site/hugo.yaml")
	if err != nil {
		t.Fatal(err)
	}
	command := regexp.MustCompile(`#\t(go run \S+ -s site) `).FindStringSubmatch(string(config))
	if command == nil {
		t.Fatal("site/hugo.yaml does not say how the site is made")
	}
	dir := t.TempDir()
	args := append(strings.Fields(command[1]), "--panicOnWarning", "-d", dir)
	cmd := exec.CommandContext(t.Context(), args[0], args[1:]...)
	cmd.Dir = ".."
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	var pages []string
	err = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Name() == "index.html" {
			pages = append(pages, path)
		}
		return err
	})
	if err != nil || len(pages) < len(Pages()) {
		t.Fatalf("%d pages, %v", len(pages), err)
	}
	for _, page := range pages {
		checkLinks(t, dir, page)
	}
	checkBrowser(t, dir, pages)
}

var href = regexp.MustCompile(`(?:href|src)="?([^" >]+)`)

// checkLinks checks that the links of a page lead to files and headings of the site.
func checkLinks(t *testing.T, dir, page string) {
	data, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range href.FindAllStringSubmatch(string(data), -1) {
		file, anchor, _ := strings.Cut(html.UnescapeString(m[1]), "#")
		if strings.Contains(file, "://") {
			continue
		}
		target := page
		if file != "" {
			target = filepath.Join(filepath.Dir(page), file)
		}
		if info, err := os.Stat(target); err == nil && info.IsDir() {
			target = filepath.Join(target, "index.html")
		}
		text, err := os.ReadFile(target)
		if err != nil || anchor != "" && !regexp.MustCompile(`id="?`+regexp.QuoteMeta(anchor)+`[" >]`).Match(text) {
			rel, _ := filepath.Rel(dir, page)
			t.Errorf("%s links to %s, which is not there", rel, m[1])
		}
	}
}

// harness opens every page in a frame as wide as a phone, and searches on the last.
const harness = `<!doctype html><iframe id=f width=390 height=800></iframe><pre id=out></pre><script>
const f = document.getElementById("f"), wide = []
const open = url => new Promise(done => { f.onload = done; f.src = url })
const wait = ms => new Promise(done => setTimeout(done, ms));
(async () => {
	for (const url of %s) {
		await open(url)
		const d = f.contentDocument.documentElement
		if (d.scrollWidth > 390) wide.push(url + " is " + d.scrollWidth + " wide")
	}
	const q = f.contentDocument.getElementById("query")
	q.value = "server timestamp"
	q.dispatchEvent(new f.contentWindow.Event("input"))
	await wait(500)
	const found = [...f.contentDocument.querySelectorAll("#results a")].map(a => a.href)
	document.getElementById("out").textContent = JSON.stringify({ wide, found })
})()
</script>`

func checkBrowser(t *testing.T, dir string, pages []string) {
	chromium, err := exec.LookPath("chromium")
	if err != nil {
		t.Log("Chromium is not installed: the search is not tried")
		return
	}
	var urls []string
	for _, page := range pages {
		rel, err := filepath.Rel(dir, page)
		if err != nil {
			t.Fatal(err)
		}
		urls = append(urls, "/"+filepath.ToSlash(filepath.Dir(rel))+"/")
	}
	list, err := json.Marshal(urls)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "harness.html"), fmt.Appendf(nil, harness, list), 0o666); err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(http.FileServer(http.Dir(dir)))
	defer server.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	out, err := exec.CommandContext(ctx, chromium, "--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update",
		"--disable-sync", "--no-first-run", "--user-data-dir="+t.TempDir(), "--virtual-time-budget=60000", "--dump-dom", server.URL+"/harness.html").Output()
	if err != nil {
		t.Fatal(err)
	}
	_, text, _ := strings.Cut(string(out), `<pre id="out">`)
	text, _, _ = strings.Cut(text, "</pre>")
	var got struct{ Wide, Found []string }
	if err := json.Unmarshal([]byte(html.UnescapeString(text)), &got); err != nil {
		t.Fatalf("%v: %.300s", err, out)
	}
	if len(got.Wide) > 0 {
		t.Errorf("wider than a phone: %q", got.Wide)
	}
	if len(got.Found) == 0 || !strings.HasSuffix(got.Found[0], "/ttlwrite/#server-timestamp") {
		t.Errorf("the search finds %q", got.Found)
	}
}
