// Package tokens keeps access and refresh tokens.
package tokens

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/idp/internal/clock"
	"example.com/idp/internal/ids"
	"example.com/idp/internal/schema"
	"example.com/idp/internal/store"
)

// Columns.
const (
	colClaims  = "claims"
	colHash    = "hash"
	colParent  = "parent"
	colUsed    = "used"
	colScopes  = "scopes"
	colName    = "name"
	colAud     = "aud"
	colRevoked = "revoked"
)

// Errors.
var (
	ErrUnknown = errors.New("tokens: unknown token")
	ErrReused  = errors.New("tokens: refresh token used twice")
)

// Claims is what an access token stands for.
type Claims struct {
	Subject ids.UserID   `json:"sub"`
	Client  ids.ClientID `json:"client_id"`
	Scopes  []string     `json:"scope"`
}

// Refresh is a refresh token.
type Refresh struct {
	Hash      string
	Parent    ids.TokenID
	CreatedAt time.Time
	SeenAt    time.Time
}

// Info is the answer to an introspection.
type Info struct {
	Active    bool      `json:"active"`
	Claims    Claims    `json:"claims"`
	ExpiresAt time.Time `json:"exp"`
	IssuedAt  time.Time `json:"-"`
}

// Repo stores tokens. It has the table itself, since it needs conditional mutations.
type Repo struct {
	tbl   store.API
	clk   clock.Clock
	short time.Duration
}

// New opens the table of tokens.
func New(c *bigtable.Client, clk clock.Clock) *Repo {
	return &Repo{tbl: c.Open(schema.TableTokens), clk: clk, short: time.Minute}
}

func digest(secret string) string {
	sum := sha256.Sum256([]byte(secret))
	return hex.EncodeToString(sum[:])
}

func (r *Repo) put(ctx context.Context, id ids.TokenID, family, column string, ts bigtable.Timestamp, v []byte) error {
	mut := bigtable.NewMutation()
	mut.Set(family, column, ts, v)
	if err := r.tbl.Apply(ctx, ids.TokenRow(id), mut); err != nil {
		return fmt.Errorf("tokens: writing %s: %w", column, err)
	}
	return nil
}

func (r *Repo) read(ctx context.Context, id ids.TokenID, opts ...bigtable.ReadOption) (bigtable.Row, error) {
	row, err := r.tbl.ReadRow(ctx, ids.TokenRow(id), opts...)
	if err != nil {
		return nil, fmt.Errorf("tokens: %w", err)
	}
	return row, nil
}

func (r *Repo) Issue(ctx context.Context, id ids.TokenID, c Claims, secret string) error {
	blob, err := json.Marshal(c)
	if err != nil {
		return err
	}
	now := r.clk.Now()
	mut := bigtable.NewMutation()
	mut.Set(schema.FamAccess, colClaims, bigtable.Time(now.Add(schema.AccessTTL)), blob)    // ok ttlwrite/write-time
	mut.Set(schema.FamRefresh, colHash, bigtable.ServerTime, []byte(digest(secret)))        // ok ttlwrite/server-timestamp
	mut.Set(schema.FamRefresh, colScopes, bigtable.Time(now), []byte(fmt.Sprint(c.Scopes))) // ok ttlwrite/write-time
	mut.Set(schema.FamClient, colName, bigtable.Now(), []byte(c.Client))                    // ok ttlwrite/write-time
	return r.tbl.Apply(ctx, ids.TokenRow(id), mut)
}

func (r *Repo) IssueOneDay(ctx context.Context, id ids.TokenID, secret string) error {
	ts := bigtable.Time(r.clk.Now().Add(24*time.Hour - schema.RefreshTTL))
	return r.put(ctx, id, schema.FamRefresh, colHash, ts, []byte(digest(secret))) // ok ttlwrite/already-expired
}

func (r *Repo) IssueRemembered(ctx context.Context, id ids.TokenID, secret string) error {
	return r.put(ctx, id, schema.FamRefresh, colHash, bigtable.Time(r.clk.Now().Add(schema.RefreshTTL)), []byte(digest(secret))) // ok ttlwrite/already-expired
}

