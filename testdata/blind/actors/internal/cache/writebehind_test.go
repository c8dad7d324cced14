package cache

import (
	"context"
	"log/slog"
	"sync"
	"testing"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/arena/internal/telemetry"
)

type fakeSink struct {
	mu   sync.Mutex
	keys []string
}

func (f *fakeSink) ApplyBulk(_ context.Context, keys []string, _ []*bigtable.Mutation, _ ...bigtable.ApplyOption) ([]error, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.keys = append(f.keys, keys...)
	return nil, nil
}

func TestStopFlushes(t *testing.T) {
	sink := &fakeSink{}
	w := New(sink, Options{Every: time.Hour, Size: 100, Workers: 2}, telemetry.New("test"), slog.Default())
	for _, k := range []string{"a", "b", "c"} {
		mut := bigtable.NewMutation()
		mut.Set("f", "c", bigtable.Now(), []byte(k)) // ok ttlwrite/write-time
		if err := w.Put(context.Background(), Entry{Key: k, Mut: mut}); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Stop(context.Background()); err != nil {
		t.Fatal(err)
	}
	if len(sink.keys) != 3 {
		t.Fatalf("flushed %v", sink.keys)
	}
}
