package rowlists

import (
	"context"
	"slices"
	"sort"
	"sync"

	"cloud.google.com/go/bigtable"
)

// Rows that are sorted.

func (s *store) okSorted(ctx context.Context, keys []string) (out []string, err error) {
	var rows []bigtable.Row
	err = s.tbl.ReadRows(ctx, bigtable.RowList(keys), func(r bigtable.Row) bool {
		rows = append(rows, r)
		return true
	})
	sort.Slice(rows, func(i, j int) bool { return rows[i].Key() < rows[j].Key() })
	for _, r := range rows {
		out = append(out, string(r["profile"][0].Value))
	}
	return out, err
}

func (s *store) sorted(ctx context.Context, keys []string) (out []string, err error) {
	var rows []bigtable.Row
	err = s.tbl.ReadRows(ctx, bigtable.RowList(keys), func(r bigtable.Row) bool { // want `missing-filter: .*"token"`
		rows = append(rows, r)
		return true
	})
	slices.SortFunc(rows, func(a, b bigtable.Row) int { return len(a["token"]) - len(b["token"]) })
	for _, r := range rows {
		out = append(out, string(r["profile"][0].Value))
	}
	return out, err
}

// Behind a pointer, under a lock, in a map by key.

type cache struct {
	mu   sync.Mutex
	rows map[string]bigtable.Row
}

func (s *store) okCached(ctx context.Context, keys []string) (out []string, err error) {
	c := &cache{rows: make(map[string]bigtable.Row)}
	var wg sync.WaitGroup
	for _, k := range keys {
		wg.Add(1)
		go func() {
			defer wg.Done()
			row, err := s.tbl.ReadRow(ctx, k)
			if err != nil {
				return
			}
			c.mu.Lock()
			c.rows[k] = row
			c.mu.Unlock()
		}()
	}
	wg.Wait()
	for _, k := range keys {
		if r, ok := c.rows[k]; ok {
			out = append(out, string(r["profile"][0].Value))
		}
	}
	return out, nil
}

func (s *store) cached(ctx context.Context, keys []string) (out []string, err error) {
	found := map[string]bigtable.Row{}
	for _, k := range keys {
		row, err := s.tbl.ReadRow(ctx, k) // want `missing-filter: .*"token"`
		if err != nil {
			return nil, err
		}
		found[k] = row
	}
	for _, r := range found {
		out = append(out, string(r["token"][0].Value))
	}
	return out, nil
}

func (s *store) okCounted(ctx context.Context, keys []string) (n int, err error) {
	found := map[string]bigtable.Row{}
	for _, k := range keys {
		row, err := s.tbl.ReadRow(ctx, k, bigtable.RowFilter(bigtable.FamilyFilter("profile")))
		if err != nil {
			return 0, err
		}
		found[k] = row
	}
	return len(found), nil
}

// A map that leaves is used as its callers do.

func (s *store) byKey(ctx context.Context, keys []string) (map[string]bigtable.Row, error) {
	out := make(map[string]bigtable.Row, len(keys))
	err := s.tbl.ReadRows(ctx, bigtable.RowList(keys), func(r bigtable.Row) bool {
		out[r.Key()] = r
		return true
	})
	return out, err
}

func (s *store) okByKey(ctx context.Context, keys []string) (out []string, err error) {
	rows, err := s.byKey(ctx, keys)
	if err != nil {
		return nil, err
	}
	for _, k := range keys {
		for _, it := range rows[k]["profile"] {
			out = append(out, string(it.Value))
		}
	}
	return out, nil
}

func (s *store) byKeyTokens(ctx context.Context, keys []string) (map[string]bigtable.Row, error) {
	out := make(map[string]bigtable.Row, len(keys))
	err := s.tbl.ReadRows(ctx, bigtable.RowList(keys), func(r bigtable.Row) bool { // want `missing-filter: .*"token"`
		out[r.Key()] = r
		return true
	})
	return out, err
}

func (s *store) tokens(ctx context.Context, keys []string) (out []string, err error) {
	rows, err := s.byKeyTokens(ctx, keys)
	if err != nil {
		return nil, err
	}
	for _, r := range rows {
		for _, it := range r["token"] {
			out = append(out, string(it.Value))
		}
	}
	return out, nil
}

// The struct is handed on: whoever gets it may use any family.

type page struct {
	rows []bigtable.Row
	next string
}

// Page returns a page.
func (s *store) Page(ctx context.Context, prefix string) (*page, error) {
	p := &page{}
	err := s.tbl.ReadRows(ctx, bigtable.PrefixRange(prefix), func(r bigtable.Row) bool { // want `missing-filter: .*"token"`
		p.rows = append(p.rows, r)
		p.next = r.Key()
		return len(p.rows) < 100
	})
	return p, err
}

// A local struct with the row and its state.

func (s *store) okState(ctx context.Context, keys []string) (out []string) {
	type state struct {
		row bigtable.Row
		err error
	}
	for _, k := range keys {
		var st state
		st.row, st.err = s.tbl.ReadRow(ctx, k)
		if st.err != nil || st.row == nil {
			continue
		}
		out = append(out, string(st.row["profile"][0].Value))
	}
	return out
}

func (s *store) state(ctx context.Context, keys []string) (out []string) {
	type state struct {
		row bigtable.Row
		err error
	}
	for _, k := range keys {
		var st state
		st.row, st.err = s.tbl.ReadRow(ctx, k) // want `missing-filter: .*"token"`
		if st.err != nil || st.row == nil {
			continue
		}
		out = append(out, string(st.row["token"][0].Value))
	}
	return out
}

func (s *store) okStates(ctx context.Context, keys []string) (out []string) {
	type state struct {
		row bigtable.Row
		err error
	}
	states := make([]state, len(keys))
	for i, k := range keys {
		row, err := s.tbl.ReadRow(ctx, k)
		states[i] = state{row, err}
	}
	for _, st := range states {
		if st.err == nil {
			out = append(out, string(st.row["profile"][0].Value))
		}
	}
	return out
}

// Each goroutine sends what it reads.

func (s *store) okSent(ctx context.Context, keys []string) (out []string) {
	ch := make(chan bigtable.Row, len(keys))
	for _, k := range keys {
		go func() {
			row, err := s.tbl.ReadRow(ctx, k)
			if err != nil {
				row = nil
			}
			ch <- row
		}()
	}
	for range keys {
		r := <-ch
		out = append(out, string(r["profile"][0].Value))
	}
	return out
}

func (s *store) sent(ctx context.Context, keys []string) (out []string) {
	ch := make(chan bigtable.Row, len(keys))
	go func() {
		defer close(ch)
		_ = s.tbl.ReadRows(ctx, bigtable.RowList(keys), func(r bigtable.Row) bool { // want `missing-filter: .*"token"`
			ch <- r
			return true
		})
	}()
	for r := range ch {
		out = append(out, string(r["token"][0].Value))
	}
	return out
}
