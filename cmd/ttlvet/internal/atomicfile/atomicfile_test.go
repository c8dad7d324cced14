//go:build unix

package atomicfile

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/ttlvet/ttlvet/internal/input"
)

// names lists the files of a directory.
func names(t *testing.T, dir string) (list []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		list = append(list, e.Name())
	}
	return list
}

func put(t *testing.T, path, content string, mode os.FileMode) {
	t.Helper()
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, mode); err != nil {
		t.Fatal(err)
	}
}

func want(t *testing.T, path, content string) {
	t.Helper()
	if got, err := os.ReadFile(path); err != nil || string(got) != content {
		t.Errorf("%s has %d bytes (%v), want %d", filepath.Base(path), len(got), err, len(content))
	}
}

// full limits the size of files to 4,096 bytes, which looks like a full disk.
func full(t *testing.T) {
	t.Helper()
	var old syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &old); err != nil {
		t.Fatal(err)
	}
	signal.Ignore(syscall.SIGXFSZ)
	small := old
	small.Cur = 4096
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &small); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		syscall.Setrlimit(syscall.RLIMIT_FSIZE, &old)
		signal.Reset(syscall.SIGXFSZ)
	})
}

func TestFullDisk(t *testing.T) {
	old := string(bytes.Repeat([]byte("old\n"), 1000))
	for _, linked := range []bool{false, true} {
		dir := t.TempDir()
		path := filepath.Join(dir, "a.go")
		put(t, path, old, 0o644)
		if linked {
			if err := os.Link(path, filepath.Join(dir, "b.go")); err != nil {
				t.Fatal(err)
			}
		}
		before := len(names(t, dir))
		t.Run(map[bool]string{false: "one name", true: "two names"}[linked], func(t *testing.T) {
			full(t)
			err := Write(path, bytes.Repeat([]byte("new\n"), 2000))
			var perr *os.PathError
			if !errors.As(err, &perr) || perr.Path != path || !errors.Is(err, syscall.EFBIG) {
				t.Errorf("the error is %v", err)
			}
			if err := Write(filepath.Join(dir, "new.go"), make([]byte, 8000)); err == nil {
				t.Error("a new file is written")
			}
		})
		want(t, path, old)
		if list := names(t, dir); len(list) != before {
			t.Errorf("left behind: %v", list)
		}
	}
}

// TestOverwriteFull gives a file its content back when writing in place fails.
func TestOverwriteFull(t *testing.T) {
	old := string(bytes.Repeat([]byte("old\n"), 1000))
	path := filepath.Join(t.TempDir(), "a.go")
	put(t, path, old, 0o644)
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	t.Run("full", func(t *testing.T) {
		full(t)
		if err := overwrite(f, bytes.Repeat([]byte("new\n"), 2000)); !errors.Is(err, syscall.EFBIG) {
			t.Errorf("the error is %v", err)
		}
	})
	want(t, path, old)
}

// TestKilled kills a program that writes a file over and over.
func TestKilled(t *testing.T) {
	a, b := bytes.Repeat([]byte("a"), 1<<20), bytes.Repeat([]byte("b"), 2<<20)
	if path := os.Getenv("ATOMICFILE_TEST"); path != "" {
		for {
			Write(path, b)
			Write(path, a)
		}
	}
	path := filepath.Join(t.TempDir(), "a.go")
	put(t, path, string(a), 0o644)
	seen := map[byte]bool{}
	for i := range 30 {
		cmd := exec.Command(os.Args[0], "-test.run=^TestKilled$")
		cmd.Env = append(os.Environ(), "ATOMICFILE_TEST="+path)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Duration(20+i) * time.Millisecond)
		cmd.Process.Kill()
		cmd.Wait()
		got, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, a) && !bytes.Equal(got, b) {
			t.Fatalf("%d bytes after it was killed", len(got))
		}
		seen[got[0]] = true
	}
	if len(seen) < 2 {
		t.Skip("it was never killed after the first file")
	}
}

