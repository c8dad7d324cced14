package store

import (
	"context"
	"log/slog"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/paywell/domain"
)

const (
	colResponse = "resp"
	colStatus   = "code"
	colTries    = "tries"
)

// A Response to a request that must not be carried out twice.
type Response struct {
	Status    int       `json:"status"`
	Body      []byte    `json:"body"`
	CreatedAt time.Time `json:"created_at"`
}

// Idempotency keeps responses for a day, or shorter or longer: the timestamp
// is then moved by the difference.
type Idempotency struct {
	tbl rows
	now func() time.Time
}

// NewIdempotency returns a store on tbl. Without now the machine's clock is
// used.
func NewIdempotency(tbl rows, now func() time.Time) *Idempotency {
	if now == nil {
		now = time.Now
	}
	return &Idempotency{tbl: tbl, now: now}
}

// Put stores a response for a day.
func (s *Idempotency) Put(ctx context.Context, key string, r Response) error {
	mut := bigtable.NewMutation()
	mut.Set(FamRes, colResponse, bigtable.ServerTime, encode(r))         // ok ttlwrite/server-timestamp
	mut.Set(FamRes, colStatus, bigtable.Time(s.now()), encode(r.Status)) // ok ttlwrite/write-time
	return s.tbl.Apply(ctx, key, mut)
}

// PutFor stores a response for another time.
func (s *Idempotency) PutFor(ctx context.Context, key string, r Response, d time.Duration) error {
	mut := bigtable.NewMutation()
	mut.DeleteCellsInColumn(FamRes, colResponse)
	mut.Set(FamRes, colResponse, bigtable.Time(s.now().Add(d-domain.IdempotencyTTL)), encode(r)) // ok ttlwrite/already-expired
	return s.tbl.Apply(ctx, key, mut)
}

// PutBriefly stores a response for an hour.
func (s *Idempotency) PutBriefly(ctx context.Context, key string, r Response) error {
	mut := bigtable.NewMutation()
	mut.Set(FamRes, colResponse, bigtable.Time(s.now().Add(-23*time.Hour)), encode(r)) // ok ttlwrite/already-expired
	return s.tbl.Apply(ctx, key, mut)
}

// PutFailed stores an error, which is not to be kept.
func (s *Idempotency) PutFailed(ctx context.Context, key string, r Response) error {
	mut := bigtable.NewMutation()
	mut.Set(FamRes, colResponse, bigtable.Time(s.now().Add(-25*time.Hour)), encode(r)) // want ttlwrite/already-expired
	return s.tbl.Apply(ctx, key, mut)
}

// PutAt stores a response that another region gave.
func (s *Idempotency) PutAt(ctx context.Context, key string, r Response) error {
	mut := bigtable.NewMutation()
	mut.Set(FamRes, colResponse, bigtable.Timestamp(r.CreatedAt.UnixMilli()), encode(r))           // want ttlunit/wrong-unit
	mut.Set(FamRes, colStatus, bigtable.Timestamp(r.CreatedAt.UnixMilli()*1000), encode(r.Status)) // ok ttlunit/wrong-unit
	return s.tbl.Apply(ctx, key, mut)
}

// Try counts how often a request came.
func (s *Idempotency) Try(ctx context.Context, key string) error {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment(FamRes, colTries, 1) // ok ttlwrite/read-modify-write
	_, err := s.tbl.ApplyReadModifyWrite(ctx, key, rmw)
	return err
}

// Get returns the response that was given.
func (s *Idempotency) Get(ctx context.Context, key string) (*Response, error) {
	row, err := s.tbl.ReadRow(ctx, key, bigtable.RowFilter(younger(s.now(), domain.IdempotencyTTL))) // ok ttlread/wrong-bound
	return response(row, err)
}

// GetRecent looks two days back, to be safe.
func (s *Idempotency) GetRecent(ctx context.Context, key string) (*Response, error) {
	row, err := s.tbl.ReadRow(ctx, key, bigtable.RowFilter(younger(s.now(), 48*time.Hour))) // want ttlread/wrong-bound
	return response(row, err)
}

// GetLive looks at what has its time still ahead.
func (s *Idempotency) GetLive(ctx context.Context, key string) (*Response, error) {
	f := bigtable.TimestampRangeFilter(s.now(), time.Time{})   // want ttlread/wrong-bound[getlive]
	row, err := s.tbl.ReadRow(ctx, key, bigtable.RowFilter(f)) // want ttlread/wrong-bound[getlive]
	return response(row, err)
}

// GetToday looks from a day ago to now.
func (s *Idempotency) GetToday(ctx context.Context, key string) (*Response, error) {
	now := s.now()
	f := bigtable.TimestampRangeFilter(now.Add(-domain.IdempotencyTTL), now) // want ttlread/upper-bound[gettoday]
	row, err := s.tbl.ReadRow(ctx, key, bigtable.RowFilter(f))               // want ttlread/upper-bound[gettoday]
	return response(row, err)
}

// GetNewest returns the newest response, however old.
func (s *Idempotency) GetNewest(ctx context.Context, key string) (*Response, error) {
	row, err := s.tbl.ReadRow(ctx, key, bigtable.RowFilter(bigtable.LatestNFilter(1))) // want ttlread/missing-filter
	return response(row, err)
}