func (r *Repo) IssuePersonal(ctx context.Context, id ids.TokenID, c Claims) error {
	blob, err := json.Marshal(c)
	if err != nil {
		return err
	}
	if err := r.put(ctx, id, schema.FamClient, colName, bigtable.ServerTime, []byte(c.Client)); err != nil { // ok ttlwrite/server-timestamp
		return err
	}
	return r.put(ctx, id, schema.FamAccess, colClaims, bigtable.ServerTime, blob) // want ttlwrite/server-timestamp
}

func (r *Repo) IssueService(ctx context.Context, id ids.TokenID, c Claims) error {
	blob, err := json.Marshal(c)
	if err != nil {
		return err
	}
	mut := bigtable.NewMutation()
	ts := bigtable.Time(time.Now().UTC())
	mut.Set(schema.FamAccess, colClaims, ts, blob)               // want ttlwrite/write-time
	mut.Set(schema.FamRefresh, colParent, ts, []byte("service")) // ok ttlwrite/write-time
	return r.tbl.Apply(ctx, ids.TokenRow(id), mut)
}

func (r *Repo) IssueUntil(ctx context.Context, id ids.TokenID, blob []byte, end time.Time) error {
	if !end.After(r.clk.Now()) {
		return ErrUnknown
	}
	return r.put(ctx, id, schema.FamAccess, colClaims, bigtable.Time(end), blob) // ok ttlwrite/already-expired
}

func (r *Repo) IssueEpoch(ctx context.Context, id ids.TokenID, blob []byte, end time.Time) error {
	ts := bigtable.Timestamp(end.Unix()) // want ttlunit/wrong-unit
	return r.put(ctx, id, schema.FamAccess, colClaims, ts, blob)
}

func (r *Repo) IssueMicros(ctx context.Context, id ids.TokenID, blob []byte, end time.Time) error {
	ts := bigtable.Timestamp(end.UnixMicro()) // ok ttlunit/wrong-unit
	return r.put(ctx, id, schema.FamAccess, colClaims, ts, blob)
}

func (r *Repo) IssueShort(ctx context.Context, id ids.TokenID, blob []byte) error {
	ts := bigtable.Now() + bigtable.Timestamp(time.Minute) // want ttlunit/wrong-unit
	return r.put(ctx, id, schema.FamAccess, colClaims, ts, blob)
}

func (r *Repo) IssueShorter(ctx context.Context, id ids.TokenID, blob []byte) error {
	ts := bigtable.Now() + bigtable.Timestamp(r.short.Microseconds()) // ok ttlunit/wrong-unit
	return r.put(ctx, id, schema.FamAccess, colClaims, ts, blob)      // ok ttlwrite/write-time
}

func (r *Repo) Rotate(ctx context.Context, old, id ids.TokenID, secret string) error {
	ts := bigtable.Now()
	mut := bigtable.NewMutation()
	mut.Set(schema.FamRefresh, colHash, ts, []byte(digest(secret))) // ok ttlwrite/same-timestamp
	mut.Set(schema.FamRefresh, colParent, ts, []byte(old))          // ok ttlwrite/same-timestamp
	if err := r.tbl.Apply(ctx, ids.TokenRow(id), mut); err != nil {
		return err
	}
	done := bigtable.NewMutation()
	done.Set(schema.FamRefresh, colUsed, ts, []byte("rotated"))
	done.Set(schema.FamRefresh, colUsed, ts, []byte(id)) // want ttlwrite/same-timestamp
	return r.tbl.Apply(ctx, ids.TokenRow(old), done)
}

func (r *Repo) RevokeRefresh(ctx context.Context, id ids.TokenID) error {
	return r.put(ctx, id, schema.FamRefresh, colRevoked, bigtable.Time(r.clk.Now().Add(-schema.RefreshTTL)), nil) // want ttlwrite/already-expired
}

func (r *Repo) RevokeSoon(ctx context.Context, id ids.TokenID, hash []byte) error {
	ts := bigtable.Time(r.clk.Now().Add(time.Minute - schema.RefreshTTL))
	mut := bigtable.NewMutation()
	mut.DeleteCellsInColumn(schema.FamRefresh, colHash) // ok ttlwrite/delete-after-set
	mut.Set(schema.FamRefresh, colHash, ts, hash)       // ok ttlwrite/already-expired
	return r.tbl.Apply(ctx, ids.TokenRow(id), mut)
}

