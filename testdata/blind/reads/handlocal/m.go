package handlocal

import (
	"context"
	"errors"
	"sort"
	"time"

	"cloud.google.com/go/bigtable"
)

type Clock interface{ Now() time.Time }

type S struct {
	t     *bigtable.Table
	clock Clock
}

func New(c *bigtable.Client, clk Clock) *S { return &S{c.Open("magic_links"), clk} }

func (s *S) expired(it bigtable.ReadItem) bool { return it.Timestamp.Time().Before(s.clock.Now()) }

func (s *S) Method(ctx context.Context, k string) (n int) {
	row, _ := s.t.ReadRow(ctx, k) // silent
	for _, it := range row["link"] {
		if !s.expired(it) {
			n++
		}
	}
	return n
}

func (s *S) InCallback(ctx context.Context) (n int) {
	_ = s.t.ReadRows(ctx, bigtable.InfiniteRange(""), func(r bigtable.Row) bool { // silent
		for _, it := range r["link"] {
			if !s.expired(it) {
				n++
			}
		}
		return true
	})
	return n
}

func pastTS(ts bigtable.Timestamp) bool { return ts.Time().Before(time.Now()) }

func (s *S) TS(ctx context.Context, k string) (n int) {
	row, _ := s.t.ReadRow(ctx, k) // silent
	for _, it := range row["link"] {
		if !pastTS(it.Timestamp) {
			n++
		}
	}
	return n
}

func pastTime(t time.Time) bool { return t.Before(time.Now()) }

func (s *S) Time(ctx context.Context, k string) (n int) {
	row, _ := s.t.ReadRow(ctx, k) // silent
	for _, it := range row["link"] {
		if pastTime(it.Timestamp.Time()) {
			continue
		}
		n++
	}
	return n
}

func (s *S) Collected(ctx context.Context) (n int) {
	var all []bigtable.ReadItem
	_ = s.t.ReadRows(ctx, bigtable.InfiniteRange(""), func(r bigtable.Row) bool { // silent
		all = append(all, r["link"]...)
		return true
	})
	now := bigtable.Now()
	for _, it := range all {
		if it.Timestamp > now {
			n++
		}
	}
	return n
}

func (s *S) Search(ctx context.Context, k string) []bigtable.ReadItem {
	row, _ := s.t.ReadRow(ctx, k) // silent
	items := row["link"]
	now := bigtable.Now()
	i := sort.Search(len(items), func(i int) bool { return items[i].Timestamp < now })
	return items[:i]
}

func (s *S) Indexed(ctx context.Context, k string) ([]byte, error) {
	row, err := s.t.ReadRow(ctx, k) // silent
	if err != nil {
		return nil, err
	}
	items := row["link"]
	if len(items) == 0 || s.clock.Now().After(items[0].Timestamp.Time()) {
		return nil, errors.New("gone")
	}
	return items[0].Value, nil
}

func (s *S) Unix(ctx context.Context, k string) (n int) {
	row, _ := s.t.ReadRow(ctx, k) // silent
	for _, it := range row["link"] {
		if it.Timestamp.Time().Unix() < time.Now().Unix() {
			continue
		}
		n++
	}
	return n
}

type entry struct {
	value []byte
	until bigtable.Timestamp
}

func (s *S) Field(ctx context.Context, k string) (n int) {
	row, _ := s.t.ReadRow(ctx, k) // silent
	var es []entry
	for _, it := range row["link"] {
		es = append(es, entry{it.Value, it.Timestamp})
	}
	for _, e := range es {
		if e.until > bigtable.Now() {
			n++
		}
	}
	return n
}

// decode drops what is over.
func decode(items []bigtable.ReadItem) (out [][]byte) {
	for _, it := range items {
		if time.Until(it.Timestamp.Time()) <= 0 {
			continue
		}
		out = append(out, it.Value)
	}
	return out
}

func (s *S) Decoded(ctx context.Context, k string) [][]byte {
	row, _ := s.t.ReadRow(ctx, k) // silent
	return decode(row["link"])
}

func decodeRow(row bigtable.Row) [][]byte { return decode(row["link"]) }

func (s *S) DecodedRow(ctx context.Context, k string) [][]byte {
	row, _ := s.t.ReadRow(ctx, k) // silent
	return decodeRow(row)
}

func decodeFam(row bigtable.Row, fam string) [][]byte { return decode(row[fam]) }

func (s *S) DecodedFam(ctx context.Context, k string) [][]byte {
	row, _ := s.t.ReadRow(ctx, k) // silent
	return decodeFam(row, "link")
}

func newest(items []bigtable.ReadItem) *bigtable.ReadItem {
	if len(items) == 0 {
		return nil
	}
	return &items[0]
}

func (s *S) Newest(ctx context.Context, k string) []byte {
	row, _ := s.t.ReadRow(ctx, k) // silent
	it := newest(row["link"])
	if it == nil || it.Timestamp < bigtable.Now() {
		return nil
	}
	return it.Value
}

type link struct {
	url     string
	expires time.Time
}

func toLink(it bigtable.ReadItem) *link { return &link{string(it.Value), it.Timestamp.Time()} }

func (s *S) Converted(ctx context.Context, k string) *link {
	row, _ := s.t.ReadRow(ctx, k) // silent
	for _, it := range row["link"] {
		l := toLink(it)
		if time.Now().After(l.expires) {
			return nil
		}
		return l
	}
	return nil
}

func (s *S) get(ctx context.Context, k string) (*link, error) {
	row, err := s.t.ReadRow(ctx, k) // silent
	if err != nil || len(row["link"]) == 0 {
		return nil, err
	}
	return toLink(row["link"][0]), nil
}

func (s *S) Valid(ctx context.Context, k string) bool {
	l, err := s.get(ctx, k)
	return err == nil && l != nil && s.clock.Now().Before(l.expires)
}

func (s *S) Two(ctx context.Context, k string) (v []byte, exp time.Time, err error) {
	row, err := s.t.ReadRow(ctx, k) // want `missing-filter: .*"link"`
	for _, it := range row["link"] {
		return it.Value, it.Timestamp.Time(), nil
	}
	return nil, time.Time{}, err
}
