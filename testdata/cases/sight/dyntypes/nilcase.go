package dyntypes

import (
	"os"
	"time"

	"cloud.google.com/go/bigtable"
)

// parse takes a lifetime as it was configured, or none.
func parse(in any) (time.Duration, error) {
	switch v := in.(type) {
	case nil:
		return 0, nil
	case string:
		return time.ParseDuration(v)
	}
	return 0, os.ErrInvalid
}

func okText(mut *bigtable.Mutation) error {
	ttl, err := parse(os.Getenv("TTL"))
	if err != nil {
		return err
	}
	mut.Set("token", "jwt", bigtable.Time(time.Now().Add(ttl)), nil)
	return nil
}

func noText(mut *bigtable.Mutation) error {
	ttl, err := parse(nil)
	if err != nil {
		return err
	}
	mut.Set("token", "jwt", bigtable.Time(time.Now().Add(ttl)), nil) // want `write-time: `
	return nil
}

func isNil[P interface{ *int | *string }](p P) bool { return p == nil }

// pointer gives a pointer that is nil.
func pointer(mut *bigtable.Mutation) {
	ttl := time.Minute
	if isNil((*int)(nil)) {
		ttl = 0
	}
	mut.Set("token", "jwt", bigtable.Time(time.Now().Add(ttl)), nil) // want `write-time: `
}
