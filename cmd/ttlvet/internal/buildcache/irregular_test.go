//go:build unix

package buildcache

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// TestIrregular holds that what is no regular file is not read: a pipe never begins,
// a device never ends.
func TestIrregular(t *testing.T) {
	dir := t.TempDir()
	pipe, zero := filepath.Join(dir, "pipe"), filepath.Join(dir, "zero")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("/dev/zero", zero); err != nil {
		t.Fatal(err)
	}
	done := make(chan map[string]string)
	for _, file := range []string{pipe, zero} {
		go func() { done <- remembered(file, []string{"x"}) }()
	}
	for range 2 {
		select {
		case exports := <-done:
			if exports != nil {
				t.Errorf("it says %v", exports)
			}
		case <-time.After(10 * time.Second):
			t.Fatal("it is read")
		}
	}
}
