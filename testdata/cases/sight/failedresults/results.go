// Package failedresults has objects that hold a value or an error: the zero value
// beside an error does not come to where there is none.
package failedresults

import (
	"context"
	"encoding/json"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/cases/sight/failedresults/outcome"
)

type record struct {
	Key   string
	Until time.Time
}

type result struct {
	value record
	err   error
}

func (r result) unpack() (record, error) { return r.value, r.err }

func fail(err error) result { return result{err: err} }

func parse(b []byte) result {
	var rec record
	if err := json.Unmarshal(b, &rec); err != nil {
		return fail(err)
	}
	return result{value: rec}
}

func put(ctx context.Context, c *bigtable.Client, rec record, until time.Time) error {
	mut := bigtable.NewMutation()
	mut.Set("token", "c", bigtable.Time(until), nil)
	return c.Open("sessions").Apply(ctx, rec.Key, mut)
}

func unpacked(ctx context.Context, c *bigtable.Client, b []byte) error {
	rec, err := parse(b).unpack()
	if err != nil {
		return err
	}
	return put(ctx, c, rec, rec.Until)
}

func asked(ctx context.Context, c *bigtable.Client, b []byte) error {
	r := parse(b)
	if r.err == nil {
		return put(ctx, c, r.value, r.value.Until)
	}
	return r.err
}

func fromElsewhere(b []byte) outcome.Result[record] {
	var rec record
	if err := json.Unmarshal(b, &rec); err != nil {
		return outcome.Fail[record](err)
	}
	return outcome.Ok(rec)
}

func unpackedElsewhere(ctx context.Context, c *bigtable.Client, b []byte) error {
	rec, err := fromElsewhere(b).Unpack()
	if err != nil {
		return err
	}
	return put(ctx, c, rec, rec.Until)
}

func failed(err error) (record, error) { return record{}, err }

func parsed(b []byte) (record, error) {
	var rec record
	if err := json.Unmarshal(b, &rec); err != nil {
		return failed(err)
	}
	return rec, nil
}

func returned(ctx context.Context, c *bigtable.Client, b []byte) error {
	rec, err := parsed(b)
	if err != nil {
		return err
	}
	return put(ctx, c, rec, rec.Until)
}

// unasked writes what is beside an error.
func unasked(ctx context.Context, c *bigtable.Client, b []byte) error {
	r := parse(b)
	return put(ctx, c, r.value, r.value.Until) // want `already-expired: .*zero time`
}

// dropped does so, too.
func dropped(ctx context.Context, c *bigtable.Client, b []byte) error {
	rec, _ := parse(b).unpack()
	return put(ctx, c, rec, rec.Until) // want `already-expired: .*zero time`
}

// other asks for the error of another result.
func other(ctx context.Context, c *bigtable.Client, a, b []byte) error {
	r, s := parse(a), parse(b)
	if s.err != nil {
		return s.err
	}
	return put(ctx, c, r.value, r.value.Until) // want `already-expired: .*zero time`
}

// late writes first.
func late(ctx context.Context, c *bigtable.Client, b []byte) error {
	rec, err := parse(b).unpack()
	if e := put(ctx, c, rec, rec.Until); e != nil { // want `already-expired: .*zero time`
		return e
	}
	return err
}

func blank() result { return result{} }

// empty has no error, nor a time.
func empty(ctx context.Context, c *bigtable.Client) error {
	rec, err := blank().unpack()
	if err != nil {
		return err
	}
	return put(ctx, c, rec, rec.Until) // want `already-expired: .*zero time`
}

// maybe has an error or none beside its zero time.
func maybe(err error) result { return result{err: err} }

func perhaps(ctx context.Context, c *bigtable.Client, b []byte) error {
	var rec record
	err := json.Unmarshal(b, &rec)
	r := maybe(err)
	if r.err != nil {
		return r.err
	}
	return put(ctx, c, r.value, r.value.Until) // want `already-expired: .*zero time`
}
