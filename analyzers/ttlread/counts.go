package ttlread

import (
	"github.com/ttlvet/ttlvet/internal/btapi"
	"github.com/ttlvet/ttlvet/internal/check"
	"github.com/ttlvet/ttlvet/internal/filter"
	"github.com/ttlvet/ttlvet/internal/registry"
)

// ofBound are the categories of a time range that is wrong in itself: it
// matters to a scan that counts rows, too.
var ofBound = map[string]bool{"expired-only": true, "upper-bound": true, "wrong-bound": true}

// counts reports whether a scan looks at nothing of its rows but their keys, and
// chooses them by their cells' time; not one that looks for what is to be
// deleted.
func (r *read) counts() bool {
	u := r.uses
	return r.e.Op == btapi.ReadRows && r.known && !u.All && (!u.Keys || !r.e.Sweeps) && !u.Exists && len(u.Families) == 0 && r.tree.Has(filter.TimeRange)
}

// declared returns the families of a table; of one that is not known those that
// the filter names.
func (r *read) declared(ref registry.Ref) (all []check.Target) {
	table, known := r.p.Model.Table(ref)
	switch {
	case table == nil && !known && r.tree.NamesFamily():
		return r.byName(ref)
	case table == nil:
		return nil
	}
	for _, f := range table.Families {
		all = append(all, check.Target{Family: f, Table: table, Ref: ref})
	}
	return all
}
