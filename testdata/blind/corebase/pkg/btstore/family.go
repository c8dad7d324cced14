package btstore

import (
	"time"

	"cloud.google.com/go/bigtable"
)

// Family is what every kind of family knows about itself.
type Family interface {
	Name() string
	Policy() bigtable.GCPolicy
	Live() bigtable.Filter
}

// Expiring is a family whose cells carry the moment they expire.
type Expiring struct {
	name string
	ttl  time.Duration
}

// NewExpiring declares such a family with the lifetime that is usual in it.
func NewExpiring(name string, ttl time.Duration) Expiring { return Expiring{name: name, ttl: ttl} }

func (f Expiring) Name() string { return f.name }

// Policy lets cells go a second after they expired.
func (f Expiring) Policy() bigtable.GCPolicy { return bigtable.MaxAgePolicy(time.Second) } // ok ttlgc/age-mismatch

// Live keeps what has not expired.
func (f Expiring) Live() bigtable.Filter { return LiveOnly(f.name) }

// Set writes a cell for the usual lifetime.
func (f Expiring) Set(m *bigtable.Mutation, column string, v []byte) {
	m.Set(f.name, column, bigtable.Time(time.Now().Add(f.ttl)), v) // ok ttlwrite/write-time
}

// SetAt writes a cell with a timestamp of the caller's.
func (f Expiring) SetAt(m *bigtable.Mutation, column string, ts bigtable.Timestamp, v []byte) {
	m.Set(f.name, column, ts, v)
}

// SetUntil writes a cell that expires at a given moment.
func (f Expiring) SetUntil(m *bigtable.Mutation, column string, deadline time.Time, v []byte) {
	m.Set(f.name, column, bigtable.Time(deadline), v)
}

// Replace deletes what is there first, so that a shorter life wins.
func (f Expiring) Replace(m *bigtable.Mutation, column string, ttl time.Duration, v []byte) {
	m.DeleteCellsInColumn(f.name, column) // ok ttlwrite/delete-after-set
	m.Set(f.name, column, bigtable.Time(time.Now().Add(ttl)), v)
}

// Rolling is a family with a maximum age, whose cells may be shifted.
type Rolling struct {
	name string
	age  time.Duration
}

// NewRolling declares such a family.
func NewRolling(name string, age time.Duration) Rolling { return Rolling{name: name, age: age} }

func (f Rolling) Name() string { return f.name }

// Policy is the maximum age.
func (f Rolling) Policy() bigtable.GCPolicy { return bigtable.MaxAgePolicy(f.age) } // ok ttlgc/age-mismatch

// Live keeps what the policy keeps.
func (f Rolling) Live() bigtable.Filter { return Younger(f.name, f.age) }

// Set writes a cell for the family's own lifetime.
func (f Rolling) Set(m *bigtable.Mutation, column string, v []byte) {
	m.Set(f.name, column, bigtable.Now(), v) // ok ttlwrite/write-time
}

// SetFor writes a cell for another lifetime.
func (f Rolling) SetFor(m *bigtable.Mutation, column string, ttl time.Duration, v []byte) {
	m.Set(f.name, column, bigtable.Time(time.Now().Add(ttl-f.age)), v)
}

// Sequence is a family whose cells are numbered.
type Sequence struct {
	name string
	keep int
}

// NewSequence declares such a family and how many versions it keeps.
func NewSequence(name string, keep int) Sequence { return Sequence{name: name, keep: keep} }

func (f Sequence) Name() string { return f.name }

// Policy is the number of versions.
func (f Sequence) Policy() bigtable.GCPolicy { return bigtable.MaxVersionsPolicy(f.keep) } // ok ttlgc/policy-mismatch

// Live keeps as many versions as the policy keeps.
func (f Sequence) Live() bigtable.Filter { return Newest(f.name, f.keep) }

// Head keeps the newest version only.
func (f Sequence) Head() bigtable.Filter { return Newest(f.name, 1) }

// Set writes the cell of a number.
func (f Sequence) Set(m *bigtable.Mutation, column string, n int64, v []byte) {
	m.Set(f.name, column, SeqNo(n), v)
}

// SetAt writes a cell with a timestamp of the caller's.
func (f Sequence) SetAt(m *bigtable.Mutation, column string, ts bigtable.Timestamp, v []byte) {
	m.Set(f.name, column, ts, v)
}

// Single is a family with one version, always at zero.
type Single struct{ name string }

// NewSingle declares such a family.
func NewSingle(name string) Single { return Single{name: name} }

func (f Single) Name() string { return f.name }

// Policy keeps one version.
func (f Single) Policy() bigtable.GCPolicy { return bigtable.MaxVersionsPolicy(1) } // ok ttlgc/age-on-zero

// Live keeps the family.
func (f Single) Live() bigtable.Filter { return bigtable.FamilyFilter(f.name) }

// Set replaces the cell.
func (f Single) Set(m *bigtable.Mutation, column string, v []byte) {
	m.Set(f.name, column, 0, v) // ok ttlwrite/clock-in-zero
}

// Plain is a family as Bigtable means it.
type Plain struct {
	name string
	gc   bigtable.GCPolicy
}

// NewPlain declares such a family with a policy, or none.
func NewPlain(name string, gc bigtable.GCPolicy) Plain { return Plain{name: name, gc: gc} }

func (f Plain) Name() string { return f.name }

// Policy is what NewPlain was given.
func (f Plain) Policy() bigtable.GCPolicy {
	if f.gc == nil {
		return bigtable.NoGcPolicy()
	}
	return f.gc
}

// Live keeps the newest version.
func (f Plain) Live() bigtable.Filter { return Newest(f.name, 1) }

// Set writes a cell with the server's time.
func (f Plain) Set(m *bigtable.Mutation, column string, v []byte) {
	m.Set(f.name, column, bigtable.ServerTime, v) // ok ttlwrite/server-timestamp
}

// Live is a filter for several families, each by its own kind.
func Live(fs ...Family) bigtable.Filter {
	subs := make([]bigtable.Filter, 0, len(fs))
	for _, f := range fs {
		subs = append(subs, f.Live())
	}
	return AnyOf(subs...)
}
