// Package cursor encodes pagination cursors.
package cursor

import (
	"encoding/base64"
	"encoding/json"
	"errors"
)

// ErrBad is a cursor that is not ours.
var ErrBad = errors.New("cursor: malformed")

// Cursor says where the next page begins.
type Cursor struct {
	After string `json:"a"`
	Limit int    `json:"l"`
}

// Page is one page of T.
type Page[T any] struct {
	Items []T    `json:"items"`
	Next  string `json:"next,omitempty"`
}

func Encode(c Cursor) string {
	b, _ := json.Marshal(c)
	return base64.RawURLEncoding.EncodeToString(b)
}

func Decode(s string, def int) (Cursor, error) {
	if s == "" {
		return Cursor{Limit: def}, nil
	}
	b, err := base64.RawURLEncoding.DecodeString(s)
	if err != nil {
		return Cursor{}, ErrBad
	}
	var c Cursor
	if err := json.Unmarshal(b, &c); err != nil {
		return Cursor{}, ErrBad
	}
	if c.Limit <= 0 || c.Limit > 500 {
		c.Limit = def
	}
	return c, nil
}

// Paginate cuts one extra item off and makes it the next cursor.
func Paginate[T any](items []T, limit int, key func(T) string) Page[T] {
	if len(items) <= limit {
		return Page[T]{Items: items}
	}
	items = items[:limit]
	return Page[T]{Items: items, Next: Encode(Cursor{After: key(items[limit-1]), Limit: limit})}
}
