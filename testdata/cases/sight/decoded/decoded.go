// Package decoded checks by hand the times of structs that other packages fill
// from rows.
package decoded

import (
	"context"
	"slices"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/cases/sight/decoded/codec"
	"example.com/cases/sight/decoded/domain"
	"example.com/cases/sight/decoded/model"
)

// In the read's own callback.

func okField(ctx context.Context, t *model.Locks, now time.Time) (out []string, err error) {
	err = t.Table().ReadRows(ctx, bigtable.InfiniteRange(""), func(row bigtable.Row) bool {
		var l model.Lock
		if l.Unmarshal(row) && l.Until.After(now) {
			out = append(out, l.Owner)
		}
		return true
	})
	return out, err
}

func field(ctx context.Context, t *model.Locks) (out []string, err error) {
	err = t.Table().ReadRows(ctx, bigtable.InfiniteRange(""), func(row bigtable.Row) bool { // want `missing-filter: .*"token"`
		var l model.Lock
		if l.Unmarshal(row) {
			out = append(out, l.Owner, l.Name(), l.Until.String())
		}
		return true
	})
	return out, err
}

// The time of another field is none of the cell's.
func otherField(ctx context.Context, t *model.Locks, now time.Time) (out []string, err error) {
	err = t.Table().ReadRows(ctx, bigtable.InfiniteRange(""), func(row bigtable.Row) bool { // want `missing-filter: .*"token"`
		var l model.Lock
		if l.Unmarshal(row) && l.Since.Before(now) {
			out = append(out, l.Owner)
		}
		return true
	})
	return out, err
}

func okMicros(ctx context.Context, t *model.Locks, now time.Time) (string, error) {
	row, err := t.Table().ReadRow(ctx, "k")
	l := &model.Lock{}
	l.Unmarshal(row)
	if l.Micros < now.UnixMicro() {
		return "", err
	}
	return l.Owner, err
}

func okPointer(ctx context.Context, t *model.Locks, now time.Time) (string, error) {
	row, err := t.Table().ReadRow(ctx, "k")
	l := &model.Lock{}
	l.Unmarshal(row)
	if l.End.Before(now) {
		return "", err
	}
	return l.Owner, err
}

func okEmbedded(ctx context.Context, t *model.Locks, now time.Time) (string, error) {
	row, err := t.Table().ReadRow(ctx, "k")
	var l model.Lock
	l.Unmarshal(row)
	if l.Expires.Before(now) {
		return "", err
	}
	return l.Owner, err
}

func okConstructor(ctx context.Context, t *model.Locks, now time.Time) (string, error) {
	row, err := t.Table().ReadRow(ctx, "k")
	if l := model.FromRow(row); l.Until.After(now) {
		return l.Owner, err
	}
	return "", err
}

func okGetter(ctx context.Context, t *model.Locks, now time.Time) (string, error) {
	row, err := t.Table().ReadRow(ctx, "k")
	if l := model.FromRow(row); !l.Expired(now) {
		return l.Owner, err
	}
	return "", err
}

func getter(ctx context.Context, t *model.Locks) (string, error) {
	row, err := t.Table().ReadRow(ctx, "k") // want `missing-filter: .*"token"`
	return model.FromRow(row).Name(), err
}

// One that a function of this package has filled or made.

func fill(l *model.Lock, row bigtable.Row) { l.Unmarshal(row) }

func okFill(ctx context.Context, t *model.Locks, now time.Time) (string, error) {
	row, err := t.Table().ReadRow(ctx, "k")
	var l model.Lock
	fill(&l, row)
	if l.Until.Before(now) {
		return "", err
	}
	return l.Owner, err
}

func made(row bigtable.Row) (*model.Lock, bool) {
	l := new(model.Lock)
	return l, l.Unmarshal(row)
}

func okMade(ctx context.Context, t *model.Locks, now time.Time) (string, error) {
	row, err := t.Table().ReadRow(ctx, "k")
	if l, ok := made(row); ok && l.Until.After(now) {
		return l.Owner, err
	}
	return "", err
}

func notChecked(ctx context.Context, t *model.Locks) (string, error) {
	row, err := t.Table().ReadRow(ctx, "k") // want `missing-filter: .*"token"`
	l, _ := made(row)
	return l.Owner, err
}

// A part of a struct.

type full struct {
	lock  model.Lock
	other model.Lock
}

func okPart(ctx context.Context, t *model.Locks, now time.Time) (string, error) {
	row, err := t.Table().ReadRow(ctx, "k")
	var f full
	f.lock.Unmarshal(row)
	if f.lock.Until.Before(now) {
		return "", err
	}
	return f.lock.Owner, err
}

func part(ctx context.Context, t *model.Locks) (*full, error) {
	row, err := t.Table().ReadRow(ctx, "k") // want `missing-filter: .*"token"`
	var f full
	f.lock.Unmarshal(row)
	return &f, err
}

// Lists that are filtered later.

func okFiltered(ctx context.Context, t *model.Locks, now time.Time) (out []string, err error) {
	var all []model.Lock
	err = t.Table().ReadRows(ctx, bigtable.InfiniteRange(""), func(row bigtable.Row) bool {
		var l model.Lock
		l.Unmarshal(row)
		all = append(all, l)
		return true
	})
	for _, l := range all {
		if l.Until.After(now) {
			out = append(out, l.Owner)
		}
	}
	return out, err
}

func collected(ctx context.Context, t *model.Locks) (out []string, err error) {
	var all []model.Lock
	err = t.Table().ReadRows(ctx, bigtable.InfiniteRange(""), func(row bigtable.Row) bool { // want `missing-filter: .*"token"`
		var l model.Lock
		l.Unmarshal(row)
		all = append(all, l)
		return true
	})
	for _, l := range all {
		out = append(out, l.Owner)
	}
	return out, err
}

