// Package domain has what others fill from rows.
package domain

import "time"

type Pass struct {
	Holder string
	Until  time.Time
}

func (p *Pass) Valid(now time.Time) bool { return p.Until.After(now) }

func (p *Pass) Name() string { return p.Holder }

func (p *Pass) End() time.Time { return p.Until }

// Names looks at no times.
func Names(ps []*Pass) (out []string) {
	for _, p := range ps {
		out = append(out, p.Holder)
	}
	return out
}