func TestKept(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a.go")
	put(t, path, "old", 0o640)
	if os.Getuid() == 0 {
		if err := os.Chown(path, 12345, 23456); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(path, 0o640|os.ModeSetgid); err != nil {
			t.Fatal(err)
		}
	}
	before, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	check := func() os.FileInfo {
		t.Helper()
		after, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		a, b := before.Sys().(*syscall.Stat_t), after.Sys().(*syscall.Stat_t)
		if before.Mode() != after.Mode() || a.Uid != b.Uid || a.Gid != b.Gid {
			t.Errorf("%v %d:%d became %v %d:%d", before.Mode(), a.Uid, a.Gid, after.Mode(), b.Uid, b.Gid)
		}
		return after
	}
	if err := Write(path, []byte("new")); err != nil {
		t.Fatal(err)
	}
	want(t, path, "new")
	if os.SameFile(before, check()) {
		t.Error("the file was written in place")
	}
	hard, soft := filepath.Join(dir, "hard.go"), filepath.Join(dir, "soft.go")
	if err := os.Link(path, hard); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("hard.go", soft); err != nil {
		t.Fatal(err)
	}
	if err := Write(soft, []byte("new!")); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{path, hard, soft} {
		want(t, name, "new!")
	}
	check()
	if info, err := os.Lstat(soft); err != nil || info.Mode().Type() != os.ModeSymlink {
		t.Error("the link is gone")
	}
	if list := names(t, dir); len(list) != 3 {
		t.Errorf("left behind: %v", list)
	}
}

func TestRefused(t *testing.T) {
	dir := t.TempDir()
	locked, dangling := filepath.Join(dir, "locked.go"), filepath.Join(dir, "dangling.go")
	put(t, locked, "old", 0o444)
	if err := os.Symlink("nowhere.go", dangling); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{locked, dangling, dir, filepath.Join(dir, "none", "a.go")} {
		if err := Write(path, []byte("new")); err == nil {
			t.Errorf("%s is written", path)
		}
	}
	want(t, locked, "old")
	if list := names(t, dir); len(list) != 2 {
		t.Errorf("left behind: %v", list)
	}
}

func TestPipe(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	got := make(chan []byte)
	go func() {
		data, _ := os.ReadFile(path)
		got <- data
	}()
	if err := Write(path, []byte("new")); err != nil {
		t.Fatal(err)
	}
	if data := <-got; string(data) != "new" {
		t.Errorf("read %q", data)
	}
}

func TestNewMode(t *testing.T) {
	path := filepath.Join(t.TempDir(), "new")
	plain := path + "er"
	if err := Write(path, []byte("new")); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(plain, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	a, _ := os.Stat(path)
	b, _ := os.Stat(plain)
	if a.Mode() != b.Mode() {
		t.Errorf("the mode is %v, not %v", a.Mode(), b.Mode())
	}
}

// TestLinks follows links within the module in which the program runs, none out of it,
// and any from outside: those are the user's own.
func TestLinks(t *testing.T) {
	top := t.TempDir()
	at := func(name string) string { return filepath.Join(top, filepath.FromSlash(name)) }
	for _, dir := range []string{"m/out", "outside"} {
		if err := os.MkdirAll(at(dir), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	put(t, at("m/go.mod"), "module m\n", 0o644)
	put(t, at("m/in.html"), "old", 0o644)
	put(t, at("outside/mine"), "mine", 0o644)
	for name, target := range map[string]string{
		"m/within": "in.html", "m/leaves": "../outside/mine", "m/dir": "../outside", "outside/in": "../m/in.html",
	} {
		if err := os.Symlink(target, at(name)); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(at("m"))
	for name, follows := range map[string]bool{
		"within": true, "out/new.html": true, "../outside/in": true, "../outside/new": true, at("outside/newer"): true,
		"leaves": false, "dir/mine": false, "dir/none": false, at("m/leaves"): false,
	} {
		if err := Write(name, []byte("new")); (err == nil) != follows || !follows && !errors.As(err, new(*input.Escape)) {
			t.Errorf("%s: %v", name, err)
		}
	}
	want(t, at("m/in.html"), "new")
	want(t, at("outside/mine"), "mine")
}
