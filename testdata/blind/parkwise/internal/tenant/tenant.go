// Package tenant carries the tenant of a request through its context.
package tenant

import (
	"context"
	"errors"
	"strings"
)

// ID names a tenant: a garage operator or a charge point operator.
type ID string

// ErrMissing is returned where a request has no tenant.
var ErrMissing = errors.New("tenant: missing")

type ctxKey struct{}

// With returns a context with the tenant id.
func With(ctx context.Context, id ID) context.Context {
	return context.WithValue(ctx, ctxKey{}, id)
}

// From returns the tenant of ctx.
func From(ctx context.Context) (ID, error) {
	id, ok := ctx.Value(ctxKey{}).(ID)
	if !ok || id == "" {
		return "", ErrMissing
	}
	return id, nil
}

// Key joins the tenant and parts into a row key.
func Key(id ID, parts ...string) string {
	var b strings.Builder
	b.WriteString(string(id))
	for _, p := range parts {
		b.WriteByte('#')
		b.WriteString(p)
	}
	return b.String()
}

// Parse validates a header's value.
func Parse(s string) (ID, error) {
	s = strings.TrimSpace(strings.ToLower(s))
	if s == "" {
		return "", ErrMissing
	}
	for _, r := range s {
		if (r < 'a' || r > 'z') && (r < '0' || r > '9') && r != '-' {
			return "", errors.New("tenant: invalid id")
		}
	}
	return ID(s), nil
}
