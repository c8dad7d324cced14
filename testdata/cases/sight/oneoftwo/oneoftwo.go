// Package oneoftwo calls a method of one of two objects of a struct, which what it reads
// decides. What is wrong with one of them stands where that is made.
package oneoftwo

import (
	"bufio"
	"context"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/cases/sight/oneoftwo/lib"
)

type set struct {
	tbl *bigtable.Table
	ttl time.Duration
}

func newSet(c *bigtable.Client, ttl time.Duration) *set {
	return &set{tbl: c.Open("sessions"), ttl: ttl}
}

func (s *set) first(ctx context.Context, id string) error {
	m := bigtable.NewMutation()
	m.Set("token", "m", bigtable.Time(time.Now().Add(s.ttl)), nil)
	return s.tbl.Apply(ctx, id, m)
}

type pipeline struct {
	slow, fast *set
	far, near  *lib.Set
}

// New makes a pipeline.
func New(c *bigtable.Client) *pipeline {
	return &pipeline{
		slow: newSet(c, time.Hour),
		fast: newSet(c, -time.Second), // want `already-expired: .*"token".*\(reached at sight/oneoftwo/oneoftwo.go:26\)`
		far:  lib.New(c, lib.WithTTL(time.Hour)),
		near: lib.New(c, lib.WithTTL(-time.Second)), // want `already-expired: .*"token".*\(reached at sight/oneoftwo/lib/lib.go:35\)`
	}
}

func (p *pipeline) handle(ctx context.Context, kind, id string) error {
	s := p.slow
	if kind == "heartbeat" {
		s = p.fast
	}
	return s.first(ctx, id)
}

func (p *pipeline) handleAbroad(ctx context.Context, kind, id string) error {
	s := p.far
	if kind == "heartbeat" {
		s = p.near
	}
	return s.First(ctx, id)
}

// Run reads kinds.
func (p *pipeline) Run(ctx context.Context, in *bufio.Scanner) error {
	for in.Scan() {
		if err := p.handle(ctx, in.Text(), "x"); err != nil {
			return err
		}
		if err := p.handleAbroad(ctx, in.Text(), "x"); err != nil {
			return err
		}
	}
	return in.Err()
}

type okPipeline struct{ slow, fast *set }

// NewRight makes a pipeline of which both are right.
func NewRight(c *bigtable.Client) *okPipeline {
	return &okPipeline{slow: newSet(c, time.Hour), fast: newSet(c, time.Second)}
}

func (p *okPipeline) handle(ctx context.Context, kind, id string) error {
	s := p.slow
	if kind == "heartbeat" {
		s = p.fast
	}
	return s.first(ctx, id)
}

// Run reads kinds.
func (p *okPipeline) Run(ctx context.Context, in *bufio.Scanner) error {
	for in.Scan() {
		if err := p.handle(ctx, in.Text(), "x"); err != nil {
			return err
		}
	}
	return in.Err()
}

// A maker around the maker gives what it is given itself.
type relay struct{ slow, fast *set }

func newRelay(c *bigtable.Client, slow, fast time.Duration) *relay {
	return &relay{newSet(c, slow), newSet(c, fast)}
}

func (r *relay) handle(ctx context.Context, kind, id string) error {
	s := r.slow
	if kind == "heartbeat" {
		s = r.fast
	}
	return s.first(ctx, id)
}

// Relay reads kinds.
func Relay(ctx context.Context, c *bigtable.Client, in *bufio.Scanner) error {
	r := newRelay(c, time.Hour, -time.Second) // want `already-expired: .*"token".*\(reached at sight/oneoftwo/oneoftwo.go:26\)`
	for in.Scan() {
		if err := r.handle(ctx, in.Text(), "x"); err != nil {
			return err
		}
	}
	return in.Err()
}
