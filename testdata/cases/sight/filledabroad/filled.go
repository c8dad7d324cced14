// Package filledabroad fills structs of its own from rows, by methods, helpers and
// constructors, some of which it checks by hand.
package filledabroad

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"
)

type pass struct {
	holder string
	until  time.Time
}

func (p *pass) unmarshal(row bigtable.Row) bool {
	for _, it := range row["token"] {
		p.holder, p.until = string(it.Value), it.Timestamp.Time()
	}
	return p.holder != ""
}

// What one caller checks is no matter of the other.
func okOwn(ctx context.Context, tbl *bigtable.Client, now time.Time) (string, error) {
	row, err := tbl.Open("sessions").ReadRow(ctx, "k")
	var p pass
	if p.unmarshal(row) && p.until.After(now) {
		return p.holder, err
	}
	return "", err
}

func own(ctx context.Context, tbl *bigtable.Client) (string, error) {
	row, err := tbl.Open("sessions").ReadRow(ctx, "k") // want `missing-filter: .*"token"`
	var p pass
	p.unmarshal(row)
	return p.holder, err
}

func (p *pass) name() string { return p.holder }

func (p *pass) expired(now time.Time) bool { return p.until.Before(now) }

func passOf(row bigtable.Row) *pass {
	p := &pass{}
	if !p.unmarshal(row) {
		return nil
	}
	return p
}

func okGetter(ctx context.Context, tbl *bigtable.Client, now time.Time) (string, error) {
	row, err := tbl.Open("sessions").ReadRow(ctx, "k")
	if p := passOf(row); p != nil && !p.expired(now) {
		return p.name(), err
	}
	return "", err
}

func getter(ctx context.Context, tbl *bigtable.Client) (string, error) {
	row, err := tbl.Open("sessions").ReadRow(ctx, "k") // want `missing-filter: .*"token"`
	return passOf(row).name(), err
}

func decode(p *pass, row bigtable.Row) { p.unmarshal(row) }

func okParameter(ctx context.Context, tbl *bigtable.Client, now time.Time) (string, error) {
	row, err := tbl.Open("sessions").ReadRow(ctx, "k")
	p := new(pass)
	decode(p, row)
	if p.expired(now) {
		return "", err
	}
	return p.holder, err
}

func parameter(ctx context.Context, tbl *bigtable.Client) (string, error) {
	row, err := tbl.Open("sessions").ReadRow(ctx, "k") // want `missing-filter: .*"token"`
	p := new(pass)
	decode(p, row)
	return p.holder, err
}

func okList(ctx context.Context, tbl *bigtable.Client, now time.Time) (out []string, err error) {
	all := map[string]*pass{}
	var list []pass
	err = tbl.Open("sessions").ReadRows(ctx, bigtable.PrefixRange("k"), func(row bigtable.Row) bool {
		list = append(list, pass{})
		return list[len(list)-1].unmarshal(row)
	})
	for i := range list {
		if !list[i].expired(now) {
			all[list[i].holder] = &list[i]
		}
	}
	for k := range all {
		out = append(out, k)
	}
	return out, err
}

// One decoder for all types, and a scan that hands on.

type entity[T any] interface {
	*T
	unmarshal(bigtable.Row) bool
}

func first[T any, P entity[T]](row bigtable.Row) *T {
	t := new(T)
	P(t).unmarshal(row)
	return t
}

func okFirst(ctx context.Context, tbl *bigtable.Client, now time.Time) (string, error) {
	row, err := tbl.Open("sessions").ReadRow(ctx, "k")
	if p := first[pass](row); p.until.After(now) {
		return p.holder, err
	}
	return "", err
}

func okScan(ctx context.Context, tbl *bigtable.Client, now time.Time) (out []string, err error) {
	err = scan(ctx, tbl, func(p *pass) {
		if p.until.After(now) {
			out = append(out, p.holder)
		}
	})
	return out, err
}

func scan(ctx context.Context, tbl *bigtable.Client, fn func(*pass)) error {
	return tbl.Open("sessions").ReadRows(ctx, bigtable.PrefixRange("k"), func(row bigtable.Row) bool {
		fn(passOf(row))
		return true
	})
}

// Nobody compares the time of these.

type note struct {
	holder string
	until  time.Time
}

func (n *note) unmarshal(row bigtable.Row) {
	for _, it := range row["token"] {
		n.holder, n.until = string(it.Value), it.Timestamp.Time()
	}
}

func each(ctx context.Context, tbl *bigtable.Client, fn func(*note)) error {
	return tbl.Open("sessions").ReadRows(ctx, bigtable.PrefixRange("k"), func(row bigtable.Row) bool { // want `missing-filter: .*"token"`
		var n note
		n.unmarshal(row)
		fn(&n)
		return true
	})
}

func holders(ctx context.Context, tbl *bigtable.Client) (out []string, err error) {
	err = each(ctx, tbl, func(n *note) { out = append(out, n.holder) })
	return out, err
}
