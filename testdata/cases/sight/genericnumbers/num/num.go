// Package num converts numbers of any type.
package num

import "cloud.google.com/go/bigtable"

type Integer interface {
	~int | ~int32 | ~int64 | ~uint32
}

func Number[N Integer](n N) bigtable.Timestamp { return bigtable.Timestamp(n) }

func Scaled[N Integer](n N) bigtable.Timestamp { return bigtable.Timestamp(n) * 1000 }

func Micros[N Integer](n N) int64 { return int64(n) * 1000 }

// Wide does not import anything of the client's.
func Wide[N Integer](n N) int64 { return int64(n) }

func Plain(n int64) bigtable.Timestamp { return bigtable.Timestamp(n) }
