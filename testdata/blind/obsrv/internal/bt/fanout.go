package bt

import (
	"context"
	"errors"
	"sync"

	"cloud.google.com/go/bigtable"
)

// Shard is one scan of a fan-out.
type Shard struct {
	Name   string
	Table  Table
	Rows   bigtable.RowSet
	Filter bigtable.Filter
}

// Result is a row and where it comes from.
type Result struct {
	Shard string
	Row   bigtable.Row
}

// FanOut scans shards at the same time and sends their rows on one channel.
// The returned function gives the errors once the channel is closed.
func FanOut(ctx context.Context, shards []Shard, workers int) (<-chan Result, func() error) {
	out := make(chan Result, 64)
	sem := make(chan struct{}, max(workers, 1))
	var (
		wg   sync.WaitGroup
		mu   sync.Mutex
		errs []error
	)
	for _, sh := range shards {
		wg.Add(1)
		go func() {
			defer wg.Done()
			sem <- struct{}{}
			defer func() { <-sem }()
			var opts []bigtable.ReadOption
			if sh.Filter != nil {
				opts = append(opts, bigtable.RowFilter(sh.Filter))
			}
			err := sh.Table.ReadRows(ctx, sh.Rows, func(r bigtable.Row) bool {
				select {
				case out <- Result{sh.Name, r}:
					return true
				case <-ctx.Done():
					return false
				}
			}, opts...)
			if err != nil {
				mu.Lock()
				errs = append(errs, err)
				mu.Unlock()
			}
		}()
	}
	go func() {
		wg.Wait()
		close(out)
	}()
	return out, func() error {
		mu.Lock()
		defer mu.Unlock()
		return errors.Join(errs...)
	}
}
