package ttl

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// SQL returns the table for the FROM clause of a GoogleSQL query, with the
// arguments by which the query sees the cells that are live at the time:
//
//	from, err := sessionTokens.SQL(time.Now())
//	query := "SELECT token['jwt'] FROM " + from + " WHERE _key = @user"
//	// `sessions`(with_history => TRUE, after_or_equal => TIMESTAMP_MICROS(1767323045678000))
//
// With history, a column is an array of structs with a timestamp and a value,
// newest first. Like [Table.Live], the text is good for one read.
//
// The arguments hold for all families of the query, so that they cannot be
// right for several strategies at once: that is an [ErrDeclaration]. Declare a
// table of the same name with the families that share one, and select no other
// family. A predicate is no way out, because it chooses rows and not cells. A
// time at which no cell can be written, as for [Table.LiveAt], is an
// [ErrOutOfRange].
//
// https://cloud.google.com/bigtable/docs/reference/sql/table-functions-built-in
func (t *Table) SQL(at time.Time) (from string, err error) {
	if err := t.one(); err != nil {
		return "", err
	}
	if _, err := timestamp(at); err != nil {
		return "", fmt.Errorf("ttl: table %q: %w", t.name, err)
	}
	dead := t.families[0].dead()
	for _, f := range t.families[1:] {
		if !slices.Equal(f.dead(), dead) {
			return "", fmt.Errorf("ttl: table %q: %w: in one GoogleSQL query, families %q and %q cannot both be filtered by strategy",
				t.name, ErrDeclaration, t.families[0].Name(), f.Name())
		}
	}
	args := []string{"with_history => TRUE"}
	for _, c := range dead {
		switch {
		case c.age < 0:
			args = append(args, fmt.Sprintf("latest_n => %d", c.versions))
		case c.versions == 0:
			micros := max(0, at.Add(-c.age).UnixMilli()*1000)
			args = append(args, fmt.Sprintf("after_or_equal => TIMESTAMP_MICROS(%d)", micros))
		default:
			return "", fmt.Errorf("ttl: table %q: %w: GoogleSQL cannot express %v", t.name, ErrDeclaration, dead)
		}
	}
	return fmt.Sprintf("`%s`(%s)", t.name, strings.Join(args, ", ")), nil
}