// GetBoth gives two filters, of which Bigtable takes the last.
func (s *Idempotency) GetBoth(ctx context.Context, key string) (*Response, error) {
	row, err := s.tbl.ReadRow(ctx, key, // want ttlread/overridden-filter[getboth]
		bigtable.RowFilter(bigtable.LatestNFilter(1)),               // want ttlread/overridden-filter[getboth]
		bigtable.RowFilter(younger(s.now(), domain.IdempotencyTTL)), // want ttlread/overridden-filter[getboth]
	)
	return response(row, err)
}

// GetChained gives one.
func (s *Idempotency) GetChained(ctx context.Context, key string) (*Response, error) {
	row, err := s.tbl.ReadRow(ctx, key, // ok ttlread/overridden-filter
		bigtable.RowFilter(bigtable.ChainFilters(
			bigtable.LatestNFilter(1), // ok ttlread/limit-before-filter
			younger(s.now(), domain.IdempotencyTTL),
		)),
		bigtable.LimitRows(1),
	)
	return response(row, err)
}

func response(row bigtable.Row, err error) (*Response, error) {
	if err != nil {
		return nil, err
	}
	item, ok := find(row, FamRes, colResponse)
	if !ok {
		return nil, domain.ErrNotFound
	}
	r, err := decode[Response](item)
	return &r, err
}

// Age says how old a response is.
func (s *Idempotency) Age(ctx context.Context, key string) (time.Duration, error) {
	row, err := s.tbl.ReadRow(ctx, key, bigtable.RowFilter(younger(s.now(), domain.IdempotencyTTL)))
	if err != nil {
		return 0, err
	}
	for _, item := range row[FamRes] {
		if column(item) == colResponse {
			return s.now().Sub(item.Timestamp.Time()), nil // want ttlage/not-write-time
		}
	}
	return 0, domain.ErrNotFound
}

// Left says how long a response will be kept.
func (s *Idempotency) Left(ctx context.Context, key string) (time.Duration, error) {
	row, err := s.tbl.ReadRow(ctx, key, bigtable.RowFilter(younger(s.now(), domain.IdempotencyTTL)))
	if err != nil {
		return 0, err
	}
	for _, item := range row[FamRes] {
		if column(item) == colResponse {
			return item.Timestamp.Time().Add(domain.IdempotencyTTL).Sub(s.now()), nil // ok ttlage/not-write-time
		}
	}
	return 0, domain.ErrNotFound
}

// Log writes what there is into the log.
func (s *Idempotency) Log(ctx context.Context, prefix string) error {
	return s.tbl.ReadRows(ctx, bigtable.PrefixRange(prefix), func(row bigtable.Row) bool {
		for _, item := range row[FamRes] {
			slog.InfoContext(ctx, "response",
				"key", item.Row,
				"created", item.Timestamp.Time().Format(time.RFC3339), // want ttlage/not-write-time
				"timestamp", int64(item.Timestamp)) // ok ttlage/not-write-time
		}
		return true
	}, bigtable.RowFilter(younger(s.now(), domain.IdempotencyTTL)))
}

// Purge deletes what is a day old.
func (s *Idempotency) Purge(ctx context.Context) error {
	old := bigtable.TimestampRangeFilter(time.Time{}, s.now().Add(-domain.IdempotencyTTL))
	var keys []string
	var muts []*bigtable.Mutation
	err := s.tbl.ReadRows(ctx, bigtable.InfiniteRange(""), func(row bigtable.Row) bool { // ok ttlread/expired-only
		mut := bigtable.NewMutation()
		mut.DeleteRow()
		keys, muts = append(keys, row.Key()), append(muts, mut)
		return true
	}, bigtable.RowFilter(old))
	if err != nil || len(keys) == 0 {
		return err
	}
	_, err = s.tbl.ApplyBulk(ctx, keys, muts)
	return err
}

// Old counts the bytes of what is a day old, for the dashboard.
func (s *Idempotency) Old(ctx context.Context) (bytes int, err error) {
	old := bigtable.TimestampRangeFilter(time.Time{}, s.now().Add(-domain.IdempotencyTTL)) // want ttlread/expired-only[old]
	err = s.tbl.ReadRows(ctx, bigtable.InfiniteRange(""), func(row bigtable.Row) bool {    // want ttlread/expired-only[old]
		for _, item := range row[FamRes] {
			bytes += len(item.Value)
		}
		return true
	}, bigtable.RowFilter(old)) // want ttlread/expired-only[old]
	return bytes, err
}

// Begin reserves a key unless it is taken.
func (s *Idempotency) Begin(ctx context.Context, key string) error {
	reserve := bigtable.NewMutation()
	reserve.Set(FamRes, colStatus, bigtable.Time(s.now()), []byte("0")) // ok ttlwrite/write-time
	var taken bool
	cond := bigtable.NewCondMutation(bigtable.LatestNFilter(1), nil, reserve) // want ttlread/conditional-mutation
	if err := s.tbl.Apply(ctx, key, cond, bigtable.GetCondMutationResult(&taken)); err != nil {
		return err
	}
	if taken {
		return domain.ErrDuplicate
	}
	return nil
}

// BeginLive reserves a key unless it is taken by something that lives.
func (s *Idempotency) BeginLive(ctx context.Context, key string) error {
	reserve := bigtable.NewMutation()
	reserve.Set(FamRes, colStatus, bigtable.Time(s.now()), []byte("0"))
	var taken bool
	cond := bigtable.NewCondMutation(younger(s.now(), domain.IdempotencyTTL), nil, reserve) // ok ttlread/conditional-mutation
	if err := s.tbl.Apply(ctx, key, cond, bigtable.GetCondMutationResult(&taken)); err != nil {
		return err
	}
	if taken {
		return domain.ErrDuplicate
	}
	return nil
}
