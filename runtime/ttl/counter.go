package ttl

import (
	"crypto/rand"
	"fmt"
	"math/big"
	"strings"
	"time"

	"cloud.google.com/go/bigtable"
)

// A Counter counts in a row what happened within a time: every increment
// expires by itself. [NewCounter] makes one.
//
// Read-modify-write cannot do this, because it gives the sum the timestamp of
// the server's clock, or that of the sum before it, and even adds to sums that
// have expired. A Counter writes each increment as a cell in a column of its
// own, name/random, and readers add them up. Hence
//
//   - any number of writers may increment at once, also in different clusters
//     of a replicated instance: they neither wait for each other nor lose
//     anything, and need no single-row transactions;
//   - a mutation that is retried counts once: it writes the same cell again.
//     For the same reason each increment needs its own call of Add;
//   - a read costs as much as there are increments that have not been collected
//     yet. This is for up to some thousands of increments per row within
//     the lifetime, such as attempts to log in. Rows should stay below
//     100 MB; spread counters with more increments over several rows.
//
// https://cloud.google.com/bigtable/docs/gc-cell-level
type Counter struct {
	family Expiring
	name   string
}

// NewCounter declares a counter in a family whose cells expire. The columns
// that begin with the name and a slash belong to it, and no companion of the
// family ([WrittenAt]) may be among them; the name itself is not empty and has no
// slash.
func NewCounter(family Expiring, name string) Counter { return Counter{family, name} }

// Add adds an increment by n, which may be negative, that expires in the
// declared lifetime of the family: the sum then slides along with time.
func (c Counter) Add(mut *bigtable.Mutation, n int64) error {
	if err := c.declared(); err != nil {
		return err
	}
	return c.family.Set(mut, c.column(), encode(n))
}

// AddUntil adds an increment by n, which may be negative, that expires at the
// deadline. With the same deadline for all, the counter as a whole expires. The
// errors are those of [OneSecondFamily.SetUntil] and [DefaultFamily.SetUntil].
func (c Counter) AddUntil(mut *bigtable.Mutation, n int64, deadline time.Time) error {
	if err := c.declared(); err != nil {
		return err
	}
	return c.family.SetUntil(mut, c.column(), encode(n), deadline)
}

// Filter returns the filter that passes the cells of the counter and no
// others, dead or live: use it as tbl.ReadRow(ctx, key, table.LiveAnd(c.Filter())).
func (c Counter) Filter() bigtable.Filter {
	if c.declared() != nil {
		return bigtable.BlockAllFilter()
	}
	// '0' follows '/': the range holds what begins with the prefix.
	return bigtable.ColumnRangeFilter(c.family.Name(), c.name+"/", c.name+"0")
}

// Sum returns the sum of the increments in the row, which must have been read
// with [Table.Live] or [Table.LiveAnd]: expired increments count otherwise. A
// cell of its columns that Add has not written is an error, and a sum that is no int64
// an [ErrOverflow].
func (c Counter) Sum(row bigtable.Row) (int64, error) {
	if err := c.declared(); err != nil {
		return 0, err
	}
	var sum big.Int // the parts may overflow where the sum does not
	for _, item := range row[c.family.Name()] {
		column, ok := strings.CutPrefix(item.Column, c.family.Name()+":"+c.name+"/")
		if !ok {
			continue
		}
		n, ok := decode(item.Value)
		if !ok || len(column) != len(rand.Text()) {
			return 0, fmt.Errorf("ttl: counter %q: cell %q of row %q is no increment, but %d bytes of something else", c.name, item.Column, item.Row, len(item.Value))
		}
		sum.Add(&sum, big.NewInt(n))
	}
	if !sum.IsInt64() {
		return 0, fmt.Errorf("ttl: counter %q: %w: the sum is %s", c.name, ErrOverflow, &sum)
	}
	return sum.Int64(), nil
}

func (c Counter) declared() error {
	if plain(c.family) == nil {
		return fmt.Errorf("ttl: counter %q: %w: it has no family", c.name, ErrDeclaration)
	}
	if c.name == "" {
		return fmt.Errorf("ttl: a counter: %w: the name is empty", ErrDeclaration)
	}
	if strings.Contains(c.name, "/") {
		return fmt.Errorf("ttl: counter %q: %w: the name has a slash", c.name, ErrDeclaration)
	}
	if w := c.family.companionColumn(); strings.HasPrefix(w, c.name+"/") {
		return fmt.Errorf("ttl: counter %q: %w: the companion %q of family %q is one of its columns", c.name, ErrDeclaration, w, c.family.Name())
	}
	return nil
}

// column returns a column name that no other increment has.
func (c Counter) column() string { return c.name + "/" + rand.Text() }
