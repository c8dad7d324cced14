//go:build unix

package exportdata

import (
	"os"
	"syscall"
	"unsafe"
)

// contents returns the first n bytes of a file, of which those are read that are
// looked at: a package's export data holds all that its declarations lead to, and
// little of it is wanted. The file stays mapped to the end of the process; the go
// command does not change what is in its cache.
func contents(f *os.File, n int) (string, error) {
	data, err := syscall.Mmap(int(f.Fd()), 0, n, syscall.PROT_READ, syscall.MAP_PRIVATE)
	if err != nil {
		return "", err
	}
	return unsafe.String(unsafe.SliceData(data), n), nil
}
