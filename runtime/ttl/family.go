package ttl

import (
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"strings"
	"time"

	"cloud.google.com/go/bigtable"
)

// A Family is a column family with its strategy: a [OneSecondFamily],
// [DefaultFamily], [SequenceFamily], [ZeroFamily] or [RealTimeFamily], made by
// the constructor of the strategy.
type Family interface {
	// Name returns the name of the column family.
	Name() string
	// LiveFilter returns the filter that passes the live cells of this family
	// and nothing else, as [Table.LiveFilter] does for all families of a table.
	LiveFilter() bigtable.Filter

	// companionColumn returns the column of a companion, "" for none.
	companionColumn() string
	// declared returns what is wrong with the declaration.
	declared() error
	// dead returns the rule by which a reader takes cells for dead.
	dead() rule
	// policy returns the GC policy that the strategy needs, nil for none.
	policy() bigtable.GCPolicy
	// works reports whether the strategy works with a policy that is not
	// the one it needs, as far as the client reports policies.
	works(r rule) bool
}

// An Expiring family has cells that expire at a time of their own: it is a
// [OneSecondFamily] or a [DefaultFamily]. The methods are described there.
type Expiring interface {
	Family
	Set(mut *bigtable.Mutation, column string, value []byte) error
	SetFor(mut *bigtable.Mutation, column string, value []byte, lifetime time.Duration) error
	SetUntil(mut *bigtable.Mutation, column string, value []byte, deadline time.Time) error
	Replace(mut *bigtable.Mutation, column string, value []byte, lifetime time.Duration) error
	ReplaceUntil(mut *bigtable.Mutation, column string, value []byte, deadline time.Time) error
	Expiry(item bigtable.ReadItem) time.Time
}

// A declaration is what all strategies have in common.
type declaration struct {
	name string
	err  error
	// writtenAt is the column that gets the write time with every value, nil
	// for none.
	writtenAt *string
}

// declare keeps the first of the problems, because constructors are called for
// package variables and have nobody to return an error to.
func declare(name string, problem error) declaration {
	return declaration{name: name}.with(checkName(name, 64)).with(problem)
}

func (d declaration) with(problem error) declaration {
	if d.err == nil && problem != nil {
		d.err = fmt.Errorf("ttl: family %q: %w: %w", d.name, ErrDeclaration, problem)
	}
	return d
}

// Name returns the name of the column family.
func (d declaration) Name() string { return d.name }

func (d declaration) companionColumn() string {
	if d.writtenAt == nil {
		return ""
	}
	return *d.writtenAt
}

func (d declaration) declared() error {
	if d.err == nil && d.name == "" {
		return fmt.Errorf("ttl: %w: family was not made by a constructor", ErrDeclaration)
	}
	return d.err
}

// only returns the filter that passes those cells of the family which pass the
// other filter.
func (d declaration) only(f bigtable.Filter) bigtable.Filter {
	return bigtable.ChainFilters(bigtable.FamilyFilter(regexp.QuoteMeta(d.name)), f)
}

// put adds a cell to the mutation, unless something is wrong with the
// declaration, the mutation or, as err says, the timestamp.
func (d declaration) put(mut *bigtable.Mutation, column string, value []byte, ts bigtable.Timestamp, err error) error {
	if err := d.writable(mut, column, err); err != nil {
		return err
	}
	mut.Set(d.name, column, ts, value)
	if d.writtenAt != nil {
		mut.Set(d.name, *d.writtenAt, ts, encode(time.Now().UnixMicro()))
	}
	return nil
}

// replace is put after deletion of the column. The deletion comes first, or it
// would delete the new cell too.
func (d declaration) replace(mut *bigtable.Mutation, column string, value []byte, ts bigtable.Timestamp, err error) error {
	if err := d.writable(mut, column, err); err != nil {
		return err
	}
	mut.DeleteCellsInColumn(d.name, column)
	if d.writtenAt != nil {
		mut.DeleteCellsInColumn(d.name, *d.writtenAt)
	}
	return d.put(mut, column, value, ts, nil)
}

func (d declaration) writable(mut *bigtable.Mutation, column string, err error) error {
	if err := d.declared(); err != nil {
		return err
	}
	switch {
	case err != nil:
	case mut == nil:
		err = ErrNilMutation
	case conditional(mut):
		err = ErrCondMutation
	case d.writtenAt != nil && *d.writtenAt == column:
		err = fmt.Errorf("%w: it is its own companion", ErrDeclaration)
	}
	if err != nil {
		return fmt.Errorf("ttl: family %q, column %q: %w", d.name, column, err)
	}
	return nil
}

// conditional reports whether a mutation was made by [bigtable.NewCondMutation].
// The client does not say; a test holds that it can be seen.
func conditional(mut *bigtable.Mutation) bool {
	f := reflect.ValueOf(mut).Elem().FieldByName("isConditional")
	return f.IsValid() && f.Kind() == reflect.Bool && f.Bool()
}

// nameCharacters are those that the service allows in names of families and
// tables.
const nameCharacters = "-_.0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"

func checkName(name string, longest int) error {
	illegal := func(r rune) bool { return !strings.ContainsRune(nameCharacters, r) }
	switch {
	case name == "":
		return errors.New("the name is empty")
	case len(name) > longest:
		return fmt.Errorf("the name is longer than %d characters", longest)
	case strings.ContainsFunc(name, illegal):
		return errors.New("the name has characters other than [-_.a-zA-Z0-9]")
	}
	return nil
}

// checkAge holds an age or a lifetime to what the service accepts as max age.
func checkAge(what string, d time.Duration) error {
	if d < time.Millisecond {
		return fmt.Errorf("the %s %v is shorter than 1ms", what, d)
	}
	return nil
}

// checkVersions holds a number of versions to what the service accepts; it is
// 32 bits wide in the protocol.
func checkVersions(n int) error {
	if n < 1 || int64(n) > 1<<31-1 {
		return fmt.Errorf("%d versions: must be between 1 and 2147483647", n)
	}
	return nil
}

// checkSkew holds a difference of clocks to what can be one.
func checkSkew(d time.Duration) error {
	if d < 0 {
		return fmt.Errorf("the skew %v is negative", d)
	}
	return nil
}
