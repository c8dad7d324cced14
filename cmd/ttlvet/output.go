package main

import (
	"fmt"
	"io"
	"io/fs"
	"os"
)

// An output is standard output that remembers why something could not be written:
// of findings on a full disk nobody must think that there are none.
type output struct {
	file *os.File
	err  error
}

func (o *output) Write(p []byte) (int, error) {
	n, err := o.file.Write(p)
	if o.err == nil {
		o.err = err
	}
	return n, err
}

// Fd and Stat tell whether it is a terminal, and which.
func (o *output) Fd() uintptr                { return o.file.Fd() }
func (o *output) Stat() (fs.FileInfo, error) { return o.file.Stat() }

// ended returns the exit code of a run by that code, and says if its output is lost.
func (o *output) ended(code int, stderr io.Writer) int {
	if o.err == nil || code == exitFailure {
		return code
	}
	fmt.Fprintf(stderr, "ttlvet: %v\n", o.err)
	return exitFailure
}
