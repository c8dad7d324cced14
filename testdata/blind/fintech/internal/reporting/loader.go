package reporting

import (
	"context"
	"fmt"
	"time"

	"cloud.google.com/go/bigtable"
	"cloud.google.com/go/bigtable/apiv2/bigtablepb"

	"example.com/payments/internal/schema"
)

// Loader writes through the raw API; the nightly jobs ship prebuilt requests.
type Loader struct {
	api    bigtablepb.BigtableClient
	prefix string
}

// NewLoader writes into an instance.
func NewLoader(api bigtablepb.BigtableClient, project, instance string) *Loader {
	return &Loader{api: api, prefix: fmt.Sprintf("projects/%s/instances/%s/tables/", project, instance)}
}

func (l *Loader) mutate(ctx context.Context, table schema.Table, key string, muts ...*bigtablepb.Mutation) error {
	_, err := l.api.MutateRow(ctx, &bigtablepb.MutateRowRequest{
		TableName: l.prefix + string(table),
		RowKey:    []byte(key),
		Mutations: muts,
	})
	return err
}

// Token loads a token with its expiry.
func (l *Loader) Token(ctx context.Context, subject string, hash []byte, ttl time.Duration) error {
	return l.mutate(ctx, schema.TableOneTime, subject, &bigtablepb.Mutation{Mutation: &bigtablepb.Mutation_SetCell_{
		SetCell: &bigtablepb.Mutation_SetCell{ // ok ttlwrite/unset-timestamp
			FamilyName:      "token",
			ColumnQualifier: []byte("hash"),
			TimestampMicros: time.Now().Add(ttl).UnixMilli() * 1000,
			Value:           hash,
		},
	}})
}

// Channel loads the channel.
func (l *Loader) Channel(ctx context.Context, subject, channel string) error {
	return l.mutate(ctx, schema.TableOneTime, subject, &bigtablepb.Mutation{Mutation: &bigtablepb.Mutation_SetCell_{
		SetCell: &bigtablepb.Mutation_SetCell{FamilyName: "token", ColumnQualifier: []byte("channel"), Value: []byte(channel)}, // want ttlwrite/unset-timestamp
	}})
}

// Outbox loads an event.
func (l *Loader) Outbox(ctx context.Context, id string, body []byte) error {
	return l.mutate(ctx, schema.TablePayouts, id, &bigtablepb.Mutation{Mutation: &bigtablepb.Mutation_SetCell_{
		SetCell: &bigtablepb.Mutation_SetCell{FamilyName: "outbox", ColumnQualifier: []byte("event"), TimestampMicros: -1, Value: body}, // want ttlwrite/clock-in-sequence
	}})
}

// Setting loads a setting; zero is what it wants.
func (l *Loader) Setting(ctx context.Context, id, name, value string) error {
	return l.mutate(ctx, schema.TableMerchants, id, &bigtablepb.Mutation{Mutation: &bigtablepb.Mutation_SetCell_{
		SetCell: &bigtablepb.Mutation_SetCell{FamilyName: "settings", ColumnQualifier: []byte(name), Value: []byte(value)}, // ok ttlwrite/unset-timestamp
	}})
}

// Rate loads a rate.
func (l *Loader) Rate(ctx context.Context, pair string, rate []byte) error {
	return l.mutate(ctx, schema.TableQuotes, "fx#"+pair, &bigtablepb.Mutation{Mutation: &bigtablepb.Mutation_SetCell_{
		SetCell: &bigtablepb.Mutation_SetCell{FamilyName: "fx", ColumnQualifier: []byte("rate"), Value: rate}, // want ttlwrite/unset-timestamp
	}})
}

// Count reads how many events wait, straight from the API.
func (l *Loader) Count(ctx context.Context, id string) (*bigtablepb.ReadRowsRequest, error) {
	return &bigtablepb.ReadRowsRequest{ // ok ttlread/missing-filter
		TableName: "projects/p/instances/i/tables/payouts",
		Rows:      &bigtablepb.RowSet{RowKeys: [][]byte{[]byte(id)}},
		Filter: &bigtablepb.RowFilter{Filter: &bigtablepb.RowFilter_Chain_{Chain: &bigtablepb.RowFilter_Chain{Filters: []*bigtablepb.RowFilter{
			{Filter: &bigtablepb.RowFilter_FamilyNameRegexFilter{FamilyNameRegexFilter: "outbox"}},
			{Filter: &bigtablepb.RowFilter_CellsPerColumnLimitFilter{CellsPerColumnLimitFilter: 1}},
		}}}},
	}, nil
}

// Totals keeps daily totals in aggregate cells.
type Totals struct{ tbl *bigtable.Table }

// NewTotals opens the totals.
func NewTotals(client *bigtable.Client) *Totals { return &Totals{tbl: client.Open("totals")} }

// Add adds to a day's total.
func (t *Totals) Add(ctx context.Context, day time.Time, merchant string, cents int64) error {
	mut := bigtable.NewMutation()
	mut.AddIntToCell("sum", "volume", bigtable.Time(day.Truncate(24*time.Hour)), cents) // ok ttlwrite/aggregate-server-time
	mut.AddIntToCell("sum", "count", bigtable.ServerTime, 1)                            // want ttlwrite/aggregate-server-time
	return t.tbl.Apply(ctx, merchant, mut)
}

// Epoch marks the start of a merchant's totals.
func (t *Totals) Epoch(ctx context.Context, merchant string) error {
	var never time.Time
	mut := bigtable.NewMutation()
	mut.Set("marks", "epoch", bigtable.Time(never), nil)                                       // want ttlunit/out-of-range
	mut.Set("marks", "start", bigtable.Time(time.Unix(0, 0)), nil)                             // ok ttlunit/out-of-range
	mut.Set("marks", "tick", bigtable.Timestamp(1735689600000001), nil)                        // want ttlunit/sub-millisecond
	mut.Set("marks", "tock", bigtable.Timestamp(1735689600000000), nil)                        // ok ttlunit/sub-millisecond
	mut.Set("marks", "far", bigtable.Time(time.Date(9999, 12, 31, 0, 0, 0, 0, time.UTC)), nil) // want ttlunit/out-of-range
	return t.tbl.Apply(ctx, merchant, mut)
}

// Stamp notes when a total was last touched, in the unit that the BI tool has.
func (t *Totals) Stamp(ctx context.Context, merchant string, at time.Time, grace time.Duration) error {
	mut := bigtable.NewMutation()
	mut.Set("marks", "touched", bigtable.Timestamp(at.UnixMilli()), nil)                      // want ttlunit/wrong-unit
	mut.Set("marks", "grace", bigtable.Timestamp(grace), nil)                                 // want ttlunit/wrong-unit
	mut.Set("marks", "until", bigtable.Now()+bigtable.Timestamp(10*time.Minute), nil)         // want ttlunit/wrong-unit
	mut.Set("marks", "later", bigtable.Now()+bigtable.Timestamp(grace/time.Microsecond), nil) // ok ttlunit/wrong-unit
	return t.tbl.Apply(ctx, merchant, mut)
}

// Policy is what the totals' tables get.
func Policy(days int) []bigtable.GCPolicy {
	return []bigtable.GCPolicy{
		bigtable.MaxAgePolicy(86400),                                // want ttlunit/age-unit
		bigtable.MaxAgePolicy(-24 * time.Hour),                      // want ttlunit/age-unit
		bigtable.MaxAgePolicy(time.Duration(days) * 24 * time.Hour), // ok ttlunit/age-unit
		bigtable.MaxAgePolicy(86400 * time.Second),                  // ok ttlunit/age-unit
	}
}
