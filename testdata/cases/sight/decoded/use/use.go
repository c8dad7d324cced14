// Package use checks nothing of what it reads.
package use

import (
	"context"

	"example.com/cases/sight/decoded/model"
)

func scan(ctx context.Context, t *model.Locks) (out []string, err error) {
	err = t.Scan(ctx, func(k string, l *model.Lock) bool { // want `missing-filter: .*"token"`
		out = append(out, l.Owner, l.Name())
		return true
	})
	return out, err
}

func get(ctx context.Context, t *model.Locks) (string, error) {
	l, err := t.Get(ctx, "k") // want `missing-filter: .*"token"`
	return l.Name(), err
}

func into(ctx context.Context, t *model.Locks) (string, error) {
	var l model.Lock
	err := t.Into(ctx, "k", &l) // want `missing-filter: .*"token"`
	return l.Owner, err
}

func list(ctx context.Context, t *model.Locks) (out []string, err error) {
	ls, err := t.List(ctx) // want `missing-filter: .*"token"`
	for _, l := range ls {
		out = append(out, l.Owner)
	}
	return out, err
}

func each(ctx context.Context, t *model.Locks) (out []string) {
	for l := range t.Each(ctx) { // want `missing-filter: .*"token"`
		out = append(out, l.Owner)
	}
	return out
}
