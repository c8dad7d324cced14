// Package rawbt speaks the protocol itself. When it was written the Go client had no row stats, no app profile
// per request and no conditional writes in bulk. It does have most of that now; nobody dares to touch this.
package rawbt

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	btpb "cloud.google.com/go/bigtable/apiv2/bigtablepb"
	"google.golang.org/grpc"
)

// Conn is a raw connection.
type Conn struct {
	cl       btpb.BigtableClient
	instance string // projects/p/instances/i
	profile  string
	compat   bool
}

// New wraps a connection.
func New(cc grpc.ClientConnInterface, project, instance, profile string) *Conn {
	return &Conn{cl: btpb.NewBigtableClient(cc), instance: "projects/" + project + "/instances/" + instance, profile: profile}
}

func (c *Conn) table(name string) string { return c.instance + "/tables/" + name }

func micros(t time.Time) int64 { return t.UnixMilli() * 1000 }

func setCell(fam, col string, ts int64, v []byte) *btpb.Mutation {
	return &btpb.Mutation{Mutation: &btpb.Mutation_SetCell_{SetCell: &btpb.Mutation_SetCell{
		FamilyName: fam, ColumnQualifier: []byte(col), TimestampMicros: ts, Value: v,
	}}}
}

func family(name string) *btpb.RowFilter {
	return &btpb.RowFilter{Filter: &btpb.RowFilter_FamilyNameRegexFilter{FamilyNameRegexFilter: name}}
}

func column(name string) *btpb.RowFilter {
	return &btpb.RowFilter{Filter: &btpb.RowFilter_ColumnQualifierRegexFilter{ColumnQualifierRegexFilter: []byte(name)}}
}

func from(t time.Time) *btpb.RowFilter {
	return &btpb.RowFilter{Filter: &btpb.RowFilter_TimestampRangeFilter{TimestampRangeFilter: &btpb.TimestampRange{StartTimestampMicros: micros(t)}}}
}

func newest(n int32) *btpb.RowFilter {
	return &btpb.RowFilter{Filter: &btpb.RowFilter_CellsPerColumnLimitFilter{CellsPerColumnLimitFilter: n}}
}

func chain(fs ...*btpb.RowFilter) *btpb.RowFilter {
	return &btpb.RowFilter{Filter: &btpb.RowFilter_Chain_{Chain: &btpb.RowFilter_Chain{Filters: fs}}}
}

// SaveToken writes a session's token.
func (c *Conn) SaveToken(ctx context.Context, id string, tok []byte, ttl time.Duration) error {
	now := time.Now()
	req := &btpb.MutateRowRequest{
		TableName:    c.table("sessions"),
		AppProfileId: c.profile,
		RowKey:       []byte(id),
		Mutations: []*btpb.Mutation{
			{Mutation: &btpb.Mutation_SetCell_{SetCell: &btpb.Mutation_SetCell{
				FamilyName:      "tok",
				ColumnQualifier: []byte("jwt"),
				TimestampMicros: now.Add(ttl).UnixMilli() * 1000, // ok ttlwrite/write-time
				Value:           tok,
			}}},
			{Mutation: &btpb.Mutation_SetCell_{SetCell: &btpb.Mutation_SetCell{ // want ttlwrite/unset-timestamp
				FamilyName:      "tok",
				ColumnQualifier: []byte("csrf"),
				Value:           tok[:8],
			}}},
			{Mutation: &btpb.Mutation_SetCell_{SetCell: &btpb.Mutation_SetCell{
				FamilyName:      "prof",
				ColumnQualifier: []byte("last"),
				TimestampMicros: -1, // ok ttlwrite/server-timestamp
				Value:           []byte("raw"),
			}}},
		},
	}
	_, err := c.cl.MutateRow(ctx, req)
	return err
}

// SaveTokenV1 is the same in short.
func (c *Conn) SaveTokenV1(ctx context.Context, id string, tok []byte) error {
	muts := []*btpb.Mutation{
		setCell("tok", "jwt", micros(time.Now().Add(30*time.Minute)), tok), // ok ttlwrite/write-time
		setCell("tok", "seen", micros(time.Now()), nil),                    // want ttlwrite/write-time
		setCell("prof", "seen", micros(time.Now()), nil),                   // ok ttlwrite/write-time
	}
	if c.compat {
		muts = append(muts, setCell("tok", "lb", -1, tok[:4])) // want ttlwrite/server-timestamp
	}
	_, err := c.cl.MutateRow(ctx, &btpb.MutateRowRequest{TableName: c.table("sessions"), RowKey: []byte(id), Mutations: muts})
	return err
}

