package bt

import (
	"context"
	"encoding/base64"
	"errors"
	"strings"

	"cloud.google.com/go/bigtable"
)

// Page is one page of a listing.
type Page[T any] struct {
	Items []T    `json:"items"`
	Next  string `json:"next,omitempty"`
}

// ErrCursor is returned for a cursor that is not ours.
var ErrCursor = errors.New("bt: bad cursor")

// EncodeCursor hides a row key.
func EncodeCursor(key string) string {
	return base64.RawURLEncoding.EncodeToString([]byte("c1:" + key))
}

// DecodeCursor is the inverse of EncodeCursor.
func DecodeCursor(s string) (string, error) {
	if s == "" {
		return "", nil
	}
	b, err := base64.RawURLEncoding.DecodeString(s)
	if err != nil {
		return "", ErrCursor
	}
	key, ok := strings.CutPrefix(string(b), "c1:")
	if !ok {
		return "", ErrCursor
	}
	return key, nil
}

// PageRange is the rows of prefix after the cursor.
func PageRange(prefix, cursor string) (bigtable.RowRange, error) {
	after, err := DecodeCursor(cursor)
	if err != nil {
		return bigtable.RowRange{}, err
	}
	if after == "" {
		return bigtable.PrefixRange(prefix), nil
	}
	if !strings.HasPrefix(after, prefix) {
		return bigtable.RowRange{}, ErrCursor
	}
	return bigtable.NewOpenRange(after, prefix+"\xff"), nil
}

// List reads one page of rows of prefix and decodes them.
func List[T any](ctx context.Context, tbl Table, prefix, cursor string, size int, decode func(bigtable.Row) (T, bool), opts ...bigtable.ReadOption) (Page[T], error) {
	var page Page[T]
	rng, err := PageRange(prefix, cursor)
	if err != nil {
		return page, err
	}
	last := ""
	err = tbl.ReadRows(ctx, rng, func(row bigtable.Row) bool {
		v, ok := decode(row)
		if !ok {
			return true
		}
		page.Items = append(page.Items, v)
		last = row.Key()
		return len(page.Items) < size
	}, opts...)
	if err != nil {
		return page, err
	}
	if len(page.Items) == size {
		page.Next = EncodeCursor(last)
	}
	return page, nil
}
