package load

import (
	"fmt"
	"go/types"
	"os/exec"
	"slices"
	"strings"
	"sync"

	"golang.org/x/tools/go/packages"

	"github.com/ttlvet/ttlvet/cmd/ttlvet/internal/buildcache"
)

// A platform is what the go command builds for.
type platform struct {
	once   sync.Once
	err    error
	sizes  types.Sizes
	goroot string
	text   string // all of the build context that decides about files and types
}

// find asks the go command, once. Package packages, asked for the sizes of types
// with the rest, makes it run cgo on every package and hash every file.
func (p *platform) find(c *Config) error {
	p.once.Do(func() { p.err = p.ask(c) })
	return p.err
}

func (p *platform) ask(c *Config) error {
	if buildcache.HasDriver() {
		list, err := packages.Load(&packages.Config{Mode: packages.NeedTypesSizes | packages.NeedImports, BuildFlags: c.buildFlags()}, "unsafe")
		if err != nil {
			return err
		}
		p.sizes = list[0].TypesSizes
		return nil
	}
	const format = `-f={{with context}}{{.Compiler}}
{{.GOARCH}}
{{.GOROOT}}
{{.GOOS}} {{.CgoEnabled}} {{.BuildTags}} {{.ToolTags}} {{.ReleaseTags}} {{.InstallSuffix}}{{end}}`
	args := slices.Concat([]string{"list"}, c.buildFlags(), []string{format, "--", "unsafe"})
	var stderr strings.Builder
	cmd := exec.Command("go", args...)
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return goError(stderr.String(), fmt.Errorf("go list: %v", err))
	}
	lines := strings.SplitN(strings.TrimSpace(string(out))+"\n\n\n", "\n", 4)
	compiler, arch := strings.TrimSpace(lines[0]), strings.TrimSpace(lines[1])
	if p.sizes = types.SizesFor(compiler, arch); p.sizes == nil {
		return fmt.Errorf("the sizes of types are not known for %s on %s", compiler, arch)
	}
	p.goroot, p.text = strings.TrimSpace(lines[2]), string(out)
	return nil
}