// BookRaw books in bulk, many campaigns in one request.
func (c *Conn) BookRaw(ctx context.Context, amounts map[string]int64, seq int64, enc func(int64) []byte) error {
	req := &btpb.MutateRowsRequest{TableName: c.table("budgets"), AppProfileId: c.profile}
	for campaign, n := range amounts {
		req.Entries = append(req.Entries, &btpb.MutateRowsRequest_Entry{
			RowKey: []byte(campaign),
			Mutations: []*btpb.Mutation{
				setCell("led", "raw", seq*1000, enc(n)), // ok ttlwrite/unscaled-sequence
				setCell("cur", "raw", 0, enc(n)),        // ok ttlwrite/unset-timestamp
				{Mutation: &btpb.Mutation_SetCell_{SetCell: &btpb.Mutation_SetCell{FamilyName: "led", ColumnQualifier: []byte("by"), Value: []byte("raw")}}}, // want ttlwrite/unset-timestamp
				{Mutation: &btpb.Mutation_SetCell_{SetCell: &btpb.Mutation_SetCell{FamilyName: "cur", ColumnQualifier: []byte("by"), Value: []byte("raw")}}}, // ok ttlwrite/unset-timestamp
				setCell("led", "at", micros(time.Now()), enc(n)),   // want ttlwrite/clock-in-sequence
				setCell("audit", "at", micros(time.Now()), enc(n)), // ok ttlwrite/clock-in-sequence
			},
		})
	}
	st, err := c.cl.MutateRows(ctx, req)
	if err != nil {
		return err
	}
	for {
		res, err := st.Recv()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		for _, e := range res.Entries {
			if e.Status != nil && e.Status.Code != 0 {
				return fmt.Errorf("rawbt: entry %d: %s", e.Index, e.Status.Message)
			}
		}
	}
}

// Count increments on the server.
func (c *Conn) Count(ctx context.Context, visitor, campaign string, roll bool) error {
	rules := []*btpb.ReadModifyWriteRule{
		{FamilyName: "roll", ColumnQualifier: []byte("n"), Rule: &btpb.ReadModifyWriteRule_IncrementAmount{IncrementAmount: 1}}, // ok ttlwrite/read-modify-write
	}
	if !roll {
		rules = append(rules, &btpb.ReadModifyWriteRule{FamilyName: "cap", ColumnQualifier: []byte("n"), Rule: &btpb.ReadModifyWriteRule_IncrementAmount{IncrementAmount: 1}}) // want ttlwrite/read-modify-write
	}
	_, err := c.cl.ReadModifyWriteRow(ctx, &btpb.ReadModifyWriteRowRequest{
		TableName: c.table("freqcaps"),
		RowKey:    []byte(visitor + "|" + campaign),
		Rules:     rules,
	})
	return err
}

// read runs a request and gives every cell to f.
func (c *Conn) read(ctx context.Context, req *btpb.ReadRowsRequest, f func(fam, col string, ts int64, v []byte)) error {
	st, err := c.cl.ReadRows(ctx, req)
	if err != nil {
		return err
	}
	var fam, col string
	var buf []byte
	for {
		res, err := st.Recv()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		for _, ch := range res.Chunks {
			if ch.FamilyName != nil {
				fam = ch.FamilyName.Value
			}
			if ch.Qualifier != nil {
				col = string(ch.Qualifier.Value)
			}
			buf = append(buf, ch.Value...)
			if ch.ValueSize == 0 {
				f(fam, col, ch.TimestampMicros, buf)
				buf = nil
			}
		}
	}
}

// Tokens reads all live tokens of a session.
func (c *Conn) Tokens(ctx context.Context, id string) (map[string]string, error) {
	out := map[string]string{}
	err := c.read(ctx, &btpb.ReadRowsRequest{
		TableName: c.table("sessions"),
		Rows:      &btpb.RowSet{RowKeys: [][]byte{[]byte(id)}},
		Filter:    chain(family("tok"), from(time.Now()), newest(1)), // ok ttlread/missing-filter
	}, func(_, col string, _ int64, v []byte) { out[col] = string(v) })
	return out, err
}

// TokensV1 reads all tokens.
func (c *Conn) TokensV1(ctx context.Context, id string) (map[string]string, error) {
	out := map[string]string{}
	req := &btpb.ReadRowsRequest{ // want ttlread/missing-filter[tv1]
		TableName: c.table("sessions"), // want ttlread/missing-filter[tv1]
		Rows:      &btpb.RowSet{RowKeys: [][]byte{[]byte(id)}},
		Filter:    chain(family("tok"), newest(1)), // want ttlread/missing-filter[tv1]
		RowsLimit: 1,
	}
	err := c.read(ctx, req, func(_, col string, _ int64, v []byte) { out[col] = string(v) }) // want ttlread/missing-filter[tv1]
	return out, err
}

