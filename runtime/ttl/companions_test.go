package ttl_test

import (
	"errors"
	"math"
	"strings"
	"sync"
	"testing"
	"time"

	"cloud.google.com/go/bigtable"
	"github.com/ttlvet/ttlvet/runtime/ttl"
)

func TestWrittenAt(t *testing.T) {
	t.Parallel()
	e := newEmulator(t, mixed)
	before := time.Now().Truncate(time.Microsecond)
	companion := func(f ttl.Family) ttl.WrittenAtColumn { return ttl.WrittenAt(f, "written") }
	e.apply("r",
		func(m *bigtable.Mutation) error {
			w := companion(second)
			return second.SetFor(m, w.Column(), w.Value(), 48*time.Hour)
		},
		func(m *bigtable.Mutation) error {
			w := companion(standard)
			return standard.SetFor(m, w.Column(), w.Value(), 48*time.Hour)
		},
		func(m *bigtable.Mutation) error {
			w := companion(sequence)
			return sequence.Set(m, w.Column(), w.Value(), 7)
		},
		func(m *bigtable.Mutation) error { w := companion(zero); return zero.Set(m, w.Column(), w.Value()) },
		raw("real.time", "written", 1000, "yesterday"),
		raw("second", "other", ttl.ExpiresIn(time.Hour), "12345678"),
	)
	after := time.Now()
	row := e.read("r", mixed.Live())
	for _, f := range []ttl.Family{second, standard, sequence, zero} {
		if at, ok := companion(f).Time(row); !ok || at.Before(before) || at.After(after) {
			t.Errorf("%s was written at %v, %v; want now", f.Name(), at, ok)
		}
	}
	if at, ok := companion(realTime).Time(row); ok {
		t.Errorf("a value that is no time was read as %v", at)
	}
	if at, ok := ttl.WrittenAt(second, "absent").Time(row); ok {
		t.Errorf("a column that is absent was read as %v", at)
	}
	if at, ok := companion(second).Time(nil); ok {
		t.Errorf("a row that is absent was read as %v", at)
	}
}

// A value and its companion have one timestamp, whatever method writes them and
// however long that takes.
func TestCompanion(t *testing.T) {
	t.Parallel()
	e := newEmulator(t, mixed)
	column := func(f ttl.Family) ttl.WrittenAtColumn { return ttl.WrittenAt(f, "written") }
	s, d := second.With(column(second)), standard.With(column(standard))
	far := time.Now().Add(1000 * time.Hour)
	for name, write := range map[string]func(m *bigtable.Mutation) error{
		"second set":            func(m *bigtable.Mutation) error { return s.Set(m, "c", value) },
		"second for":            func(m *bigtable.Mutation) error { return s.SetFor(m, "c", value, time.Minute) },
		"second until":          func(m *bigtable.Mutation) error { return s.SetUntil(m, "c", value, far) },
		"second replace":        func(m *bigtable.Mutation) error { return s.Replace(m, "c", value, time.Minute) },
		"second replace until":  func(m *bigtable.Mutation) error { return s.ReplaceUntil(m, "c", value, far) },
		"default set":           func(m *bigtable.Mutation) error { return d.Set(m, "c", value) },
		"default for":           func(m *bigtable.Mutation) error { return d.SetFor(m, "c", value, time.Minute) },
		"default until":         func(m *bigtable.Mutation) error { return d.SetUntil(m, "c", value, far) },
		"default replace":       func(m *bigtable.Mutation) error { return d.Replace(m, "c", value, time.Minute) },
		"default replace until": func(m *bigtable.Mutation) error { return d.ReplaceUntil(m, "c", value, far) },
		"sequence":              func(m *bigtable.Mutation) error { return sequence.With(column(sequence)).Set(m, "c", value, 7) },
		"zero":                  func(m *bigtable.Mutation) error { return zero.With(column(zero)).Set(m, "c", value) },
		"real.time set":         func(m *bigtable.Mutation) error { return realTime.With(column(realTime)).Set(m, "c", value) },
		"real.time at": func(m *bigtable.Mutation) error {
			return realTime.With(column(realTime)).SetAt(m, "c", value, time.Unix(1, 0))
		},
		"real.time replace": func(m *bigtable.Mutation) error { return realTime.With(column(realTime)).Replace(m, "c", value) },
	} {
		family, _, _ := strings.Cut(name, " ")
		// What Replace does not delete would come first.
		e.apply(name, raw(family, "written", 1000, "none"))
		before := time.Now().Truncate(time.Microsecond)
		e.apply(name, write)
		row := e.read(name, mixed.Latest())
		cells := row[family]
		if len(cells) != 2 || cells[0].Timestamp != cells[1].Timestamp {
			t.Errorf("%s: the cells are %v", name, cells)
		}
		at, ok := ttl.WrittenAt(ttl.Zero(family), "written").Time(row)
		if !ok || at.Before(before) || at.After(time.Now()) {
			t.Errorf("%s: written at %v, %v", name, at, ok)
		}
	}
}

