//go:build !unix

package exportdata

import (
	"io"
	"os"
	"unsafe"
)

// contents returns the first n bytes of a file.
func contents(f *os.File, n int) (string, error) {
	data := make([]byte, n)
	if _, err := f.ReadAt(data, 0); err != nil && err != io.EOF {
		return "", err
	}
	return unsafe.String(unsafe.SliceData(data), n), nil
}
