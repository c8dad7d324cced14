package main

import (
	"context"
	"errors"
	"testing"
	"time"

	"cloud.google.com/go/bigtable"
)

// fakeTable keeps nothing: it notes what it was asked, and answers with rows
// that the test made.
type fakeTable struct {
	rows    map[string]bigtable.Row
	applied []string
	err     error
}

func (f *fakeTable) ReadRow(_ context.Context, row string, _ ...bigtable.ReadOption) (bigtable.Row, error) {
	return f.rows[row], f.err
}

func (f *fakeTable) ReadRows(_ context.Context, _ bigtable.RowSet, fn func(bigtable.Row) bool, _ ...bigtable.ReadOption) error {
	for _, r := range f.rows {
		if !fn(r) {
			break
		}
	}
	return f.err
}

func (f *fakeTable) Apply(_ context.Context, row string, _ *bigtable.Mutation, _ ...bigtable.ApplyOption) error {
	f.applied = append(f.applied, row)
	return f.err
}

func at(hour int) func() time.Time {
	return func() time.Time { return time.Date(2026, 3, 1, hour, 0, 0, 0, time.UTC) } // ok ttlwrite/already-expired
}

// tokenRow is a row with one token that expires at t.
func tokenRow(rider, tok string, t time.Time) map[string]bigtable.Row {
	key := sessionKey(rider)
	return map[string]bigtable.Row{key: {
		"token": []bigtable.ReadItem{{Row: key, Column: "token:jwt", Timestamp: bigtable.Time(t), Value: []byte(tok)}},
	}}
}

func TestSignIn(t *testing.T) {
	ctx := context.Background()
	for _, c := range []struct {
		name, rider, agent string
		remember           bool
		err                error
		ok                 bool
	}{
		{"plain", "alice", "Tram/1.0", false, nil, true},
		{"remember", "alice", "Tram/1.0", true, nil, true},
		{"empty", "", "Tram/1.0", false, nil, false},
		{"hash", "a#b", "Tram/1.0", false, nil, false},
		{"down", "alice", "Tram/1.0", false, errors.New("down"), false},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := &fakeTable{err: c.err}
			s := newSessionStore(f, at(12)) // ok ttlwrite/already-expired
			tok, err := s.signIn(ctx, c.rider, c.agent, c.remember)
			if (err == nil) != c.ok {
				t.Fatalf("%q, %v", tok, err)
			}
			if c.ok && (len(tok) != 32 || len(f.applied) != 1) {
				t.Errorf("token %q, applied %q", tok, f.applied)
			}
		})
	}
}

func TestValid(t *testing.T) {
	ctx := context.Background()
	s := newSessionStore(&fakeTable{rows: tokenRow("alice", "t1", at(13)())}, at(12))
	for tok, want := range map[string]bool{"t1": true, "t2": false, "": false} {
		got, err := s.valid(ctx, "alice", tok)
		if err != nil || got != want {
			t.Errorf("%q: %v, %v", tok, got, err)
		}
	}
	if got, err := s.valid(ctx, "bob", "t1"); err != nil || got {
		t.Errorf("bob: %v, %v", got, err)
	}
}

func TestSessionsRoundTrip(t *testing.T) {
	ctx := context.Background()
	f := &fakeTable{rows: tokenRow("carol", "{}", at(13)())}
	s := newSessionStore(f, at(12))
	if ok, err := s.known(ctx, "carol"); err != nil || !ok {
		t.Errorf("known: %v, %v", ok, err)
	}
	if ok, err := s.named(ctx, "carol"); err != nil || ok {
		t.Errorf("named: %v, %v", ok, err)
	}
	if ds, err := s.devices(ctx, "carol"); err != nil || len(ds) != 0 {
		t.Errorf("devices: %v, %v", ds, err)
	}
	if ds, err := s.recentDevices(ctx, "carol"); err != nil || len(ds) != 0 {
		t.Errorf("devices: %v, %v", ds, err)
	}
	for name, step := range map[string]func() error{
		"extend":   func() error { return s.extend(ctx, "carol", "t") },
		"nameOnce": func() error { return s.nameOnce(ctx, "carol", "Carol") },
		"signOut":  func() error { return s.signOut(ctx, "carol") },
	} {
		if err := step(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := s.signInOnce(ctx, "carol", "t"); err != nil {
		t.Error(err)
	}
	if _, err := s.introspect(ctx, "carol"); err != nil {
		t.Error(err)
	}
	if _, err := s.introspectOld(ctx, "carol"); err != nil {
		t.Error(err)
	}
	if _, err := s.introspectProfile(ctx, "carol"); err == nil {
		t.Error("no profile, and no error")
	}
}
