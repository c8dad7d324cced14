// Package domain holds the entities.
package domain

import "time"

// BaseEntity is the abstract base of all entities.
type BaseEntity struct {
	ID        string    `json:"id"`
	CreatedAt time.Time `json:"createdAt"`
	UpdatedAt time.Time `json:"updatedAt"`
}

// GetID returns the id.
func (e *BaseEntity) GetID() string { return e.ID }

// AccessToken is what a logged-in person has.
type AccessToken struct {
	BaseEntity
	UserID    string
	JWT       string
	Scope     string
	IssuedAt  time.Time
	ExpiresAt time.Time
}

// UserProfile is what we know of a portal user.
type UserProfile struct {
	BaseEntity
	Login string
	Email string
}

// OneTimeCode is a code sent by SMS.
type OneTimeCode struct {
	UserID     string
	Secret     string
	ValidUntil time.Time
}

// Quote is an offer.
type Quote struct {
	BaseEntity
	Product  string
	Premium  int64
	Currency string
	Inputs   []byte
}

// PolicyVersion is one endorsement of a policy.
type PolicyVersion struct {
	BaseEntity
	Number   string
	Sequence int64
	Body     []byte
}

// PolicyHeader is what every list shows.
type PolicyHeader struct {
	Number string
	Holder string
	Status string
}

// AuditEntry says who did what.
type AuditEntry struct {
	BaseEntity
	Actor  string
	Action string
}

// ClaimEvent is one step of a claim.
type ClaimEvent struct {
	BaseEntity
	ClaimID  string
	Sequence int64
	Kind     string
	Amount   int64
}

// LedgerEntry is one booking.
type LedgerEntry struct {
	BaseEntity
	Account string
	Number  int64
	Amount  int64
}

// Discount is granted for a while.
type Discount struct {
	BaseEntity
	Code    string
	Percent int64
}

// Document is an uploaded paper.
type Document struct {
	BaseEntity
	Title string
	Terms []string
}

// Message is a mail in the customer's mailbox.
type Message struct {
	BaseEntity
	Subject   string
	Body      []byte
	ExpiresAt time.Time
}

// Sample is a telematics reading.
type Sample struct {
	BaseEntity
	Vehicle string
	Speed   int64
	Harsh   bool
	At      time.Time
}

// Customer is a person that we insure.
type Customer struct {
	BaseEntity
	Name  string
	Email string
}
