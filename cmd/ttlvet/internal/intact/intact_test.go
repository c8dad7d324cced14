package intact

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// What the compiler has written of a package, and where its export data begins in it.
func compiled(t *testing.T, pkg string) (file []byte, at int) {
	t.Helper()
	out, err := exec.Command("go", "list", "-export", "-f", "{{.Export}}", pkg).Output()
	if err != nil {
		t.Fatal(err)
	}
	if file, err = os.ReadFile(strings.TrimSpace(string(out))); err != nil {
		t.Fatal(err)
	}
	if at = bytes.Index(file, []byte("\n$$B\n")); at < 0 {
		t.Fatal("this compiler writes no export data")
	}
	return file, at + len("\n$$B\n")
}

// named writes a file as the build cache names it.
func named(t *testing.T, content, now []byte) string {
	t.Helper()
	sum := sha256.Sum256(content)
	file := filepath.Join(t.TempDir(), hex.EncodeToString(sum[:])+"-d")
	if err := os.WriteFile(file, now, 0o666); err != nil {
		t.Fatal(err)
	}
	return file
}

// Damage anywhere in export data is an error; of what nobody reads nobody asks.
func TestCheck(t *testing.T) {
	whole, at := compiled(t, "errors")
	size := bytes.Index(whole[at:], []byte("\n$$\n"))
	if err := Check(named(t, whole, whole)); err != nil {
		t.Fatal(err)
	}
	if !sealed(bytes.NewReader(whole[at : at+size])) {
		t.Error("this compiler writes no hash: each run hashes whole files")
	}
	for i := range 40 {
		now := bytes.Clone(whole)
		now[at+i*size/40] ^= 1
		if err := Check(named(t, whole, now)); err == nil || !strings.HasSuffix(err.Error(), "is damaged: go clean -cache removes it") {
			t.Errorf("byte %d of %d: %v", i*size/40, size, err)
		}
	}
	for _, n := range []int{0, 8, at, at + 1, at + size/2} {
		if Check(named(t, whole, whole[:n])) == nil {
			t.Errorf("%d bytes are enough", n)
		}
	}
	other := filepath.Join(t.TempDir(), "x.a") // as other build systems name them
	if err := os.WriteFile(other, whole, 0o666); err != nil {
		t.Fatal(err)
	}
	if err := Check(other); err != nil {
		t.Error(err)
	}
	if err := Check(filepath.Join(t.TempDir(), "none")); !os.IsNotExist(err) {
		t.Error(err)
	}
}

// A compiler that writes export data in another way is no damage.
func TestNotSealed(t *testing.T) {
	whole, at := compiled(t, "errors")
	for _, i := range []int{at, at + 1} {
		now := bytes.Clone(whole)
		now[i] ^= 1
		if err := Check(named(t, now, now)); err != nil || sealed(bytes.NewReader(now[at:])) {
			t.Error(err)
		}
	}
}
