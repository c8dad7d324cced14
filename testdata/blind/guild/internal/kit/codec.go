package kit

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"strconv"
	"time"
)

// Codec turns values into the bytes of a cell and back.
type Codec[V any] interface {
	Encode(V) ([]byte, error)
	Decode([]byte) (V, error)
}

// JSON is the codec of everything that has no better one.
type JSON[V any] struct{}

// Encode implements Codec.
func (JSON[V]) Encode(v V) ([]byte, error) {
	b, err := json.Marshal(v)
	if err != nil {
		return nil, fmt.Errorf("encode %T: %w", v, err)
	}
	return b, nil
}

// Decode implements Codec.
func (JSON[V]) Decode(b []byte) (V, error) {
	var v V
	if err := json.Unmarshal(b, &v); err != nil {
		return v, fmt.Errorf("decode %T: %w", v, err)
	}
	return v, nil
}

// Text is the codec of strings.
type Text struct{}

// Encode implements Codec.
func (Text) Encode(s string) ([]byte, error) { return []byte(s), nil }

// Decode implements Codec.
func (Text) Decode(b []byte) (string, error) { return string(b), nil }

// Int64 is the codec of numbers, in the big-endian form that Increment needs.
type Int64 struct{}

// Encode implements Codec.
func (Int64) Encode(n int64) ([]byte, error) { return PutInt64(n), nil }

// Decode implements Codec.
func (Int64) Decode(b []byte) (int64, error) {
	if len(b) != 8 {
		return 0, fmt.Errorf("decode int64: %d bytes", len(b))
	}
	return int64(binary.BigEndian.Uint64(b)), nil
}

// Moment is the codec of times: milliseconds since 1970, in decimal.
type Moment struct{}

// Encode implements Codec.
func (Moment) Encode(t time.Time) ([]byte, error) { return PutMoment(t), nil }

// Decode implements Codec.
func (Moment) Decode(b []byte) (time.Time, error) {
	ms, err := strconv.ParseInt(string(b), 10, 64)
	if err != nil {
		return time.Time{}, fmt.Errorf("decode time: %w", err)
	}
	return time.UnixMilli(ms), nil
}

// PutInt64 returns n in big-endian form.
func PutInt64(n int64) []byte {
	b := make([]byte, 8)
	binary.BigEndian.PutUint64(b, uint64(n))
	return b
}

// PutMoment returns t in the form of the Moment codec.
func PutMoment(t time.Time) []byte {
	return strconv.AppendInt(nil, t.UnixMilli(), 10)
}

// GetMoment returns the time in b, or the zero time if there is none.
func GetMoment(b []byte) time.Time {
	return Of(Moment{}.Decode(b)).Or(time.Time{})
}
