package baseline

import (
	"slices"
	"strings"

	"github.com/ttlvet/ttlvet/internal/fingerprint"
)

// A Budget counts down the entries of a package while its findings are held
// against them.
type Budget struct{ left []Entry }

// Budget returns the entries of a package. A nil file has none.
func (f *File) Budget(pkg string) *Budget {
	b := new(Budget)
	if f == nil {
		return b
	}
	pkg, _, _ = strings.Cut(pkg, " ")
	for _, e := range f.Entries {
		if e.Package == pkg {
			b.left = append(b.left, e)
		}
	}
	return b
}

// Take reports whether a finding is known, and takes it from the entry whose
// key it returns. An entry knows a finding of the same rule in the same
// declaration that is about the same table and at least one of its families:
// a family that the registry comes to know later does not make an old read
// new.
func (b *Budget) Take(k fingerprint.Key) (entry fingerprint.Key, ok bool) {
	for _, covers := range []func(e, k fingerprint.Key) bool{equal, shares} {
		for i := range b.left {
			if e := &b.left[i]; e.Count > 0 && covers(e.Key, k) {
				e.Count--
				return e.Key, true
			}
		}
	}
	return fingerprint.Key{}, false
}

func equal(e, k fingerprint.Key) bool { return e == k }

func shares(e, k fingerprint.Key) bool {
	families := strings.Split(k.Family, ",")
	same := slices.ContainsFunc(strings.Split(e.Family, ","), func(f string) bool { return slices.Contains(families, f) })
	e.Family = k.Family
	return same && e == k
}

// Usage counts how many findings each entry of baseline files has known.
type Usage map[fingerprint.Key]int

// Stale returns how many findings of the file are gone: those that entries
// hold for which judged returns true, beyond what used says of them.
func (f *File) Stale(used Usage, judged func(fingerprint.Key) bool) int {
	return f.Len() - f.Prune(used, judged).Len()
}

// Prune returns the file without what is gone. It never holds more than f.
func (f *File) Prune(used Usage, judged func(fingerprint.Key) bool) *File {
	pruned := new(File)
	for _, e := range f.Entries {
		if judged(e.Key) {
			e.Count = min(e.Count, used[e.Key])
		}
		if e.Count > 0 {
			pruned.Entries = append(pruned.Entries, e)
		}
	}
	return pruned
}