// Many writers, each with an increment of its own: none is lost.
func TestCounterConcurrency(t *testing.T) {
	t.Parallel()
	e := newEmulator(t, mixed)
	for _, f := range []ttl.Expiring{second, standard} {
		hits := ttl.NewCounter(f, "hits")
		const writers, each = 16, 25
		var wg sync.WaitGroup
		for range writers {
			wg.Add(1)
			go func() {
				defer wg.Done()
				for range each {
					mut := bigtable.NewMutation()
					if err := hits.Add(mut, 2); err != nil {
						t.Error(err)
					}
					if err := e.tbl.Apply(t.Context(), "r", mut); err != nil {
						t.Error(err)
					}
				}
			}()
		}
		wg.Wait()
		if got, err := hits.Sum(e.read("r", mixed.Live())); got != 2*writers*each || err != nil {
			t.Errorf("%s: sum %d, %v; want %d", f.Name(), got, err, 2*writers*each)
		}
	}
}

func TestCounter(t *testing.T) {
	t.Parallel()
	e := newEmulator(t, mixed)
	for _, f := range []ttl.Expiring{second, standard} {
		hits, hits0 := ttl.NewCounter(f, "hits"), ttl.NewCounter(f, "hits0")
		sum := func(want int64) {
			t.Helper()
			for _, opt := range []bigtable.ReadOption{mixed.Live(), mixed.LiveAnd(hits.Filter())} {
				if got, err := hits.Sum(e.read("r", opt)); got != want || err != nil {
					t.Errorf("%s: sum %d, %v; want %d", f.Name(), got, err, want)
				}
			}
		}
		sum(0)
		e.apply("r", func(m *bigtable.Mutation) error { return hits.Add(m, 5) },
			func(m *bigtable.Mutation) error { return hits.Add(m, 5) },
			func(m *bigtable.Mutation) error { return hits.Add(m, -3) },
			func(m *bigtable.Mutation) error { return hits0.Add(m, 1000) },
			func(m *bigtable.Mutation) error { return f.Set(m, "hits", []byte("no increment")) })
		sum(7)

		// An increment expires by itself.
		deadline := time.Now().Add(time.Minute)
		e.apply("brief", func(m *bigtable.Mutation) error { return hits.AddUntil(m, 100, deadline) },
			func(m *bigtable.Mutation) error { return hits.Add(m, 5) })
		for at, want := range map[time.Time]int64{deadline.Add(-2 * time.Millisecond): 105, deadline.Add(2 * time.Millisecond): 5} {
			if got, err := hits.Sum(e.read("brief", mixed.LiveAt(at))); got != want || err != nil {
				t.Errorf("%s: at %v the sum is %d, %v; want %d", f.Name(), at, got, err, want)
			}
		}

		// A retry sends the same mutation again.
		mut := bigtable.NewMutation()
		if err := hits.Add(mut, 1); err != nil {
			t.Fatal(err)
		}
		for range 2 {
			if err := e.tbl.Apply(t.Context(), "r", mut); err != nil {
				t.Fatal(err)
			}
		}
		sum(8)

		// The filter passes the counter's cells and no others.
		cells := strings.Fields(e.values("r", mixed.LiveAnd(hits.Filter(), bigtable.StripValueFilter())))
		if len(cells) != 4 || strings.Count(strings.Join(cells, " "), f.Name()+":hits/") != 4 {
			t.Errorf("%s: the filter passes %q", f.Name(), cells)
		}

		e.apply("r", func(m *bigtable.Mutation) error { return f.Set(m, "hits/x", []byte("text")) })
		if got, err := hits.Sum(e.read("r", mixed.Live())); err == nil {
			t.Errorf("%s: a cell that is no increment counts as one: %d", f.Name(), got)
		}
	}
	// A companion of a family that the counter does not know of holds 8 bytes too.
	for _, f := range []ttl.Expiring{second, standard} {
		var with ttl.Expiring = second.With(ttl.WrittenAt(second, "beside/wa"))
		if f == ttl.Expiring(standard) {
			with = standard.With(ttl.WrittenAt(standard, "beside/wa"))
		}
		e.apply("companion", func(m *bigtable.Mutation) error { return with.Set(m, "c", []byte("text")) })
		if got, err := ttl.NewCounter(f, "beside").Sum(e.read("companion", mixed.Live())); err == nil {
			t.Errorf("%s: a time of writing counts as an increment: %d", f.Name(), got)
		}
		// One that it knows of is a conflict.
		for name, want := range map[string]error{"beside": ttl.ErrDeclaration, "besides": nil, "b": nil} {
			if err := ttl.NewCounter(with, name).Add(bigtable.NewMutation(), 1); !errors.Is(err, want) {
				t.Errorf("%s, counter %s: %v", f.Name(), name, err)
			}
		}
	}
	large := ttl.NewCounter(second, "large")
	for _, n := range []int64{math.MaxInt64, 2, -3} { // the sum of two overflows, that of three does not
		e.apply("r", func(m *bigtable.Mutation) error { return large.Add(m, n) })
	}
	if got, err := large.Sum(e.read("r", mixed.Live())); got != math.MaxInt64-1 || err != nil {
		t.Errorf("sum %d, %v", got, err)
	}
	e.apply("r", func(m *bigtable.Mutation) error { return large.Add(m, 2) })
	if got, err := large.Sum(e.read("r", mixed.Live())); !errors.Is(err, ttl.ErrOverflow) {
		t.Errorf("sum %d, %v, want overflow", got, err)
	}
	if got := e.values("r", mixed.LiveAnd(ttl.Counter{}.Filter())); got != "" {
		t.Errorf("the filter of no counter passes %s", got)
	}
}
