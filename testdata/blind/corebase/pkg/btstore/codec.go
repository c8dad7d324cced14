package btstore

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"strconv"
	"time"
)

// Codec turns values into bytes and back.
type Codec[T any] interface {
	Encode(T) ([]byte, error)
	Decode([]byte) (T, error)
}

type jsonCodec[T any] struct{}

func (jsonCodec[T]) Encode(v T) ([]byte, error) { return json.Marshal(v) }
func (jsonCodec[T]) Decode(b []byte) (T, error) {
	var v T
	err := json.Unmarshal(b, &v)
	return v, err
}

// JSON is the codec of everything without one of its own.
func JSON[T any]() Codec[T] { return jsonCodec[T]{} }

type stringCodec struct{}

func (stringCodec) Encode(s string) ([]byte, error) { return []byte(s), nil }
func (stringCodec) Decode(b []byte) (string, error) { return string(b), nil }

type int64Codec struct{}

func (int64Codec) Encode(n int64) ([]byte, error) {
	return binary.BigEndian.AppendUint64(nil, uint64(n)), nil
}

func (int64Codec) Decode(b []byte) (int64, error) {
	if len(b) != 8 {
		return 0, fmt.Errorf("btstore: counter of %d bytes", len(b))
	}
	return int64(binary.BigEndian.Uint64(b)), nil
}

type timeCodec struct{}

func (timeCodec) Encode(t time.Time) ([]byte, error) {
	return strconv.AppendInt(nil, t.UnixMilli(), 10), nil
}

func (timeCodec) Decode(b []byte) (time.Time, error) {
	ms, err := strconv.ParseInt(string(b), 10, 64)
	if err != nil {
		return time.Time{}, err
	}
	return time.UnixMilli(ms), nil
}

// The codecs of plain values.
var (
	String Codec[string]    = stringCodec{}
	Int64  Codec[int64]     = int64Codec{}
	Time   Codec[time.Time] = timeCodec{}
)
