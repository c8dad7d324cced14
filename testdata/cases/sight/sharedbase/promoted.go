// Package sharedbase embeds a base whose methods are called on some of the types
// that have it.
package sharedbase

import (
	"context"

	"cloud.google.com/go/bigtable"

	"example.com/cases/sight/sharedbase/core"
)

type deleter interface {
	Delete(ctx context.Context, key string) error
}

type okDao struct{ core.Base }

func NewOkDao(c *bigtable.Client) deleter { return &okDao{core.NewBase(c, "sessions")} }

func (d *okDao) Delete(ctx context.Context, key string) error {
	m := bigtable.NewMutation()
	m.DeleteRow()
	return d.Save(ctx, key, m)
}

// asker has the method of the base.
type asker interface {
	Exists(ctx context.Context, key string) (bool, error)
}

type askedDao struct{ core.Base }

func NewAsked(c *bigtable.Client) asker {
	return &askedDao{core.NewBase(c, "sessions")} // not seen: missing-filter
}

// anyDao is given to somebody who may ask for any method.
type anyDao struct{ core.Base }

func NewAny(c *bigtable.Client) any {
	return &anyDao{core.NewBase(c, "sessions")} // not seen: missing-filter
}

// ownDao is what it is to callers in other packages.
type ownDao struct{ core.Base }

func NewOwn(c *bigtable.Client) *ownDao {
	return &ownDao{core.NewBase(c, "sessions")} // not seen: missing-filter
}

// boundDao hands its method on.
type boundDao struct{ core.Base }

func Bound(c *bigtable.Client) func(context.Context, string) (bool, error) {
	d := &boundDao{core.NewBase(c, "tickets")} // not seen: missing-filter
	return d.Exists
}

// Public has the methods of the base for everybody.
type Public struct{ core.Base }

func NewPublic(c *bigtable.Client) deleter {
	return &Public{core.NewBase(c, "sessions")} // want `missing-filter: .*"token" of table "sessions"`
}

func (d *Public) Delete(context.Context, string) error { return nil }

// calledDao is asked here: that is one fault, not two.
type calledDao struct{ core.Base }

func newCalled(c *bigtable.Client) *calledDao {
	return &calledDao{core.NewBase(c, "otp")}
}

func hasCode(ctx context.Context, c *bigtable.Client) (bool, error) {
	return newCalled(c).Exists(ctx, "k") // want `missing-filter: .*"code" of table "otp"`
}

func okHasCodeAgain(ctx context.Context, d *calledDao) (bool, error) {
	return d.Exists(ctx, "k2")
}
