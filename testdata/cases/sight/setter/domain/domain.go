// Package domain has the types of a program, and imports no client.
package domain

import (
	"time"

	"example.com/cases/sight/setter/wire"
)

// Base is in all types.
type Base struct{ CreatedAt time.Time }

// Token is a type.
type Token struct {
	Base
	ID        string
	ExpiresAt time.Time
	seen      time.Time
	updated   *time.Time
}

// SetCreatedAt sets a field of what is embedded.
func (t *Token) SetCreatedAt(at time.Time) { t.CreatedAt = at }

// SetExpiresAt sets another.
func (t *Token) SetExpiresAt(at time.Time) { t.ExpiresAt = at }

// Touch keeps when the token was used.
func (t *Token) Touch(at time.Time) { t.seen = at }

// Refresh keeps a time by its address, unless it is none.
func (t *Token) Refresh(at time.Time) *Token {
	if !at.IsZero() {
		u := at.UTC()
		t.updated = &u
	}
	return t
}

// NewToken is a constructor.
func NewToken(id string, at, until time.Time) *Token {
	return &Token{ID: id, Base: Base{CreatedAt: at}, ExpiresAt: until}
}

// Builder makes a token step by step.
type Builder struct{ t Token }

// NewBuilder begins.
func NewBuilder() *Builder { return &Builder{} }

// WithCreatedAt sets a field of a field of a field.
func (b *Builder) WithCreatedAt(t time.Time) *Builder { b.t.CreatedAt = t; return b }

// WithExpiresAt sets another.
func (b *Builder) WithExpiresAt(t time.Time) *Builder { b.t.ExpiresAt = t; return b }

// WithMicros is given a number.
func (b *Builder) WithMicros(n int64) *Builder { b.t.CreatedAt = time.UnixMicro(n); return b }

// Created leaves it to another method.
func (b *Builder) Created(t time.Time) *Builder { b.t.SetCreatedAt(t.Local()); return b }

// WithLife says how long a token lives from now on.
func (b *Builder) WithLife(until time.Time) *Builder {
	b.t.CreatedAt = time.Now()
	b.t.ExpiresAt = until
	return b
}

// Build is the end.
func (b *Builder) Build() Token { return b.t }

// Value is a builder that is copied.
type Value struct{ createdAt, expiresAt time.Time }

// CreatedAt returns another.
func (v Value) CreatedAt(t time.Time) Value { v.createdAt = t; return v }

// ExpiresAt returns another.
func (v Value) ExpiresAt(t time.Time) Value { v.expiresAt = t; return v }

// Message leaves it to a type of another package.
type Message struct{ meta wire.Meta }

// At sets when something was changed, elsewhere.
func (m *Message) At(t time.Time) { m.meta.Stamp(t) }

// Numbered is no time.
func (m *Message) Numbered(n int64) { m.meta.Number(n) }
