// rawput sends requests as messages, for what the client cannot do: a header
// of our own on each call, and requests that the gateway recorded.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"time"

	"cloud.google.com/go/bigtable"
	btpb "cloud.google.com/go/bigtable/apiv2/bigtablepb"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/metadata"
	"google.golang.org/protobuf/encoding/protojson"

	"github.com/tramway/btops/internal/btx"
)

var (
	opts   btx.Options
	addr   = flag.String("addr", "bigtable.googleapis.com:443", "where to")
	ticket = flag.String("ticket", "", "number of the ticket, goes into the header")
)

func main() {
	opts.Register(flag.CommandLine)
	flag.Parse()
	ctx, cancel := opts.Context()
	defer cancel()
	creds := credentials.NewTLS(nil)
	if opts.Endpoint != "" {
		*addr, creds = opts.Endpoint, insecure.NewCredentials()
	}
	conn, err := grpc.NewClient(*addr, grpc.WithTransportCredentials(creds))
	btx.Fatal(err)
	defer conn.Close()
	s := &sender{c: btpb.NewBigtableClient(conn)}
	ctx = metadata.AppendToOutgoingContext(ctx, "x-ticket", *ticket)
	switch args := flag.Args(); {
	case len(args) == 3 && args[0] == "token":
		err = s.token(ctx, args[1], args[2])
	case len(args) == 2 && args[0] == "read":
		err = s.read(ctx, args[1])
	case len(args) == 2 && args[0] == "take":
		err = s.take(ctx, args[1])
	case len(args) == 2 && args[0] == "entry":
		err = s.entry(ctx, args[1])
	case len(args) == 1 && args[0] == "recorded":
		err = s.recorded(ctx, os.Stdin)
	default:
		err = errors.New("token RIDER JWT, read RIDER, take LOCK, entry ACCOUNT or recorded?")
	}
	btx.Fatal(err)
}

type sender struct{ c btpb.BigtableClient }

func tableName(name string) string {
	return fmt.Sprintf("projects/%s/instances/%s/tables/%s", opts.Project, opts.Instance, name)
}

func setCell(family, column string, ts bigtable.Timestamp, value []byte) *btpb.Mutation {
	return &btpb.Mutation{Mutation: &btpb.Mutation_SetCell_{SetCell: &btpb.Mutation_SetCell{
		FamilyName:      family,
		ColumnQualifier: []byte(column),
		TimestampMicros: int64(ts.TruncateToMilliseconds()),
		Value:           value,
	}}}
}

func (s *sender) token(ctx context.Context, rider, jwt string) error {
	exp := time.Now().Add(30 * time.Minute).Truncate(time.Millisecond)
	req := &btpb.MutateRowRequest{
		TableName: tableName("sessions"),
		RowKey:    []byte("s#" + rider),
		Mutations: []*btpb.Mutation{
			setCell("token", "jwt", bigtable.Time(exp), []byte(jwt)),                                                                                                              // ok ttlwrite/write-time
			setCell("token", "source", bigtable.Now(), []byte("rawput")),                                                                                                          // want ttlwrite/write-time
			setCell("profile", "source", bigtable.Now(), []byte("rawput")),                                                                                                        // ok ttlwrite/write-time
			{Mutation: &btpb.Mutation_SetCell_{SetCell: &btpb.Mutation_SetCell{FamilyName: "device", ColumnQualifier: []byte("raw"), Value: []byte("1")}}},                        // want ttlwrite/unset-timestamp
			{Mutation: &btpb.Mutation_SetCell_{SetCell: &btpb.Mutation_SetCell{FamilyName: "profile", ColumnQualifier: []byte("raw"), Value: []byte("1")}}},                       // ok ttlwrite/unset-timestamp
			{Mutation: &btpb.Mutation_SetCell_{SetCell: &btpb.Mutation_SetCell{FamilyName: "device", ColumnQualifier: []byte("ok"), TimestampMicros: exp.UnixMicro()}}},           // ok ttlwrite/unset-timestamp
			{Mutation: &btpb.Mutation_SetCell_{SetCell: &btpb.Mutation_SetCell{FamilyName: "token", ColumnQualifier: []byte("server"), TimestampMicros: -1, Value: []byte("1")}}}, // want ttlwrite/server-timestamp
		},
	}
	if opts.DryRun {
		fmt.Println(protojson.Format(req))
		return nil
	}
	_, err := s.c.MutateRow(ctx, req)
	return err
}

