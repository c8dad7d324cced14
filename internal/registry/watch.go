package registry

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// Places returns, sorted, the paths at which a registry of the modules of dir
// stands or may come to stand, with the baselines that those there are name.
// Editors are at home in directories that hold several modules: those up to two
// levels below dir count too.
func Places(dir string) []string {
	roots := mainModules(dir)
	if name := workFile(dir); name != "" {
		roots[filepath.Dir(name)] = true
	}
	for _, pattern := range []string{"*/go.mod", "*/*/go.mod"} {
		below, _ := filepath.Glob(filepath.Join(clean(dir), filepath.FromSlash(pattern)))
		for _, mod := range below {
			roots[filepath.Dir(mod)] = true
		}
	}
	places := map[string]bool{}
	for root := range roots {
		for _, name := range append([]string{FileName}, misnamed...) {
			places[filepath.Join(root, name)] = true
		}
		if f := beside(root); f != "" {
			for _, b := range Baselines([]string{f}) {
				places[b] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(places))
}

// Stamp returns a text that changes with the files, also when their content
// comes back: by what is known of them without reading them.
func Stamp(files []string) string {
	var b strings.Builder
	for _, file := range files {
		if info, err := os.Stat(file); err == nil {
			b.WriteString(file + "\x00" + strconv.FormatInt(info.ModTime().UnixNano(), 36) + "\x00" + strconv.FormatInt(info.Size(), 36) + "\x00")
		}
	}
	return b.String()
}
