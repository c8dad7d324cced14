package store

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/shop/schema"
)

// Sessions are users' tokens and profiles, a row per user.
type Sessions struct{ tbl *bigtable.Table }

// PutToken stores the user's token, in place of the one before, and when it
// was issued. Both are good until the time that is their timestamp.
func (s *Sessions) PutToken(ctx context.Context, user string, jwt []byte, expiry bigtable.Timestamp) error {
	mut := bigtable.NewMutation()
	mut.DeleteCellsInColumn(schema.Token, "jwt")
	mut.Set(schema.Token, "jwt", expiry, jwt)
	mut.DeleteCellsInColumn(schema.Token, "issued")
	mut.Set(schema.Token, "issued", expiry, binary.BigEndian.AppendUint64(nil, uint64(time.Now().Unix())))
	return s.tbl.Apply(ctx, user, mut)
}

// Rotate replaces a token that may have leaked.
func (s *Sessions) Rotate(ctx context.Context, user string, jwt []byte) error {
	mut := bigtable.NewMutation()
	mut.Set(schema.Token, "jwt", ExpiresIn(schema.TokenTTL), jwt)
	mut.DeleteCellsInColumn(schema.Token, "jwt") // BAD: ttlwrite/delete-after-set
	return s.tbl.Apply(ctx, user, mut)
}

// RotateFixed deletes first: mutations are applied in their order.
func (s *Sessions) RotateFixed(ctx context.Context, user string, jwt []byte) error {
	mut := bigtable.NewMutation()
	mut.DeleteCellsInColumn(schema.Token, "jwt")
	mut.Set(schema.Token, "jwt", ExpiresIn(schema.TokenTTL), jwt)
	return s.tbl.Apply(ctx, user, mut)
}

// CountFailure counts a failed login, for the time of a session.
func (s *Sessions) CountFailure(ctx context.Context, user string) (int64, error) {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment(schema.Token, "failures", 1) // BAD: ttlwrite/read-modify-write
	row, err := s.tbl.ApplyReadModifyWrite(ctx, user, rmw)
	if err != nil {
		return 0, err
	}
	return int64(binary.BigEndian.Uint64(first(row, schema.Token, "failures"))), nil
}

// CountFailureFixed writes a cell per failure, each of which expires by
// itself, and counts the cells.
func (s *Sessions) CountFailureFixed(ctx context.Context, user string) (int, error) {
	if err := put(ctx, s.tbl, user, schema.Token, "failure/"+rand.Text(), ExpiresIn(schema.TokenTTL), nil); err != nil {
		return 0, err
	}
	row, err := s.tbl.ReadRow(ctx, user, bigtable.RowFilter(bigtable.ChainFilters(
		Unexpired(),
		bigtable.ColumnRangeFilter(schema.Token, "failure/", "failure0"),
	)))
	return len(row[schema.Token]), err
}

// Token returns the user's token, nil when there is none.
func (s *Sessions) Token(ctx context.Context, user string) ([]byte, error) {
	row, err := s.tbl.ReadRow(ctx, user, bigtable.RowFilter(bigtable.LatestNFilter(1))) // BAD: ttlread/missing-filter
	return first(row, schema.Token, "jwt"), err
}

// TokenFixed does not return a token that has expired and is not collected.
func (s *Sessions) TokenFixed(ctx context.Context, user string) ([]byte, error) {
	row, err := s.tbl.ReadRow(ctx, user, bigtable.RowFilter(Unexpired()))
	return first(row, schema.Token, "jwt"), err
}

// TokenOnly is Token without the columns that nobody needs.
func (s *Sessions) TokenOnly(ctx context.Context, user string) ([]byte, error) {
	row, err := s.tbl.ReadRow(ctx, user, bigtable.RowFilter(Unexpired()), bigtable.RowFilter(bigtable.ColumnFilter("jwt"))) // BAD: ttlread/overridden-filter
	return first(row, schema.Token, "jwt"), err
}

// TokenOnlyFixed has one filter, because only the last option counts.
func (s *Sessions) TokenOnlyFixed(ctx context.Context, user string) ([]byte, error) {
	row, err := s.tbl.ReadRow(ctx, user, bigtable.RowFilter(bigtable.ChainFilters(Unexpired(), bigtable.ColumnFilter("jwt"))))
	return first(row, schema.Token, "jwt"), err
}

// Row reads what the options let through of a user's row.
func (s *Sessions) Row(ctx context.Context, user string, opts ...bigtable.ReadOption) (bigtable.Row, error) {
	return s.tbl.ReadRow(ctx, user, opts...)
}

// Active returns the tokens that are in use, by user.
func (s *Sessions) Active(ctx context.Context) (map[string][]byte, error) {
	tokens := make(map[string][]byte)
	err := s.tbl.ReadRows(ctx, bigtable.InfiniteRange(""), func(row bigtable.Row) bool {
		tokens[row.Key()] = first(row, schema.Token, "jwt")
		return true
	}, bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter(schema.Token), bigtable.TimestampRangeFilter(time.Time{}, time.Now())))) // BAD: ttlread/expired-only
	return tokens, err
}

// ActiveFixed asks for the timestamps from now on.
func (s *Sessions) ActiveFixed(ctx context.Context) (map[string][]byte, error) {
	tokens := make(map[string][]byte)
	err := s.tbl.ReadRows(ctx, bigtable.InfiniteRange(""), func(row bigtable.Row) bool {
		tokens[row.Key()] = first(row, schema.Token, "jwt")
		return true
	}, bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter(schema.Token), bigtable.TimestampRangeFilter(time.Now(), time.Time{}))))
	return tokens, err
}

// Age returns how long ago the user logged in.
func (s *Sessions) Age(ctx context.Context, user string) (time.Duration, error) {
	row, err := s.Row(ctx, user, bigtable.RowFilter(Unexpired()))
	for _, item := range row[schema.Token] {
		if item.Column == schema.Token+":jwt" {
			return time.Since(item.Timestamp.Time()), nil // BAD: ttlage/not-write-time
		}
	}
	return 0, err
}

// AgeFixed reads the time that PutToken stored.
func (s *Sessions) AgeFixed(ctx context.Context, user string) (time.Duration, error) {
	row, err := s.Row(ctx, user, bigtable.RowFilter(Unexpired()))
	if issued := first(row, schema.Token, "issued"); len(issued) == 8 {
		return time.Since(time.Unix(int64(binary.BigEndian.Uint64(issued)), 0)), nil
	}
	return 0, err
}

// PutProfile stores a column of the user's profile as of a time.
func (s *Sessions) PutProfile(ctx context.Context, user, column string, value []byte, at time.Time) error {
	return put(ctx, s.tbl, user, schema.Profile, column, bigtable.Timestamp(at.Unix()), value) // BAD: ttlunit/wrong-unit
}

// PutProfileFixed knows that timestamps are microseconds.
func (s *Sessions) PutProfileFixed(ctx context.Context, user, column string, value []byte, at time.Time) error {
	return put(ctx, s.tbl, user, schema.Profile, column, bigtable.Time(at), value)
}
