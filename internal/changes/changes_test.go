package changes

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// repository makes a repository in which git reads no configuration but its
// own.
func repository(t *testing.T) (dir string, git func(args ...string)) {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is needed")
	}
	dir = t.TempDir()
	for name, value := range map[string]string{
		"GIT_CONFIG_GLOBAL": os.DevNull, "GIT_CONFIG_SYSTEM": os.DevNull, "HOME": dir,
		"GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@example.com", "GIT_COMMITTER_NAME": "a", "GIT_COMMITTER_EMAIL": "a@example.com",
	} {
		t.Setenv(name, value)
	}
	git = func(args ...string) {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), "git", args...)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	git("init", "-q", "-b", "main")
	return dir, git
}

func write(t *testing.T, dir, name string, lines ...string) {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(strings.Join(lines, "\n")+"\n"), 0o666); err != nil {
		t.Fatal(err)
	}
}

func TestSince(t *testing.T) {
	dir, git := repository(t)
	git("config", "diff.noprefix", "true") // as some have it
	git("config", "diff.mnemonicPrefix", "true")
	write(t, dir, "a.go", "1", "2", "3", "4", "5", "6", "7", "8")
	write(t, dir, "sub/ü b.go", "1", "2")
	write(t, dir, "moved.go", "m1", "m2", "m3", "m4", "m5", "m6")
	write(t, dir, "same.go", "1")
	write(t, dir, "gone.go", "gone")
	write(t, dir, ".gitignore", "ignored.go")
	git("add", "-A")
	git("commit", "-qm", "base")
	git("branch", "feature")
	// What comes to main afterwards is not the branch's.
	write(t, dir, "same.go", "1", "of main")
	git("commit", "-qam", "main")
	git("checkout", "-q", "feature")
	write(t, dir, "a.go", "1", "2", "new", "3", "4", "6", "7", "8") // one added, one deleted
	git("commit", "-qam", "feature")
	write(t, dir, "a.go", "1", "2", "new", "3", "4", "6", "7", "other") // not committed
	write(t, dir, "sub/ü b.go", "1", "changed")
	git("mv", "moved.go", "sub/moved.go")
	write(t, dir, "sub/moved.go", "m1", "m2", "changed", "m4", "m5", "m6")
	write(t, dir, "untracked.go", "1")
	write(t, dir, "ignored.go", "1")
	git("rm", "-q", "gone.go")

	s, err := Since(filepath.Join(dir, "sub"), "main")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		file        string
		first, last int
		want        bool
	}{
		{"a.go", 1, 2, false}, {"a.go", 3, 3, true}, {"a.go", 1, 9, true},
		{"a.go", 4, 5, false}, {"a.go", 5, 6, true}, {"a.go", 6, 7, false}, {"a.go", 8, 8, true},
		{"sub/ü b.go", 1, 1, false}, {"sub/ü b.go", 2, 2, true},
		{"sub/moved.go", 1, 2, false}, {"sub/moved.go", 3, 3, true},
		{"same.go", 1, 2, false}, {"untracked.go", 1, 1, true}, {"ignored.go", 1, 1, false}, {"../other.go", 1, 1, false},
	} {
		if got := s.Touches(filepath.Join(dir, c.file), c.first, c.last); got != c.want {
			t.Errorf("%s:%d-%d: %v, want %v", c.file, c.first, c.last, got, c.want)
		}
	}
	if !s.Has(filepath.Join(dir, "a.go")) || s.Has(filepath.Join(dir, "same.go")) {
		t.Error("Has is wrong")
	}

	git("checkout", "-q", "--orphan", "apart")
	git("commit", "-qm", "apart")
	for rev, want := range map[string]string{
		"nope": `git knows no revision "nope"`, "main": "git finds no common ancestor of main and HEAD", "-x": "not a revision",
	} {
		if _, err := Since(dir, rev); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", rev, err)
		}
	}
	if _, err := Since(t.TempDir(), "main"); err == nil || !strings.Contains(err.Error(), "not a git repository") {
		t.Errorf("outside of a repository: %v", err)
	}
}
