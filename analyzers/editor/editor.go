// Package editor keeps what a language server shows up to date with registries.
//
// A server such as gopls looks again at a package when its Go files change. That
// the analyzers read another file, ttlvet.yaml, it does not know. [Serve] stands
// between the server and its client, on the server's standard input and output,
// and watches the registries: when one changes, it lets the program key the
// analyzers anew, marks mistakes in the registry itself, and makes the server
// look again, by a change to each open file that changes nothing. It also gives findings
// the severity of their rules, and the quick fix that ignores them.
package editor

import (
	"bytes"
	"encoding/json"
	"io"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/tools/go/analysis"

	"github.com/ttlvet/ttlvet/internal/registries"
	"github.com/ttlvet/ttlvet/internal/registry"
)

// Keyed makes every analyzer of the list require one whose name changes with the
// registries of all the directories: servers keep results by names of analyzers.
// It changes the analyzers that it is given and returns them.
func Keyed(list []*analysis.Analyzer, dirs ...string) []*analysis.Analyzer {
	return registries.Keyed(list, dirs...)
}

// interval is how often the registries are looked at.
const interval = time.Second

// A proxy is one conversation of a server with its client.
type proxy struct {
	rekey func(dirs []string)

	mu       sync.Mutex // orders messages, and guards what follows
	toServer io.Writer
	ready    bool              // the server takes notifications
	open     map[string]int    // versions of the open Go files by URI
	dirs     []string          // the directories whose registries count
	stamp    string            // of the registries at the last look
	marked   map[string]string // what was last said of a registry, by URI
	unsaved  map[string]bool   // the open Go files that are not as on disk

	// pending is how the results of requests are changed, by request.
	pending map[string]func(result json.RawMessage) any

	out      sync.Mutex
	toClient io.Writer
}

// Serve copies messages from client to server and back until either ends. dir
// is where the program was started; rekey is called with it and with the
// client's folders before the server looks again.
func Serve(client io.Reader, toServer io.WriteCloser, server io.Reader, toClient io.Writer, dir string, rekey func(dirs []string)) {
	p := &proxy{rekey: rekey, toServer: toServer, toClient: toClient, open: map[string]int{}, dirs: []string{dir}, marked: map[string]string{},
		unsaved: map[string]bool{}, pending: map[string]func(json.RawMessage) any{}}
	p.serve(client, toServer, server, interval)
}

func (p *proxy) serve(client io.Reader, toServer io.Closer, server io.Reader, interval time.Duration) {
	p.stamp = stamp(p.dirs)
	done := make(chan struct{})
	go p.watch(done, interval)
	go func() {
		defer toServer.Close()
		p.fromClient(newFrames(client))
	}()
	p.fromServer(newFrames(server))
	close(done)
}

// fromClient hands the client's messages on and learns from them.
func (p *proxy) fromClient(frames *frames) {
	for {
		body, err := frames.next()
		if err != nil {
			return
		}
		p.mu.Lock()
		p.observe(body)
		p.asked(body)
		err = write(p.toServer, body)
		p.mu.Unlock()
		if err != nil {
			return
		}
	}
}

func (p *proxy) fromServer(frames *frames) {
	for {
		body, err := frames.next()
		if err != nil {
			return
		}
		body = graded(p.answered(body))
		p.out.Lock()
		err = write(p.toClient, body)
		p.out.Unlock()
		if err != nil {
			return
		}
	}
}

// A message is what is read of the client's messages.
type message struct {
	Method string
	Params struct {
		TextDocument struct {
			URI        string
			LanguageID string
			Version    int
		}
		RootURI          string
		WorkspaceFolders []struct{ URI string }
	}
}

