package ttlwrite

import (
	"go/types"

	"github.com/ttlvet/ttlvet/internal/btapi"
	"github.com/ttlvet/ttlvet/internal/registry"
	"github.com/ttlvet/ttlvet/internal/value"
)

// What a call that reaches a write is given for its timestamp.
const (
	aTimestamp = ""         // a timestamp, or the call is the write itself
	aTime      = "time"     // a time.Time
	aLifetime  = "lifetime" // a time.Duration
	aNumber    = "number"   // a number that the call makes a time of
)

// given returns what the call at which a finding stands is given for the timestamp: the
// only argument that is a timestamp, a time, a lifetime or a number of which a time is
// made. What can be done about it
// there hangs on that.
func (w write) given() string {
	if w.e.Depth == 0 || w.e.Call == nil || w.e.Helper != "" {
		return aTimestamp
	}
	found := aTimestamp
	for _, a := range w.e.Call.Args {
		t := w.p.TypesInfo.TypeOf(a)
		basic, _ := t.(*types.Basic)
		is := ""
		switch name := btapi.Type(t); {
		case name == "bigtable.Timestamp":
			return aTimestamp
		case name == "time.Time":
			is = aTime
		case name == "time.Duration":
			is = aLifetime
		case basic != nil && basic.Info()&types.IsInteger != 0 && w.counted() != "":
			is = aNumber
		default:
			continue
		}
		if found != aTimestamp {
			return aTimestamp
		}
		found = is
	}
	return found
}

// counted returns the method of a time that gives the number of which the timestamp is
// made, "" where it is made of none.
func (w write) counted() (method string) {
	w.ts.Walk(func(v *value.Value) {
		if v.Is("time.Unix") || v.Is("time.UnixMilli") || v.Is("time.UnixMicro") {
			method = v.Name[len("time."):]
		}
	})
	return method
}

// setExpiry says what to write into a one-second family.
func (w write) setExpiry() string {
	ttl := "ttl"
	if w.target.Family.TTL > 0 {
		ttl = registry.GoDuration(w.target.Family.TTL)
	}
	switch w.given() {
	case aTime:
		return "pass its expiry, time.Now().Add(" + ttl + ")"
	case aNumber:
		return "pass its expiry, time.Now().Add(" + ttl + ")." + w.counted() + "()"
	case aLifetime:
		return "pass a lifetime above zero, such as " + ttl
	}
	return "set " + w.now(ttl)
}

// end says what to do about a write to a one-second family whose moment has passed:
// who ends a cell's life deletes it.
func (w write) end() string {
	return "delete the cell, or " + w.setExpiry()
}

// setZero says what to write into a family with timestamps 0.
func (w write) setZero() string {
	if w.given() == aTimestamp {
		return "set the timestamp 0"
	}
	return "write it by a call that sets the timestamp 0"
}
