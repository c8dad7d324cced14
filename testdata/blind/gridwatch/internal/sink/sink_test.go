package sink

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"cloud.google.com/go/bigtable"
)

type fakeTable struct {
	mu   sync.Mutex
	rows []string
	fail map[string]error
}

func (f *fakeTable) ApplyBulk(_ context.Context, keys []string, muts []*bigtable.Mutation, _ ...bigtable.ApplyOption) ([]error, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	errs := make([]error, len(keys))
	bad := false
	for i, k := range keys {
		if err := f.fail[k]; err != nil {
			errs[i], bad = err, true
			continue
		}
		f.rows = append(f.rows, k)
	}
	if !bad {
		return nil, nil
	}
	return errs, nil
}

func TestSinkWritesAndAcks(t *testing.T) {
	boom := errors.New("boom")
	ft := &fakeTable{fail: map[string]error{"b": boom}}
	s := New("test", ft, WithBatch(2, 10*time.Millisecond), WithWorkers(1))
	done := make(chan error, 1)
	go func() { done <- s.Run(context.Background()) }()

	acks := make(chan error, 3)
	for _, k := range []string{"a", "b", "c"} {
		mut := bigtable.NewMutation()
		mut.Set("f", "c", bigtable.Now(), []byte(k))
		s.Writes() <- Write{Key: k, Mut: mut, Ack: func(err error) { acks <- err }}
	}
	var failed int
	for range 3 {
		if err := <-acks; err != nil {
			failed++
		}
	}
	s.Close()
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	if failed != 1 || len(ft.rows) != 2 {
		t.Errorf("failed %d, rows %v", failed, ft.rows)
	}
}

func TestSinkGroupsCellsByRow(t *testing.T) {
	ft := &fakeTable{}
	s := New("test", ft, WithBatch(4, 10*time.Millisecond))
	done := make(chan error, 1)
	go func() { done <- s.Run(context.Background()) }()
	for i := range 4 {
		if err := s.PutCell(context.Background(), Cell{Row: "r", Family: "f", Column: string(rune('a' + i)), TS: bigtable.Now()}); err != nil {
			t.Fatal(err)
		}
	}
	time.Sleep(50 * time.Millisecond)
	s.Close()
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	if len(ft.rows) == 0 || ft.rows[0] != "r" {
		t.Errorf("rows %v", ft.rows)
	}
}
