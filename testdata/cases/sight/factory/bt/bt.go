// Package bt opens tables by factories that decorate one another.
package bt

import (
	"context"
	"log"
	"sync/atomic"
	"time"

	"cloud.google.com/go/bigtable"
)

// A Factory opens tables.
type Factory interface {
	CreateTable(name string) *bigtable.Table
	Open(ctx context.Context, name string) (*bigtable.Table, error)
}

// Client is the real one.
type Client struct{ C *bigtable.Client }

// CreateTable opens a table.
func (f Client) CreateTable(name string) *bigtable.Table { return f.C.Open(name) }

// Open opens a table.
func (f Client) Open(_ context.Context, name string) (*bigtable.Table, error) {
	return f.C.Open(name), nil
}

// Logging logs what it opens.
type Logging struct {
	Inner Factory
	n     atomic.Int64
}

// CreateTable opens a table.
func (l *Logging) CreateTable(name string) *bigtable.Table {
	l.n.Add(1)
	start := time.Now()
	defer func() { log.Print(name, time.Since(start)) }()
	return l.Inner.CreateTable(name)
}

// Open opens a table.
func (l *Logging) Open(ctx context.Context, name string) (*bigtable.Table, error) {
	t, err := l.Inner.Open(ctx, name)
	if err != nil {
		log.Print(err)
		return nil, err
	}
	return t, nil
}

// Metered embeds a factory and has one method of its own.
type Metered struct{ Factory }

// CreateTable opens a table.
func (m Metered) CreateTable(name string) *bigtable.Table {
	t := m.Factory.CreateTable(name)
	log.Print(name)
	return t
}

// A Tenant opens tables too, one of its types under another name.
type Tenant interface {
	Table(name string) *bigtable.Table
}

// Plain opens them as they are.
type Plain struct{ C *bigtable.Client }

// Table opens a table.
func (p Plain) Table(name string) *bigtable.Table { return p.C.Open(name) }

// Prefixed opens those of a tenant.
type Prefixed struct {
	Inner Tenant
	ID    string
}

// Table opens a table.
func (p Prefixed) Table(name string) *bigtable.Table { return p.Inner.Table(p.ID + name) }
