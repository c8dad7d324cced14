// Package self says what this program is.
package self

import (
	"fmt"
	"runtime"
	"runtime/debug"
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

// Line is what the program says of itself.
func Line() string {
	return fmt.Sprintf("ttlvet %s (%s)", Version(), runtime.Version())
}
