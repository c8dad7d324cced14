package editor

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestServe: what client and server say is handed on as it is. A registry that
// is edited makes the server look at the open files again, and its mistakes
// are shown where they stand.
func TestServe(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	registry := filepath.Join(dir, "ttlvet.yaml")
	put := func(name, text string) {
		t.Helper()
		// At once: a file that is empty for a moment would be looked at.
		part := filepath.Join(dir, "part")
		if err := os.WriteFile(part, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(part, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	put("go.mod", "module m\n")
	t.Setenv("GOWORK", "off")

	fromClient, client := io.Pipe()
	toServer, serverIn := io.Pipe()
	fromServer, server := io.Pipe()
	toClient, clientIn := io.Pipe()
	var rekeyed [][]string
	done := make(chan struct{})
	go func() {
		defer close(done)
		p := &proxy{toServer: serverIn, toClient: clientIn, open: map[string]int{}, dirs: []string{dir}, marked: map[string]string{}, unsaved: map[string]bool{}, pending: map[string]func(json.RawMessage) any{}}
		p.rekey = func(dirs []string) { rekeyed = append(rekeyed, slices.Clone(dirs)) }
		p.serve(fromClient, serverIn, fromServer, 10*time.Millisecond)
	}()
	atServer, atClient := newFrames(toServer), newFrames(toClient)
	say := func(w io.Writer, body string) {
		t.Helper()
		if err := write(w, []byte(body)); err != nil {
			t.Fatal(err)
		}
	}
	hear := func(f *frames) string {
		t.Helper()
		body := make(chan string)
		go func() {
			b, _ := f.next()
			body <- string(b)
		}()
		select {
		case b := <-body:
			return b
		case <-time.After(2 * time.Minute):
			t.Fatal("nothing is said")
			return ""
		}
	}
	pass := func(body string) {
		t.Helper()
		say(client, body)
		if got := hear(atServer); got != body {
			t.Fatalf("the server hears %s, not %s", got, body)
		}
	}
	pass(`{"method":"initialize","params":{"workspaceFolders":[{"uri":"` + uriOf(dir) + `"}]}}`)
	say(server, `{"id":1,"result":"ä"}`)
	if got := hear(atClient); got != `{"id":1,"result":"ä"}` {
		t.Errorf("the client hears %s", got)
	}
	pass(`{"method":"initialized","params":{}}`)
	pass(`{"method":"textDocument/didOpen","params":{"textDocument":{"uri":"file:///m/a.go","languageId":"go","version":3,"text":"textDocument/didClose"}}}`)
	pass(`{"method":"textDocument/didOpen","params":{"textDocument":{"uri":"file:///m/b.yaml","languageId":"yaml","version":1}}}`)
	pass(`{"method":"textDocument/didOpen","params":{"textDocument":{"uri":"file:///m/c.go","languageId":"go","version":1}}}`)
	pass(`{"method":"textDocument/didClose","params":{"textDocument":{"uri":"file:///m/c.go"}}}`)
	pass(`{"method":"textDocument/didChange","params":{"textDocument":{"uri":"file:///m/a.go","version":5},"contentChanges":[{"text":"x"}]}}`)

	// Findings have the severity of their rules, and can be ignored in a saved file.
	put("f.go", "package m\n\nvar ä = \"ä\"\nvar b = 1 // said\nvar c = `\n`\n")
	at := func(line string) string {
		return `{"range":{"start":{"line":` + line + `,"character":0},"end":{"line":` + line + `,"character":3}},"severity":2,"code":"server-timestamp","source":"ttlwrite","message":"m"}`
	}
	say(server, `{"method":"textDocument/publishDiagnostics","params":{"uri":"u","diagnostics":[`+at("2")+`,{"code":"x","source":"other","severity":2}]}}`)
	if got := hear(atClient); strings.Count(got, `"severity":1`) != 1 || strings.Count(got, `"severity":2`) != 1 || !strings.Contains(got, `"uri":"u"`) {
		t.Errorf("the client hears %s", got)
	}
	pass(`{"id":6,"method":"textDocument/diagnostic","params":{"textDocument":{"uri":"u"}}}`)
	say(server, `{"id":6,"result":{"kind":"full","items":[`+at("2")+`]}}`)
	if got := hear(atClient); !strings.Contains(got, `"severity":1`) || !strings.Contains(got, `"kind":"full"`) {
		t.Errorf("the client hears %s", got)
	}
	file := uriOf(filepath.Join(dir, "f.go"))
	ask := func(only string) string {
		pass(`{"id":7,"method":"textDocument/codeAction","params":{"textDocument":{"uri":"` + file + `"},"context":{` + only + `"diagnostics":[` + at("2") + `,` + at("3") + `,` + at("4") + `]}}}`)
		say(server, `{"id":7,"result":[{"title":"Set"}]}`)
		return hear(atClient)
	}
	got := ask("")
	if !strings.Contains(got, `[{"title":"Set"},{"diagnostics":[`+at("2")+`],"edit":`) || strings.Count(got, `"newText":" //ttlvet:ignore ttlwrite/server-timestamp TODO: why"`) != 1 ||
		!strings.Contains(got, `"start":{"character":11,"line":2}`) {
		t.Errorf("the client hears %s", got)
	}
	plain := `{"id":7,"result":[{"title":"Set"}]}`
	if got := ask(`"only":["source.organizeImports"],`); got != plain {
		t.Errorf("the client hears %s", got)
	}
	pass(`{"method":"textDocument/didOpen","params":{"textDocument":{"uri":"` + file + `","languageId":"go","version":1}}}`)
	pass(`{"method":"textDocument/didChange","params":{"textDocument":{"uri":"` + file + `","version":2},"contentChanges":[{"text":"x"}]}}`)
	if got := ask(""); got != plain {
		t.Errorf("the client hears %s", got)
	}
	pass(`{"method":"textDocument/didSave","params":{"textDocument":{"uri":"` + file + `"}}}`)
	if got := ask(`"only":["quickfix"],`); got == plain {
		t.Errorf("the client hears %s", got)
	}
	pass(`{"method":"textDocument/didClose","params":{"textDocument":{"uri":"` + file + `"}}}`)

	touched := `{"jsonrpc":"2.0","method":"textDocument/didChange","params":{"contentChanges":[{"range":{"end":{"character":0,"line":0},"start":{"character":0,"line":0}},"text":""}],"textDocument":{"uri":"file:///m/a.go","version":5}}}`
	put("ttlvet.yaml", "version: 2\n")
	// The marks come first.
	var marks struct {
		Method string
		Params struct {
			URI         string
			Diagnostics []struct {
				Message string
				Range   struct{ Start struct{ Line, Character int } }
			}
		}
	}
	if err := json.Unmarshal([]byte(hear(atClient)), &marks); err != nil {
		t.Fatal(err)
	}
	if d := marks.Params.Diagnostics; marks.Method != "textDocument/publishDiagnostics" || marks.Params.URI != uriOf(registry) || len(d) != 1 ||
		!strings.HasPrefix(d[0].Message, "version 2 is not known") || d[0].Range.Start.Character != 9 {
		t.Errorf("the client hears %+v", marks)
	}
	if got := hear(atServer); got != touched {
		t.Errorf("the server hears %s", got)
	}
	put("ttlvet.yaml", "version: 1 # mended\n")
	if got, want := hear(atClient), `{"jsonrpc":"2.0","method":"textDocument/publishDiagnostics","params":{"diagnostics":[],"uri":"`+uriOf(registry)+`"}}`; got != want {
		t.Errorf("the client hears %s, not %s", got, want)
	}
	hear(atServer)
	if err := os.Remove(registry); err != nil {
		t.Fatal(err)
	}
	hear(atServer)

	client.Close()
	server.Close()
	<-done
	if len(rekeyed) != 4 || !slices.Equal(rekeyed[3], []string{dir}) {
		t.Errorf("keyed for %q", rekeyed)
	}
}

func FuzzFrames(f *testing.F) {
	f.Add([]byte("Content-Length: 2\r\n\r\n{}Content-Length: 1\r\nX: y\r\n\r\n1"))
	f.Add([]byte("Content-Length: -1\n\nContent-Length: 99999999999999999999\n\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		if bytes.Contains(data, []byte("000000")) {
			return // lengths that nobody sends
		}
		frames := newFrames(bytes.NewReader(data))
		for {
			body, err := frames.next()
			if err != nil {
				return
			}
			var again bytes.Buffer
			if err := write(&again, body); err != nil {
				t.Fatal(err)
			}
			if b, err := newFrames(&again).next(); err != nil || !bytes.Equal(b, body) {
				t.Errorf("%q is %q when it is written and read, %v", body, b, err)
			}
		}
	})
}
