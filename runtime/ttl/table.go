package ttl

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"cloud.google.com/go/bigtable"
)

// A Table is a table with the strategies of its column families. [NewTable]
// makes one. It does not change and is safe for concurrent use.
type Table struct {
	name     string
	families []Family
}

// NewTable declares a table. Name is the table's ID, without project and
// instance; families are all those that programs read through this Table.
//
// Like [regexp.MustCompile] it is meant for package variables, and panics if
// the declaration cannot work: an illegal name, no family or a family twice, a
// ttl below a millisecond, less than one version. The panic's value is an error
// that names every fault.
func NewTable(name string, families ...Family) *Table {
	var faults []error
	fault := func(format string, args ...any) {
		faults = append(faults, fmt.Errorf("ttl: table %q: "+format, append([]any{name}, args...)...))
	}
	if err := checkName(name, 50); err != nil {
		fault("%w: %w", ErrDeclaration, err)
	} else if strings.ContainsAny(name[:1], "-.") {
		fault("%w: the name begins with %q", ErrDeclaration, name[:1])
	}
	if len(families) == 0 {
		fault("%w: no families", ErrDeclaration)
	}
	seen := make(map[string]bool)
	for i, f := range families {
		if f == nil {
			fault("%w: family %d is nil", ErrDeclaration, i)
			continue
		}
		if err := f.declared(); err != nil {
			fault("%w", err)
		}
		if seen[f.Name()] {
			fault("%w: family %q is declared twice", ErrDeclaration, f.Name())
		}
		seen[f.Name()] = true
	}
	if err := errors.Join(faults...); err != nil {
		panic(err)
	}
	return &Table{name, slices.Clone(families)}
}

// Name returns the ID of the table.
func (t *Table) Name() string { return t.name }

// Families returns the families in the order of the declaration.
func (t *Table) Families() []Family { return slices.Clone(t.families) }

// Conf returns the configuration that creates the table with the GC policies
// which the strategies need, for [bigtable.AdminClient.CreateTableFromConf]. The
// caller may add to it.
func (t *Table) Conf() *bigtable.TableConf {
	conf := &bigtable.TableConf{TableID: t.name, ColumnFamilies: make(map[string]bigtable.Family)}
	for _, f := range t.families {
		conf.ColumnFamilies[f.Name()] = bigtable.Family{GCPolicy: f.policy()}
	}
	return conf
}

// Live returns the option with which a read returns the live cells of the
// declared families and nothing else: see [Table.LiveFilter].
//
// It contains the current time: call it for every read and do not keep the
// result. Do not combine it with [bigtable.RowFilter], because only the last
// such option applies; use [Table.LiveAnd].
//
// https://cloud.google.com/bigtable/docs/garbage-collection
func (t *Table) Live() bigtable.ReadOption { return bigtable.RowFilter(t.LiveFilter()) }

// LiveAnd returns the option with which a read returns those live cells that
// pass all the filters, which see nothing but live cells: limits and offsets
// do not count dead ones, and of sequential numbers a filter by value does not
// bring back superseded versions. Like [Table.Live], it is good for one read.
func (t *Table) LiveAnd(filters ...bigtable.Filter) bigtable.ReadOption {
	if len(filters) == 0 {
		return t.Live()
	}
	return bigtable.RowFilter(bigtable.ChainFilters(append([]bigtable.Filter{t.LiveFilter()}, filters...)...))
}

// LiveFilter returns the filter that passes the live cells of the declared
// families at the time of the call, for use in other filters and in the
// condition of [bigtable.NewCondMutation].
//
// Live are, with one-second expiration, the cells that expire now or later;
// with default expiration, those whose timestamp is at most the default
// lifetime ago; with sequential numbers, the declared number of versions; with
// timestamp zero and real timestamps, all. Cells of families that are not
// declared do not pass.
func (t *Table) LiveFilter() bigtable.Filter {
	// Filters have no negation, so each family is named with its own condition.
	now := time.Now()
	branches := make([]bigtable.Filter, len(t.families))
	for i, f := range t.families {
		named := bigtable.FamilyFilter(regexp.QuoteMeta(f.Name()))
		branches[i] = bigtable.ChainFilters(named, f.live(now))
	}
	if len(branches) == 1 { // the service refuses to interleave one filter
		return branches[0]
	}
	return bigtable.InterleaveFilters(branches...)
}
