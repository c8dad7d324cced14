package main

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// A result is what became of a module.
type result struct {
	skipped         string   // why it was not swept
	faults          []string // what must not be
	findings, fixed int      // over all strategies
}

// sweep sweeps one module in dir.
func (t *tools) sweep(m module, dir string) (r result) {
	defer os.RemoveAll(dir)
	tr, err := copied(m, dir)
	if err != nil {
		return result{skipped: firstLine([]byte(err.Error()))}
	}
	if m.path != std { // compiling its tests would take minutes
		if err := tr.build(); err != nil {
			return result{skipped: "does not build by itself: " + firstLine([]byte(err.Error()))}
		}
	}
	if err := tr.list(); err != nil {
		return result{skipped: "its files cannot be listed: " + err.Error()}
	}
	fault := func(strategy string, err error) {
		if err != nil {
			r.faults = append(r.faults, strategy+": "+err.Error())
		}
	}
	families, rounds := []string{"f"}, strategies[:1]
	if m.bigtable {
		families, rounds = words(tr.owned), strategies
	}
	// The other drivers look at every dependency again when the registry
	// changes, so they run under the strategy that finds most.
	var most []string
	chosen := rounds[0]
	for _, strategy := range rounds {
		findings, err := t.round(tr, &r, invented(families, strategy))
		fault(strategy, err)
		r.findings += len(findings)
		if len(findings) > len(most) {
			most, chosen = findings, strategy
		}
	}
	fault(chosen, t.agree(tr, most, invented(families, chosen)))
	return r
}

func (t *tree) declare(registry string) error {
	return os.WriteFile(filepath.Join(t.dir, "ttlvet.yaml"), []byte(registry), 0o666)
}

// round runs ttlvet under a registry, lets it mend the module and restores
// that. It returns the findings.
func (t *tools) round(tr *tree, r *result, registry string) ([]string, error) {
	if err := tr.declare(registry); err != nil {
		return nil, err
	}
	findings, _, err := t.standalone(tr)
	if err != nil || tr.path == std {
		return findings, err
	}
	// Safe fixes, and then all.
	if len(findings) > 0 {
		err = t.fix(tr, r, "-fix")
	}
	if tr.bigtable {
		err = errors.Join(err, t.fix(tr, r, "-strict", "-unsafe-fixes"))
	}
	return findings, errors.Join(err, tr.restore())
}

// agree holds the other drivers to what ttlvet finds, and lets the go command
// mend the module, which it does without looking.
func (t *tools) agree(tr *tree, want []string, registry string) error {
	if err := tr.declare(registry); err != nil {
		return err
	}
	var faults []error
	for _, d := range t.drivers {
		if tr.path == std && d.name != "go vet" {
			continue // they look at modules
		}
		got, err := d.run(tr)
		if err == nil && !slices.Equal(got, want) {
			err = fmt.Errorf("%s and ttlvet differ:\n%s", d.name, difference(want, got))
		}
		faults = append(faults, err)
	}
	if len(want) > 0 && slices.ContainsFunc(t.drivers, func(d driver) bool { return d.name == "go vet" }) {
		faults = append(faults, t.vetFix(tr), tr.restore())
	}
	return errors.Join(faults...)
}

// fix lets ttlvet mend the module twice, and returns what is wrong with that.
func (t *tools) fix(tr *tree, r *result, flags ...string) error {
	before, err := tr.snapshot()
	if err != nil {
		return err
	}
	name := "ttlvet " + strings.Join(flags, " ")
	_, out, err := t.standalone(tr, flags...)
	if err != nil {
		return err
	}
	if strings.Contains(string(out.stderr), "would not compile") {
		return fmt.Errorf("%s is offered fixes that do not compile: %s", name, excerpt(out.stderr))
	}
	after, err := tr.snapshot()
	if err != nil {
		return err
	}
	mended := differing(before, after)
	if len(mended) == 0 {
		return nil
	}
	r.fixed += len(mended)
	if err := tr.build(); err != nil {
		return fmt.Errorf("after %s, this does not compile: %s", name, excerpt([]byte(err.Error())))
	}
	if _, _, err := t.standalone(tr, flags...); err != nil {
		return err
	}
	again, err := tr.snapshot()
	if err != nil {
		return err
	}
	if list := differing(after, again); len(list) > 0 {
		return fmt.Errorf("a second %s changes %s", name, strings.Join(list, ", "))
	}
	return nil
}

// vetFix lets the go command mend the module.
func (t *tools) vetFix(tr *tree) error {
	out, err := execute(tr.dir, nil, slices.Concat([]string{"go", "vet", "-vettool=" + t.ttlvet, "-fix"}, tr.packages)...)
	if err := sound("go vet -fix", out, err); err != nil {
		return err
	}
	if list, err := tr.changed(); err != nil || len(list) == 0 {
		return err
	}
	if err := tr.build(); err != nil {
		return fmt.Errorf("after go vet -fix, this does not compile: %s", excerpt([]byte(err.Error())))
	}
	return nil
}

// differing returns the files that are not the same.
func differing(before, after map[string]string) []string {
	var list []string
	for _, name := range slices.Sorted(maps.Keys(before)) {
		if before[name] != after[name] {
			list = append(list, name)
		}
	}
	return list
}

// difference lists what one list has and the other has not.
func difference(want, got []string) string {
	var b strings.Builder
	for _, s := range want {
		if !slices.Contains(got, s) {
			fmt.Fprintf(&b, "-%s\n", s)
		}
	}
	for _, s := range got {
		if !slices.Contains(want, s) {
			fmt.Fprintf(&b, "+%s\n", s)
		}
	}
	return strings.TrimSuffix(b.String(), "\n")
}
