// Package atomicfile writes files of which nobody ever sees half: at each moment
// a file has all of its old content or all of the new, on a full disk and when the
// program is killed too.
//
// Libraries for this exist, and none does all that is needed here:
// github.com/google/renameio does not build for Windows, and
// github.com/natefinch/atomic keeps neither owner nor links.
package atomicfile

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"github.com/ttlvet/ttlvet/internal/input"
)

var errReadOnly = errors.New("the file is read-only")

// Write gives a file, which need not exist, its content. What exists keeps its
// mode, its owner and its other names; a link stays and leads to the new content, but
// none is followed out of the repository or module in which the program runs: whoever
// wrote that chose the target, and whoever runs ttlvet the name. A file that its owner may not write is not written for root either. A pipe or a
// device is written to.
//
// Where only writing in place keeps owner and names, the new content lies on disk
// in a file beside it until that is done. Of an error, an [*os.PathError] with the
// file's path, the old content is left; if not even that can be put back, the
// error names the file that holds the new.
func Write(path string, data []byte) error {
	err := stays(path)
	if err == nil {
		err = write(path, data)
	}
	if err == nil {
		return nil
	}
	// Of the paths in it, one may be that of the file beside.
	op := "write"
	var perr *os.PathError
	var lerr *os.LinkError
	switch {
	case errors.As(err, &perr):
		op, err = perr.Op, perr.Err
	case errors.As(err, &lerr):
		op, err = lerr.Op, lerr.Err
	}
	return &os.PathError{Op: op, Path: path, Err: err}
}

// stays returns an error if a link on the way to a file leads out of the tree in which
// the program runs.
func stays(path string) error {
	wd, err := os.Getwd()
	if err != nil {
		return err
	}
	abs, err := filepath.Abs(path)
	if err != nil {
		return err
	}
	root := input.Root(wd)
	if root == "" || !input.Within(root, abs) {
		return nil
	}
	if _, err := os.Lstat(abs); errors.Is(err, fs.ErrNotExist) {
		abs = filepath.Dir(abs)
	}
	return input.Stays(root, abs)
}

func write(path string, data []byte) error {
	if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) {
		return replace(path, nil, data)
	}
	info, err := os.Stat(path)
	switch {
	case err != nil: // also of a link that leads nowhere
		return err
	case info.IsDir():
		return syscall.EISDIR
	case !info.Mode().IsRegular():
		f, err := os.OpenFile(path, os.O_WRONLY, 0)
		if err != nil {
			return err
		}
		_, err = f.Write(data)
		return errors.Join(err, f.Close())
	case info.Mode().Perm()&0o200 == 0:
		return errReadOnly
	}
	target, err := filepath.EvalSymlinks(path)
	if err != nil {
		return err
	}
	// A file is renamed by who may write its directory. It is replaced by who
	// may write the file.
	f, err := os.OpenFile(target, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	return replace(target, f, data)
}

// replace writes data beside the file of that name and puts it in its place. old
// is the file, nil where there is none.
func replace(name string, old *os.File, data []byte) (err error) {
	// The go command takes no file with such a name for one of the package.
	beside := filepath.Join(filepath.Dir(name), "."+filepath.Base(name)+"."+rand.Text())
	f, err := os.OpenFile(beside, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return err
	}
	kept := false
	defer func() {
		f.Close()
		if err != nil && !kept {
			os.Remove(beside)
		}
	}()
	if _, err := f.Write(data); err != nil {
		return err
	}
	if err := f.Sync(); err != nil {
		return err
	}
	if old != nil {
		info, err := old.Stat()
		if err != nil {
			return err
		}
		if !alone(info) || !own(f, info) {
			if err := overwrite(old, data); err != nil {
				if kept = errors.Is(err, errDamaged); kept {
					err = fmt.Errorf("%w; its new content is in %s", err, beside)
				}
				return err
			}
			return os.Remove(beside)
		}
		// The last, because a change of owner takes bits of the mode away.
		if err := f.Chmod(info.Mode()); err != nil {
			return err
		}
		old.Close() // Windows renames nothing to the name of an open file
	}
	if err := f.Close(); err != nil {
		return err
	}
	return os.Rename(beside, name)
}

// errDamaged is of a file that has neither its old content nor its new.
var errDamaged = errors.New("the file is damaged")

// overwrite gives a file its content in place. It does not cut the file first: on a
// full disk, the old content still fits where it was.
func overwrite(f *os.File, data []byte) error {
	old, err := io.ReadAll(f)
	if err != nil {
		return err
	}
	if err := fill(f, data); err != nil {
		if fill(f, old) != nil {
			return errDamaged
		}
		return err
	}
	return nil
}

func fill(f *os.File, data []byte) error {
	if _, err := f.WriteAt(data, 0); err != nil {
		return err
	}
	if err := f.Truncate(int64(len(data))); err != nil {
		return err
	}
	return f.Sync()
}
