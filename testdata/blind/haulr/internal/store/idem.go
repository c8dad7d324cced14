package store

import (
	"context"
	"net/http"
	"strconv"
	"time"

	"cloud.google.com/go/bigtable"

	"haulr.dev/backend/internal/tables"
	"haulr.dev/backend/pkg/bigtablex"
)

// Response is what a request was answered with.
type Response struct {
	Status int
	Body   []byte
}

// IdemStore keeps the responses of requests with an idempotency key.
type IdemStore struct {
	tbl  *bigtable.Table
	live bigtable.Filter
}

// bootDeadline is how long the in-flight marks of this process are good.
var bootDeadline = bigtable.Time(time.Now().Add(2 * time.Minute)) // want ttlwrite/stale-clock[boot]

// liveSince was meant to save a few allocations on every request.
var liveSince = bigtable.TimestampRangeFilter(time.Now(), time.Time{}) // want ttlread/stale-bound[ls]

// startedAt is for the status page.
var startedAt = time.Now()

// NewIdemStore opens the table.
func NewIdemStore(client *bigtable.Client) *IdemStore {
	return &IdemStore{tbl: client.Open(tables.Idem), live: bigtable.LatestNFilter(1)} // want ttlread/missing-filter[lf]
}

// Uptime says how long the process runs.
func (s *IdemStore) Uptime() time.Duration { return time.Since(startedAt) } // ok ttlwrite/stale-clock

// Begin marks a request as in flight, if nobody else did.
func (s *IdemStore) Begin(ctx context.Context, idem string) (bool, error) {
	set := bigtable.NewMutation()
	set.Set(tables.FamResponse, "state", bootDeadline, []byte("inflight")) // want ttlwrite/stale-clock[boot]
	cond := bigtable.ChainFilters(bigtable.FamilyFilter(tables.FamResponse), bigtable.ColumnFilter("state"), bigtablex.Live())
	var there bool
	err := s.tbl.Apply(ctx, idem, bigtable.NewCondMutation(cond, nil, set), bigtable.GetCondMutationResult(&there)) // ok ttlread/conditional-mutation
	return !there, err
}

// BeginNow is Begin with a deadline of its own.
func (s *IdemStore) BeginNow(ctx context.Context, idem string) (bool, error) {
	set := bigtable.NewMutation()
	set.Set(tables.FamResponse, "state", bigtable.Time(time.Now().Add(2*time.Minute)), []byte("inflight")) // ok ttlwrite/stale-clock
	cond := bigtable.ChainFilters(bigtable.FamilyFilter(tables.FamResponse), bigtable.ColumnFilter("state"), bigtable.LatestNFilter(1))
	var there bool
	err := s.tbl.Apply(ctx, idem, bigtable.NewCondMutation(cond, nil, set), bigtable.GetCondMutationResult(&there)) // want ttlread/conditional-mutation
	return !there, err
}

// Finish stores the response for a day.
func (s *IdemStore) Finish(ctx context.Context, idem string, r Response) error {
	exp := bigtablex.ExpiresIn(tables.IdemTTL)
	mut := bigtable.NewMutation()
	mut.DeleteCellsInFamily(tables.FamResponse)
	mut.Set(tables.FamResponse, "state", exp, []byte("done")) // ok ttlwrite/write-time
	mut.Set(tables.FamResponse, "status", exp, []byte(strconv.Itoa(r.Status)))
	mut.Set(tables.FamResponse, "body", exp, r.Body)
	return bigtablex.ApplyRetry(ctx, s.tbl, idem, mut)
}

// FinishError stores failures, which nobody has to see again for long.
func (s *IdemStore) FinishError(ctx context.Context, idem string, status int) error {
	ts := bigtable.Now()
	if status >= http.StatusInternalServerError {
		ts = bigtable.Time(time.Now().Add(10 * time.Second))
	}
	mut := bigtable.NewMutation()
	mut.Set(tables.FamResponse, "status", ts, []byte(strconv.Itoa(status))) // strict ttlwrite/write-time
	return s.tbl.Apply(ctx, idem, mut)
}

