//go:build unix

package atomicfile

import (
	"os"
	"syscall"
)

// alone reports whether a file has one name.
func alone(info os.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && stat.Nlink == 1
}

// own gives a new file the owner and the group of another, and reports whether it
// has them.
func own(f *os.File, other os.FileInfo) bool {
	info, err := f.Stat()
	if err != nil {
		return false
	}
	have, ok := info.Sys().(*syscall.Stat_t)
	want, ok2 := other.Sys().(*syscall.Stat_t)
	return ok && ok2 && (have.Uid == want.Uid && have.Gid == want.Gid || f.Chown(int(want.Uid), int(want.Gid)) == nil)
}
