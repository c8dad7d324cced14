// Package operands reads a variable in the statement that has it filled: Go leaves the
// order open, and its compiler reads variables after the calls.
package operands

import (
	"encoding/json"
	"time"

	"cloud.google.com/go/bigtable"
)

type attempt struct {
	Family string
	Ends   time.Time
}

func named(b []byte) (a attempt, err error) { return a, json.Unmarshal(b, &a) }

func local(b []byte) (attempt, error) {
	var a attempt
	return a, json.Unmarshal(b, &a)
}

func field(b []byte) (time.Time, error) {
	var a attempt
	return a.Ends, json.Unmarshal(b, &a)
}

func scalar(b []byte) (ends time.Time, err error) {
	return ends, json.Unmarshal(b, &ends)
}

func generic[T any](b []byte) (T, error) {
	var v T
	return v, json.Unmarshal(b, &v)
}

func pair(b []byte) time.Time {
	var a attempt
	ends, _ := a, json.Unmarshal(b, &a)
	return ends.Ends
}

func late(a *attempt) error {
	a.Ends = time.Now()
	return nil
}

func ahead(a *attempt) error {
	a.Ends = time.Now().Add(time.Hour)
	return nil
}

func filledLate() (attempt, error) {
	var a attempt
	return a, late(&a)
}

func filledAhead() (attempt, error) {
	var a attempt
	return a, ahead(&a)
}

func before() (attempt, error) {
	var a attempt
	b := a
	return b, ahead(&a)
}

// What a variable of its own keeps was read before.
func keptFlag() bigtable.Timestamp {
	a := attempt{Ends: time.Now()}
	past := a.Family == ""
	refill(&a)
	if past {
		return bigtable.Now()
	}
	return bigtable.Time(a.Ends)
}

func keptBool() bigtable.Timestamp {
	s := state{ready: true}
	ready := s.ready
	reset(&s)
	if ready {
		return bigtable.Now()
	}
	return bigtable.Time(time.Now().Add(time.Hour))
}

func keptOther() bigtable.Timestamp {
	s := state{ready: true}
	ready := s.ready
	reset(&s)
	if ready {
		return bigtable.Time(time.Now().Add(time.Hour))
	}
	return bigtable.Now()
}

func keptInterface() bigtable.Timestamp {
	a := attempt{Ends: time.Now()}
	ends := a.Ends
	ahead(&a)
	return stamped(ends)
}

type state struct{ ready bool }

func reset(s *state) { s.ready = false }

func refill(a *attempt) { a.Family, a.Ends = "token", time.Now().Add(time.Hour) }

func stamped(v any) bigtable.Timestamp { return bigtable.Time(v.(time.Time)) }

func given(a attempt, _ error) bigtable.Timestamp { return bigtable.Time(a.Ends) }

func write(mut *bigtable.Mutation, b []byte) {
	n, _ := named(b)
	mut.Set("token", "a", bigtable.Time(n.Ends), nil)
	l, _ := local(b)
	mut.Set("token", "b", bigtable.Time(l.Ends), nil)
	f, _ := field(b)
	mut.Set("token", "c", bigtable.Time(f), nil)
	s, _ := scalar(b)
	mut.Set("token", "d", bigtable.Time(s), nil)
	g, _ := generic[attempt](b)
	mut.Set("token", "e", bigtable.Time(g.Ends), nil)
	mut.Set("token", "f", bigtable.Time(pair(b)), nil)
	var a attempt
	mut.Set("token", "g", given(a, ahead(&a)), nil)
	var w attempt
	mut.Set("token", "h", given(w, late(&w)), nil) // want `write-time`
	h, _ := filledAhead()
	mut.Set("token", "i", bigtable.Time(h.Ends), nil)
	i, _ := filledLate()
	mut.Set("token", "j", bigtable.Time(i.Ends), nil) // want `write-time`
	z, _ := before()
	mut.Set("token", "k", bigtable.Time(z.Ends), nil) // want `already-expired`
	mut.Set("token", "l", keptFlag(), nil)            // want `write-time`
	mut.Set("token", "m", keptBool(), nil)            // want `write-time`
	mut.Set("token", "n", keptOther(), nil)           // an hour ahead
	mut.Set("token", "o", keptInterface(), nil)       // want `write-time`
}
