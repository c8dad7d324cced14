// Package codec encodes what is kept in cells.
package codec

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
)

// Codec turns values into cells and back.
type Codec[T any] interface {
	Encode(T) ([]byte, error)
	Decode([]byte) (T, error)
}

// JSON is the codec of everything that people look at.
type JSON[T any] struct{}

// Encode implements Codec.
func (JSON[T]) Encode(v T) ([]byte, error) { return json.Marshal(v) }

// Decode implements Codec.
func (JSON[T]) Decode(b []byte) (T, error) {
	var v T
	err := json.Unmarshal(b, &v)
	return v, err
}

// Int64 is big endian, as counters on the server want it.
func Int64(n int64) []byte { return binary.BigEndian.AppendUint64(nil, uint64(n)) }

// ToInt64 reads it back.
func ToInt64(b []byte) (int64, error) {
	if len(b) != 8 {
		return 0, fmt.Errorf("codec: %d bytes are no int64", len(b))
	}
	return int64(binary.BigEndian.Uint64(b)), nil
}

// Must is for values that always encode.
func Must[T any](v T) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return b
}