// observe notes which files are open, and which folders.
func (p *proxy) observe(body []byte) {
	if !bytes.Contains(body, []byte(`"textDocument/did`)) && !bytes.Contains(body, []byte(`"initialize`)) {
		return
	}
	var m message
	if json.Unmarshal(body, &m) != nil {
		return
	}
	doc := m.Params.TextDocument
	switch m.Method {
	case "initialize":
		folders := []string{m.Params.RootURI}
		for _, f := range m.Params.WorkspaceFolders {
			folders = append(folders, f.URI)
		}
		for _, uri := range folders {
			if dir := pathOf(uri); dir != "" && !slices.Contains(p.dirs, dir) {
				p.dirs = append(p.dirs, dir)
			}
		}
		p.rekey(p.dirs)
		p.stamp = stamp(p.dirs)
	case "initialized":
		p.ready = true
		p.mark()
	case "textDocument/didOpen":
		if doc.LanguageID == "go" || strings.HasSuffix(doc.URI, ".go") {
			p.open[doc.URI] = doc.Version
		}
	case "textDocument/didChange":
		if _, ok := p.open[doc.URI]; ok {
			p.open[doc.URI], p.unsaved[doc.URI] = doc.Version, true
		}
	case "textDocument/didSave":
		delete(p.unsaved, doc.URI)
	case "textDocument/didClose":
		delete(p.open, doc.URI)
		delete(p.unsaved, doc.URI)
	}
}

// watch looks at the registries from time to time.
func (p *proxy) watch(done <-chan struct{}, interval time.Duration) {
	ticker := time.NewTicker(interval)
	defer ticker.Stop()
	for {
		select {
		case <-done:
			return
		case <-ticker.C:
			p.look()
		}
	}
}

func (p *proxy) look() {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := stamp(p.dirs)
	if now == p.stamp || !p.ready {
		return
	}
	p.stamp = now
	p.rekey(p.dirs)
	p.mark()
	for uri, version := range p.open {
		start := map[string]int{"line": 0, "character": 0}
		p.notify(p.toServer, "textDocument/didChange", map[string]any{
			"textDocument":   map[string]any{"uri": uri, "version": version},
			"contentChanges": []any{map[string]any{"range": map[string]any{"start": start, "end": start}, "text": ""}},
		})
	}
}

// mark shows the mistakes of registries where they stand.
func (p *proxy) mark() {
	found := map[string][]map[string]any{}
	seen := map[registry.Mistake]bool{} // by another directory of the same module
	for _, dir := range p.dirs {
		for _, m := range registry.Mistakes(dir) {
			if seen[m] {
				continue
			}
			seen[m] = true
			uri := uriOf(m.File)
			at := map[string]int{"line": max(m.Line-1, 0), "character": max(m.Column-1, 0)}
			end := map[string]int{"line": at["line"] + 1, "character": 0}
			found[uri] = append(found[uri], map[string]any{
				"range": map[string]any{"start": at, "end": end}, "severity": 1, "source": "ttlvet", "message": m.Message,
			})
		}
	}
	for uri := range p.marked {
		if found[uri] == nil {
			found[uri] = []map[string]any{} // mended
		}
	}
	for uri, list := range found {
		text, _ := json.Marshal(list)
		if p.marked[uri] == string(text) || p.marked[uri] == "" && len(list) == 0 {
			continue
		}
		p.marked[uri] = string(text)
		p.out.Lock()
		p.notify(p.toClient, "textDocument/publishDiagnostics", map[string]any{"uri": uri, "diagnostics": list})
		p.out.Unlock()
	}
}

func (p *proxy) notify(w io.Writer, method string, params any) {
	body, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "method": method, "params": params})
	if err == nil {
		write(w, body)
	}
}

// stamp is a text that changes with the registries of directories.
func stamp(dirs []string) string {
	var b strings.Builder
	for _, dir := range dirs {
		b.WriteString(registry.Stamp(registry.Places(dir)))
	}
	return b.String()
}

// pathOf returns the path of a file's URI, or "".
func pathOf(uri string) string {
	u, err := url.Parse(uri)
	if err != nil || u.Scheme != "file" {
		return ""
	}
	path := u.Path
	if len(path) > 2 && path[0] == '/' && path[2] == ':' {
		path = path[1:] // /C:/…
	}
	return filepath.FromSlash(path)
}

func uriOf(path string) string {
	path = filepath.ToSlash(path)
	if !strings.HasPrefix(path, "/") {
		path = "/" + path
	}
	return (&url.URL{Scheme: "file", Path: path}).String()
}
