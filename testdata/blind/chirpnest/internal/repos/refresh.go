package repos

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/chirpnest/internal/bt"
	"example.com/chirpnest/internal/dto"
	"example.com/chirpnest/internal/tables"
	"example.com/chirpnest/internal/utils/async"
	"example.com/chirpnest/internal/utils/result"
	"example.com/chirpnest/internal/utils/strutil"
)

const refreshTTL = 30 * 24 * time.Hour

// ErrReused is a refresh token that was spent before.
var ErrReused = errors.New("refresh token reused")

// RefreshRepo keeps refresh tokens beside the sessions.
type RefreshRepo struct {
	tbl *bigtable.Table
	log *slog.Logger
	ttl time.Duration
}

func NewRefreshRepo(deps Deps, ttl time.Duration) *RefreshRepo {
	return &RefreshRepo{tbl: deps.Client.Open(tables.Sessions), log: deps.Log, ttl: ttl}
}

func refreshKey(id string) string { return strutil.Key("r", id) }

func (r *RefreshRepo) mapRow(row bigtable.Row) dto.RefreshToken {
	t := dto.RefreshToken{ID: strutil.Tail(row.Key())}
	if it, ok := bt.Pick(row, tables.FamRefresh, "hash"); ok {
		t.Hash = string(it.Value)
		t.ExpiresAt = it.Timestamp.Time()        // ok ttlage/not-write-time
		t.Left = time.Until(it.Timestamp.Time()) // ok ttlage/not-write-time
	}
	t.UserID = bt.Text(row, tables.FamRefresh, "user")
	return t
}

// Insert stores a token until it expires.
func (r *RefreshRepo) Insert(ctx context.Context, t dto.RefreshToken) error {
	exp := bt.ExpiresAt(t.ExpiresAt)
	return bt.Upsert(ctx, r.tbl, refreshKey(t.ID),
		bt.Cell{Family: tables.FamRefresh, Column: "hash", TS: exp, Value: []byte(t.Hash)},   // ok ttlwrite/write-time
		bt.Cell{Family: tables.FamRefresh, Column: "user", TS: exp, Value: []byte(t.UserID)}, // ok ttlwrite/same-timestamp
		bt.Cell{Family: tables.FamMeta, Column: "issued", TS: bigtable.Now()},                // ok ttlwrite/write-time
	)
}

// InsertUntil is what the mobile gateway calls.
func (r *RefreshRepo) InsertUntil(ctx context.Context, id, hash string, until time.Time) error {
	mut := bigtable.NewMutation()
	mut.Set(tables.FamRefresh, "hash", bigtable.Timestamp(until.Unix()), []byte(hash))         // want ttlunit/wrong-unit
	mut.Set(tables.FamRefresh, "src", bigtable.Timestamp(until.UnixMicro()), []byte("mobile")) // ok ttlunit/wrong-unit
	return r.tbl.Apply(ctx, refreshKey(id), mut)
}

// InsertFor stores a token for the configured time.
func (r *RefreshRepo) InsertFor(ctx context.Context, id, hash string) error {
	return bt.Put(ctx, r.tbl, refreshKey(id), tables.FamRefresh, "hash", bt.ExpiresIn(r.ttl), []byte(hash)) // ok ttlwrite/write-time
}

// MarkSpent notes that a token was used.
func (r *RefreshRepo) MarkSpent(ctx context.Context, id string) error {
	if err := bt.Put(ctx, r.tbl, refreshKey(id), tables.FamMeta, "spent", bt.Stamp(), []byte("1")); err != nil { // ok ttlwrite/write-time
		return err
	}
	return bt.Put(ctx, r.tbl, refreshKey(id), tables.FamRefresh, "spent", bt.Stamp(), []byte("1")) // want ttlwrite/write-time
}

// Relink points a token at a new device and keeps the old name next to it.
func (r *RefreshRepo) Relink(ctx context.Context, id, device, old string) error {
	exp := bt.ExpiresIn(refreshTTL)
	mut := bigtable.NewMutation()
	mut.Set(tables.FamRefresh, "device", exp, []byte(old))
	mut.Set(tables.FamRefresh, "device", exp, []byte(device)) // want ttlwrite/same-timestamp
	return r.tbl.Apply(ctx, refreshKey(id), mut)
}

// RelinkBoth uses two columns.
func (r *RefreshRepo) RelinkBoth(ctx context.Context, id, device, old string) error {
	exp := bt.ExpiresIn(refreshTTL)
	mut := bigtable.NewMutation()
	mut.Set(tables.FamRefresh, "device_old", exp, []byte(old))
	mut.Set(tables.FamRefresh, "device", exp, []byte(device)) // ok ttlwrite/same-timestamp
	return r.tbl.Apply(ctx, refreshKey(id), mut)
}

// FindOne is a token that lives.
func (r *RefreshRepo) FindOne(ctx context.Context, id string) result.Result[result.Option[dto.RefreshToken]] {
	f := bigtable.ChainFilters(
		bigtable.FamilyFilter(tables.FamRefresh),
		bigtable.TimestampRangeFilter(time.Now(), time.Time{}),
	)
	return bt.FindOne(ctx, r.tbl, refreshKey(id), r.mapRow, bigtable.RowFilter(f)) // ok ttlread/missing-filter
}

