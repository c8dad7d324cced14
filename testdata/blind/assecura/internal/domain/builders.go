package domain

import "time"

// AccessTokenBuilder builds tokens.
type AccessTokenBuilder struct{ t AccessToken }

// NewAccessTokenBuilder makes a builder.
func NewAccessTokenBuilder() *AccessTokenBuilder { return &AccessTokenBuilder{} }

// WithID sets the id.
func (b *AccessTokenBuilder) WithID(id string) *AccessTokenBuilder { b.t.ID = id; return b }

// WithUserID sets the user.
func (b *AccessTokenBuilder) WithUserID(u string) *AccessTokenBuilder { b.t.UserID = u; return b }

// WithJWT sets the token.
func (b *AccessTokenBuilder) WithJWT(j string) *AccessTokenBuilder { b.t.JWT = j; return b }

// WithScope sets the scope.
func (b *AccessTokenBuilder) WithScope(s string) *AccessTokenBuilder { b.t.Scope = s; return b }

// WithIssuedAt sets the time of issue.
func (b *AccessTokenBuilder) WithIssuedAt(t time.Time) *AccessTokenBuilder {
	b.t.IssuedAt = t
	return b
}

// WithCreatedAt sets the time of creation.
func (b *AccessTokenBuilder) WithCreatedAt(t time.Time) *AccessTokenBuilder {
	b.t.CreatedAt = t
	return b
}

// WithExpiresAt sets the end of life.
func (b *AccessTokenBuilder) WithExpiresAt(t time.Time) *AccessTokenBuilder {
	b.t.ExpiresAt = t
	return b
}

// Build returns the token.
func (b *AccessTokenBuilder) Build() *AccessToken { t := b.t; return &t }

// QuoteBuilder builds quotes.
type QuoteBuilder struct{ q Quote }

// NewQuoteBuilder makes a builder.
func NewQuoteBuilder() *QuoteBuilder { return &QuoteBuilder{} }

// WithID sets the id.
func (b *QuoteBuilder) WithID(id string) *QuoteBuilder { b.q.ID = id; return b }

// WithProduct sets the product.
func (b *QuoteBuilder) WithProduct(p string) *QuoteBuilder { b.q.Product = p; return b }

// WithPremium sets the premium.
func (b *QuoteBuilder) WithPremium(p int64, ccy string) *QuoteBuilder {
	b.q.Premium, b.q.Currency = p, ccy
	return b
}

// WithInputs sets the inputs of the calculation.
func (b *QuoteBuilder) WithInputs(in []byte) *QuoteBuilder { b.q.Inputs = in; return b }

// WithCreatedAt sets the time of creation.
func (b *QuoteBuilder) WithCreatedAt(t time.Time) *QuoteBuilder { b.q.CreatedAt = t; return b }

// Build returns the quote.
func (b *QuoteBuilder) Build() *Quote { q := b.q; return &q }

// MessageBuilder builds messages.
type MessageBuilder struct{ m Message }

// NewMessageBuilder makes a builder.
func NewMessageBuilder() *MessageBuilder { return &MessageBuilder{} }

// WithID sets the id.
func (b *MessageBuilder) WithID(id string) *MessageBuilder { b.m.ID = id; return b }

// WithSubject sets the subject.
func (b *MessageBuilder) WithSubject(s string) *MessageBuilder { b.m.Subject = s; return b }

// WithBody sets the body.
func (b *MessageBuilder) WithBody(s []byte) *MessageBuilder { b.m.Body = s; return b }

// WithExpiresAt sets the end of life.
func (b *MessageBuilder) WithExpiresAt(t time.Time) *MessageBuilder { b.m.ExpiresAt = t; return b }

// Build returns the message.
func (b *MessageBuilder) Build() *Message { m := b.m; return &m }
