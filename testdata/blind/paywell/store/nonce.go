package store

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/paywell/clock"
	"example.com/paywell/domain"
)

// timeNow is replaced in tests.
var timeNow = time.Now

// newNonce is replaced in tests.
var newNonce = func() string {
	var b [12]byte
	_, _ = rand.Read(b[:])
	return hex.EncodeToString(b[:])
}

// stamps makes timestamps by a clock.
type stamps struct{ clock.Clock }

func (s stamps) In(d time.Duration) bigtable.Timestamp { return bigtable.Time(s.Now().Add(d)) }
func (s stamps) Stamp() bigtable.Timestamp             { return bigtable.Time(s.Now()) }
func (s stamps) Alive() bigtable.ReadOption {
	return bigtable.RowFilter(bigtable.TimestampRangeFilter(s.Now(), time.Time{}))
}

// Nonces keeps one-time codes of machines, which need no coupon.
type Nonces struct {
	stamps
	tbl rows
}

// Nonces returns the store of nonces. They are in the coupons' table.
func (s *Store) Nonces() *Nonces {
	return &Nonces{stamps: stamps{s.clk}, tbl: s.client.Open(TableCoupons)}
}

// New stores a nonce for a machine.
func (n *Nonces) New(ctx context.Context, machine string) (string, error) {
	nonce := newNonce()
	mut := bigtable.NewMutation()
	mut.Set(FamOTP, "nonce", n.In(domain.OTPTTL), []byte(nonce))                 // ok ttlwrite/write-time
	mut.Set(FamOTP, "made", n.Stamp(), nil)                                      // want ttlwrite/write-time
	mut.Set(FamDef, "made", n.Stamp(), nil)                                      // ok ttlwrite/write-time
	mut.Set(FamOTP, "asked", bigtable.Time(timeNow()), nil)                      // want ttlwrite/write-time
	mut.Set(FamOTP, "until", bigtable.Time(timeNow().Add(domain.OTPTTL)), nil)   // ok ttlwrite/write-time
	mut.Set(FamOTP, "by", bigtable.Timestamp(timeNow().Unix()), []byte(machine)) // want ttlunit/wrong-unit
	return nonce, n.tbl.Apply(ctx, "m#"+machine, mut)
}

// Take finds a nonce and deletes it.
func (n *Nonces) Take(ctx context.Context, machine string) (string, error) {
	row, err := n.tbl.ReadRow(ctx, "m#"+machine, n.Alive()) // ok ttlread/hides-other-families
	if err != nil {
		return "", err
	}
	item, ok := find(row, FamOTP, "nonce")
	if !ok {
		return "", domain.ErrNotFound
	}
	mut := bigtable.NewMutation()
	mut.DeleteCellsInFamily(FamOTP)
	return string(item.Value), n.tbl.Apply(ctx, "m#"+machine, mut)
}

// Machine is what is known of a machine.
type Machine struct {
	Nonce string
	Made  time.Time
}

// Describe reads a machine's nonce, and when it was made.
func (n *Nonces) Describe(ctx context.Context, machine string) (m Machine, err error) {
	row, err := n.tbl.ReadRow(ctx, "m#"+machine, n.Alive()) // want ttlread/hides-other-families
	if err != nil {
		return m, err
	}
	if item, ok := find(row, FamOTP, "nonce"); ok {
		m.Nonce = string(item.Value)
	}
	if item, ok := find(row, FamDef, "made"); ok {
		m.Made = item.Timestamp.Time() // ok ttlage/not-write-time
	}
	return m, nil
}

// Stale lists the machines whose nonce was made before t.
func (n *Nonces) Stale(ctx context.Context, age time.Duration) (machines []string, err error) {
	opts := []bigtable.ReadOption{bigtable.RowFilter(bigtable.FamilyFilter(FamOTP)), bigtable.LimitRows(100)} // want ttlread/missing-filter[stalenonce]
	err = n.tbl.ReadRows(ctx, bigtable.PrefixRange("m#"), func(row bigtable.Row) bool {                       // want ttlread/missing-filter[stalenonce]
		for _, item := range row[FamOTP] {
			machines = append(machines, item.Row)
		}
		return true
	}, opts...) // want ttlread/missing-filter[stalenonce]
	return machines, err
}

// Fresh lists the machines whose nonce is alive.
func (n *Nonces) Fresh(ctx context.Context) (machines []string, err error) {
	opts := []bigtable.ReadOption{n.Alive(), bigtable.LimitRows(100)}
	err = n.tbl.ReadRows(ctx, bigtable.PrefixRange("m#"), func(row bigtable.Row) bool { // ok ttlread/missing-filter
		for _, item := range row[FamOTP] {
			machines = append(machines, item.Row)
		}
		return true
	}, opts...)
	return machines, err
}
