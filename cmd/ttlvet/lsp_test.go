package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/ttlvet/ttlvet/cmd/ttlvet/internal/product"
)

// TestEditor is a session of an editor with the gopls that ttlvet builds: open,
// look, fix, edit, and edit the registry, with nothing saved and nothing
// restarted.
func TestEditor(t *testing.T) {
	program := built(t, product.Gopls)
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	write := func(name, text string) {
		t.Helper()
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if err := copyStub(filepath.Join(dir, ".stub")); err != nil {
		t.Fatal(err)
	}
	const (
		registry = "version: 1\ntables:\n  sessions:\n    families:\n      token: {strategy: %s}\n"
		bad      = "package m\n\nimport \"cloud.google.com/go/bigtable\"\n\nfunc Put(mut *bigtable.Mutation) {\n\tmut.Set(\"token\", \"jwt\", bigtable.ServerTime, nil)\n}\n"
	)
	oneSecond, ordinary := fmt.Sprintf(registry, "one-second-expiration, ttl: 30m"), fmt.Sprintf(registry, "real-timestamps")
	write("go.mod", "module example.com/m\n\ngo 1.25\n\nrequire cloud.google.com/go/bigtable v1.40.0\n\nreplace cloud.google.com/go/bigtable => ./.stub\n")
	write("ttlvet.yaml", oneSecond)
	write("m.go", bad)

	s := startServer(t, program, dir)
	s.request("initialize", map[string]any{
		"processId": os.Getpid(), "rootUri": s.uri(""),
		"capabilities": map[string]any{"textDocument": map[string]any{"codeAction": map[string]any{
			"codeActionLiteralSupport": map[string]any{"codeActionKind": map[string]any{"valueSet": []string{"quickfix"}}}}}},
		"initializationOptions": map[string]any{"diagnosticsDelay": "10ms", "pullDiagnostics": true},
	})
	s.notify("initialized", map[string]any{})
	s.notify("textDocument/didOpen", map[string]any{"textDocument": map[string]any{
		"uri": s.uri("m.go"), "languageId": "go", "version": 1, "text": bad}})

	// Open: the finding is there, with its quick fix.
	s.await("m.go", "server-timestamp", true)
	var actions []struct {
		Title string
		Edit  struct {
			DocumentChanges []struct{ Edits []struct{ NewText string } }
		}
	}
	s.decode(s.request("textDocument/codeAction", map[string]any{
		"textDocument": map[string]any{"uri": s.uri("m.go")},
		"range":        s.lines(5, 6),
		"context":      map[string]any{"diagnostics": s.shown[s.uri("m.go")], "only": []string{"quickfix"}},
	}), &actions)
	fixed := false
	for _, a := range actions {
		text, _ := json.Marshal(a)
		fixed = fixed || strings.Contains(string(text), "30*time.Minute") || strings.Contains(string(text), "30 * time.Minute") || strings.Contains(a.Title, "expiry")
	}
	text, _ := json.Marshal([]any{actions, s.shown[s.uri("m.go")]})
	for _, want := range []string{"Ignore ttlwrite/server-timestamp here", `"severity":1`} {
		if !strings.Contains(string(text), want) {
			t.Errorf("the client hears no %s: %s", want, text)
		}
	}
	if !fixed {
		t.Errorf("no quick fix sets the time of expiry: %+v", actions)
	}

	// Who asks for diagnostics gets the same.
	pulled := s.request("textDocument/diagnostic", map[string]any{"textDocument": map[string]any{"uri": s.uri("m.go")}})
	if !strings.Contains(string(pulled), `"severity":1`) || !strings.Contains(string(pulled), "server-timestamp") {
		t.Errorf("the client gets %s", pulled)
	}

	// Edited, not saved: the finding goes and comes.
	edit := func(version int, text string) {
		s.notify("textDocument/didChange", map[string]any{
			"textDocument":   map[string]any{"uri": s.uri("m.go"), "version": version},
			"contentChanges": []any{map[string]any{"text": text}},
		})
	}
	edit(2, strings.Replace(bad, "bigtable.ServerTime", "1e18", 1))
	s.await("m.go", "server-timestamp", false)
	edit(3, bad)
	s.await("m.go", "server-timestamp", true)

	// The registry is edited, and edited back: no Go file is touched.
	write("ttlvet.yaml", ordinary)
	s.await("m.go", "server-timestamp", false)
	write("ttlvet.yaml", oneSecond)
	s.await("m.go", "server-timestamp", true)

	// A mistake stands in the registry, and in the Go file that it blinds.
	write("ttlvet.yaml", strings.Replace(oneSecond, "ttl: 30m", "ttl: 30", 1))
	s.await("ttlvet.yaml", "has no unit", true)
	s.await("m.go", "the registry is not usable", true)
	write("ttlvet.yaml", oneSecond)
	s.await("ttlvet.yaml", "has no unit", false)
	s.await("m.go", "server-timestamp", true)

	s.request("shutdown", nil)
	s.notify("exit", nil)
	if err := s.cmd.Wait(); err != nil {
		t.Errorf("gopls ends with %v", err)
	}
}

// A server is a language server that a test talks to.
type server struct {
	t     *testing.T
	cmd   *exec.Cmd
	dir   string
	in    io.Writer
	heard chan []byte
	id    int
	shown map[string][]any // diagnostics by URI
}

func startServer(t *testing.T, program, dir string) *server {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), program)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "PWD="+dir, "GOFLAGS=-mod=mod", "GOWORK=off", "GOPROXY=off", "GOPLSCACHE="+t.TempDir())
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	s := &server{t: t, cmd: cmd, dir: dir, in: in, heard: make(chan []byte, 100), shown: map[string][]any{}}
	go func() {
		defer close(s.heard)
		for r := bufio.NewReader(out); ; {
			length := 0
			for {
				line, err := r.ReadString('\n')
				if err != nil {
					return
				}
				if line = strings.TrimSpace(line); line == "" {
					break
				}
				if n, ok := strings.CutPrefix(line, "Content-Length: "); ok {
					length, _ = strconv.Atoi(n)
				}
			}
			body := make([]byte, length)
			if _, err := io.ReadFull(r, body); err != nil {
				return
			}
			s.heard <- body
		}
	}()
	return s
}

