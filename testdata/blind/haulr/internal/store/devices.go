package store

import (
	"context"
	"errors"
	"time"

	"cloud.google.com/go/bigtable"

	"haulr.dev/backend/internal/clock"
	"haulr.dev/backend/internal/tables"
	"haulr.dev/backend/pkg/bigtablex"
)

// Device is a phone.
type Device struct {
	ID        string
	PushToken string
	Trusted   bool
	Updated   time.Time
}

// DeviceStore keeps push tokens, by default for ninety days, and the trust
// that a second factor gave a device, until a moment.
type DeviceStore struct {
	tbl *bigtable.Table
	now func() time.Time
}

// NewDeviceStore opens the table.
func NewDeviceStore(client *bigtable.Client, clk clock.Clock) *DeviceStore {
	return &DeviceStore{tbl: client.Open(tables.Devices), now: clk.Now}
}

func (s *DeviceStore) put(ctx context.Context, row, fam, col string, ts bigtable.Timestamp, v []byte) error {
	mut := bigtable.NewMutation()
	mut.Set(fam, col, ts, v)
	return s.tbl.Apply(ctx, row, mut)
}

func (s *DeviceStore) get(ctx context.Context, row string, f bigtable.Filter) (bigtable.Row, error) {
	r, err := s.tbl.ReadRow(ctx, row, bigtable.RowFilter(f))
	if err != nil {
		return nil, err
	}
	if r == nil {
		return nil, ErrNotFound
	}
	return r, nil
}

// SetPush stores a push token.
func (s *DeviceStore) SetPush(ctx context.Context, user, dev, token string) error {
	return s.put(ctx, user, tables.FamPush, dev, bigtable.Time(s.now()), []byte(token)) // ok ttlwrite/write-time
}

// SetPushServer lets the server set the time.
func (s *DeviceStore) SetPushServer(ctx context.Context, user, dev, token string) error {
	return s.put(ctx, user, tables.FamPush, dev, bigtable.ServerTime, []byte(token)) // ok ttlwrite/server-timestamp
}

// Trust trusts a device for thirty days.
func (s *DeviceStore) Trust(ctx context.Context, user, dev string) error {
	return s.put(ctx, user, tables.FamTrust, dev, bigtablex.ExpiresInAt(s.now(), tables.TrustTTL), []byte("1")) // ok ttlwrite/write-time
}

// TrustNow trusts a device that passed a second factor.
func (s *DeviceStore) TrustNow(ctx context.Context, user, dev string) error {
	return s.put(ctx, user, tables.FamTrust, dev, bigtable.Time(s.now()), []byte("1")) // want ttlwrite/write-time
}

// TrustServer does so in the support tool.
func (s *DeviceStore) TrustServer(ctx context.Context, user, dev string) error {
	return s.put(ctx, user, tables.FamTrust, dev, bigtable.ServerTime, []byte("support")) // want ttlwrite/server-timestamp
}

// TrustUntil trusts it until a time.
func (s *DeviceStore) TrustUntil(ctx context.Context, user, dev string, until time.Time) error {
	if !until.After(s.now()) {
		return errors.New("devices: the time is past")
	}
	return s.put(ctx, user, tables.FamTrust, dev, bigtablex.ExpiresAt(until), []byte("1")) // ok ttlwrite/write-time
}

// TrustEver trusts it as long as Bigtable can count.
func (s *DeviceStore) TrustEver(ctx context.Context, user, dev string) error {
	never := time.Date(9999, 12, 31, 0, 0, 0, 0, time.UTC)
	return s.put(ctx, user, tables.FamTrust, dev, bigtable.Time(never), []byte("1")) // want ttlunit/out-of-range
}

// TrustLong trusts it for longer than anybody keeps a phone.
func (s *DeviceStore) TrustLong(ctx context.Context, user, dev string) error {
	far := time.Date(2199, 12, 31, 0, 0, 0, 0, time.UTC)
	return s.put(ctx, user, tables.FamTrust, dev, bigtable.Time(far), []byte("1")) // ok ttlunit/out-of-range
}

// Distrust forgets it.
func (s *DeviceStore) Distrust(ctx context.Context, user, dev string) error {
	return s.put(ctx, user, tables.FamTrust, dev, bigtable.Time(time.Time{}), nil) // want ttlunit/out-of-range|ttlwrite/already-expired
}

// DistrustDelete forgets it for good.
func (s *DeviceStore) DistrustDelete(ctx context.Context, user, dev string) error {
	mut := bigtable.NewMutation()
	mut.DeleteCellsInColumn(tables.FamTrust, dev)
	return s.tbl.Apply(ctx, user, mut)
}

