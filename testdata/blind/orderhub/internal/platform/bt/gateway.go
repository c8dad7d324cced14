// Package bt is the thin layer over the Bigtable client that everything else is written against.
package bt

import (
	"context"
	"fmt"

	"cloud.google.com/go/bigtable"
)

// TableGateway is what a DAO sees of a table.
type TableGateway interface {
	ReadRow(ctx context.Context, row string, opts ...bigtable.ReadOption) (bigtable.Row, error)
	ReadRows(ctx context.Context, arg bigtable.RowSet, f func(bigtable.Row) bool, opts ...bigtable.ReadOption) error
	Apply(ctx context.Context, row string, m *bigtable.Mutation, opts ...bigtable.ApplyOption) error
	ApplyBulk(ctx context.Context, rowKeys []string, muts []*bigtable.Mutation, opts ...bigtable.ApplyOption) ([]error, error)
	ApplyReadModifyWrite(ctx context.Context, row string, m *bigtable.ReadModifyWrite) (bigtable.Row, error)
}

// TableFactory makes the gateways. It is the abstract factory of the platform.
type TableFactory interface {
	CreateTable(name string) TableGateway
	Close() error
}

// ClientTableFactory is the TableFactory of production.
type ClientTableFactory struct {
	client *bigtable.Client
}

var _ TableFactory = (*ClientTableFactory)(nil)

// NewClientTableFactory connects.
func NewClientTableFactory(ctx context.Context, project, instance string) (*ClientTableFactory, error) {
	client, err := bigtable.NewClient(ctx, project, instance)
	if err != nil {
		return nil, fmt.Errorf("connect to %s/%s: %w", project, instance, err)
	}
	return &ClientTableFactory{client: client}, nil
}

// CreateTable implements TableFactory.
func (f *ClientTableFactory) CreateTable(name string) TableGateway {
	return f.client.Open(name)
}

// Client is for the few that need the client itself.
func (f *ClientTableFactory) Client() *bigtable.Client { return f.client }

// Close implements TableFactory.
func (f *ClientTableFactory) Close() error { return f.client.Close() }

// AdminFactory makes the admin clients.
type AdminFactory interface {
	CreateAdmin(ctx context.Context) (*bigtable.AdminClient, error)
}

// ClientAdminFactory is the AdminFactory of production.
type ClientAdminFactory struct {
	Project, Instance string
}

// CreateAdmin implements AdminFactory.
func (f ClientAdminFactory) CreateAdmin(ctx context.Context) (*bigtable.AdminClient, error) {
	return bigtable.NewAdminClient(ctx, f.Project, f.Instance)
}