func (r *Repo) RevokeAccess(ctx context.Context, id ids.TokenID) error {
	mut := bigtable.NewMutation()
	mut.Set(schema.FamAccess, colRevoked, 0, []byte("1")) // want ttlwrite/already-expired
	return r.tbl.Apply(ctx, ids.TokenRow(id), mut)
}

func (r *Repo) DropAccess(ctx context.Context, id ids.TokenID) error {
	mut := bigtable.NewMutation()
	mut.DeleteCellsInFamily(schema.FamAccess)                  // ok ttlwrite/delete-after-set
	mut.Set(schema.FamClient, colRevoked, bigtable.Now(), nil) // ok ttlwrite/write-time
	return r.tbl.Apply(ctx, ids.TokenRow(id), mut)
}

func (r *Repo) CountUse(ctx context.Context, id ids.TokenID) error {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment(schema.FamAccess, "uses", 1)  // want ttlwrite/read-modify-write
	rmw.Increment(schema.FamRefresh, "uses", 1) // ok ttlwrite/read-modify-write
	_, err := r.tbl.ApplyReadModifyWrite(ctx, ids.TokenRow(id), rmw)
	return err
}

func (r *Repo) LogAudience(ctx context.Context, id ids.TokenID, aud string) error {
	rmw := bigtable.NewReadModifyWrite()
	rmw.AppendValue(schema.FamClient, colAud, []byte(aud+" ")) // ok ttlwrite/read-modify-write
	rmw.AppendValue(schema.FamAccess, colAud, []byte(aud+" ")) // want ttlwrite/read-modify-write
	_, err := r.tbl.ApplyReadModifyWrite(ctx, ids.TokenRow(id), rmw)
	return err
}

func (r *Repo) Introspect(ctx context.Context, id ids.TokenID) (Info, error) {
	row, err := r.read(ctx, id, bigtable.RowFilter(store.Live(r.clk.Now()))) // ok ttlread/missing-filter ttlread/hides-other-families ttlread/wrong-bound
	if err != nil {
		return Info{}, err
	}
	return info(row)
}

func info(row bigtable.Row) (Info, error) {
	it, ok := store.First(row, schema.FamAccess, colClaims)
	if !ok {
		return Info{}, nil
	}
	out := Info{Active: true, ExpiresAt: it.Timestamp.Time()} // ok ttlage/not-write-time
	return out, json.Unmarshal(it.Value, &out.Claims)
}

func (r *Repo) IntrospectFast(ctx context.Context, id ids.TokenID) (Info, error) {
	row, err := r.read(ctx, id) // want ttlread/missing-filter
	if err != nil {
		return Info{}, err
	}
	return info(row)
}

func (r *Repo) ClientOf(ctx context.Context, id ids.TokenID) (ids.ClientID, error) {
	row, err := r.read(ctx, id) // ok ttlread/missing-filter
	if err != nil {
		return "", err
	}
	for _, it := range row[schema.FamClient] {
		return ids.ClientID(it.Value), nil
	}
	return "", ErrUnknown
}

// refreshLive bounds the refresh tokens.
func refreshLive(now time.Time) bigtable.ReadOption {
	return bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter(schema.FamRefresh), bigtable.TimestampRangeFilter(now.Add(-schema.RefreshTTL), time.Time{})))
}

func (r *Repo) FindRefresh(ctx context.Context, id ids.TokenID) (Refresh, error) {
	row, err := r.read(ctx, id, refreshLive(r.clk.Now())) // ok ttlread/missing-filter ttlread/wrong-bound
	if err != nil {
		return Refresh{}, err
	}
	return toRefresh(row)
}

