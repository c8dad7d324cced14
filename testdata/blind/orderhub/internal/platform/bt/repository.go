package bt

import (
	"context"

	"cloud.google.com/go/bigtable"
)

// Mapper maps entities to mutations and rows to entities: the row mapper of Spring, as it were.
type Mapper[T any] interface {
	ToMutation(entity T) (key string, m *bigtable.Mutation, err error)
	FromRow(row bigtable.Row) (T, error)
}

// Repository stores entities of one kind.
type Repository[T any] struct {
	gateway TableGateway
	mapper  Mapper[T]
	options []bigtable.ReadOption
}

// NewRepository returns a Repository. The options are used by every read.
func NewRepository[T any](g TableGateway, m Mapper[T], options ...bigtable.ReadOption) *Repository[T] {
	return &Repository[T]{gateway: g, mapper: m, options: options}
}

// Save stores an entity.
func (r *Repository[T]) Save(ctx context.Context, entity T) error {
	key, m, err := r.mapper.ToMutation(entity)
	if err != nil {
		return err
	}
	return r.gateway.Apply(ctx, key, m)
}

// SaveAll stores many.
func (r *Repository[T]) SaveAll(ctx context.Context, entities []T) error {
	keys := make([]string, 0, len(entities))
	muts := make([]*bigtable.Mutation, 0, len(entities))
	for _, e := range entities {
		key, m, err := r.mapper.ToMutation(e)
		if err != nil {
			return err
		}
		keys, muts = append(keys, key), append(muts, m)
	}
	errs, err := r.gateway.ApplyBulk(ctx, keys, muts)
	if err != nil {
		return err
	}
	for _, e := range errs {
		if e != nil {
			return e
		}
	}
	return nil
}

// FindWith reads an entity with options of the caller's.
func (r *Repository[T]) FindWith(ctx context.Context, key string, options ...bigtable.ReadOption) (T, error) {
	var zero T
	row, err := r.gateway.ReadRow(ctx, key, options...)
	if err != nil {
		return zero, err
	}
	if len(row) == 0 {
		return zero, ErrNotFound
	}
	return r.mapper.FromRow(row)
}
