// Package provide has the providers.
package provide

import (
	"context"
	"encoding/json"
	"sync"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/cases/sight/grpc/btrepo"
	"example.com/cases/sight/grpc/clock"
)

// JSON is a codec.
type JSON[T any] struct{}

// Encode implements Codec.
func (JSON[T]) Encode(v T) ([]byte, error) { return json.Marshal(v) }

// Decode implements Codec.
func (JSON[T]) Decode(b []byte) (v T, err error) { return v, json.Unmarshal(b, &v) }

// Session is an entity.
type Session struct{ User string }

// Profile is another.
type Profile struct{ Name string }

// Click is one more.
type Click struct{ Path string }

var client = sync.OnceValues(func() (*bigtable.Client, error) {
	return bigtable.NewClient(context.Background(), "p", "i")
})

// Client is the client.
func Client() (*bigtable.Client, error) { return client() }

// SessionTable is where sessions are.
type SessionTable struct{ *bigtable.Table }

// ClickTable is where clicks are.
type ClickTable struct{ *bigtable.Table }

// ProvideSessionTable opens it.
func ProvideSessionTable(c *bigtable.Client) SessionTable { return SessionTable{c.Open("sessions")} }

// ProvideClickTable opens it.
func ProvideClickTable(c *bigtable.Client) ClickTable { return ClickTable{c.Open("clicks")} }

// ProvideSessions provides sessions as they should be.
func ProvideSessions(t SessionTable, c clock.Clock) *btrepo.Repo[Session] {
	return btrepo.New[Session](t, JSON[Session]{}, btrepo.WithFamily("token"),
		btrepo.WithStamper(btrepo.Expire(c, 30*time.Minute)), btrepo.WithFilter(btrepo.Live(c)))
}

// ProvideStale provides them with the time of writing.
func ProvideStale(t SessionTable, c clock.Clock) *btrepo.Repo[Session] {
	return btrepo.New[Session](t, JSON[Session]{}, btrepo.WithFamily("token"), // want "uses the current time"
		btrepo.WithStamper(btrepo.Written(c)), btrepo.WithFilter(btrepo.Live(c)))
}

// ProvideOpen provides them without a bound.
func ProvideOpen(t SessionTable, c clock.Clock) *btrepo.Repo[Session] {
	return btrepo.New[Session](t, JSON[Session]{}, btrepo.WithFamily("token"), btrepo.WithStamper(btrepo.Expire(c, time.Hour))) // want "read of one-second-expiration family .token."
}

// ProvideProfiles provides profiles.
func ProvideProfiles(t SessionTable, c clock.Clock) *btrepo.Repo[Profile] {
	return btrepo.New[Profile](t, JSON[Profile]{}, btrepo.WithFamily("profile"), btrepo.WithStamper(btrepo.Written(c)))
}

// ProvideClicks provides clicks, bounded as tokens are.
func ProvideClicks(t ClickTable, c clock.Clock) *btrepo.Repo[Click] {
	return btrepo.New[Click](t, JSON[Click]{}, btrepo.WithFamily("event"), btrepo.WithStamper(btrepo.Written(c)), // want "starts its range later than 30d ago"
		btrepo.WithFilter(btrepo.Live(c)))
}
