// Package input reads the files that others write: registries, baselines, sources
// of policies. A repository may come from anybody, so that each file has a limit of
// size, only a regular file is read, and no link leads out of the repository.
package input

import (
	"errors"
	"fmt"
	"io"
	"os"
)

// The sizes, in bytes, of the largest files that are read. People write registries
// and sources; what is larger is data. Programs write baselines, and plans and
// states, which tell of everything that an organisation has.
const (
	Registry = 1 << 20
	Source   = 16 << 20
	Baseline = 16 << 20
	Plan     = 64 << 20

	// Together is what all sources of one kind that people write may have, and
	// TogetherPlans all plans and states: parsers take up to half a second for 1 MB.
	Together      = 16 << 20
	TogetherPlans = 128 << 20
)

var errIrregular = errors.New("it is no regular file")

// A TooLarge is the error of a file that is larger than the limit, in bytes.
type TooLarge int

func (limit TooLarge) Error() string {
	return fmt.Sprintf("it is larger than the %d MB that are read of such a file", int(limit)>>20)
}

// Read returns the content of a file of at most limit bytes. The error is a
// [TooLarge] of a larger one, and another of what is no regular file or cannot be
// read.
func Read(path string, limit int) ([]byte, error) {
	data, err := Beginning(path, limit+1)
	if err == nil && len(data) > limit {
		return nil, TooLarge(limit)
	}
	return data, err
}

// Beginning returns at most the first size bytes of a file. It is an error if the
// file is not regular: a device has no end, and a pipe may never begin.
func Beginning(path string, size int) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, errIrregular
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data := make([]byte, min(int64(size), info.Size()+1))
	n, err := io.ReadFull(f, data)
	if err == io.ErrUnexpectedEOF || err == io.EOF {
		err = nil
	}
	return data[:n], err
}

// Reason words an error of the file system without the path, which stands before
// it.
func Reason(err error) string {
	var path *os.PathError
	if errors.As(err, &path) {
		return path.Err.Error()
	}
	return err.Error()
}
