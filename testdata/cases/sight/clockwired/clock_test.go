package clockwired

import (
	"context"
	"testing"
	"time"

	"cloud.google.com/go/bigtable"
)

func TestStore(t *testing.T) {
	var c *bigtable.Client
	at := time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)
	s := newStore(c, WithClock(func() time.Time { return at }))
	_ = s.create(context.Background())
	newHub(c.Open("sessions"), func() time.Time { return at }).fire("login", "k")
	okGiven(bigtable.NewMutation(), func() time.Time { return at })
}
