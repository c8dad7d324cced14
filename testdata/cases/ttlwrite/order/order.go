// Package order holds mutations whose own entries destroy one another: two
// writes of one cell, deletions after writes.
package order

import (
	"os"
	"time"

	"cloud.google.com/go/bigtable"
)

const hour = time.Hour

// Two writes of one cell.

func zeroTwice(mut *bigtable.Mutation) {
	mut.Set("latest", "price", 0, []byte("1"))
	mut.Set("latest", "price", 0, []byte("2")) // want `same-timestamp: .*"latest"`
}

func okOtherColumn(mut *bigtable.Mutation) {
	mut.Set("latest", "price", 0, nil)
	mut.Set("latest", "stock", 0, nil)
}

func okOtherFamily(mut *bigtable.Mutation) {
	ts := bigtable.Time(time.Now().Add(hour))
	mut.Set("token", "value", ts, nil)
	mut.Set("ticket", "value", ts, nil)
}

func okOtherMutation() {
	first, second := bigtable.NewMutation(), bigtable.NewMutation()
	first.Set("latest", "price", 0, nil)
	second.Set("latest", "price", 0, nil)
}

func localTwice(mut *bigtable.Mutation) {
	expires := bigtable.Time(time.Now().Add(hour))
	mut.Set("token", "jwt", expires, []byte("old"))
	mut.Set("token", "jwt", expires, []byte("new")) // want `same-timestamp: .*"token"`
}

func okDifferentNumbers(mut *bigtable.Mutation) {
	mut.Set("entry", "amount", 1000, nil)
	mut.Set("entry", "amount", 2000, nil)
}

func sameNumber(mut *bigtable.Mutation) {
	mut.Set("entry", "amount", 2000, nil)
	mut.Set("entry", "amount", 2000, nil) // want `same-timestamp: .*"entry"`
}

func sameParameter(mut *bigtable.Mutation, n int64) {
	ts := bigtable.Timestamp(n * 1000)
	mut.Set("entry", "amount", ts, nil)
	mut.Set("entry", "amount", ts, nil) // want `same-timestamp: .*"entry"`
}

func okOneMore(mut *bigtable.Mutation, n int64) {
	mut.Set("entry", "amount", bigtable.Timestamp(n*1000), nil)
	mut.Set("entry", "amount", bigtable.Timestamp((n+1)*1000), nil)
}

func serverTimeTwice(mut *bigtable.Mutation) {
	mut.Set("event", "url", bigtable.ServerTime, nil)
	mut.Set("event", "url", bigtable.ServerTime, nil) // want `same-timestamp: .*"event"`
}

func okReal(mut *bigtable.Mutation) {
	mut.Set("profile", "name", 0, nil)
	mut.Set("profile", "name", 0, nil)
}

func okEitherBranch(mut *bigtable.Mutation) {
	if os.Getenv("SALE") != "" {
		mut.Set("latest", "price", 0, []byte("1"))
	} else {
		mut.Set("latest", "price", 0, []byte("2"))
	}
}

func okUnknownColumns(mut *bigtable.Mutation, a, b string) {
	mut.Set("latest", a, 0, nil)
	mut.Set("latest", b, 0, nil)
}

func okLoopOverColumns(mut *bigtable.Mutation, columns []string) {
	for _, c := range columns {
		mut.Set("latest", c, 0, nil)
	}
}

// Deletions after writes.

func deleteColumnAfter(mut *bigtable.Mutation) {
	mut.Set("token", "jwt", bigtable.Time(time.Now().Add(hour)), nil)
	mut.DeleteCellsInColumn("token", "jwt") // want `delete-after-set: .*"token"`
}

func okDeleteColumnBefore(mut *bigtable.Mutation) {
	mut.DeleteCellsInColumn("token", "jwt")
	mut.Set("token", "jwt", bigtable.Time(time.Now().Add(hour)), nil)
}

func okDeleteOtherColumn(mut *bigtable.Mutation) {
	mut.Set("token", "jwt", bigtable.Time(time.Now().Add(hour)), nil)
	mut.DeleteCellsInColumn("token", "csrf")
}

func deleteFamilyAfter(mut *bigtable.Mutation) {
	mut.Set("token", "jwt", bigtable.Time(time.Now().Add(hour)), nil)
	mut.DeleteCellsInFamily("token") // want `delete-after-set: .*"token"`
}

func okDeleteFamilyBefore(mut *bigtable.Mutation) {
	mut.DeleteCellsInFamily("token")
	mut.Set("token", "jwt", bigtable.Time(time.Now().Add(hour)), nil)
}

func okDeleteOtherFamily(mut *bigtable.Mutation) {
	mut.Set("token", "jwt", bigtable.Time(time.Now().Add(hour)), nil)
	mut.DeleteCellsInFamily("profile")
}

func deleteRowAfter(mut *bigtable.Mutation) {
	mut.Set("token", "jwt", bigtable.Time(time.Now().Add(hour)), nil)
	mut.DeleteRow() // want `delete-after-set: `
}

func okDeleteRowBefore(mut *bigtable.Mutation) {
	mut.DeleteRow()
	mut.Set("token", "jwt", bigtable.Time(time.Now().Add(hour)), nil)
}