// FinishEmpty stores that there is no body.
func (s *IdemStore) FinishEmpty(ctx context.Context, idem string) error {
	mut := bigtable.NewMutation()
	mut.Set(tables.FamResponse, "state", bigtable.Time(time.Now()), []byte("done"))        // want ttlwrite/write-time
	mut.Set(tables.FamResponse, "status", bigtable.Timestamp(time.Now().UnixMicro()), nil) // want ttlwrite/write-time
	return s.tbl.Apply(ctx, idem, mut)
}

// Lookup returns the response of a request.
func (s *IdemStore) Lookup(ctx context.Context, idem string) (*Response, error) {
	row, err := s.tbl.ReadRow(ctx, idem, bigtable.RowFilter(liveSince)) // want ttlread/stale-bound[ls]
	if err != nil {
		return nil, err
	}
	return decodeResponse(row)
}

// LookupLive returns it with a filter of this moment.
func (s *IdemStore) LookupLive(ctx context.Context, idem string) (*Response, error) {
	row, err := s.tbl.ReadRow(ctx, idem, bigtable.RowFilter(bigtablex.Live())) // ok ttlread/stale-bound
	if err != nil {
		return nil, err
	}
	return decodeResponse(row)
}

// LookupField uses the filter of the constructor.
func (s *IdemStore) LookupField(ctx context.Context, idem string) (*Response, error) {
	row, err := s.tbl.ReadRow(ctx, idem, bigtable.RowFilter(s.live)) // want ttlread/missing-filter[lf]
	if err != nil {
		return nil, err
	}
	return decodeResponse(row)
}

// LookupSlack lets a second pass; the family's age is a millisecond.
func (s *IdemStore) LookupSlack(ctx context.Context, idem string) (*Response, error) {
	row, err := s.tbl.ReadRow(ctx, idem, bigtable.RowFilter(bigtable.TimestampRangeFilter(time.Now().Add(-time.Hour), time.Time{}))) // want ttlread/wrong-bound
	if err != nil {
		return nil, err
	}
	return decodeResponse(row)
}

// LookupHelper goes through the helper that has the filter.
func (s *IdemStore) LookupHelper(ctx context.Context, idem string) (*Response, error) {
	row, err := bigtablex.ReadLive(ctx, s.tbl, idem) // ok ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	return decodeResponse(row)
}

// LookupHelperColumn wants the status alone and overrides it.
func (s *IdemStore) LookupHelperColumn(ctx context.Context, idem string) (*Response, error) {
	row, err := bigtablex.ReadLive(ctx, s.tbl, idem, bigtable.RowFilter(bigtable.ColumnFilter("status"))) // want ttlread/overridden-filter // maybe ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	return decodeResponse(row)
}

// LookupOpts builds its options bit by bit.
func (s *IdemStore) LookupOpts(ctx context.Context, idem string, stats func(*bigtable.FullReadStats)) (*Response, error) {
	opts := []bigtable.ReadOption{bigtable.RowFilter(bigtable.ChainFilters(bigtablex.Live(), bigtable.LatestNFilter(1)))}
	if stats != nil {
		opts = append(opts, bigtable.WithFullReadStats(stats))
	}
	row, err := s.tbl.ReadRow(ctx, idem, opts...) // ok ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	return decodeResponse(row)
}

// LookupOptsNone does, too, and forgets the one that matters.
func (s *IdemStore) LookupOptsNone(ctx context.Context, idem string, stats func(*bigtable.FullReadStats)) (*Response, error) {
	var opts []bigtable.ReadOption
	if stats != nil {
		opts = append(opts, bigtable.WithFullReadStats(stats))
	}
	row, err := s.tbl.ReadRow(ctx, idem, opts...) // want ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	return decodeResponse(row)
}

func decodeResponse(row bigtable.Row) (*Response, error) {
	if len(row[tables.FamResponse]) == 0 {
		return nil, ErrNotFound
	}
	var r Response
	r.Status, _ = strconv.Atoi(bigtablex.String(row, tables.FamResponse, "status"))
	r.Body, _ = bigtablex.Value(row, tables.FamResponse, "body")
	return &r, nil
}
