// Package keys builds row keys. All of them, so that one can read here what the
// tables look like.
package keys

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"strings"
)

// Sep stands between the parts of a key.
const Sep = "#"

// Session is the row of a login session: hash of the token, so that a dump of
// the table is worth nothing.
func Session(token string) string {
	sum := sha256.Sum256([]byte(token))
	return "s" + Sep + hex.EncodeToString(sum[:16])
}

// User is the row of a user in the login table.
func User(id string) string {
	return "u" + Sep + id
}

// Cart is the row of a cart.
func Cart(shop, cart string) string {
	return shop + Sep + cart
}

// Price is the row of a product's price.
func Price(market, sku string) string {
	return market + Sep + strings.ToUpper(sku)
}

// Account is the row of an account in the audit ledger.
func Account(id string) string {
	return "a" + Sep + id
}

// Setting is the row of a feature's settings.
func Setting(env, feature string) string {
	return env + Sep + feature
}

// Device is the row of a device. Reversed, because the serials count up.
func Device(serial string) string {
	b := []byte(serial)
	for i, j := 0, len(b)-1; i < j; i, j = i+1, j-1 {
		b[i], b[j] = b[j], b[i]
	}
	return "d" + Sep + string(b)
}

// Inbox is the row of a user's notifications.
func Inbox(user string) string {
	return "in" + Sep + user
}

// NewToken is a random token for cookies and links.
func NewToken() string {
	var b [24]byte
	if _, err := rand.Read(b[:]); err != nil {
		panic(err)
	}
	return base64.RawURLEncoding.EncodeToString(b[:])
}

// NewCode is a six digit code.
func NewCode() string {
	var b [4]byte
	if _, err := rand.Read(b[:]); err != nil {
		panic(err)
	}
	return fmt.Sprintf("%06d", binary.BigEndian.Uint32(b[:])%1000000)
}

// Split takes a key apart.
func Split(key string) (kind, rest string) {
	kind, rest, _ = strings.Cut(key, Sep)
	return kind, rest
}