// Families that no registry names count too.
func unregistered(mut *bigtable.Mutation) {
	mut.Set("anything", "a", bigtable.Now(), nil)
	mut.DeleteCellsInColumn("anything", "a") // want `delete-after-set: .*"anything"`
}

func unregisteredFamily(mut *bigtable.Mutation) {
	mut.Set("anything", "a", bigtable.Now(), nil)
	mut.Set("anything", "b", bigtable.Now(), nil)
	mut.DeleteCellsInFamily("anything") // want `delete-after-set: .*"anything"`
}

func okUnregisteredBefore(mut *bigtable.Mutation) {
	mut.DeleteCellsInColumn("anything", "a")
	mut.Set("anything", "a", bigtable.Now(), nil)
}

func okOnlyDeletes(mut *bigtable.Mutation) {
	mut.DeleteCellsInColumn("token", "jwt")
	mut.DeleteCellsInFamily("token")
	mut.DeleteRow()
}

func okDeleteInOtherBranch(mut *bigtable.Mutation) {
	if os.Getenv("LOGOUT") != "" {
		mut.DeleteCellsInColumn("token", "jwt")
	} else {
		mut.Set("token", "jwt", bigtable.Time(time.Now().Add(hour)), nil)
	}
}

func okAnotherMutation() (set, del *bigtable.Mutation) {
	set, del = bigtable.NewMutation(), bigtable.NewMutation()
	set.Set("token", "jwt", bigtable.Time(time.Now().Add(hour)), nil)
	del.DeleteCellsInColumn("token", "jwt")
	return set, del
}

func okUnknownFamilies(mut *bigtable.Mutation, a, b string) {
	mut.Set(a, "c", bigtable.Now(), nil)
	mut.DeleteCellsInColumn(b, "c")
}

// The replacing write comes last: what lies between is lost on purpose.
func okReplaces(mut *bigtable.Mutation) {
	mut.DeleteCellsInColumn("latest", "price")
	mut.Set("latest", "price", 0, nil)
}

func clear(mut *bigtable.Mutation, family, column string) {
	mut.DeleteCellsInColumn(family, column)
}

func helperDeletes(mut *bigtable.Mutation) {
	mut.Set("token", "jwt", bigtable.Time(time.Now().Add(hour)), nil)
	clear(mut, "token", "jwt") // want `delete-after-set: .*"token"`
}

func okHelperDeletesFirst(mut *bigtable.Mutation) {
	clear(mut, "token", "jwt")
	mut.Set("token", "jwt", bigtable.Time(time.Now().Add(hour)), nil)
}

// The same variable is the same timestamp, whatever it holds.

func sameVariable(mut *bigtable.Mutation, column string, at func() bigtable.Timestamp) {
	ts := at()
	mut.Set("token", column, ts, nil)
	mut.Set("token", column, ts, nil) // want `same-timestamp: second write to the same column of .*"token"`
}

func okOtherVariable(mut *bigtable.Mutation, column string, at func() bigtable.Timestamp) {
	mut.Set("token", column, at(), nil)
	mut.Set("token", column, at(), nil)
}

func okColumns(mut *bigtable.Mutation, a, b string, at func() bigtable.Timestamp) {
	ts := at()
	mut.Set("token", a, ts, nil)
	mut.Set("token", b, ts, nil)
	mut.Set("profile", a, ts, nil)
	mut.Set("profile", a, ts, nil)
}

func okChangedVariable(mut *bigtable.Mutation, column string, at func() bigtable.Timestamp) {
	ts := at()
	mut.Set("token", column, ts, nil)
	ts = at()
	mut.Set("token", column, ts, nil)
}

func okEachTurn(mut *bigtable.Mutation, columns []string, at func() bigtable.Timestamp) {
	ts := at()
	for _, c := range columns {
		mut.Set("token", c, ts, nil)
	}
}

func okNextTurn(mut *bigtable.Mutation, rows []string, at func(string) bigtable.Timestamp) {
	for _, r := range rows {
		ts := at(r)
		mut.Set("token", "jwt", ts, nil)
		if r == "" {
			continue
		}
		mut.Set("token", "csrf", ts, nil)
	}
}

func sameOfTwo(mut *bigtable.Mutation, long bool) {
	ts := bigtable.Time(time.Now().Add(time.Hour))
	if time.Now().Weekday() == time.Sunday {
		ts = bigtable.Time(time.Now().Add(10 * time.Hour))
	}
	mut.Set("token", "jwt", ts, nil)
	mut.Set("token", "jwt", ts, nil) // want `same-timestamp: .*"token"`
}

func deletedVariable(mut *bigtable.Mutation, column string) {
	mut.Set("token", column, bigtable.Time(time.Now().Add(time.Hour)), nil)
	mut.DeleteCellsInColumn("token", column) // want `delete-after-set: .*"token"`
}

func okDeletedOther(mut *bigtable.Mutation, column, other string) {
	mut.Set("token", column, bigtable.Time(time.Now().Add(time.Hour)), nil)
	mut.DeleteCellsInColumn("token", other)
}
