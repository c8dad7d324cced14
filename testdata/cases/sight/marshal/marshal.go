// Package marshal encodes and logs structs before it uses their fields.
package marshal

import (
	"bytes"
	"context"
	"encoding/gob"
	"encoding/json"
	"log"
	"log/slog"
	"time"

	"cloud.google.com/go/bigtable"
)

type session struct{ Started, Ends time.Time }

func start(ctx context.Context, c *bigtable.Client, ttl time.Duration) error {
	now := time.Now()
	s := &session{Started: now, Ends: now.Add(ttl)}
	b, err := json.Marshal(s)
	if err != nil {
		return err
	}
	mut := bigtable.NewMutation()
	mut.Set("token", "c", bigtable.Time(s.Started), b) // want `write-time: .*"token"`
	return c.Open("sessions").Apply(ctx, "k", mut)
}

func encoded(ctx context.Context, c *bigtable.Client) error {
	s := &session{Started: time.Now()}
	var buf bytes.Buffer
	if err := gob.NewEncoder(&buf).Encode(s); err != nil {
		return err
	}
	slog.Info("session", "session", s)
	log.Println("session", s)
	mut := bigtable.NewMutation()
	mut.Set("token", "c", bigtable.Time(s.Started), buf.Bytes()) // want `write-time: .*"token"`
	return c.Open("sessions").Apply(ctx, "k", mut)
}

func okEnds(ctx context.Context, c *bigtable.Client) error {
	s := &session{Started: time.Now(), Ends: time.Now().Add(30 * time.Minute)}
	b, err := json.MarshalIndent(s, "", " ")
	if err != nil {
		return err
	}
	mut := bigtable.NewMutation()
	mut.Set("token", "c", bigtable.Time(s.Ends), b)
	return c.Open("sessions").Apply(ctx, "k", mut)
}

// What is decoded may be anything.
func okDecoded(ctx context.Context, c *bigtable.Client, b []byte) error {
	s := &session{Started: time.Now()}
	if err := json.Unmarshal(b, s); err != nil {
		return err
	}
	mut := bigtable.NewMutation()
	mut.Set("token", "c", bigtable.Time(s.Started), b)
	return c.Open("sessions").Apply(ctx, "k", mut)
}
