// Package sequence writes into a family whose timestamps are sequence
// numbers: clock readings, and numbers without the factor of 1000.
package sequence

import (
	"os"
	"sync/atomic"
	"time"

	"cloud.google.com/go/bigtable"
)

// Clocks.

func serverTime(mut *bigtable.Mutation) {
	mut.Set("entry", "amount", bigtable.ServerTime, nil) // want `clock-in-sequence: .*"entry"`
}

func now(mut *bigtable.Mutation) {
	mut.Set("entry", "amount", bigtable.Now(), nil) // want `clock-in-sequence: .*"entry"`
}

func timeNow(mut *bigtable.Mutation) {
	mut.Set("entry", "amount", bigtable.Time(time.Now()), nil) // want `clock-in-sequence: .*"entry"`
}

func nowPlus(mut *bigtable.Mutation) {
	mut.Set("entry", "amount", bigtable.Time(time.Now().Add(time.Hour)), nil) // want `clock-in-sequence: .*"entry"`
}

func micros(mut *bigtable.Mutation) {
	mut.Set("entry", "amount", bigtable.Timestamp(time.Now().UnixMicro()), nil) // want `clock-in-sequence: .*"entry"`
}

func nanos(mut *bigtable.Mutation) {
	mut.Set("entry", "amount", bigtable.Timestamp(time.Now().UnixNano()), nil) // want `clock-in-sequence: .*"entry"`
}

func localNow(mut *bigtable.Mutation) {
	ts := bigtable.Now()
	mut.Set("other", "at", ts, nil)
	mut.Set("entry", "amount", ts, nil) // want `clock-in-sequence: .*"entry"`
}

func clockOnOneBranch(mut *bigtable.Mutation, n int64) {
	ts := bigtable.Timestamp(n * 1000)
	if os.Getenv("IMPORT") != "" {
		ts = bigtable.Now()
	}
	mut.Set("entry", "amount", ts, nil) // want `clock-in-sequence: .*"entry"`
}

func fallbackToClock(mut *bigtable.Mutation) {
	numbered(mut, 0)  // want `clock-in-sequence: .*"entry"`
	numbered(mut, 17) // a number
}

// numbered takes zero for "no number".
func numbered(mut *bigtable.Mutation, n int64) {
	ts := bigtable.Timestamp(n * 1000)
	if n == 0 {
		ts = bigtable.Now()
	}
	mut.Set("entry", "amount", ts, nil)
}

// Numbers.

func constant(mut *bigtable.Mutation) {
	mut.Set("entry", "amount", 1, nil) // want `unscaled-sequence: .*"entry"`
}

func bigConstant(mut *bigtable.Mutation) {
	mut.Set("entry", "amount", bigtable.Timestamp(123456), nil) // want `unscaled-sequence: .*"entry"`
}

func okConstant(mut *bigtable.Mutation) {
	mut.Set("entry", "amount", 5000, nil)
}

func okFirst(mut *bigtable.Mutation) {
	mut.Set("entry", "amount", 0, nil)
}

func okParameter(mut *bigtable.Mutation, n int64) {
	mut.Set("entry", "amount", bigtable.Timestamp(n), nil)
}

func okScaledParameter(mut *bigtable.Mutation, n int64) {
	mut.Set("entry", "amount", bigtable.Timestamp(n*1000), nil)
}

func loop(muts []*bigtable.Mutation) {
	for i := 0; i < len(muts); i++ {
		muts[i].Set("entry", "amount", bigtable.Timestamp(i), nil) // want `unscaled-sequence: .*"entry"`
	}
}

func okLoop(muts []*bigtable.Mutation) {
	for i := 0; i < len(muts); i++ {
		muts[i].Set("entry", "amount", bigtable.Timestamp(i)*1000, nil)
	}
}

func okLoopScaledInside(muts []*bigtable.Mutation) {
	for i := range muts {
		muts[i].Set("entry", "amount", bigtable.Timestamp(i*1000), nil)
	}
}

func rangeIndex(muts []*bigtable.Mutation) {
	for i, mut := range muts {
		mut.Set("entry", "amount", bigtable.Timestamp(i), nil) // want `unscaled-sequence: .*"entry"`
	}
}

func rangeInt(mut *bigtable.Mutation) {
	for i := range 10 {
		mut.Set("entry", "amount", bigtable.Timestamp(i+1), nil) // want `unscaled-sequence: .*"entry"`
	}
}