// Ledger reads the ledger of a campaign.
func (c *Conn) Ledger(ctx context.Context, campaign string, n int32) ([]string, error) {
	var out []string
	err := c.read(ctx, &btpb.ReadRowsRequest{
		TableName: c.table("budgets"),
		Rows:      &btpb.RowSet{RowKeys: [][]byte{[]byte(campaign)}},
		Filter:    chain(family("led"), newest(3)), // ok ttlread/version-limit
	}, func(_, col string, ts int64, v []byte) { out = append(out, fmt.Sprintf("%s@%d=%x", col, ts/1000, v)) })
	if int(n) < len(out) {
		out = out[:n]
	}
	return out, err
}

// LedgerAll is for the auditors.
func (c *Conn) LedgerAll(ctx context.Context, campaign string) ([]string, error) {
	var out []string
	err := c.read(ctx, &btpb.ReadRowsRequest{ // want ttlread/version-limit[la]
		TableName: c.table("budgets"), // want ttlread/version-limit[la]
		Rows:      &btpb.RowSet{RowKeys: [][]byte{[]byte(campaign)}},
		Filter:    family("led"), // want ttlread/version-limit[la]
	}, func(_, col string, ts int64, v []byte) { out = append(out, fmt.Sprintf("%s@%d=%x", col, ts/1000, v)) })
	return out, err
}

// Ids reads partner ids, younger than their thirty days.
func (c *Conn) Ids(ctx context.Context, visitor string, v1 bool) (map[string]string, error) {
	out := map[string]string{}
	if v1 {
		err := c.read(ctx, &btpb.ReadRowsRequest{ // want ttlread/wrong-bound[ids]
			TableName: c.table("visitors"), // want ttlread/wrong-bound[ids]
			Rows:      &btpb.RowSet{RowKeys: [][]byte{[]byte(visitor)}},
			Filter:    chain(family("idmap"), from(time.Now())), // want ttlread/wrong-bound[ids]
		}, func(_, col string, _ int64, v []byte) { out[col] = string(v) })
		return out, err
	}
	err := c.read(ctx, &btpb.ReadRowsRequest{
		TableName: c.table("visitors"),
		Rows:      &btpb.RowSet{RowKeys: [][]byte{[]byte(visitor)}},
		Filter:    chain(family("idmap"), from(time.Now().Add(-30*24*time.Hour))), // ok ttlread/wrong-bound
	}, func(_, col string, _ int64, v []byte) { out[col] = string(v) })
	return out, err
}

// Lock takes a session's lock.
func (c *Conn) Lock(ctx context.Context, id, owner string) (bool, error) {
	res, err := c.cl.CheckAndMutateRow(ctx, &btpb.CheckAndMutateRowRequest{ // want ttlread/conditional-mutation[rl]
		TableName:       c.table("sessions"),
		RowKey:          []byte(id),
		PredicateFilter: chain(family("tok"), column("lock")), // want ttlread/conditional-mutation[rl]
		FalseMutations: []*btpb.Mutation{
			setCell("tok", "lock", micros(time.Now().Add(10*time.Second)), []byte(owner)), // ok ttlwrite/write-time
		},
	})
	if err != nil {
		return false, err
	}
	return !res.PredicateMatched, nil
}

// Unlock releases it.
func (c *Conn) Unlock(ctx context.Context, id string) error {
	_, err := c.cl.CheckAndMutateRow(ctx, &btpb.CheckAndMutateRowRequest{
		TableName:       c.table("sessions"),
		RowKey:          []byte(id),
		PredicateFilter: chain(family("tok"), column("lock")), // ok ttlread/conditional-mutation
		TrueMutations: []*btpb.Mutation{{Mutation: &btpb.Mutation_DeleteFromColumn_{DeleteFromColumn: &btpb.Mutation_DeleteFromColumn{
			FamilyName: "tok", ColumnQualifier: []byte("lock"),
		}}}},
	})
	return err
}

// LockV2 sees live locks.
func (c *Conn) LockV2(ctx context.Context, id, owner string) (bool, error) {
	res, err := c.cl.CheckAndMutateRow(ctx, &btpb.CheckAndMutateRowRequest{
		TableName:       c.table("sessions"),
		RowKey:          []byte(id),
		PredicateFilter: chain(family("tok"), column("lock"), from(time.Now())), // ok ttlread/conditional-mutation
		FalseMutations: []*btpb.Mutation{
			setCell("tok", "lock", micros(time.Now().Add(10*time.Second)), []byte(owner)),
		},
	})
	if err != nil {
		return false, err
	}
	return !res.PredicateMatched, nil
}

// Short cuts the instance off a table's name.
func Short(name string) string {
	if i := strings.LastIndex(name, "/"); i >= 0 {
		return name[i+1:]
	}
	return name
}
