// Package yielded writes what iterators yield that functions are given.
package yielded

import (
	"errors"
	"io"
	"iter"
	"maps"
	"slices"
	"strconv"

	"cloud.google.com/go/bigtable"

	"example.com/cases/sight/yielded/plan"
)

func revoke(mut *bigtable.Mutation, families iter.Seq[string]) {
	for family := range families {
		mut.Set(family, "c", bigtable.Now(), nil)
	}
}

func names(first, second string) iter.Seq[string] {
	return func(yield func(string) bool) {
		_ = yield(first) && yield(second)
	}
}

func literal(mut *bigtable.Mutation) {
	revoke(mut, names("profile", "token")) // want `write-time: .*"token"`
}

func list(mut *bigtable.Mutation) {
	revoke(mut, slices.Values([]string{"token"})) // want `write-time: .*"token"`
}

func keys(mut *bigtable.Mutation) {
	revoke(mut, maps.Keys(map[string]bool{"token": true})) // want `write-time: .*"token"`
}

func okLiteral(mut *bigtable.Mutation) { revoke(mut, names("profile", "profile")) }

func okUnknown(mut *bigtable.Mutation, families iter.Seq[string]) { revoke(mut, families) }

// Pairs are judged together.
func apply(mut *bigtable.Mutation, cells iter.Seq2[string, bigtable.Timestamp]) {
	for family, ts := range cells {
		mut.Set(family, "c", ts, nil)
	}
}

func mixed(now bigtable.Timestamp) iter.Seq2[string, bigtable.Timestamp] {
	return func(yield func(string, bigtable.Timestamp) bool) {
		if yield("latest", 0) {
			yield("profile", now)
		}
	}
}

func okPairs(mut *bigtable.Mutation) { apply(mut, mixed(bigtable.Now())) }

func swapped(now bigtable.Timestamp) iter.Seq2[string, bigtable.Timestamp] {
	return func(yield func(string, bigtable.Timestamp) bool) {
		if yield("latest", now) {
			yield("profile", now)
		}
	}
}

func pairs(mut *bigtable.Mutation) {
	apply(mut, swapped(bigtable.Now())) // want `clock-in-zero: .*"latest"`
}

// A zero value beside an error is not used.
type record struct {
	family  string
	expires int64
}

func parsed(next func() (string, error)) iter.Seq2[record, error] {
	return func(yield func(record, error) bool) {
		for {
			line, err := next()
			if errors.Is(err, io.EOF) {
				return
			}
			var r record
			if err == nil {
				r, err = parse(line)
			}
			if !yield(r, err) {
				return
			}
		}
	}
}

func parse(line string) (record, error) {
	n, err := strconv.ParseInt(line, 10, 64)
	if err != nil {
		return record{}, err
	}
	return record{"c", n}, nil
}

func okParsed(mut *bigtable.Mutation, next func() (string, error)) error {
	return load(mut, parsed(next))
}

func load(mut *bigtable.Mutation, records iter.Seq2[record, error]) error {
	for r, err := range records {
		if err != nil {
			return err
		}
		mut.Set("token", r.family, bigtable.Timestamp(r.expires), nil)
	}
	return nil
}

func failing(open func() error) iter.Seq2[record, error] {
	return func(yield func(record, error) bool) {
		if err := open(); err != nil {
			yield(record{}, err)
		}
	}
}

func okFailing(mut *bigtable.Mutation, open func() error) error {
	return load(mut, failing(open))
}

func zero(mut *bigtable.Mutation) error {
	return load(mut, func(yield func(record, error) bool) { // want `already-expired: .*"token"`
		yield(record{}, nil)
	})
}

// Of another package, and to one.
func elsewhere(mut *bigtable.Mutation) {
	revoke(mut, plan.Families()) // want `write-time: .*"token"`
	plan.Revoke(mut, names("a", "b"))
	plan.Revoke(mut, names("profile", "token")) // want `write-time: .*"token"`
	plan.Revoke(mut, plan.Families())           // want `write-time: .*"token"`
}