// stream prints what a read returns.
func (s *sender) stream(ctx context.Context, req *btpb.ReadRowsRequest) error {
	st, err := s.c.ReadRows(ctx, req)
	if err != nil {
		return err
	}
	for {
		resp, err := st.Recv()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		for _, c := range resp.Chunks {
			fmt.Printf("%s %s:%s %d %q\n", c.RowKey, c.FamilyName.GetValue(), c.Qualifier.GetValue(), c.TimestampMicros, c.Value)
		}
	}
}

func (s *sender) read(ctx context.Context, rider string) error {
	rows := &btpb.RowSet{RowKeys: [][]byte{[]byte("s#" + rider)}}
	fmt.Println("all:")
	all := &btpb.ReadRowsRequest{TableName: tableName("sessions"), Rows: rows} // want ttlread/missing-filter[rawall]
	if err := s.stream(ctx, all); err != nil {                                 // want ttlread/missing-filter[rawall]
		return err
	}
	fmt.Println("profile:")
	profile := &btpb.ReadRowsRequest{TableName: tableName("sessions"), Rows: rows, Filter: family("profile")} // ok ttlread/missing-filter
	if err := s.stream(ctx, profile); err != nil {
		return err
	}
	fmt.Println("live tokens:")
	live := &btpb.RowFilter{Filter: &btpb.RowFilter_Chain_{Chain: &btpb.RowFilter_Chain{Filters: []*btpb.RowFilter{
		family("token"),
		{Filter: &btpb.RowFilter_TimestampRangeFilter{TimestampRangeFilter: &btpb.TimestampRange{
			StartTimestampMicros: time.Now().Truncate(time.Millisecond).UnixMicro(), // ok ttlread/wrong-bound
		}}},
	}}}}
	return s.stream(ctx, &btpb.ReadRowsRequest{TableName: tableName("sessions"), Rows: rows, Filter: live}) // ok ttlread/missing-filter
}

func family(name string) *btpb.RowFilter {
	return &btpb.RowFilter{Filter: &btpb.RowFilter_FamilyNameRegexFilter{FamilyNameRegexFilter: name}}
}

// take takes a lock that nobody holds.
func (s *sender) take(ctx context.Context, name string) error {
	now := time.Now().Truncate(time.Millisecond)
	req := &btpb.CheckAndMutateRowRequest{ // want ttlread/conditional-mutation[rawtake]
		TableName:       tableName("locks"),
		RowKey:          []byte(name),
		PredicateFilter: family("lease"), // want ttlread/conditional-mutation[rawtake]
		FalseMutations: []*btpb.Mutation{
			setCell("lease", "host", bigtable.Time(now.Add(20*time.Second)), []byte("rawput")), // ok ttlwrite/write-time
			setCell("owner", "host", bigtable.Time(now), []byte("rawput")),                     // ok ttlwrite/write-time
		},
	}
	resp, err := s.c.CheckAndMutateRow(ctx, req) // want ttlread/conditional-mutation[rawtake]
	if err != nil {
		return err
	}
	if resp.PredicateMatched {
		return fmt.Errorf("%s is held", name)
	}
	return nil
}

// entry appends to a ledger.
func (s *sender) entry(ctx context.Context, account string) error {
	req := &btpb.ReadModifyWriteRowRequest{
		TableName: tableName("prod-north-ledger"),
		RowKey:    []byte("a#" + account),
		Rules: []*btpb.ReadModifyWriteRule{
			{FamilyName: "entry", ColumnQualifier: []byte("log"), Rule: &btpb.ReadModifyWriteRule_AppendValue{AppendValue: []byte("raw;")}}, // want ttlwrite/read-modify-write
			{FamilyName: "total", ColumnQualifier: []byte("raw"), Rule: &btpb.ReadModifyWriteRule_IncrementAmount{IncrementAmount: 1}},      // want ttlwrite/read-modify-write
		},
	}
	_, err := s.c.ReadModifyWriteRow(ctx, req)
	return err
}

// recorded sends what the gateway wrote down.
func (s *sender) recorded(ctx context.Context, r io.Reader) error {
	b, err := io.ReadAll(r)
	if err != nil {
		return err
	}
	var req btpb.MutateRowRequest
	if err := protojson.Unmarshal(b, &req); err != nil {
		return err
	}
	_, err = s.c.MutateRow(ctx, &req) // ok ttlwrite/unset-timestamp
	return err
}