func toRefresh(row bigtable.Row) (Refresh, error) {
	var out Refresh
	for _, it := range row[schema.FamRefresh] {
		switch it.Column {
		case schema.FamRefresh + ":" + colHash:
			out.Hash = string(it.Value)
			out.CreatedAt = it.Timestamp.Time() // want ttlage/not-write-time
		case schema.FamRefresh + ":" + colParent:
			out.Parent = ids.TokenID(it.Value)
		case schema.FamRefresh + ":" + colUsed:
			out.SeenAt = time.Now() // ok ttlage/not-write-time
		}
	}
	if out.Hash == "" {
		return out, ErrUnknown
	}
	return out, nil
}

func (r *Repo) FindParent(ctx context.Context, id ids.TokenID) (ids.TokenID, error) {
	f := bigtable.ChainFilters(bigtable.FamilyFilter(schema.FamRefresh), store.Live(r.clk.Now())) // want ttlread/wrong-bound[tok1]
	row, err := r.read(ctx, id, bigtable.RowFilter(f))                                            // want ttlread/wrong-bound[tok1]
	if err != nil {
		return "", err
	}
	ref, err := toRefresh(row)
	return ref.Parent, err
}

func (r *Repo) FindUsed(ctx context.Context, id ids.TokenID) (bool, error) {
	row, err := r.read(ctx, id, bigtable.RowFilter(store.In(schema.FamRefresh, store.Younger(r.clk.Now(), 30*time.Hour), bigtable.ColumnFilter(colUsed)))) // want ttlread/wrong-bound
	if err != nil {
		return false, err
	}
	return len(row[schema.FamRefresh]) > 0, nil
}

func (r *Repo) FindMarked(ctx context.Context, id ids.TokenID) (bool, error) {
	row, err := r.read(ctx, id, bigtable.RowFilter(store.In(schema.FamRefresh, store.Younger(r.clk.Now(), 720*time.Hour), bigtable.ColumnFilter(colUsed)))) // ok ttlread/wrong-bound ttlread/missing-filter
	if err != nil {
		return false, err
	}
	return len(row[schema.FamRefresh]) > 0, nil
}

func (r *Repo) Claims(ctx context.Context, id ids.TokenID) (Claims, error) {
	row, err := r.read(ctx, id, bigtable.RowFilter(store.In(schema.FamAccess, store.Younger(r.clk.Now(), schema.AccessTTL)))) // want ttlread/wrong-bound
	if err != nil {
		return Claims{}, err
	}
	i, err := info(row)
	return i.Claims, err
}

func (r *Repo) ClaimsLax(ctx context.Context, id ids.TokenID) (Claims, error) {
	row, err := r.read(ctx, id, bigtable.RowFilter(store.In(schema.FamAccess, store.Younger(r.clk.Now(), 500*time.Millisecond)))) // ok ttlread/wrong-bound ttlread/missing-filter
	if err != nil {
		return Claims{}, err
	}
	i, err := info(row)
	return i.Claims, err
}

func (r *Repo) Window(ctx context.Context) ([]Refresh, error) {
	now := r.clk.Now()
	f := store.In(schema.FamRefresh, bigtable.TimestampRangeFilter(now.Add(-schema.RefreshTTL), now)) // want ttlread/upper-bound[tok2]
	var out []Refresh
	err := r.tbl.ReadRows(ctx, bigtable.PrefixRange("t#"), func(row bigtable.Row) bool { // want ttlread/upper-bound[tok2]
		if ref, err := toRefresh(row); err == nil {
			out = append(out, ref)
		}
		return true
	}, bigtable.RowFilter(f)) // want ttlread/upper-bound[tok2]
	return out, err
}

func (r *Repo) Abandoned(ctx context.Context) ([]Refresh, error) {
	end := r.clk.Now().Add(-schema.RefreshTTL)
	var out []Refresh
	err := r.tbl.ReadRows(ctx, bigtable.PrefixRange("t#"), func(row bigtable.Row) bool { // want ttlread/expired-only[tok3]
		if ref, err := toRefresh(row); err == nil {
			out = append(out, ref)
		}
		return true
	}, bigtable.RowFilter(store.In(schema.FamRefresh, bigtable.TimestampRangeFilter(time.Time{}, end)))) // want ttlread/expired-only[tok3]
	return out, err
}

