// Package ids has the typed identifiers of the identity provider.
package ids

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"strings"
)

// Typed identifiers, so that a session is never looked up by a user's id.
type (
	UserID    string
	SessionID string
	TokenID   string
	ClientID  string
	TenantID  string
	KeyID     string
)

// ErrMalformed is returned for identifiers that have not the expected shape.
var ErrMalformed = errors.New("ids: malformed identifier")

func random(n int) string {
	b := make([]byte, n)
	if _, err := rand.Read(b); err != nil {
		panic(err)
	}
	return hex.EncodeToString(b)
}

// NewSession returns a fresh session id.
func NewSession() SessionID { return SessionID(random(16)) }

// NewToken returns a fresh token id.
func NewToken() TokenID { return TokenID(random(20)) }

// NewKey returns a fresh key id.
func NewKey() KeyID { return KeyID(random(8)) }

// ParseSession checks the shape of a session id.
func ParseSession(s string) (SessionID, error) {
	if len(s) != 32 || strings.ContainsAny(s, "#/ ") {
		return "", ErrMalformed
	}
	return SessionID(s), nil
}

// ParseUser checks the shape of a user id.
func ParseUser(s string) (UserID, error) {
	if s == "" || len(s) > 64 || strings.Contains(s, "#") {
		return "", ErrMalformed
	}
	return UserID(s), nil
}

// SessionRow is the row key of a session.
func SessionRow(u UserID, s SessionID) string { return string(u) + "#" + string(s) }

// UserPrefix is the prefix of every row of a user.
func UserPrefix(u UserID) string { return string(u) + "#" }

// TokenRow is the row key of a token.
func TokenRow(t TokenID) string { return "t#" + string(t) }

// ConsentRow is the row key of a user's consent to a client.
func ConsentRow(u UserID, c ClientID) string { return string(u) + "#" + string(c) }