// FindRecent is what the device list shows: tokens of the last 30 days.
func (r *RefreshRepo) FindRecent(ctx context.Context, userID string) result.Result[[]dto.RefreshToken] {
	recent := bt.InFamily(tables.FamRefresh, bt.YoungerThan(refreshTTL))                                 // want ttlread/wrong-bound[recent]
	return bt.FindMany(ctx, r.tbl, bigtable.PrefixRange(refreshKey(userID)), r.mapRow, bt.Where(recent)) // want ttlread/wrong-bound[recent]
}

// FindSlack allows for GC's own second.
func (r *RefreshRepo) FindSlack(ctx context.Context, userID string) result.Result[[]dto.RefreshToken] {
	recent := bt.InFamily(tables.FamRefresh, bt.YoungerThan(time.Second))
	return bt.FindMany(ctx, r.tbl, bigtable.PrefixRange(refreshKey(userID)), r.mapRow, bt.Where(recent)) // ok ttlread/wrong-bound
}

// FindHash reads one column.
func (r *RefreshRepo) FindHash(ctx context.Context, id string) (string, error) {
	row, err := r.tbl.ReadRow(ctx, refreshKey(id), bigtable.RowFilter(bt.LiveNow()), bigtable.RowFilter(bigtable.ColumnFilter("hash"))) // want ttlread/overridden-filter // maybe ttlread/missing-filter
	if err != nil {
		return "", err
	}
	return bt.Text(row, tables.FamRefresh, "hash"), nil
}

// FindHashChained reads one column, if it lives.
func (r *RefreshRepo) FindHashChained(ctx context.Context, id string) (string, error) {
	row, err := r.tbl.ReadRow(ctx, refreshKey(id), bt.Where(bt.LiveNow(), bigtable.ColumnFilter("hash"))) // ok ttlread/overridden-filter
	if err != nil {
		return "", err
	}
	return bt.Text(row, tables.FamRefresh, "hash"), nil
}

// FindAsync starts a lookup.
func (r *RefreshRepo) FindAsync(ctx context.Context, id string) *async.Promise[dto.RefreshToken] {
	return async.Go(func() (dto.RefreshToken, error) {
		row, err := r.tbl.ReadRow(ctx, refreshKey(id), bigtable.RowFilter(bigtable.FamilyFilter(tables.FamRefresh))) // want ttlread/missing-filter
		if err != nil {
			return dto.RefreshToken{}, err
		}
		return r.mapRow(row), nil
	})
}

// FindLiveAsync starts a lookup of what lives.
func (r *RefreshRepo) FindLiveAsync(ctx context.Context, id string) *async.Promise[dto.RefreshToken] {
	return async.Go(func() (dto.RefreshToken, error) {
		row, err := r.tbl.ReadRow(ctx, refreshKey(id), bt.Where(bt.InFamily(tables.FamRefresh, bt.LiveNow()))) // ok ttlread/missing-filter
		if err != nil {
			return dto.RefreshToken{}, err
		}
		return r.mapRow(row), nil
	})
}

// Audit logs the tokens of a user.
func (r *RefreshRepo) Audit(ctx context.Context, userID string) error {
	return r.tbl.ReadRows(ctx, bigtable.PrefixRange(refreshKey(userID)), func(row bigtable.Row) bool { // ok ttlread/missing-filter
		for _, it := range row[tables.FamRefresh] {
			if it.Timestamp == bigtable.ServerTime { // want ttlage/server-sentinel
				continue
			}
			r.log.Info("token", "key", row.Key(), "created_at", it.Timestamp.Time()) // want ttlage/not-write-time
			r.log.Info("token", "key", row.Key(), "expires_at", it.Timestamp.Time()) // ok ttlage/not-write-time
		}
		for _, it := range row[tables.FamMeta] {
			r.log.Info("meta", "key", row.Key(), "created_at", it.Timestamp.Time()) // ok ttlage/not-write-time
		}
		return true
	}, bt.Where(bt.AnyOf(bt.InFamily(tables.FamRefresh, bt.LiveNow()), bigtable.FamilyFilter(tables.FamMeta)))) // ok ttlread/unfiltered-branch
}

// Spend uses a token up, once.
func (r *RefreshRepo) Spend(ctx context.Context, id string) error {
	spent := bigtable.NewMutation()
	spent.Set(tables.FamMeta, "spent", bigtable.Now(), []byte("1"))
	spent.DeleteCellsInFamily(tables.FamRefresh)
	var had bool
	cond := bigtable.NewCondMutation(bt.InFamily(tables.FamRefresh, bt.LiveNow()), spent, nil) // ok ttlread/conditional-mutation
	if err := r.tbl.Apply(ctx, refreshKey(id), cond, bigtable.GetCondMutationResult(&had)); err != nil {
		return err
	}
	if !had {
		return ErrReused
	}
	return nil
}

// SpendOnce does it for the old clients, which send the hash.
func (r *RefreshRepo) SpendOnce(ctx context.Context, id, hash string) error {
	spent := bigtable.NewMutation()
	spent.Set(tables.FamMeta, "spent", bigtable.Now(), []byte(hash))
	var had bool
	match := bt.InFamily(tables.FamRefresh, bigtable.ColumnFilter("hash"), bigtable.ValueFilter(hash))
	cond := bigtable.NewCondMutation(match, spent, nil) // want ttlread/conditional-mutation
	if err := r.tbl.Apply(ctx, refreshKey(id), cond, bigtable.GetCondMutationResult(&had)); err != nil {
		return err
	}
	if !had {
		return ErrReused
	}
	return nil
}
