// Package traps is right in ways that look wrong: nothing in it is reported.
package traps

import (
	"context"
	"encoding/binary"
	"flag"
	"math"
	"os"
	"strconv"
	"time"

	"cloud.google.com/go/bigtable"
)

// Arithmetic that is real time in microseconds.

func okSecondsScaled(mut *bigtable.Mutation, seconds float64) {
	mut.Set("token", "jwt", bigtable.Timestamp(int64(seconds)*1e6), nil)
}

func okUnixMicro(mut *bigtable.Mutation, t time.Time) {
	mut.Set("token", "jwt", bigtable.Timestamp(t.UnixMicro()), nil)
}

func okUnixScaled(mut *bigtable.Mutation, t time.Time) {
	mut.Set("token", "jwt", bigtable.Timestamp(t.Unix()*1e6), nil)
}

func okUnixMilliScaled(mut *bigtable.Mutation, t time.Time) {
	mut.Set("token", "jwt", bigtable.Timestamp(t.UnixMilli()*1000), nil)
}

func okNanosDivided(mut *bigtable.Mutation, t time.Time) {
	mut.Set("token", "jwt", bigtable.Timestamp(t.UnixNano()/1e3), nil)
}

// Encodings of one's own.

func okReversed(mut *bigtable.Mutation, t time.Time) {
	mut.Set("sample", "v", bigtable.Timestamp(math.MaxInt64/1000*1000)-bigtable.Time(t), nil)
}

func okDecoded(mut *bigtable.Mutation, b []byte) {
	mut.Set("token", "jwt", bigtable.Timestamp(binary.BigEndian.Uint64(b)), nil)
}

func okHashed(mut *bigtable.Mutation, hash uint32) {
	mut.Set("entry", "amount", bigtable.Timestamp(hash)*1000, nil)
}

func okParsed(mut *bigtable.Mutation, s string) {
	n, _ := strconv.ParseInt(s, 10, 64)
	mut.Set("entry", "amount", bigtable.Timestamp(n), nil)
}

// Flags.

var tsFlag = flag.Int64("ts", -1, "timestamp in microseconds")

func okFlag(mut *bigtable.Mutation) {
	mut.Set("token", "jwt", bigtable.Timestamp(*tsFlag), nil)
}

// Unknown tables and families.

func okUnknownFamily(mut *bigtable.Mutation, family string) {
	mut.Set(family, "c", bigtable.ServerTime, nil)
}

func okRangeOverUnknown(mut *bigtable.Mutation, families map[string][]byte) {
	for f, v := range families {
		mut.Set(f, "c", bigtable.Now(), v)
	}
}

// Copying cells keeps their timestamps.

func okCopy(mut *bigtable.Mutation, row bigtable.Row) {
	for _, item := range row["token"] {
		mut.Set("token", "jwt", item.Timestamp, item.Value)
	}
}

func okExtend(mut *bigtable.Mutation, item bigtable.ReadItem) {
	mut.Set("token", "jwt", bigtable.Time(item.Timestamp.Time().Add(time.Hour)), item.Value)
}

// Times that are compared before they are used.

func okLaterOfTwo(mut *bigtable.Mutation, deadline time.Time) {
	expires := time.Now().Add(time.Hour)
	if deadline.Before(expires) {
		expires = deadline
	}
	mut.Set("token", "jwt", bigtable.Time(expires), nil)
}

// A lifetime from the environment.

func okEnvironment(mut *bigtable.Mutation) {
	d, err := time.ParseDuration(os.Getenv("TTL"))
	if err != nil {
		d = time.Hour
	}
	mut.Set("token", "jwt", bigtable.Time(time.Now().Add(d)), nil)
}

// A deadline of the context.

func okDeadline(ctx context.Context, mut *bigtable.Mutation) {
	if t, ok := ctx.Deadline(); ok {
		mut.Set("token", "jwt", bigtable.Time(t), nil)
	}
}

// A random or hashed lifetime.

func okJitter(mut *bigtable.Mutation, jitter func() time.Duration) {
	mut.Set("token", "jwt", bigtable.Time(time.Now().Add(time.Hour+jitter())), nil)
}

// A value of interface type.

func okAny(mut *bigtable.Mutation, v any) {
	if ts, ok := v.(bigtable.Timestamp); ok {
		mut.Set("token", "jwt", ts, nil)
	}
}

// Deletion of what has expired, and a tombstone in a family of its own.

func okSweep(mut *bigtable.Mutation) {
	mut.DeleteTimestampRange("token", "jwt", 0, bigtable.Now())
	mut.Set("profile", "swept", bigtable.Now(), nil)
}

// Code that is never reached with the bad value.

const debug = false

func okDeadBranch(mut *bigtable.Mutation) {
	ts := bigtable.Time(time.Now().Add(time.Hour))
	if debug {
		ts = bigtable.ServerTime
	}
	mut.Set("token", "jwt", ts, nil)
}