func okStepsOf1000(muts []*bigtable.Mutation) {
	ts := bigtable.Timestamp(0)
	for _, mut := range muts {
		mut.Set("entry", "amount", ts, nil)
		ts += 1000
	}
}

func stepsOfOne(muts []*bigtable.Mutation) {
	ts := bigtable.Timestamp(0)
	for _, mut := range muts {
		mut.Set("entry", "amount", ts, nil) // want `unscaled-sequence: .*"entry"`
		ts++
	}
}

func length(mut *bigtable.Mutation, entries []string) {
	mut.Set("entry", "amount", bigtable.Timestamp(len(entries)), nil) // want `unscaled-sequence: .*"entry"`
}

func okLengthScaled(mut *bigtable.Mutation, entries []string) {
	mut.Set("entry", "amount", bigtable.Timestamp(len(entries))*1000, nil)
}

type log struct {
	next   int64
	shared atomic.Int64
	old    int64
	mut    *bigtable.Mutation
}

func (l *log) counter() {
	l.next++
	l.mut.Set("entry", "amount", bigtable.Timestamp(l.next), nil) // want `unscaled-sequence: .*"entry"`
}

func (l *log) okCounterScaled() {
	l.next++
	l.mut.Set("entry", "amount", bigtable.Timestamp(l.next*1000), nil)
}

func (l *log) atomicAdd() {
	l.mut.Set("entry", "amount", bigtable.Timestamp(l.shared.Add(1)), nil) // want `unscaled-sequence: .*"entry"`
}

func (l *log) okAtomicScaled() {
	l.mut.Set("entry", "amount", bigtable.Timestamp(l.shared.Add(1)*1000), nil)
}

func (l *log) atomicFunction() {
	l.mut.Set("entry", "amount", bigtable.Timestamp(atomic.AddInt64(&l.old, 1)), nil) // want `unscaled-sequence: .*"entry"`
}

// stepper counts in thousands.
type stepper struct {
	next atomic.Int64
	at   int64
}

func (s *stepper) okAtomicStep(mut *bigtable.Mutation) {
	mut.Set("entry", "amount", bigtable.Timestamp(s.next.Add(1000)), nil)
}

func (s *stepper) okFieldStep(mut *bigtable.Mutation) {
	s.at += 1000
	mut.Set("entry", "amount", bigtable.Timestamp(s.at), nil)
}

// number scales, so its callers need not.
func number(n int) bigtable.Timestamp { return bigtable.Timestamp(n) * 1000 }

func okHelperScales(muts []*bigtable.Mutation) {
	for i, mut := range muts {
		mut.Set("entry", "amount", number(i), nil)
	}
}

// unscaled does not.
func unscaled(n int) bigtable.Timestamp { return bigtable.Timestamp(n) }

func helperDoesNotScale(muts []*bigtable.Mutation) {
	for i, mut := range muts {
		mut.Set("entry", "amount", unscaled(i), nil) // want `unscaled-sequence: .*"entry"`
	}
}

func okMilliseconds(mut *bigtable.Mutation, n int64) {
	mut.Set("entry", "amount", bigtable.Time(time.UnixMilli(n)), nil)
}

func okCounterElsewhere(muts []*bigtable.Mutation) {
	for i, mut := range muts {
		mut.Set("profile", "n", bigtable.Timestamp(i)*1000, nil)
	}
}

// A date is a time, however it is rounded.

func truncatedDate(mut *bigtable.Mutation) {
	mut.Set("entry", "amount", bigtable.Time(time.Date(2024, 3, 13, 12, 41, 34, 0, time.UTC).Truncate(time.Hour)), nil) // want `clock-in-sequence: .*"entry"`
}

func roundedDate(mut *bigtable.Mutation) error {
	t, err := time.Parse(time.RFC3339, "2024-03-13T12:41:34Z")
	if err != nil {
		return err
	}
	mut.Set("entry", "amount", bigtable.Time(t.Round(time.Minute)), nil) // want `clock-in-sequence: .*"entry"`
	return nil
}

func okRoundedNumber(mut *bigtable.Mutation) {
	mut.Set("entry", "amount", bigtable.Time(time.UnixMilli(1500).Truncate(time.Millisecond)), nil)
}
