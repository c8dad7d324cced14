// Package rows has the rows, each of a family.
package rows

import "cloud.google.com/go/bigtable"

type Token struct{ Key string }

func (t *Token) Marshal(mut *bigtable.Mutation, ts bigtable.Timestamp) {
	mut.Set("token", "key", ts, []byte(t.Key))
}

type Entry struct{ Amount string }

func (e Entry) Marshal(mut *bigtable.Mutation, ts bigtable.Timestamp) {
	mut.Set("entry", "amount", ts, []byte(e.Amount))
}

// Profile is of an ordinary family.
type Profile struct{ Name string }

func (p *Profile) Marshal(mut *bigtable.Mutation, ts bigtable.Timestamp) {
	mut.Set("profile", "name", ts, []byte(p.Name))
}

// Fixed has its own mind of times.
type Fixed struct{ Key string }

func (f *Fixed) Marshal(mut *bigtable.Mutation, _ bigtable.Timestamp) {
	mut.Set("token", "key", bigtable.ServerTime, []byte(f.Key)) // want `server-timestamp: .*"token"`
}

// Any is of a family that it is told.
type Any struct{ Family string }

func (a Any) Marshal(mut *bigtable.Mutation, ts bigtable.Timestamp) {
	mut.Set(a.Family, "any", ts, nil)
}
