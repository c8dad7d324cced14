// Package intact tells whether export data is as the compiler has written it. Its
// readers trust it, and what is damaged may make them take all memory.
package intact

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/tools/go/gcexportdata"
)

// Check returns an error if the file is damaged: if the build cache, which names files
// by what is in them, named it for something else.
func Check(file string) error {
	f, err := os.Open(file)
	if err != nil {
		return err
	}
	defer f.Close()
	if r, err := gcexportdata.NewReader(bufio.NewReader(f)); err == nil && sealed(r) {
		return nil
	}
	if isDamaged(f) {
		return fmt.Errorf("%s is damaged: go clean -cache removes it", file)
	}
	return nil
}

// sealed reports whether export data ends with its own hash, as today's compilers
// write it. This spares nearly always to hash the file, ten times as large; of what
// is written otherwise the file's name tells.
func sealed(r io.Reader) bool {
	const size = 8
	buf := make([]byte, 32<<10)
	if _, err := io.ReadFull(r, buf[:1]); err != nil || buf[0] != 'u' { // the format
		return false
	}
	h := sha256.New()
	for held := 0; ; {
		n, err := r.Read(buf[held:])
		n += held
		held = min(n, size)
		h.Write(buf[:n-held])
		copy(buf, buf[n-held:n])
		if err != nil {
			return err == io.EOF && bytes.Equal(buf[:held], h.Sum(nil)[:size])
		}
	}
}

// isDamaged reports whether a file is named by a hash that is not its own.
func isDamaged(f *os.File) bool {
	sum, named := strings.CutSuffix(filepath.Base(f.Name()), "-d")
	if !named || len(sum) != hex.EncodedLen(sha256.Size) {
		return false
	}
	h := sha256.New()
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return true
	}
	if _, err := io.Copy(h, f); err != nil {
		return true
	}
	return hex.EncodeToString(h.Sum(nil)) != sum
}
