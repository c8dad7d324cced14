// Package keys builds and takes apart row keys.
package keys

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// ErrBadKey is returned for keys that this package did not build.
var ErrBadKey = errors.New("malformed row key")

// Event is the key of an audit event: newest first within an actor.
func Event(actor string, at time.Time, id string) string {
	return fmt.Sprintf("%s#%019d#%s", salt(actor), math.MaxInt64-at.UnixNano(), id)
}

// EventTime takes the time out of a key of Event.
func EventTime(key string) (time.Time, error) {
	parts := strings.Split(key, "#")
	if len(parts) != 3 {
		return time.Time{}, ErrBadKey
	}
	n, err := strconv.ParseInt(parts[1], 10, 64)
	if err != nil {
		return time.Time{}, fmt.Errorf("%w: %v", ErrBadKey, err)
	}
	return time.Unix(0, math.MaxInt64-n), nil
}

// ActorPrefix is what keys of an actor's events start with.
func ActorPrefix(actor string) string { return salt(actor) + "#" }

// Series is the key of a series and a day.
func Series(name string, labels map[string]string, day time.Time) string {
	return name + "#" + Fingerprint(labels) + "#" + day.UTC().Format("20060102")
}

// Fingerprint is the same for the same labels.
func Fingerprint(labels map[string]string) string {
	h := sha256.New()
	for _, k := range sorted(labels) {
		h.Write([]byte(k))
		h.Write([]byte{0})
		h.Write([]byte(labels[k]))
		h.Write([]byte{0})
	}
	return hex.EncodeToString(h.Sum(nil)[:8])
}

// Session is the key of a session.
func Session(user, device string) string { return salt(user) + "#" + user + "#" + device }

// Account is the key of an account of the ledger.
func Account(id string) string { return "acct#" + id }

// Consumer is the key of a consumer of a partition.
func Consumer(group string, partition int) string {
	return fmt.Sprintf("%s#%04d", group, partition)
}

// Trace is the key of a trace.
func Trace(id [16]byte) string { return hex.EncodeToString(id[:]) }

func salt(s string) string {
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:2])
}

func sorted(m map[string]string) []string {
	out := make([]string, 0, len(m))
	for k := range m {
		i := 0
		for i < len(out) && out[i] < k {
			i++
		}
		out = append(out, "")
		copy(out[i+1:], out[i:])
		out[i] = k
	}
	return out
}
