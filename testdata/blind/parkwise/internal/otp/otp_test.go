package otp

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/parkwise/parkwise/internal/clock"
	"github.com/parkwise/parkwise/internal/tenant"
)

type fakeStore struct {
	codes    map[string]Code
	attempts map[string]int64
	locked   map[string]time.Time
}

func newFake() *fakeStore {
	return &fakeStore{codes: map[string]Code{}, attempts: map[string]int64{}, locked: map[string]time.Time{}}
}

func (f *fakeStore) Save(_ context.Context, _ tenant.ID, c Code) error {
	f.codes[c.Phone] = c
	return nil
}

func (f *fakeStore) Load(ctx context.Context, _ tenant.ID, phone string) (Code, error) {
	c, ok := f.codes[phone]
	if !ok || !c.ExpiresAt.After(clock.Now(ctx)) {
		return Code{}, errors.New("none")
	}
	return c, nil
}

func (f *fakeStore) Attempt(_ context.Context, _ tenant.ID, phone string) (int64, error) {
	f.attempts[phone]++
	return f.attempts[phone], nil
}

func (f *fakeStore) Lock(_ context.Context, _ tenant.ID, phone string, until time.Time) error {
	f.locked[phone] = until
	return nil
}

func (f *fakeStore) Consume(_ context.Context, _ tenant.ID, phone string) (bool, error) {
	_, ok := f.codes[phone]
	delete(f.codes, phone)
	return ok, nil
}

type sent struct{ texts []string }

func (s *sent) Send(_ context.Context, _, text string) error {
	s.texts = append(s.texts, text)
	return nil
}

func TestVerify(t *testing.T) {
	start := time.Date(2025, 3, 1, 8, 0, 0, 0, time.UTC)
	for _, tc := range []struct {
		name  string
		after time.Duration
		code  string
		want  error
	}{
		{"right", time.Minute, "123456", nil},
		{"wrong", time.Minute, "654321", ErrMismatch},
		{"late", 6 * time.Minute, "123456", ErrExpired},
	} {
		t.Run(tc.name, func(t *testing.T) {
			store := newFake()
			svc := New(store, &sent{})
			svc.digits = func() (string, error) { return "123456", nil }
			ctx := tenant.With(clock.With(context.Background(), clock.Fixed{At: start}), "acme")
			if err := svc.Issue(ctx, "+491"); err != nil {
				t.Fatal(err)
			}
			ctx = clock.With(ctx, clock.Fixed{At: start.Add(tc.after)})
			if err := svc.Verify(ctx, "+491", tc.code); !errors.Is(err, tc.want) {
				t.Errorf("got %v, want %v", err, tc.want)
			}
		})
	}
}
