// Package toolchain compares the installed Go with the one that ttlvet was built
// with.
package toolchain

import (
	"bytes"
	"fmt"
	"go/importer"
	"go/token"
	"go/version"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
)

// GoVersion returns the version of the go command, such as "go1.26.8".
var GoVersion = sync.OnceValue(func() string {
	out, err := exec.Command("go", "env", "GOVERSION").Output()
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(out))
})

// Newer reports whether the go command's language is newer than the one
// that ttlvet was built with.
func Newer() bool { return isNewer(version.Lang(GoVersion())) }

// isNewer reports whether a language version is newer than the one that
// ttlvet was built with.
func isNewer(lang string) bool {
	own := version.Lang(runtime.Version()) // "" of a development version
	return own != "" && version.Compare(lang, own) > 0
}

// AtMostOwn returns the language version or, when that is newer, the one that
// ttlvet was built with: code that does without what is new has the same
// types with both.
func AtMostOwn(lang string) string {
	if isNewer(lang) {
		return version.Lang(runtime.Version())
	}
	return lang
}

const module = "github.com/ttlvet/ttlvet"

// TooOld is the error of a ttlvet that cannot deal with the code or the
// export data of a newer Go than the one it was built with.
func TooOld(goVersion, cause string) error {
	if cause != "" {
		cause = " (" + cause + ")"
	}
	return fmt.Errorf("built with %s, the go command is %s: reinstall with go install %s/cmd/ttlvet@latest%s",
		runtime.Version(), goVersion, module, cause)
}

// Readable returns an error when the standard library cannot read the export
// data in the file, which the compiler has written.
func Readable(file string) (err error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("%s: %v", file, r)
		}
		if v := compiler(data); err != nil && isNewer(version.Lang(v)) {
			err = TooOld(v, "")
		}
	}()
	open := func(string) (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(data)), nil }
	_, err = importer.ForCompiler(token.NewFileSet(), "gc", open).Import("p")
	return err
}

// compiler returns the version of the compiler that has written an object
// file, or "".
func compiler(data []byte) string {
	// go object GOOS GOARCH VERSION ...
	_, rest, _ := strings.Cut(string(data[:min(len(data), 300)]), "\ngo object ")
	if fields := strings.Fields(rest); len(fields) > 2 {
		return fields[2]
	}
	return ""
}
