package bigtablex

import (
	"context"
	"testing"
	"time"

	"cloud.google.com/go/bigtable"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

type flaky struct{ left int }

func (f *flaky) Apply(context.Context, string, *bigtable.Mutation, ...bigtable.ApplyOption) error {
	if f.left > 0 {
		f.left--
		return status.Error(codes.Unavailable, "later")
	}
	return nil
}

func TestApplyRetry(t *testing.T) {
	b := Backoff{Attempts: 3, Base: time.Millisecond, Max: time.Millisecond}
	if err := ApplyRetryWith(context.Background(), &flaky{left: 2}, "k", bigtable.NewMutation(), b); err != nil {
		t.Error(err)
	}
	if err := ApplyRetryWith(context.Background(), &flaky{left: 3}, "k", bigtable.NewMutation(), b); err == nil {
		t.Error("no error after three failures")
	}
}

func TestTimestamps(t *testing.T) {
	at := time.Date(2024, 1, 2, 3, 4, 5, 0, time.UTC)
	if got := ExpiresAt(at); got.Time().Unix() != at.Unix() {
		t.Errorf("got %v", got)
	}
	if got := EpochMillis(at.UnixMilli()); got != bigtable.Time(at) { // ok ttlunit/wrong-unit
		t.Errorf("got %v", got)
	}
	if got := bigtable.Timestamp(at.UnixMilli()); got == bigtable.Time(at) { // want ttlunit/wrong-unit
		t.Errorf("got %v", got)
	}
	if got := SeqOf(Seq(42)); got != 42 {
		t.Errorf("got %d", got)
	}
}
