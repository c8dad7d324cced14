package ttl

import (
	"errors"
	"fmt"
	"path"
	"reflect"
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
// Of tables whose names are known at run time only, such as one in each region,
// name is the pattern, as for [path.Match]. Filters and options are good for all
// of them; what asks for one of them is done by the Table that [Table.Named]
// returns:
//
//	var Ledgers = ttl.NewTable("ledger-*", Entry)
//
//	ledger, err := Ledgers.Named("ledger-" + region)
//	...
//	err = ledger.Verify(ctx, admin)
//	row, err := client.Open(ledger.Name()).ReadRow(ctx, key, ledger.Live())
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
	if err := checkTable(name); err != nil {
		fault("%w: %w", ErrDeclaration, err)
	}
	if len(families) == 0 {
		fault("%w: no families", ErrDeclaration)
	}
	families = slices.Clone(families)
	seen := make(map[string]bool)
	for i, f := range families {
		f = plain(f)
		if families[i] = f; f == nil {
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
	return &Table{name, families}
}

// wildcards are the characters of patterns that names do not have, but for ^.
const wildcards = `*?[]\`

// checkTable holds the name of a table, or a pattern of names, to what the
// service accepts.
func checkTable(name string) error {
	if !strings.ContainsAny(name, wildcards) {
		return checkID(name)
	}
	if _, err := path.Match(name, ""); err != nil {
		return fmt.Errorf("the pattern: %w", err)
	}
	fixed := func(r rune) rune {
		if strings.ContainsRune(wildcards+"^", r) {
			return 'x'
		}
		return r
	}
	return checkName(strings.Map(fixed, name), len(name))
}

// checkID holds the name of one table to what the service accepts.
func checkID(name string) error {
	if err := checkName(name, 50); err != nil {
		return err
	}
	if strings.ContainsAny(name[:1], "-.") {
		return fmt.Errorf("the name begins with %q", name[:1])
	}
	return nil
}

// Named returns the table with that name, of tables that were declared by a
// pattern. A name that does not match, or that no table can have, is an
// [ErrDeclaration].
func (t *Table) Named(name string) (*Table, error) {
	ok, _ := path.Match(t.name, name)
	if err := checkID(name); err != nil {
		return nil, fmt.Errorf("ttl: table %q, named %q: %w: %w", t.name, name, ErrDeclaration, err)
	} else if !ok {
		return nil, fmt.Errorf("ttl: table %q, named %q: %w: the name does not match", t.name, name, ErrDeclaration)
	}
	return &Table{name, t.families}, nil
}

// one returns an error for what is no single table.
func (t *Table) one() error {
	switch {
	case len(t.families) == 0:
		return fmt.Errorf("ttl: %w: table was not made by NewTable", ErrDeclaration)
	case strings.ContainsAny(t.name, wildcards):
		return fmt.Errorf("ttl: table %q: %w: it is a pattern of many: see Named", t.name, ErrDeclaration)
	}
	return nil
}

// plain returns the family itself where a pointer to it was given, and nil where
// there is none behind it.
func plain(f Family) Family {
	v := reflect.ValueOf(f)
	switch {
	case !v.IsValid(), v.Kind() == reflect.Pointer && v.IsNil():
		return nil
	case v.Kind() == reflect.Pointer:
		if of, ok := v.Elem().Interface().(Family); ok {
			return of
		}
	}
	return f
}

// Name returns the ID of the table, or the pattern of IDs that it was declared
// by.
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
// declared families and nothing else: see [Table.LiveFilter]. Of several live
// versions of a column it returns all; [Table.Latest] returns the newest.
//
// It contains the current time: call it for every read and do not keep the
// result. Do not combine it with [bigtable.RowFilter], because only the last
// such option applies; use [Table.LiveAnd].
//
// https://cloud.google.com/bigtable/docs/garbage-collection
func (t *Table) Live() bigtable.ReadOption { return t.LiveAnd() }

// LiveAnd returns the option with which a read returns those live cells that
// pass all the filters, which see nothing but live cells: limits and offsets
// do not count dead ones, and of sequential numbers a filter by value does not
// bring back superseded versions. A filter that is nil passes everything. Like
// [Table.Live], the option is good for one read.
func (t *Table) LiveAnd(filters ...bigtable.Filter) bigtable.ReadOption {
	return t.LiveAt(time.Now(), filters...)
}

// LiveAt returns the option of [Table.LiveAnd] at another time than now: with a
// later one, for what must not be used in the last moments of its life or on
// a clock that is slow; with one time for several reads, which then see the
// same cells. With an earlier one the option passes what was live then and has
// not been collected, which is no record of the past. With a time at which no
// cell can be written, the zero time and what is before 1970 or after 2262, it
// passes nothing.
func (t *Table) LiveAt(at time.Time, filters ...bigtable.Filter) bigtable.ReadOption {
	if _, err := timestamp(at); err != nil {
		return bigtable.RowFilter(bigtable.BlockAllFilter())
	}
	live := t.filter(func(f Family) bigtable.Filter { return f.dead().live(at) })
	return bigtable.RowFilter(chain(append([]bigtable.Filter{live}, filters...)...))
}

// Latest returns the option with which a read returns of each column the newest
// live version, the one with the latest timestamp, if it passes all the filters,
// which see nothing else. In a family whose cells expire that is the cell that
// expires last, which need not be the one written last: see Replace. Like
// [Table.Live], the option is good for one read.
func (t *Table) Latest(filters ...bigtable.Filter) bigtable.ReadOption {
	now := time.Now()
	latest := t.filter(func(f Family) bigtable.Filter {
		return bigtable.ChainFilters(f.dead().live(now), bigtable.LatestNFilter(1))
	})
	return bigtable.RowFilter(chain(append([]bigtable.Filter{latest}, filters...)...))
}

// LiveFilter returns the filter that passes the live cells of the declared
// families at the time of the call, for use in other filters and in the
// condition of [bigtable.NewCondMutation].
//
// Live are, with one-second expiration, the cells that expire now or later;
// with default expiration, those whose timestamp is at most the default
// lifetime ago; with sequential numbers, the declared number of versions; with
// timestamp zero, the latest version; with real timestamps, what the declared
// policy does not delete. Cells of families that are not declared do not pass.
func (t *Table) LiveFilter() bigtable.Filter {
	now := time.Now()
	return t.filter(func(f Family) bigtable.Filter { return f.dead().live(now) })
}

// filter returns the filter that passes cells by that of their family.
func (t *Table) filter(of func(Family) bigtable.Filter) bigtable.Filter {
	// Filters have no negation, so each family is named with its own condition.
	branches := make([]bigtable.Filter, len(t.families))
	for i, f := range t.families {
		named := bigtable.FamilyFilter(regexp.QuoteMeta(f.Name()))
		branches[i] = bigtable.ChainFilters(named, of(f))
	}
	switch len(branches) { // the service refuses to interleave less than two
	case 0:
		return bigtable.BlockAllFilter() // not made by NewTable
	case 1:
		return branches[0]
	}
	return bigtable.InterleaveFilters(branches...)
}
