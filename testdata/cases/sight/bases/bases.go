// Package bases has several types on one base, some with a table whose name
// is not known, called through their interface.
package bases

import (
	"context"
	"os"
	"time"

	"cloud.google.com/go/bigtable"
)

type probe interface {
	ask(ctx context.Context) error
}

type base struct {
	*bigtable.Table
	id string
}

type sessionProbe struct{ base }

type ledgerProbe struct {
	base
	turn int64
}

// archiveProbe asks a table that nobody registered.
type archiveProbe struct{ base }

func (p *sessionProbe) ask(ctx context.Context) error {
	m := bigtable.NewMutation()
	m.Set("token", "e", bigtable.Now(), nil) // want "write to one-second-expiration family .token. of table .sessions."
	return p.Apply(ctx, "k", m)
}

func (p *ledgerProbe) ask(ctx context.Context) error {
	p.turn++
	m := bigtable.NewMutation()
	m.Set("entry", "e", bigtable.Now(), nil) // want "write to sequential-numbers family .entry. .table not known. uses a clock reading"
	m.Set("entry", "f", bigtable.Timestamp(p.turn*1000), nil)
	m.Set("entry", "g", bigtable.Timestamp(p.turn), nil) // want "counter, of which Bigtable cuts"
	if err := p.Apply(ctx, "k", m); err != nil {
		return err
	}
	row, err := p.ReadRow(ctx, "k", bigtable.RowFilter(bigtable.LatestNFilter(9))) // want "asks for more versions"
	println(len(row["entry"]))
	return err
}

func (p *archiveProbe) ask(ctx context.Context) error {
	m := bigtable.NewMutation()
	m.Set("token", "e", bigtable.Now(), nil)
	return p.Apply(ctx, "k", m)
}

func all(c *bigtable.Client) []probe {
	probes := []probe{&sessionProbe{base{c.Open("sessions"), "a"}}, &archiveProbe{base{c.Open("archive"), "old"}}}
	for _, id := range os.Args {
		probes = append(probes, &ledgerProbe{base: base{c.Open(os.Getenv(id)), "b"}})
	}
	return probes
}

func round(ctx context.Context, probes []probe) {
	for _, p := range probes {
		go func() {
			if err := p.ask(ctx); err != nil {
				println(err.Error())
			}
		}()
	}
}

func watch(ctx context.Context, c *bigtable.Client) {
	for range time.Tick(time.Minute) {
		round(ctx, all(c))
	}
}
