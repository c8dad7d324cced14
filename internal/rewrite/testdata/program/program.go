// Package program writes and reads cells, in a way that shows whether each value
// arrives where it should.
package program

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	_ "time/tzdata"

	"cloud.google.com/go/bigtable"
)

var started = []string{"var"}

var (
	first  = count("first")
	second = count("second")
)

func init() { started = append(started, "init one") }

func init() { started = append(started, "init two") }

func count(name string) int {
	started = append(started, name)
	return len(started)
}

type (
	cell struct {
		family string
		ts     bigtable.Timestamp
	}
	writer interface {
		write(mut *bigtable.Mutation, value string)
	}
	named struct {
		cell
		column string
	}
)

func (n *named) write(mut *bigtable.Mutation, value string) {
	mut.Set(n.family, n.column, n.ts, []byte(value))
}

func (c cell) write(mut *bigtable.Mutation, value string) {
	(&named{c, "plain"}).write(mut, value)
}

// sequence counts, and shadows: what is renamed keeps its scopes.
func sequence(from bigtable.Timestamp) (next func() bigtable.Timestamp) {
	len := from
	return func() bigtable.Timestamp {
		len += 1000
		len := len
		return len
	}
}

func describe(w any) string {
	switch x := w.(type) {
	case *named:
		return x.column
	case cell:
		return x.family
	}
	return "?"
}

// Run works on a table with the families "a" and "b".
func Run(ctx context.Context, tbl *bigtable.Table, out *strings.Builder) error {
	next := sequence(5000)
	fmt.Fprintln(out, started, first, second)
	for i, w := range []writer{&named{cell{"a", next()}, "x"}, cell{"b", next()}, &named{cell{family: "a", ts: 0}, "y"}} {
		mut := bigtable.NewMutation()
		w.write(mut, fmt.Sprint("value ", i))
		if err := tbl.Apply(ctx, "row", mut); err != nil {
			return err
		}
		fmt.Fprintln(out, describe(w))
	}
	var wg sync.WaitGroup // what is carried by several at once does not mix
	errs := make([]error, 8)
	for i := range errs {
		wg.Go(func() {
			mut := bigtable.NewMutation()
			mut.Set([]string{"a", "b"}[i%2], fmt.Sprint("many", i), bigtable.Timestamp(i)*1000, []byte{byte('0' + i)})
			mut.Set("b", "twice", 7000, []byte("old"))
			mut.DeleteTimestampRange("b", "twice", 7000, 8000)
			errs[i] = tbl.Apply(ctx, "many", mut)
		})
	}
	wg.Wait()
	if err := errors.Join(errs...); err != nil {
		return err
	}
	yes, no := bigtable.NewMutation(), bigtable.NewMutation()
	yes.Set("a", "matched", 1000, nil)
	no.DeleteRow()
	if err := tbl.Apply(ctx, "row", bigtable.NewCondMutation(bigtable.FamilyFilter("b"), yes, no)); err != nil {
		return err
	}
	if err := tbl.Apply(ctx, "row", bigtable.NewCondMutation(bigtable.FamilyFilter("b"), nil, no)); err != nil {
		return err
	}
	for _, f := range []bigtable.Filter{
		bigtable.PassAllFilter(),
		bigtable.ChainFilters(bigtable.FamilyFilter("a"), bigtable.LatestNFilter(1)),
		bigtable.InterleaveFilters(bigtable.TimestampRangeFilterMicros(0, 3000), bigtable.FamilyFilter("b")),
	} {
		err := tbl.ReadRows(ctx, bigtable.InfiniteRange(""), func(row bigtable.Row) bool {
			for _, family := range []string{"a", "b"} {
				for _, item := range row[family] {
					fmt.Fprintln(out, row.Key(), item.Column, item.Timestamp, string(item.Value))
				}
			}
			return true
		}, bigtable.RowFilter(f), bigtable.LimitRows(2))
		if err != nil {
			return err
		}
	}
	return nil
}