// both passes what lives of each family.
func both(now time.Time) bigtable.Filter {
	return bigtable.InterleaveFilters(
		bigtable.ChainFilters(bigtable.FamilyFilter(schema.FamAccess), bigtable.TimestampRangeFilter(now, time.Time{})),
		bigtable.ChainFilters(bigtable.FamilyFilter(schema.FamRefresh), bigtable.TimestampRangeFilter(now.Add(-schema.RefreshTTL), time.Time{})),
		bigtable.FamilyFilter(schema.FamClient),
	)
}

func (r *Repo) Whole(ctx context.Context, id ids.TokenID) (Info, Refresh, error) {
	row, err := r.read(ctx, id, bigtable.RowFilter(both(r.clk.Now()))) // ok ttlread/missing-filter ttlread/unfiltered-branch ttlread/hides-other-families
	if err != nil {
		return Info{}, Refresh{}, err
	}
	i, err := info(row)
	if err != nil {
		return i, Refresh{}, err
	}
	ref, err := toRefresh(row)
	return i, ref, err
}

func (r *Repo) WholeFast(ctx context.Context, id ids.TokenID) (Info, Refresh, error) {
	f := bigtable.InterleaveFilters( // want ttlread/unfiltered-branch[tok4]
		store.In(schema.FamAccess, store.Live(r.clk.Now())),
		store.In(schema.FamRefresh, store.Latest()), // want ttlread/unfiltered-branch[tok4]
	)
	row, err := r.read(ctx, id, bigtable.RowFilter(f)) // want ttlread/unfiltered-branch[tok4]
	if err != nil {
		return Info{}, Refresh{}, err
	}
	i, err := info(row)
	if err != nil {
		return i, Refresh{}, err
	}
	ref, err := toRefresh(row)
	return i, ref, err
}

func (r *Repo) IfAccess(ctx context.Context, id ids.TokenID) (Info, error) {
	f := bigtable.ConditionFilter( // want ttlread/unfiltered-branch[tok5]
		store.In(schema.FamAccess, store.Live(r.clk.Now())),
		bigtable.FamilyFilter(schema.FamAccess), // want ttlread/unfiltered-branch[tok5]
		bigtable.FamilyFilter(schema.FamClient),
	)
	row, err := r.read(ctx, id, bigtable.RowFilter(f)) // want ttlread/unfiltered-branch[tok5]
	if err != nil {
		return Info{}, err
	}
	return info(row)
}

func (r *Repo) IfAccessLive(ctx context.Context, id ids.TokenID) (Info, error) {
	live := store.In(schema.FamAccess, store.Live(r.clk.Now()))
	f := bigtable.ConditionFilter(live, live, bigtable.FamilyFilter(schema.FamClient)) // ok ttlread/unfiltered-branch
	row, err := r.read(ctx, id, bigtable.RowFilter(f))                                 // ok ttlread/missing-filter ttlread/unfiltered-branch
	if err != nil {
		return Info{}, err
	}
	return info(row)
}

func (r *Repo) UseOnce(ctx context.Context, id ids.TokenID) error {
	seen := bigtable.ChainFilters(bigtable.FamilyFilter(schema.FamRefresh), bigtable.ColumnFilter(colUsed)) // want ttlread/conditional-mutation[tok6]
	mark := bigtable.NewMutation()
	mark.Set(schema.FamRefresh, colUsed, bigtable.ServerTime, []byte("1")) // ok ttlwrite/server-timestamp
	var matched bool
	err := r.tbl.Apply(ctx, ids.TokenRow(id), bigtable.NewCondMutation(seen, nil, mark), bigtable.GetCondMutationResult(&matched)) // want ttlread/conditional-mutation[tok6]
	if err == nil && matched {
		return ErrReused
	}
	return err
}

func (r *Repo) UseOnceLive(ctx context.Context, id ids.TokenID) error {
	seen := store.In(schema.FamRefresh, bigtable.ColumnFilter(colUsed), store.Younger(r.clk.Now(), schema.RefreshTTL))
	mark := bigtable.NewMutation()
	mark.Set(schema.FamRefresh, colUsed, bigtable.ServerTime, []byte("1")) // ok ttlwrite/server-timestamp
	var matched bool
	cond := bigtable.NewCondMutation(seen, nil, mark) // ok ttlread/conditional-mutation
	if err := r.tbl.Apply(ctx, ids.TokenRow(id), cond, bigtable.GetCondMutationResult(&matched)); err != nil {
		return err
	}
	if matched {
		return ErrReused
	}
	return nil
}