// By a helper for all types.

func okDecode(ctx context.Context, t *model.Locks, now time.Time) (string, error) {
	row, err := t.Table().ReadRow(ctx, "k")
	if l, ok := codec.Decode[model.Lock](row); ok && l.Until.After(now) {
		return l.Owner, err
	}
	return "", err
}

func decode(ctx context.Context, t *model.Locks) (string, error) {
	row, err := t.Table().ReadRow(ctx, "k") // want `missing-filter: .*"token"`
	l, _ := codec.Decode[model.Lock](row)
	return l.Owner, err
}

func okLoad(ctx context.Context, t *model.Locks, now time.Time) (string, error) {
	var l model.Lock
	err := codec.Load(ctx, t.Table(), "k", &l)
	if l.Until.Before(now) {
		return "", err
	}
	return l.Owner, err
}

func load(ctx context.Context, t *model.Locks) (string, error) {
	var l model.Lock
	err := codec.Load(ctx, t.Table(), "k", &l) // want `missing-filter: .*"token"`
	return l.Owner, err
}

func okAll(ctx context.Context, t *model.Locks, now time.Time) (out []string, err error) {
	all, err := codec.All[model.Lock](ctx, t.Table())
	for i := range all {
		if !all[i].Expired(now) {
			out = append(out, all[i].Owner)
		}
	}
	return out, err
}

func all(ctx context.Context, t *model.Locks) (out []string, err error) {
	all, err := codec.All[model.Lock](ctx, t.Table()) // want `missing-filter: .*"token"`
	for i := range all {
		out = append(out, all[i].Name())
	}
	return out, err
}

// A struct of a package that knows nothing of rows.

func okDomain(ctx context.Context, t *model.Locks, now time.Time) (string, error) {
	row, err := t.Table().ReadRow(ctx, "k")
	if p := codec.PassOf(row); p.Valid(now) {
		return p.Holder, err
	}
	return "", err
}

func okEnd(ctx context.Context, t *model.Locks, now time.Time) (string, error) {
	row, err := t.Table().ReadRow(ctx, "k")
	if p := codec.PassOf(row); p.End().After(now) {
		return p.Holder, err
	}
	return "", err
}

func okDomainFill(ctx context.Context, t *model.Locks, now time.Time) (string, error) {
	row, err := t.Table().ReadRow(ctx, "k")
	p := &domain.Pass{}
	if codec.Fill(p, row); p.Until.Before(now) {
		return "", err
	}
	return p.Holder, err
}

func domainNames(ctx context.Context, t *model.Locks) ([]string, error) {
	row, err := t.Table().ReadRow(ctx, "k") // want `missing-filter: .*"token"`
	p := codec.PassOf(row)
	return append(domain.Names([]*domain.Pass{p}), p.Name()), err
}

// By the accessors of the other package.

func okScan(ctx context.Context, t *model.Locks, now time.Time) (out []string, err error) {
	err = t.Scan(ctx, func(k string, l *model.Lock) bool {
		if l.Until.After(now) {
			out = append(out, l.Owner)
		}
		return true
	})
	return out, err
}

func okScanGetter(ctx context.Context, t *model.Locks, now time.Time) (out []string, err error) {
	err = t.Scan(ctx, func(k string, l *model.Lock) bool {
		if !l.Expired(now) {
			out = append(out, l.Owner)
		}
		return true
	})
	return out, err
}

type collector struct {
	now time.Time
	out []string
}

func (c *collector) add(k string, l *model.Lock) bool {
	if l.Until.After(c.now) {
		c.out = append(c.out, l.Owner)
	}
	return true
}

func okScanMethod(ctx context.Context, t *model.Locks, now time.Time) ([]string, error) {
	c := &collector{now: now}
	err := t.Scan(ctx, c.add)
	return c.out, err
}

func okScanKept(ctx context.Context, t *model.Locks, now time.Time) ([]*model.Lock, error) {
	var ls []*model.Lock
	err := t.Scan(ctx, func(k string, l *model.Lock) bool {
		ls = append(ls, l)
		return true
	})
	return slices.DeleteFunc(ls, func(l *model.Lock) bool { return l.Until.Before(now) }), err
}

// A function that hands on what it is given.
func each(ctx context.Context, t *model.Locks, fn func(string, *model.Lock) bool) error {
	return t.Scan(ctx, fn)
}

func okEachOf(ctx context.Context, t *model.Locks, now time.Time) error {
	return each(ctx, t, func(k string, l *model.Lock) bool { return l.Until.After(now) })
}

func okGet(ctx context.Context, t *model.Locks, now time.Time) (string, error) {
	l, err := t.Get(ctx, "k")
	if err != nil || l.Until.Before(now) {
		return "", err
	}
	return l.Owner, nil
}

func okInto(ctx context.Context, t *model.Locks, now time.Time) (string, error) {
	var l model.Lock
	if err := t.Into(ctx, "k", &l); err != nil || l.Until.Before(now) {
		return "", err
	}
	return l.Owner, nil
}

func okList(ctx context.Context, t *model.Locks, now time.Time) (out []string, err error) {
	ls, err := t.List(ctx)
	for _, l := range ls {
		if l.Until.After(now) {
			out = append(out, l.Owner)
		}
	}
	return out, err
}

func okRange(ctx context.Context, t *model.Locks, now time.Time) (out []string) {
	for l := range t.Each(ctx) {
		if l.Until.After(now) {
			out = append(out, l.Owner)
		}
	}
	return out
}

func get(ctx context.Context, t *model.Locks) (string, error) {
	l, err := t.Get(ctx, "k") // want `missing-filter: .*"token"`
	return l.Owner, err
}
