package core

import (
	"context"

	"cloud.google.com/go/bigtable"

	"example.com/assecura/internal/common"
)

// RowMapper makes entities of rows.
type RowMapper[T any] interface {
	MapRow(row bigtable.Row) (*T, error)
}

// Repository is the port of CrudRepository.
type Repository[T any] interface {
	FindByID(ctx context.Context, id string) (*T, error)
	FindAll(ctx context.Context, prefix string, limit int64) ([]*T, error)
}

type genericRepository[T any] struct {
	table  Table
	mapper RowMapper[T]
	filter FilterSupplier
}

// NewGenericRepository makes a repository that reads through the filters of supplier.
func NewGenericRepository[T any](table Table, mapper RowMapper[T], supplier FilterSupplier) Repository[T] {
	return &genericRepository[T]{table: table, mapper: mapper, filter: supplier}
}

// FindByID implements Repository.
func (r *genericRepository[T]) FindByID(ctx context.Context, id string) (*T, error) {
	row, err := r.table.ReadRow(ctx, id, bigtable.RowFilter(r.filter())) // want ttlread/missing-filter[repoOfferPass] ttlread/wrong-bound[repoDisc]
	if err != nil {
		return nil, common.NewTechnicalException("find "+id, err)
	}
	if len(row) == 0 {
		return nil, common.NewNotFoundException("entity", id)
	}
	return r.mapper.MapRow(row)
}

// FindAll implements Repository.
func (r *genericRepository[T]) FindAll(ctx context.Context, prefix string, limit int64) ([]*T, error) {
	var out []*T
	var inner error
	err := r.table.ReadRows(ctx, bigtable.PrefixRange(prefix), func(row bigtable.Row) bool { // want ttlread/missing-filter[repoOfferPass] ttlread/wrong-bound[repoDisc]
		e, err := r.mapper.MapRow(row)
		if err != nil {
			inner = err
			return false
		}
		out = append(out, e)
		return true
	}, bigtable.RowFilter(r.filter()), bigtable.LimitRows(limit)) // want ttlread/missing-filter[repoOfferPass] ttlread/wrong-bound[repoDisc]
	if inner != nil {
		return nil, inner
	}
	return out, common.NewTechnicalException("find all "+prefix, err)
}
