// Package self says what this program is.
package self

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"

	"golang.org/x/mod/semver"

	"github.com/ttlvet/ttlvet/internal/btapi"
)

// Path is the path of ttlvet's own module.
const Path = "github.com/ttlvet/ttlvet"

// RuntimePath is the path of the module of the runtime package, which is
// released by itself.
const RuntimePath = Path + "/runtime"

// Version returns the version of the ttlvet module in this program, which
// is "(devel)" for one that was built from a checkout.
func Version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "(devel)"
	}
	modules := append([]*debug.Module{&info.Main}, info.Deps...)
	for _, m := range modules {
		switch {
		case m.Path != Path:
		case m.Replace != nil, m.Version == "":
			return "(devel)"
		default:
			return m.Version
		}
	}
	return "(devel)"
}

// Release returns the version as a semantic one, with a v: that of a checkout comes
// before all releases.
func Release() string {
	if v := Version(); semver.IsValid(v) {
		return v
	}
	if commit, _ := commit(); commit != "" {
		return "v0.0.0-devel+" + commit[:min(12, len(commit))]
	}
	return "v0.0.0-devel"
}

// Line is what the program says of itself.
func Line() string {
	return fmt.Sprintf("ttlvet %s (%s)", Version(), runtime.Version())
}

// Description is all that the program says of itself, in lines.
func Description() string {
	var b strings.Builder
	fmt.Fprintln(&b, Line())
	from, when := commit()
	switch {
	case from != "":
		from += when
	case semver.IsValid(Version()):
		from = "that of " + Version()
	default:
		from = "not known: built without version control"
	}
	for _, line := range [][2]string{
		{"commit", from},
		{"Go", fmt.Sprintf("%s %s/%s", runtime.Version(), runtime.GOOS, runtime.GOARCH)},
		{"client", fmt.Sprintf("%s %s to %s", btapi.Module, btapi.Oldest, btapi.Newest)},
	} {
		fmt.Fprintf(&b, "  %-7s %s\n", line[0]+":", line[1])
	}
	return b.String()
}

// commit returns the commit from which a checkout was built, and in words when that was
// made and whether more than that was built. It is "" for a released module, whose
// version says it.
func commit() (hash, when string) {
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Main.Path != Path {
		return "", ""
	}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			hash = s.Value
		case "vcs.time":
			when += " of " + s.Value
		case "vcs.modified":
			if s.Value == "true" {
				when += ", with changes"
			}
		}
	}
	return hash, when
}
