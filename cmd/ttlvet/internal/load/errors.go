package load

import (
	"errors"
	"os/exec"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/packages"

	"github.com/ttlvet/ttlvet/cmd/ttlvet/internal/buildcache"
	"github.com/ttlvet/ttlvet/cmd/ttlvet/internal/toolchain"
)

// BuildErrors are messages of code that does not build, one per line.
type BuildErrors []string

func (e BuildErrors) Error() string { return strings.Join(e, "\n") }

// orTooOld returns the errors of packages that do not build, nil when there
// are none, or what may lie behind them. The first is a heading.
func (e BuildErrors) orTooOld() error {
	switch {
	case e == nil:
		return nil
	case toolchain.Newer():
		return toolchain.TooOld(toolchain.GoVersion(), e[1])
	}
	return e
}

// NoPackages says that there are none that match the patterns.
type NoPackages string

func (p NoPackages) Error() string { return "no packages match " + string(p) }

// ErrGOPATH is the error of a start in GOPATH mode, which the environment asks for or
// what go env -w wrote.
var ErrGOPATH = errors.New("GO111MODULE is off, and ttlvet works in modules only: unset it, with go env -u GO111MODULE if go env -w has set it (and where there is no go.mod, go mod init writes one)")

// inGOPATH reports whether the go command is in GOPATH mode, which shows in packages
// without modules. It is asked only if there are any: those of the standard library are
// such, and what is broken.
func inGOPATH(list []*packages.Package) bool {
	if buildcache.HasDriver() || !slices.ContainsFunc(list, func(p *packages.Package) bool { return p.Module == nil }) {
		return false
	}
	out, err := exec.Command("go", "env", "GO111MODULE").Output()
	return err == nil && strings.TrimSpace(string(out)) == "off"
}

// goError returns what the go command said when it failed, or else the error.
func goError(said string, err error) error {
	if said = strings.TrimSpace(said); said != "" {
		return BuildErrors(strings.Split(said, "\n"))
	}
	return err
}

// errorLine words an error of the go command's.
func (c *Config) errorLine(e packages.Error) string {
	msg := strings.TrimSpace(e.Msg)
	if strings.HasPrefix(msg, "# ") {
		// The compiler's own output, with its positions and a heading.
		return msg
	}
	if strings.HasPrefix(msg, "no Go files in ") && slices.Equal(c.Patterns, []string{"."}) {
		return msg + ": ./... is the packages below"
	}
	if e.Pos == "" || e.Pos == "-" {
		return msg
	}
	file, rest := e.Pos, ""
	for range 2 {
		// Cut line and column from the end: a drive letter has a colon too.
		i := strings.LastIndexByte(file, ':')
		if i < 0 {
			break
		}
		if _, err := strconv.Atoi(file[i+1:]); err != nil {
			break
		}
		file, rest = file[:i], file[i:]+rest
	}
	return c.Shown.Path(file) + rest + ": " + msg
}

// errorsOf returns the errors of the packages as one, or nil.
func (c *Config) errorsOf(list []*packages.Package) error {
	var lines BuildErrors
	seen := map[string]bool{}
	for _, p := range list {
		for _, e := range p.Errors {
			if line := c.errorLine(e); !seen[line] {
				seen[line] = true
				lines = append(lines, line)
			}
		}
	}
	if lines == nil {
		return nil
	}
	return lines
}
