// Package declared sees the package that declares its tables with the runtime
// package, so that fixes use what that declares.
package declared

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/cases/runtime_helpers/schema"
)

type store struct {
	logins, visits, books, prefs, trips *bigtable.Table
}

func open(c *bigtable.Client) *store {
	return &store{
		logins: c.Open(schema.Logins.Name()), visits: c.Open("visits"), books: c.Open("books"),
		prefs: c.Open("prefs"), trips: c.Open("trips"),
	}
}

func (s *store) grant(ctx context.Context, key string, jwt []byte) error {
	mut := bigtable.NewMutation()
	mut.Set("grant", "jwt", bigtable.ServerTime, jwt) // want `server-timestamp: .*"grant"`
	mut.Set("grant", "csrf", bigtable.Now(), nil)     // want `write-time: .*"grant"`
	return s.logins.Apply(ctx, key, mut)
}

func (s *store) several(ctx context.Context, key string) (int, []byte, error) {
	mut := bigtable.NewMutation()
	if len(key) > 3 {
		mut.Set("grant", "jwt", bigtable.Time(time.Now()), nil) // want `write-time: .*"grant"`
	}
	return 1, nil, s.logins.Apply(ctx, key, mut)
}

// No error can be returned: what is written is the timestamp.
func noError(mut *bigtable.Mutation) {
	mut.Set("grant", "jwt", bigtable.ServerTime, nil) // want `server-timestamp: .*"grant"`
}

func inClosure(mut *bigtable.Mutation, each func(func() error)) {
	each(func() error {
		mut.Set("grant", "jwt", bigtable.ServerTime, nil) // want `server-timestamp: .*"grant"`
		return nil
	})
}

func (s *store) book(ctx context.Context, key string, values [][]byte) error {
	mut := bigtable.NewMutation()
	for i, v := range values {
		mut.Set("amount", "eur", bigtable.Timestamp(i), v) // want `unscaled-sequence: .*"amount"`
	}
	mut.Set("amount", "usd", 17, nil) // want `unscaled-sequence: .*"amount"`
	return s.books.Apply(ctx, key, mut)
}

func (s *store) prefer(ctx context.Context, key string) error {
	mut := bigtable.NewMutation()
	mut.Set("pref", "lang", bigtable.Now(), nil) // want `clock-in-zero: .*"pref"`
	return s.prefs.Apply(ctx, key, mut)
}

// The clock of the program stays.
func (s *store) clock(ctx context.Context, key string, now func() time.Time) error {
	mut := bigtable.NewMutation()
	mut.Set("grant", "jwt", bigtable.Time(now()), nil) // want `write-time: .*"grant"`
	return s.logins.Apply(ctx, key, mut)
}

func (s *store) clocked(ctx context.Context) error { return s.clock(ctx, "k", time.Now) }

// Reads.

func (s *store) read(ctx context.Context, key string) (bigtable.Row, error) {
	return s.logins.ReadRow(ctx, key) // want `missing-filter: .*"grant"`
}

func (s *store) readColumn(ctx context.Context, key string) (bigtable.Row, error) {
	return s.logins.ReadRow(ctx, key, bigtable.RowFilter(bigtable.ColumnFilter("jwt"))) // want `missing-filter: .*"grant"`
}

func (s *store) readChain(ctx context.Context, key string) (bigtable.Row, error) {
	return s.trips.ReadRow(ctx, key, bigtable.RowFilter(bigtable.ChainFilters( // want `missing-filter: .*` `version-limit: .*`
		bigtable.ColumnFilter("jwt"), // the newest
		bigtable.StripValueFilter(),
	)), bigtable.LimitRows(1))
}

func (s *store) readHiding(ctx context.Context, key string) (bigtable.Row, error) {
	return s.logins.ReadRow(ctx, key, bigtable.RowFilter(bigtable.TimestampRangeFilter(time.Now(), time.Time{}))) // want `hides-other-families: .*"person"`
}

func (s *store) readTwice(ctx context.Context, key string) (bigtable.Row, error) {
	return s.logins.ReadRow(ctx, key, schema.Logins.Live(), bigtable.RowFilter(bigtable.ColumnFilter("jwt"))) // want `overridden-filter: `
}

var kept = schema.Visits.Live()

func (s *store) readKept(ctx context.Context, key string) (bigtable.Row, error) {
	return s.visits.ReadRow(ctx, key, kept) // want `stale-bound: .*"visit"`
}

func (s *store) condition(ctx context.Context, key string) error {
	set := bigtable.NewMutation()
	if err := schema.Grant.Set(set, "lock", nil); err != nil {
		return err
	}
	return s.logins.Apply(ctx, key, bigtable.NewCondMutation(bigtable.ColumnFilter("lock"), nil, set)) // want `conditional-mutation: .*"grant"`
}

// A family that the declaration lacks is read by plain filters.
func (s *store) readMore(ctx context.Context, key string) ([]bigtable.ReadItem, error) {
	row, err := s.logins.ReadRow(ctx, key) // want `missing-filter: .*"grant"`
	return append(row["grant"], row["audit"]...), err
}

// Policies.

func create(ctx context.Context, ac *bigtable.AdminClient) error {
	return ac.CreateTableFromConf(ctx, &bigtable.TableConf{TableID: "logins", ColumnFamilies: map[string]bigtable.Family{"grant": {GCPolicy: bigtable.MaxAgePolicy(24 * time.Hour)}, "person": {GCPolicy: bigtable.MaxVersionsPolicy(1)}}}) // want `age-mismatch: .*"grant"`
}

func createVisits(ctx context.Context, ac *bigtable.AdminClient) error {
	return ac.CreateTableFromConf(ctx, &bigtable.TableConf{TableID: "visits", ColumnFamilies: map[string]bigtable.Family{"visit": {GCPolicy: bigtable.MaxAgePolicy(24 * time.Hour)}}}) // want `age-mismatch: .*"visit"`
}

// What a comment says of a policy stays.
func createCommented(ctx context.Context, ac *bigtable.AdminClient) error {
	return ac.CreateTableFromConf(ctx, &bigtable.TableConf{
		TableID: "logins",
		ColumnFamilies: map[string]bigtable.Family{
			"grant":  {GCPolicy: bigtable.MaxAgePolicy(24 * time.Hour)}, // want `age-mismatch: .*"grant"`
			"person": {GCPolicy: bigtable.MaxVersionsPolicy(1)},
		},
	})
}

// With another family, or another setting, it is more than the declaration.
func createMore(ctx context.Context, ac *bigtable.AdminClient) error {
	return ac.CreateTableFromConf(ctx, &bigtable.TableConf{
		TableID: "visits",
		ColumnFamilies: map[string]bigtable.Family{
			"visit": {GCPolicy: bigtable.MaxAgePolicy(24 * time.Hour)}, // want `age-mismatch: .*"visit"`
			"audit": {GCPolicy: bigtable.MaxVersionsPolicy(1)},
		},
	})
}
