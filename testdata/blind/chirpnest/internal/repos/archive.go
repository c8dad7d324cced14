package repos

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/chirpnest/internal/bt"
	"example.com/chirpnest/internal/dto"
	"example.com/chirpnest/internal/tables"
	"example.com/chirpnest/internal/utils/strutil"
)

// ArchiveRepo copies things into the data team's table. It has our family
// names, and ordinary cells.
type ArchiveRepo struct {
	tbl    *bigtable.Table
	legacy *bigtable.Table
}

func NewArchiveRepo(deps Deps) *ArchiveRepo {
	return &ArchiveRepo{
		tbl:    deps.Client.Open(tables.Archive),
		legacy: deps.Client.Open(tables.LegacySessions),
	}
}

// KeepSession archives a session.
func (r *ArchiveRepo) KeepSession(ctx context.Context, s dto.Session) error {
	mut := bigtable.NewMutation()
	mut.Set(tables.FamSess, "jwt", bigtable.ServerTime, []byte(s.JWT)) // ok ttlwrite/server-timestamp
	mut.Set(tables.FamSess, "user", bigtable.Now(), []byte(s.UserID))  // ok ttlwrite/write-time
	return r.tbl.Apply(ctx, strutil.Key("a", s.ID), mut)
}

// KeepRevision archives a revision by its date.
func (r *ArchiveRepo) KeepRevision(ctx context.Context, rev dto.Revision) error {
	return bt.Put(ctx, r.tbl, strutil.Key("a", rev.PostID), tables.FamRev, "text", bigtable.Time(rev.EditedAt), []byte(rev.Text)) // ok ttlwrite/clock-in-sequence
}

// CountSessions counts them.
func (r *ArchiveRepo) CountSessions(ctx context.Context) (int64, error) {
	return bt.Incr(ctx, r.tbl, "a#total", tables.FamSess, "n", 1) // ok ttlwrite/read-modify-write
}

// FindLegacy reads a session of the old stack.
func (r *ArchiveRepo) FindLegacy(ctx context.Context, id string) (string, time.Time, error) {
	row, err := r.legacy.ReadRow(ctx, id) // ok ttlread/missing-filter
	if err != nil {
		return "", time.Time{}, err
	}
	for _, it := range row[tables.FamSess] {
		if it.Column == tables.FamSess+":jwt" {
			createdAt := it.Timestamp.Time() // ok ttlage/not-write-time
			return string(it.Value), createdAt, nil
		}
	}
	return "", time.Time{}, nil
}

// FindInbox reads archived notifications.
func (r *ArchiveRepo) FindInbox(ctx context.Context, userID string) ([]string, error) {
	var out []string
	err := r.tbl.ReadRows(ctx, bigtable.PrefixRange(strutil.Key("a", userID)), func(row bigtable.Row) bool { // ok ttlread/missing-filter
		for _, it := range row[tables.FamInbox] {
			out = append(out, string(it.Value))
		}
		return true
	}, bigtable.RowFilter(bigtable.FamilyFilter(tables.FamInbox)))
	return out, err
}

// FindSince reads a window of it.
func (r *ArchiveRepo) FindSince(ctx context.Context, userID string, from, to time.Time) ([]string, error) {
	var out []string
	err := r.tbl.ReadRows(ctx, bigtable.PrefixRange(strutil.Key("a", userID)), func(row bigtable.Row) bool { // ok ttlread/upper-bound
		for _, it := range row[tables.FamSess] {
			out = append(out, string(it.Value))
		}
		return true
	}, bigtable.RowFilter(bigtable.TimestampRangeFilter(from, to)))
	return out, err
}
