package spans

import (
	"time"

	"cloud.google.com/go/bigtable"
)

type Span struct{ From, To time.Time }

func (s Span) Filter() bigtable.Filter { return bigtable.TimestampRangeFilter(s.From, s.To) }

var quarter = Span{
	From: time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC),
	To:   time.Date(2024, 4, 1, 0, 0, 0, 0, time.UTC),
}

func Quarter() bigtable.Filter { return quarter.Filter() }

func Unbounded() bigtable.Filter { return Span{}.Filter() }

func FromOnly() bigtable.Filter { return Span{From: quarter.From}.Filter() }

func Guard(n int) bigtable.Filter {
	if n == 0 {
		return bigtable.PassAllFilter()
	}
	return bigtable.LatestNFilter(n)
}

func G0() bigtable.Filter { return Guard(0) }
func G1() bigtable.Filter { return Guard(1) }

type Limits struct{ Versions, Cells int }

func (l Limits) Filters() (fs []bigtable.Filter) {
	if l.Versions > 0 {
		fs = append(fs, bigtable.LatestNFilter(l.Versions))
	}
	if l.Cells > 0 {
		fs = append(fs, bigtable.CellsPerRowLimitFilter(l.Cells))
	}
	return fs
}

func Cells() []bigtable.Filter { return Limits{Cells: 3}.Filters() }

func Join(fs ...bigtable.Filter) bigtable.Filter {
	if len(fs) < 2 {
		return append(fs, bigtable.PassAllFilter())[0]
	}
	return bigtable.InterleaveFilters(fs...)
}

func J0() bigtable.Filter { return Join() }
func J1() bigtable.Filter { return Join(bigtable.LatestNFilter(1)) }
func J2() bigtable.Filter { return Join(bigtable.ColumnFilter("a"), bigtable.ColumnFilter("b")) }

func Compact(fs ...bigtable.Filter) bigtable.Filter {
	var keep []bigtable.Filter
	for _, f := range fs {
		if f != nil {
			keep = append(keep, f)
		}
	}
	switch len(keep) {
	case 0:
		return bigtable.PassAllFilter()
	case 1:
		return keep[0]
	default:
		return bigtable.ChainFilters(keep...)
	}
}

func C1() bigtable.Filter { return Compact(bigtable.LatestNFilter(1), nil) }
func C0() bigtable.Filter { return Compact(nil, nil) }

func Strict(fs ...bigtable.Filter) bigtable.Filter { return bigtable.ChainFilters(fs...) }

func S1() bigtable.Filter { return Strict(bigtable.LatestNFilter(1)) } // want `invalid-filter: `
func S2() bigtable.Filter { return Strict(bigtable.LatestNFilter(1), bigtable.ColumnFilter("a")) }
func S3(fs []bigtable.Filter) bigtable.Filter {
	return Strict(append(fs, bigtable.LatestNFilter(1))...)
}

func Sprint(days int) bigtable.Filter {
	return bigtable.TimestampRangeFilter(time.Now().Add(time.Duration(-days)*24*time.Hour), time.Now())
}

func Sprint14() bigtable.Filter { return Sprint(14) }

func Ms(ms int64) bigtable.Timestamp { return bigtable.Timestamp(ms * 1000) }

func Millis(t time.Time) bigtable.Filter {
	return bigtable.TimestampRangeFilterMicros(Ms(t.UnixMilli()), 0)
}

func Secs(t time.Time) bigtable.Filter {
	return bigtable.TimestampRangeFilterMicros(bigtable.Timestamp(t.UnixMilli()), 0) // want `wrong-unit: `
}

func Mixed(t time.Time) bigtable.Filter {
	start := bigtable.Time(t)
	end := start + bigtable.Timestamp(24*time.Hour) // want `wrong-unit: `
	return bigtable.TimestampRangeFilterMicros(start, end)
}

func MixedRight(t time.Time) bigtable.Filter {
	start := bigtable.Time(t)
	end := start + bigtable.Timestamp(24*time.Hour/1000)
	return bigtable.TimestampRangeFilterMicros(start, end)
}

func SecondOnly() bigtable.Filter { return bigtable.TimestampRangeFilterMicros(1, 1_000_000) } // want `sub-millisecond: `