func (s *server) uri(name string) string {
	path := filepath.ToSlash(filepath.Join(s.dir, name))
	if !strings.HasPrefix(path, "/") {
		path = "/" + path
	}
	return (&url.URL{Scheme: "file", Path: path}).String()
}

func (s *server) lines(from, to int) map[string]any {
	return map[string]any{"start": map[string]int{"line": from, "character": 0}, "end": map[string]int{"line": to, "character": 0}}
}

func (s *server) say(message map[string]any) {
	s.t.Helper()
	message["jsonrpc"] = "2.0"
	body, err := json.Marshal(message)
	if err != nil {
		s.t.Fatal(err)
	}
	if _, err := fmt.Fprintf(s.in, "Content-Length: %d\r\n\r\n%s", len(body), body); err != nil {
		s.t.Fatal(err)
	}
}

func (s *server) notify(method string, params any) {
	s.t.Helper()
	s.say(map[string]any{"method": method, "params": params})
}

// request returns the result of a request.
func (s *server) request(method string, params any) json.RawMessage {
	s.t.Helper()
	s.id++
	s.say(map[string]any{"id": s.id, "method": method, "params": params})
	for {
		m := s.hear(method)
		if m.Method == "" && string(m.ID) == strconv.Itoa(s.id) {
			if m.Error != nil {
				s.t.Fatalf("%s: %s", method, m.Error)
			}
			return m.Result
		}
	}
}

type serverMessage struct {
	ID            json.RawMessage
	Method        string
	Params        json.RawMessage
	Result, Error json.RawMessage
}

// hear takes the next message. Requests of the server get an empty answer.
func (s *server) hear(what string) serverMessage {
	s.t.Helper()
	var m serverMessage
	select {
	case body, ok := <-s.heard:
		if !ok {
			s.t.Fatalf("the server ends before %s", what)
		}
		s.decode(body, &m)
	case <-time.After(2 * time.Minute):
		s.t.Fatalf("nothing more is heard before %s; shown is %v", what, s.shown)
	}
	switch {
	case m.Method == "textDocument/publishDiagnostics":
		var p struct {
			URI         string
			Diagnostics []any
		}
		s.decode(m.Params, &p)
		s.shown[p.URI] = p.Diagnostics
	case m.Method == "workspace/configuration":
		var p struct{ Items []any }
		s.decode(m.Params, &p)
		s.say(map[string]any{"id": m.ID, "result": make([]any, len(p.Items))})
	case m.Method != "" && m.ID != nil:
		s.say(map[string]any{"id": m.ID, "result": nil})
	}
	return m
}

// await waits until a text is, or is not, among the diagnostics of a file.
func (s *server) await(name, text string, want bool) {
	s.t.Helper()
	for {
		list, _ := json.Marshal(s.shown[s.uri(name)])
		if strings.Contains(string(list), text) == want {
			return
		}
		s.hear(fmt.Sprintf("%q in %s is %t", text, name, want))
	}
}

func (s *server) decode(data []byte, into any) {
	s.t.Helper()
	if err := json.Unmarshal(data, into); err != nil {
		s.t.Fatalf("%v in %s", err, data)
	}
}
