// Package lib makes mutations for others.
package lib

import (
	"context"
	"strconv"
	"time"

	"cloud.google.com/go/bigtable"
)

// Session is wrong whoever applies it.
func Session(jwt []byte) *bigtable.Mutation {
	mut := bigtable.NewMutation()
	mut.Set("token", "jwt", bigtable.ServerTime, jwt) // want `server-timestamp: .*"token"`
	return mut
}

// Cached is wrong in one of two tables.
func Cached(b []byte) *bigtable.Mutation {
	mut := bigtable.NewMutation()
	mut.Set("val", "body", bigtable.Now(), b)
	return mut
}

// Chain is a builder of mutations.
type Chain struct{ mut *bigtable.Mutation }

// NewChain begins a mutation.
func NewChain() *Chain { return &Chain{mut: bigtable.NewMutation()} }

// Body adds a value with the time of writing.
func (c *Chain) Body(b []byte) *Chain {
	c.mut.Set("val", "body", bigtable.Now(), b)
	return c
}

// Until adds a value with the time it expires.
func (c *Chain) Until(b []byte, d time.Duration) *Chain {
	c.mut.Set("val", "body", bigtable.Time(time.Now().Add(d)), b)
	return c
}

// Numbered adds a value under a number.
func (c *Chain) Numbered(b []byte, n int64) *Chain {
	c.mut.Set("val", strconv.FormatInt(n, 10), bigtable.Timestamp(n*1000), b)
	return c
}

// Mutation ends it.
func (c *Chain) Mutation() *bigtable.Mutation { return c.mut }

// Put is wrong whoever calls it: it opens the table itself.
func Put(ctx context.Context, c *bigtable.Client, key string, b []byte) error {
	mut := bigtable.NewMutation()
	mut.Set("val", "body", bigtable.Now(), b) // want `write-time: .*"val" of table "cache"`
	return c.Open("cache").Apply(ctx, key, mut)
}
