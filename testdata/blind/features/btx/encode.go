package btx

import (
	"encoding/binary"
	"fmt"
	"math"
	"strings"
	"time"
)

// Entity identifies what features belong to.
type Entity struct {
	Kind string
	ID   string
}

// Key is the row key of the entity.
func (e Entity) Key() string { return e.Kind + "#" + e.ID }

// ParseEntity is Key's inverse.
func ParseEntity(key string) (Entity, error) {
	kind, id, ok := strings.Cut(key, "#")
	if !ok || kind == "" || id == "" {
		return Entity{}, fmt.Errorf("entity key %q: want kind#id", key)
	}
	return Entity{Kind: kind, ID: id}, nil
}

// EncodeFloat stores a float64, big endian.
func EncodeFloat(f float64) []byte {
	return binary.BigEndian.AppendUint64(nil, math.Float64bits(f))
}

// DecodeFloat is EncodeFloat's inverse.
func DecodeFloat(b []byte) (float64, error) {
	if len(b) != 8 {
		return 0, fmt.Errorf("float of %d bytes", len(b))
	}
	return math.Float64frombits(binary.BigEndian.Uint64(b)), nil
}

// EncodeInt stores an int64, big endian, as counters have it.
func EncodeInt(n int64) []byte {
	return binary.BigEndian.AppendUint64(nil, uint64(n))
}

// DecodeInt is EncodeInt's inverse.
func DecodeInt(b []byte) (int64, error) {
	if len(b) != 8 {
		return 0, fmt.Errorf("int of %d bytes", len(b))
	}
	return int64(binary.BigEndian.Uint64(b)), nil
}

// EncodeTime stores a moment in a value of its own.
func EncodeTime(t time.Time) []byte { return []byte(t.UTC().Format(time.RFC3339Nano)) }

// DecodeTime is EncodeTime's inverse.
func DecodeTime(b []byte) (time.Time, error) { return time.Parse(time.RFC3339Nano, string(b)) }
