package notify

import (
	"context"
	"errors"
	"testing"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/harbor/internal/fake"
)

var fixed = time.Date(2024, 5, 1, 12, 0, 0, 0, time.UTC)

func newHub(t *testing.T) (*Hub, *fake.Table, *fake.Table) {
	t.Helper()
	a, s := fake.New(), fake.New()
	return NewHubWith(a, s, func() time.Time { return fixed }), a, s
}

func TestHub(t *testing.T) {
	h, a, s := newHub(t)
	h.Start(context.Background())
	for _, ev := range []Event{
		{Topic: TopicArrival, Subject: "v1", Text: "here", Life: time.Hour},
		{Topic: TopicDeparture, Subject: "v1", Text: "gone"},
		{Topic: TopicLogin, Subject: "u1"},
		{Topic: TopicTest, Subject: "x"},
	} {
		h.Publish(ev)
	}
	h.Stop()
	if a.Applied["arrival#v1"] != 1 || a.Applied["departure#v1"] != 1 {
		t.Errorf("alerts: %v", a.Applied)
	}
	if s.Applied["u1"] != 1 {
		t.Errorf("sessions: %v", s.Applied)
	}
	if n := h.Counts()[TopicTest]; n != 1 {
		t.Errorf("count %d", n)
	}
}

func TestBulk(t *testing.T) {
	h, a, _ := newHub(t)
	for _, tt := range []struct {
		name  string
		stamp string
		ttl   time.Duration
		err   error
	}{
		{"server", "server", 0, nil},
		{"event", "event", 0, nil},
		{"ttl", "", time.Hour, nil},
		{"error", "", time.Hour, errors.New("boom")},
	} {
		t.Run(tt.name, func(t *testing.T) {
			a.Err = tt.err
			err := h.Bulk(context.Background(), []Event{{Topic: TopicInvoice, Subject: tt.name, At: fixed}}, tt.ttl, tt.stamp)
			if !errors.Is(err, tt.err) {
				t.Fatalf("got %v, want %v", err, tt.err)
			}
			if tt.err == nil && a.Applied["invoice#"+tt.name] != 1 {
				t.Errorf("not written: %v", a.Applied)
			}
		})
	}
}

func TestGuests(t *testing.T) {
	h, _, s := newHub(t)
	s.Put("guest#anna", "token", "guest", bigtable.Time(fixed.Add(time.Hour)), "anna")
	s.Put("guest#old", "token", "guest", bigtable.Time(fixed.Add(-time.Hour)), "old")
	all, err := h.Guests(context.Background())
	if err != nil || len(all) != 2 {
		t.Fatalf("guests %v %v", all, err)
	}
	now, err := h.GuestsNow(context.Background())
	if err != nil || s.Opts != 1 {
		t.Fatalf("guests now %v %v %d", now, err, s.Opts)
	}
	if err := h.Invite(context.Background(), []string{"bert"}, time.Hour); err != nil {
		t.Fatal(err)
	}
	if s.Applied["guest#bert"] != 1 {
		t.Errorf("%v", s.Applied)
	}
}