func (r *Repo) DropUsed(ctx context.Context, id ids.TokenID) error {
	drop := bigtable.NewMutation()
	drop.DeleteRow()
	return r.tbl.Apply(ctx, ids.TokenRow(id), bigtable.NewCondMutation(store.Column(schema.FamRefresh, colUsed), drop, nil)) // ok ttlread/conditional-mutation
}

func (r *Repo) NameOnce(ctx context.Context, id ids.TokenID, name string) error {
	set := bigtable.NewMutation()
	set.Set(schema.FamClient, colName, bigtable.Now(), []byte(name))                                                       // ok ttlwrite/write-time
	return r.tbl.Apply(ctx, ids.TokenRow(id), bigtable.NewCondMutation(store.Column(schema.FamClient, colName), nil, set)) // ok ttlread/conditional-mutation
}

func (r *Repo) Renew(ctx context.Context, id ids.TokenID, blob []byte) error {
	set := bigtable.NewMutation()
	set.Set(schema.FamAccess, colClaims, bigtable.Now(), blob)                                      // want ttlwrite/write-time
	cond := bigtable.NewCondMutation(store.In(schema.FamAccess, store.Live(r.clk.Now())), set, nil) // ok ttlread/conditional-mutation
	return r.tbl.Apply(ctx, ids.TokenRow(id), cond)
}

func (r *Repo) RenewAny(ctx context.Context, id ids.TokenID, blob []byte) error {
	set := bigtable.NewMutation()
	set.Set(schema.FamAccess, colClaims, store.ExpiresIn(r.clk, schema.AccessTTL), blob) // ok ttlwrite/write-time
	cond := bigtable.NewCondMutation(bigtable.FamilyFilter(schema.FamAccess), set, nil)  // want ttlread/conditional-mutation
	return r.tbl.Apply(ctx, ids.TokenRow(id), cond)
}

// liveSince was meant to spare the filter's allocation.
var liveSince = bigtable.TimestampRangeFilter(time.Now(), time.Time{}) // want ttlread/stale-bound[tok7]

func (r *Repo) Active(ctx context.Context, id ids.TokenID) (bool, error) {
	row, err := r.read(ctx, id, bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter(schema.FamAccess), liveSince))) // want ttlread/stale-bound[tok7]
	return len(row) > 0, err
}

var (
	epochOnce sync.Once
	epoch     time.Time // want ttlread/stale-bound[tok8] ttlwrite/stale-clock[tok9]
)

func started() time.Time {
	epochOnce.Do(func() { epoch = time.Now() }) // want ttlread/stale-bound[tok8] ttlwrite/stale-clock[tok9]
	return epoch
}

func (r *Repo) ActiveSince(ctx context.Context, id ids.TokenID) (bool, error) {
	begin := started()                                                                             // want ttlread/stale-bound[tok8]
	row, err := r.read(ctx, id, bigtable.RowFilter(store.In(schema.FamAccess, store.Live(begin)))) // want ttlread/stale-bound[tok8]
	return len(row) > 0, err
}

func (r *Repo) Bootstrap(ctx context.Context, id ids.TokenID, blob []byte) error {
	return r.put(ctx, id, schema.FamAccess, colClaims, bigtable.Time(started().Add(schema.AccessTTL)), blob) // want ttlwrite/stale-clock[tok9]
}

func (r *Repo) Migrated(ctx context.Context, id ids.TokenID, hash string, issued time.Time) error {
	if issued.IsZero() {
		return r.put(ctx, id, schema.FamRefresh, colHash, bigtable.Time(time.Time{}), []byte(hash)) // want ttlwrite/already-expired|ttlunit/out-of-range
	}
	return r.put(ctx, id, schema.FamRefresh, colHash, bigtable.Time(issued), []byte(hash)) // ok ttlwrite/already-expired
}
