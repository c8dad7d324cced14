package load

import "golang.org/x/tools/go/packages"

// translateCgo parses again, as translated by cgo, the packages that use it.
func (l *loader) translateCgo() error {
	plain, tested := map[string]bool{}, map[string]bool{}
	byID := map[string]*Unit{}
	for _, u := range l.order {
		switch {
		case !imports(u.Pkg.Syntax, "C"):
			continue
		case u.Pkg.ForTest != "":
			tested[u.Pkg.ForTest] = true
		default:
			plain[u.Pkg.PkgPath] = true
		}
		byID[u.Pkg.ID] = u
	}
	translate := func(patterns map[string]bool, tests bool) error {
		if len(patterns) == 0 {
			return nil
		}
		list, err := packages.Load(&packages.Config{
			Mode:       packages.NeedName | packages.NeedCompiledGoFiles | packages.NeedForTest,
			Tests:      tests,
			BuildFlags: l.config.buildFlags(),
		}, sortedKeys(patterns)...)
		if err != nil {
			return err
		}
		for _, p := range list {
			u := byID[p.ID]
			if u == nil || tests != (p.ForTest != "") {
				continue
			}
			if len(p.Errors) > 0 {
				return l.config.errorsOf([]*packages.Package{p})
			}
			u.Pkg.CompiledGoFiles = p.CompiledGoFiles
			u.errs = nil
			l.parse(u)
		}
		return nil
	}
	if err := translate(plain, false); err != nil {
		return err
	}
	return translate(tested, true)
}
