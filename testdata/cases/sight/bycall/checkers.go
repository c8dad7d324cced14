package bycall

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"
)

type pred func(bigtable.ReadItem) bool

func alive(it bigtable.ReadItem) bool { return it.Timestamp > bigtable.Now() }
func long(it bigtable.ReadItem) bool  { return len(it.Value) > 1 }

func all(items []bigtable.ReadItem, preds ...pred) (out []bigtable.ReadItem) {
next:
	for _, it := range items {
		for _, p := range preds {
			if !p(it) {
				continue next
			}
		}
		out = append(out, it)
	}
	return out
}

func okAll(ctx context.Context, c *bigtable.Client) int {
	row, _ := c.Open("otp").ReadRow(ctx, "k")
	return len(all(row["code"], long, alive))
}

func badAll(ctx context.Context, c *bigtable.Client) int {
	row, _ := c.Open("otp").ReadRow(ctx, "k") // want `missing-filter: .*"code"`
	return len(all(row["code"], long))
}

type opts struct {
	fam  string
	keep func(bigtable.ReadItem) bool
}

func scan(ctx context.Context, tbl *bigtable.Table, o opts) (out []string, err error) {
	err = tbl.ReadRows(ctx, bigtable.InfiniteRange(""), func(r bigtable.Row) bool {
		for _, it := range r[o.fam] {
			if o.keep == nil || o.keep(it) {
				out = append(out, string(it.Value))
			}
		}
		return true
	})
	return out, err
}

func scans(ctx context.Context, c *bigtable.Client) {
	tbl := c.Open("sessions")
	_, _ = scan(ctx, tbl, opts{"token", alive})
	_, _ = scan(ctx, tbl, opts{"token", long}) // want `missing-filter: .*"token"`
	_, _ = scan(ctx, tbl, opts{fam: "token"})  // want `missing-filter: .*"token"`
	_, _ = scan(ctx, tbl, opts{fam: "profile", keep: long})
}

func and(a, b pred) pred { return func(it bigtable.ReadItem) bool { return a(it) && b(it) } }

func keep(items []bigtable.ReadItem, p pred) (n int) {
	for _, it := range items {
		if p(it) {
			n++
		}
	}
	return n
}

func okAnd(ctx context.Context, c *bigtable.Client) int {
	row, _ := c.Open("otp").ReadRow(ctx, "k")
	return keep(row["code"], and(long, alive))
}

func badAnd(ctx context.Context, c *bigtable.Client) int {
	row, _ := c.Open("otp").ReadRow(ctx, "k") // want `missing-filter: .*"code"`
	return keep(row["code"], and(long, long))
}

type checker interface{ ok(bigtable.ReadItem) bool }

type clock struct{ now func() time.Time }

func (c *clock) ok(it bigtable.ReadItem) bool { return it.Timestamp.Time().After(c.now()) }

type size int

func (s size) ok(it bigtable.ReadItem) bool { return len(it.Value) > int(s) }

type logged struct{ checker }

func (l logged) ok(it bigtable.ReadItem) bool { return l.checker.ok(it) }

type checkerFunc func(bigtable.ReadItem) bool

func (f checkerFunc) ok(it bigtable.ReadItem) bool { return f(it) }

func count(items []bigtable.ReadItem, c checker) (n int) {
	for _, it := range items {
		if c.ok(it) {
			n++
		}
	}
	return n
}

func okMethodValue(ctx context.Context, c *bigtable.Client) int {
	row, _ := c.Open("otp").ReadRow(ctx, "k")
	return keep(row["code"], (&clock{time.Now}).ok)
}

func badMethodValue(ctx context.Context, c *bigtable.Client) int {
	row, _ := c.Open("otp").ReadRow(ctx, "k") // want `missing-filter: .*"code"`
	return keep(row["code"], size(1).ok)
}

func okLogged(ctx context.Context, c *bigtable.Client) int {
	row, _ := c.Open("otp").ReadRow(ctx, "k")
	return count(row["code"], logged{&clock{time.Now}})
}

func okFunc(ctx context.Context, c *bigtable.Client) int {
	row, _ := c.Open("otp").ReadRow(ctx, "k")
	return count(row["code"], checkerFunc(alive))
}

func badFunc(ctx context.Context, c *bigtable.Client) int {
	row, _ := c.Open("otp").ReadRow(ctx, "k") // want `missing-filter: .*"code"`
	return count(row["code"], checkerFunc(long))
}

func chosen(strict bool) checker {
	if strict {
		return &clock{time.Now}
	}
	return size(0)
}

func okChosen(ctx context.Context, c *bigtable.Client) int {
	row, _ := c.Open("otp").ReadRow(ctx, "k")
	return count(row["code"], chosen(true))
}

type svc struct {
	tbl *bigtable.Table
	chk checker
}

func (s *svc) read(ctx context.Context, key string) int {
	row, _ := s.tbl.ReadRow(ctx, key)
	return count(row["code"], s.chk)
}

func svcs(ctx context.Context, c *bigtable.Client) int {
	a := &svc{c.Open("otp"), &clock{time.Now}}
	return a.read(ctx, "k")
}

func eachKey(ctx context.Context, tbl *bigtable.Table, f func(key string, items []bigtable.ReadItem) error) error {
	var err error
	rerr := tbl.ReadRows(ctx, bigtable.InfiniteRange(""), func(r bigtable.Row) bool {
		err = f(r.Key(), r["token"])
		return err == nil
	})
	if rerr != nil {
		return rerr
	}
	return err
}

func eachPtr(ctx context.Context, tbl *bigtable.Table, f func(*bigtable.ReadItem)) error {
	return tbl.ReadRows(ctx, bigtable.InfiniteRange(""), func(r bigtable.Row) bool {
		items := r["token"]
		for i := range items {
			f(&items[i])
		}
		return true
	})
}

func eachTime(ctx context.Context, tbl *bigtable.Table, f func(string, time.Time)) error {
	return tbl.ReadRows(ctx, bigtable.InfiniteRange(""), func(r bigtable.Row) bool {
		for _, it := range r["token"] {
			f(string(it.Value), it.Timestamp.Time())
		}
		return true
	})
}

func keyed(ctx context.Context, c *bigtable.Client) (n int) {
	tbl := c.Open("sessions")
	_ = eachKey(ctx, tbl, func(_ string, items []bigtable.ReadItem) error { n += keep(items, alive); return nil })
	_ = eachKey(ctx, tbl, func(_ string, items []bigtable.ReadItem) error { n += len(items); return nil }) // want `missing-filter: .*"token"`
	_ = eachPtr(ctx, tbl, func(it *bigtable.ReadItem) {
		if it.Timestamp > bigtable.Now() {
			n++
		}
	})
	_ = eachPtr(ctx, tbl, func(it *bigtable.ReadItem) { n += len(it.Value) }) // want `missing-filter: .*"token"`
	_ = eachTime(ctx, tbl, func(_ string, until time.Time) {
		if until.After(time.Now()) {
			n++
		}
	})
	_ = eachTime(ctx, tbl, func(v string, _ time.Time) { n += len(v) }) // want `missing-filter: .*"token"`
	return n
}
