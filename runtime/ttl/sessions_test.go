//go:build go1.25

package ttl_test

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

// TestSessions shows how to test what expires. In a bubble of testing/synctest
// the time is that of the bubble, and passes when everybody sleeps: an hour
// takes no time. The emulator must be in the bubble, too, and reached through
// memory, since what waits for a network does not count as sleeping: see
// connect, which uses bttest.NewServerWithListener with
// google.golang.org/grpc/test/bufconn.
func TestSessions(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		client, admin, stop := connect(t.Context())
		defer stop()
		must(Users.Ensure(t.Context(), admin))
		sessions := sessionStore{client.Open(Users.Name())}
		started := time.Now()
		use := func() string {
			t.Helper()
			token, since, err := sessions.use(t.Context(), "ada")
			if err != nil || token != "" && !since.Equal(started) {
				t.Fatalf("token %q since %v, %v", token, since, err)
			}
			return token
		}

		must(sessions.start(t.Context(), "ada", "token"))
		for range 10 { // it lasts as long as it is used
			time.Sleep(29 * time.Minute)
			if use() != "token" {
				t.Fatalf("the session has ended after %v", time.Since(started))
			}
		}
		time.Sleep(30 * time.Minute)
		if use() != "token" { // to the millisecond
			t.Error("the session has ended early")
		}
		time.Sleep(30*time.Minute + time.Millisecond)
		if got := use(); got != "" {
			t.Errorf("the session has not ended: %q", got)
		}
	})
}

// TestLock: a lock is free once its lease and the skew are over, and not
// before.
func TestLock(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		client, admin, stop := connect(t.Context())
		defer stop()
		must(Jobs.Ensure(t.Context(), admin))
		tbl := client.Open(Jobs.Name())
		a, err := acquire(t.Context(), tbl, "nightly", "a")
		must(err)
		for wait, want := range []error{errHeld, nil} {
			time.Sleep(time.Until(a.deadline.Add(2*time.Second + time.Duration(wait)*time.Millisecond)))
			if _, err := acquire(t.Context(), tbl, "nightly", "b"); !errors.Is(err, want) {
				t.Errorf("%v after the lease, b has %v, want %v", time.Since(a.deadline), err, want)
			}
		}
	})
}
