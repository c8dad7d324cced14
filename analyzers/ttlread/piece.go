package ttlread

import (
	"go/token"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/ttlvet/ttlvet/internal/filter"
	"github.com/ttlvet/ttlvet/internal/fix"
	"github.com/ttlvet/ttlvet/internal/registry"
	"github.com/ttlvet/ttlvet/runtime/strategy"
)

// A piece is a filter that a fix writes: its text, and the tree as which it is judged
// before it is offered.
type piece struct {
	text string
	tree *filter.Tree
}

// since writes the filter that passes cells from so long ago on, by the clock that a
// fix reads there.
func since(b *fix.Builder, ago time.Duration, at token.Pos) piece {
	return sinceThen(b, b.Now(at), ago, at)
}

// sinceThen is since for the current time that an expression gives.
func sinceThen(b *fix.Builder, now string, ago time.Duration, at token.Pos) piece {
	if ago != 0 {
		now += ".Add(-" + b.Duration(ago, at) + ")"
	}
	start := strategy.Instant{Kind: strategy.Now, Lo: -float64(ago), Hi: -float64(ago)}
	return piece{
		b.Ref(fix.Bigtable, "TimestampRangeFilter", at) + "(" + now + ", " + b.Ref(fix.Time, "Time", at) + "{})",
		&filter.Tree{Op: filter.TimeRange, Start: start, End: strategy.Instant{Kind: strategy.Never}},
	}
}

// live writes the filter that keeps out the dead cells of a family.
func live(b *fix.Builder, f *registry.Family, at token.Pos) piece {
	switch {
	case f.Strategy == registry.OneSecond:
		return since(b, 0, at)
	case f.Strategy == registry.Default:
		return since(b, f.TTL, at)
	case f.Strategy == registry.Real && f.MaxAge > 0:
		return since(b, f.MaxAge, at)
	}
	n := max(f.Versions, 1)
	return piece{
		b.Ref(fix.Bigtable, "LatestNFilter", at) + "(" + strconv.Itoa(n) + ")",
		&filter.Tree{Op: filter.LatestN, N: n, NKnown: true},
	}
}

// ofFamilies writes the filter for the cells of families of those names.
func ofFamilies(b *fix.Builder, names []string, at token.Pos) piece {
	pattern := names[0]
	if len(names) > 1 || strings.Contains(pattern, ".") {
		quoted := make([]string, len(names))
		for i, name := range names {
			quoted[i] = regexp.QuoteMeta(name)
		}
		pattern = strings.Join(quoted, "|")
	}
	return piece{
		b.Ref(fix.Bigtable, "FamilyFilter", at) + "(" + strconv.Quote(pattern) + ")",
		&filter.Tree{Op: filter.Family, Pattern: filter.Text{Known: true, S: pattern}},
	}
}

// joined writes a chain or an interleave of pieces; one alone stays as it is.
func joined(b *fix.Builder, op filter.Op, at token.Pos, pieces ...piece) piece {
	if len(pieces) == 1 {
		return pieces[0]
	}
	name := "ChainFilters"
	if op == filter.Interleave {
		name = "InterleaveFilters"
	}
	out := piece{tree: &filter.Tree{Op: op}}
	var texts []string
	for _, p := range pieces {
		texts = append(texts, p.text)
		out.tree.Sub = append(out.tree.Sub, p.tree)
	}
	out.text = b.Ref(fix.Bigtable, name, at) + "(" + strings.Join(texts, ", ") + ")"
	return out
}

// perFamily writes a filter that treats each family by its strategy, those that need
// the same alike: by what own gives for it, nothing where its text is "", else by what
// it needs. Families that are not declared pass as they are. Where all need the same,
// it is that alone.
func perFamily(b *fix.Builder, families []*registry.Family, undeclared []string, at token.Pos, own func(*registry.Family) (piece, bool)) piece {
	var order []piece
	byText := map[string][]string{}
	add := func(p piece, name string) {
		if byText[p.text] == nil {
			order = append(order, p)
		}
		byText[p.text] = append(byText[p.text], name)
	}
	for _, f := range families {
		p, ok := piece{}, false
		if own != nil {
			p, ok = own(f)
		}
		if !ok && f.Strategy.NeedsFilter() {
			p = live(b, f, at)
		}
		add(p, f.Name)
	}
	for _, name := range undeclared {
		add(piece{}, name)
	}
	if len(order) == 1 && order[0].text != "" {
		return order[0]
	}
	var branches []piece
	for _, p := range order {
		branch := []piece{ofFamilies(b, byText[p.text], at)}
		if p.text != "" {
			branch = append(branch, p)
		}
		branches = append(branches, joined(b, filter.Chain, at, branch...))
	}
	return joined(b, filter.Interleave, at, branches...)
}

// used reports whether cells of a family of that name may be used of the read's rows.
func (r *read) used(name string) bool {
	return r.uses.All || len(r.uses.Families) == 0 || slices.Contains(r.uses.Families, name)
}
