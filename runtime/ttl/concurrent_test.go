package ttl_test

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"cloud.google.com/go/bigtable"
	"github.com/ttlvet/ttlvet/runtime/ttl"
)

// TestConcurrency shares a table, its families and a companion among writers,
// readers and those that look after the schema, under the race detector (go test
// -race). Each has a row of its own, because the emulator does not guard rows
// that are read while they are written.
func TestConcurrency(t *testing.T) {
	t.Parallel()
	e := newEmulator(t, mixed)
	issued := ttl.WrittenAt(second, "issued")
	token, hits := second.With(issued), ttl.NewCounter(standard, "hits")
	const workers, rounds = 8, 20
	var wg sync.WaitGroup
	for worker := range workers {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for i := range rounds {
				mut, hit := bigtable.NewMutation(), bigtable.NewMutation()
				key, column := fmt.Sprint("r", worker), fmt.Sprint("c", i)
				for _, err := range []error{
					token.Replace(mut, column, value, time.Hour), standard.Set(mut, column, value), hits.Add(hit, 1),
					sequence.Set(mut, column, value, int64(i)), zero.Set(mut, column, value), realTime.Replace(mut, column, value),
					e.tbl.Apply(t.Context(), key, mut), e.tbl.Apply(t.Context(), "hits", hit),
					mixed.Ensure(t.Context(), e.admin),
				} {
					if err != nil {
						t.Error(err)
					}
				}
				row, err := e.tbl.ReadRow(t.Context(), key, mixed.Latest(bigtable.ColumnFilter(column+"|issued")))
				if err != nil {
					t.Error(err)
				}
				if _, ok := issued.Time(row); !ok || len(row["second"]) != 2 || sequence.Number(row["sequence"][0]) != int64(i) {
					t.Errorf("read %v", row)
				}
			}
		}()
	}
	wg.Wait()
	if got, err := hits.Sum(e.read("hits", mixed.Live())); got != workers*rounds || err != nil {
		t.Errorf("sum %d, %v", got, err)
	}
}