// Push returns the push tokens of a user.
func (s *DeviceStore) Push(ctx context.Context, user string) (map[string]string, error) {
	row, err := s.get(ctx, user, bigtable.ChainFilters( // ok ttlread/missing-filter
		bigtable.FamilyFilter(tables.FamPush),
		bigtablex.WithinAt(s.now(), tables.PushTTL),
		bigtable.LatestNFilter(1),
	))
	if err != nil {
		return nil, err
	}
	return pushTokens(row), nil
}

// PushAll returns them without a bound.
func (s *DeviceStore) PushAll(ctx context.Context, user string) (map[string]string, error) {
	row, err := s.get(ctx, user, bigtablex.Latest(tables.FamPush, 1)) // want ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	return pushTokens(row), nil
}

// PushMonth returns those of the last month; the marketing mails use it.
func (s *DeviceStore) PushMonth(ctx context.Context, user string) (map[string]string, error) {
	row, err := s.get(ctx, user, bigtablex.Family(tables.FamPush, bigtablex.WithinAt(s.now(), 30*24*time.Hour))) // want ttlread/wrong-bound
	if err != nil {
		return nil, err
	}
	return pushTokens(row), nil
}

func pushTokens(row bigtable.Row) map[string]string {
	out := map[string]string{}
	for _, it := range row[tables.FamPush] {
		out[column(it)] = string(it.Value)
	}
	return out
}

// Trusted says whether a device is trusted.
func (s *DeviceStore) Trusted(ctx context.Context, user, dev string) (bool, error) {
	row, err := s.get(ctx, user, bigtablex.Family(tables.FamTrust, bigtablex.LiveAt(s.now()))) // ok ttlread/missing-filter
	if errors.Is(err, ErrNotFound) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	_, ok := bigtablex.Item(row, tables.FamTrust, dev)
	return ok, nil
}

// TrustedEver says whether it ever was, and so it is not what it says: rows go.
func (s *DeviceStore) TrustedEver(ctx context.Context, user, dev string) (bool, error) {
	row, err := s.get(ctx, user, bigtable.ChainFilters(bigtable.FamilyFilter(tables.FamTrust), bigtable.ColumnFilter(dev))) // want ttlread/missing-filter
	if errors.Is(err, ErrNotFound) {
		return false, nil
	}
	return len(row) > 0, err
}

// TrustedLater asks for devices whose trust has more than a month to go.
func (s *DeviceStore) TrustedLater(ctx context.Context, user string) (int, error) {
	f := bigtable.ChainFilters(
		bigtable.FamilyFilter(tables.FamTrust),
		bigtable.TimestampRangeFilter(s.now(), s.now().Add(tables.TrustTTL+time.Hour)), // ok ttlread/upper-bound
	)
	row, err := s.get(ctx, user, f)
	if err != nil {
		return 0, err
	}
	return len(row[tables.FamTrust]), nil
}

// TrustedSoon asks for trust that ends within a day, to remind people.
func (s *DeviceStore) TrustedSoon(ctx context.Context, user string) (int, error) {
	row, err := s.get(ctx, user, bigtable.ChainFilters( // want ttlread/upper-bound[soon]
		bigtable.FamilyFilter(tables.FamTrust),
		bigtable.TimestampRangeFilter(s.now(), s.now().Add(24*time.Hour)), // want ttlread/upper-bound[soon]
	))
	if err != nil {
		return 0, err
	}
	return len(row[tables.FamTrust]), nil
}

// All reads everything of a user's devices.
func (s *DeviceStore) All(ctx context.Context, user string) ([]Device, error) {
	row, err := s.get(ctx, user, bigtable.InterleaveFilters( // ok ttlread/unfiltered-branch
		bigtablex.Family(tables.FamPush, bigtablex.WithinAt(s.now(), tables.PushTTL)),
		bigtablex.Family(tables.FamTrust, bigtablex.LiveAt(s.now())),
	))
	if err != nil {
		return nil, err
	}
	var out []Device
	for _, it := range row[tables.FamPush] {
		d := Device{ID: column(it), PushToken: string(it.Value)}
		d.Updated = it.Timestamp.Time() // want ttlage/not-write-time
		_, d.Trusted = bigtablex.Item(row, tables.FamTrust, d.ID)
		out = append(out, d)
	}
	return out, nil
}

// AllOneBound reads both families under one bound.
func (s *DeviceStore) AllOneBound(ctx context.Context, user string) (int, error) {
	row, err := s.get(ctx, user, bigtable.ChainFilters( // want ttlread/wrong-bound[aob]
		bigtable.FamilyFilter(tables.FamPush+"|"+tables.FamTrust),
		bigtablex.WithinAt(s.now(), tables.PushTTL), // want ttlread/wrong-bound[aob]
	))
	if err != nil {
		return 0, err
	}
	return len(row[tables.FamPush]) + len(row[tables.FamTrust]), nil
}
