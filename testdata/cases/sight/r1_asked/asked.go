// Package r1_asked has options that wrap the mutation which is written into a
// conditional one.
package r1_asked

import (
	"context"

	"cloud.google.com/go/bigtable"
)

type Row struct {
	Key   string
	Value []byte
}

type Option func(Row, *bigtable.Mutation, []bigtable.ApplyOption) (*bigtable.Mutation, []bigtable.ApplyOption)

func IfAbsent(matched *bool) Option {
	return func(row Row, mut *bigtable.Mutation, opts []bigtable.ApplyOption) (*bigtable.Mutation, []bigtable.ApplyOption) {
		cond := bigtable.NewCondMutation(bigtable.RowKeyFilter(row.Key), nil, mut) // want `conditional-mutation: .*"token"`
		return cond, append(opts, bigtable.GetCondMutationResult(matched))
	}
}

func Write(ctx context.Context, tbl *bigtable.Table, row Row, ts bigtable.Timestamp, opts ...Option) error {
	mut := bigtable.NewMutation()
	mut.Set("token", "jwt", ts, row.Value)
	var apply []bigtable.ApplyOption
	for _, o := range opts {
		mut, apply = o(row, mut, apply)
	}
	return tbl.Apply(ctx, row.Key, mut, apply...)
}

func Copy(ctx context.Context, tbl *bigtable.Table, row Row, ts bigtable.Timestamp, replace bool) (bool, error) {
	var opts []Option
	var exists bool
	if !replace {
		opts = append(opts, IfAbsent(&exists))
	}
	err := Write(ctx, tbl, row, ts, opts...)
	return exists, err
}
