package microdiv

import (
	"time"

	"cloud.google.com/go/bigtable"
)

func after(ts bigtable.Timestamp, d time.Duration) bigtable.Timestamp {
	return ts + bigtable.Timestamp(d/time.Microsecond)
}
func after2(ts bigtable.Timestamp, d time.Duration) bigtable.Timestamp {
	return ts + bigtable.Timestamp(d/1000)
}
func after3(ts bigtable.Timestamp, d time.Duration) bigtable.Timestamp {
	return ts + bigtable.Timestamp(d.Nanoseconds()/1e3)
}

const ttl = 30 * time.Minute

func F(m *bigtable.Mutation, t time.Time) {
	m.Set("raw", "l", after(bigtable.Time(t), time.Hour), nil) // silent
	m.Set("raw", "a", after2(bigtable.Time(t), time.Hour), nil)
	m.Set("raw", "b", after3(bigtable.Time(t), time.Hour), nil)
	m.Set("raw", "c", bigtable.Time(t)+bigtable.Timestamp(ttl/time.Microsecond), nil)
	m.Set("raw", "d", bigtable.Now()+bigtable.Timestamp(ttl/1000), nil)
	m.Set("raw", "e", bigtable.Now()+bigtable.Timestamp(ttl.Microseconds()), nil)
	d := ttl
	m.Set("raw", "f", bigtable.Now()+bigtable.Timestamp(d/1000), nil)
	m.Set("raw", "g", bigtable.Now()+bigtable.Timestamp(d/time.Microsecond), nil)
	var us = int64(d / time.Microsecond)
	m.Set("raw", "h", bigtable.Now()+bigtable.Timestamp(us), nil)
}

var lease = 45 * time.Second

func G(m *bigtable.Mutation, t time.Time) {
	m.Set("raw", "i", bigtable.Now()+bigtable.Timestamp(lease/time.Microsecond), nil)
	leaseMicros := lease / time.Microsecond
	m.Set("raw", "j", bigtable.Now()+bigtable.Timestamp(leaseMicros), nil)
	m.Set("raw", "k", bigtable.Timestamp(time.Now().UnixMicro()+int64(lease/time.Microsecond)), nil)
	m.Set("raw", "k", bigtable.Timestamp(time.Now().Add(lease).UnixNano()/int64(time.Microsecond)), nil)
}
