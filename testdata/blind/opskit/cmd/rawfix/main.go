// rawfix speaks to the data API directly, for what the client does not let one do. Do not run on Fridays.
package main

import (
	"context"
	"crypto/tls"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"time"

	"cloud.google.com/go/bigtable/apiv2/bigtablepb"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
)

var (
	endpoint = flag.String("endpoint", "bigtable.googleapis.com:443", "data API")
	parent   = flag.String("parent", "projects/acme-prod/instances/core", "instance")
	timeout  = flag.Duration("timeout", time.Minute, "timeout")
	dry      = flag.Bool("n", true, "print only")
)

func tableName(t string) string { return *parent + "/tables/" + t }

func main() {
	flag.Parse()
	if flag.NArg() < 2 {
		fmt.Fprintln(os.Stderr, "usage: rawfix hold|token|entry|count|look KEY")
		os.Exit(2)
	}
	conn, err := grpc.NewClient(*endpoint, grpc.WithTransportCredentials(credentials.NewTLS(&tls.Config{})))
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	defer conn.Close()
	ctx, cancel := context.WithTimeout(context.Background(), *timeout)
	defer cancel()
	if err := run(ctx, bigtablepb.NewBigtableClient(conn), flag.Arg(0), flag.Arg(1)); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context, c bigtablepb.BigtableClient, cmd, key string) error {
	switch cmd {
	case "hold":
		return mutate(ctx, c, "projects/acme-prod/instances/core/tables/payments", key, hold(key))
	case "token":
		return mutate(ctx, c, "projects/acme-prod/instances/core/tables/sessions", key, token(key))
	case "curve":
		return mutate(ctx, c, "projects/acme-prod/instances/core/tables/rates", key, curve(key, 7))
	case "count":
		return count(ctx, c, key)
	case "look":
		return look(ctx, c, key)
	default:
		return fmt.Errorf("unknown command %q", cmd)
	}
}

func mutate(ctx context.Context, c bigtablepb.BigtableClient, table, key string, ms []*bigtablepb.Mutation) error {
	req := &bigtablepb.MutateRowRequest{TableName: table, RowKey: []byte(key), Mutations: ms}
	if *dry {
		fmt.Println(req.String())
		return nil
	}
	_, err := c.MutateRow(ctx, req)
	return err
}

func set(sc *bigtablepb.Mutation_SetCell) *bigtablepb.Mutation {
	return &bigtablepb.Mutation{Mutation: &bigtablepb.Mutation_SetCell_{SetCell: sc}}
}

// hold puts a broken hold right.
func hold(key string) []*bigtablepb.Mutation {
	exp := time.Now().Add(15*time.Minute).UnixMilli() * 1000
	return []*bigtablepb.Mutation{
		set(&bigtablepb.Mutation_SetCell{FamilyName: "hold", ColumnQualifier: []byte("amount"), TimestampMicros: exp, Value: []byte("0")}), // ok ttlwrite/unset-timestamp
		set(&bigtablepb.Mutation_SetCell{FamilyName: "hold", ColumnQualifier: []byte("state"), Value: []byte("fixed")}),                    // want ttlwrite/unset-timestamp
		set(&bigtablepb.Mutation_SetCell{FamilyName: "idem", ColumnQualifier: []byte(key), TimestampMicros: -1, Value: []byte("fixed")}),   // want ttlwrite/server-timestamp
		set(&bigtablepb.Mutation_SetCell{FamilyName: "detail", ColumnQualifier: []byte("fixed"), TimestampMicros: -1, Value: []byte("1")}), // ok ttlwrite/server-timestamp
	}
}

// token gives somebody half an hour.
func token(key string) []*bigtablepb.Mutation {
	now := time.Now()
	return []*bigtablepb.Mutation{
		set(&bigtablepb.Mutation_SetCell{FamilyName: "token", ColumnQualifier: []byte("fix"), TimestampMicros: now.Add(30*time.Minute).UnixMilli() * 1000, Value: []byte(key)}), // ok ttlwrite/write-time
		set(&bigtablepb.Mutation_SetCell{FamilyName: "token", ColumnQualifier: []byte("by"), TimestampMicros: now.UnixMilli() * 1000, Value: []byte("rawfix")}),                 // want ttlwrite/write-time
		set(&bigtablepb.Mutation_SetCell{FamilyName: "profile", ColumnQualifier: []byte("by"), TimestampMicros: now.UnixMilli() * 1000, Value: []byte("rawfix")}),               // ok ttlwrite/write-time
	}
}

// curve writes one point by hand.
func curve(key string, n int64) []*bigtablepb.Mutation {
	del := &bigtablepb.Mutation{Mutation: &bigtablepb.Mutation_DeleteFromColumn_{DeleteFromColumn: &bigtablepb.Mutation_DeleteFromColumn{FamilyName: "curve", ColumnQualifier: []byte(key)}}}
	return []*bigtablepb.Mutation{
		del,
		set(&bigtablepb.Mutation_SetCell{FamilyName: "curve", ColumnQualifier: []byte(key), TimestampMicros: n * 1000, Value: []byte("0.02")}), // ok ttlwrite/unset-timestamp
		set(&bigtablepb.Mutation_SetCell{FamilyName: "curve", ColumnQualifier: []byte("fixed"), Value: []byte("1")}),                           // want ttlwrite/unset-timestamp
		set(&bigtablepb.Mutation_SetCell{FamilyName: "curve", ColumnQualifier: []byte("at"), TimestampMicros: -1, Value: []byte("1")}),         // want ttlwrite/clock-in-sequence
		set(&bigtablepb.Mutation_SetCell{FamilyName: "quote", ColumnQualifier: []byte("at"), TimestampMicros: -1, Value: []byte("1")}),         // ok ttlwrite/server-timestamp
		set(&bigtablepb.Mutation_SetCell{FamilyName: "quote", ColumnQualifier: []byte("base"), Value: []byte("EUR")}),                          // want ttlwrite/unset-timestamp
	}
}

// count raises a counter.
func count(ctx context.Context, c bigtablepb.BigtableClient, key string) error {
	req := &bigtablepb.ReadModifyWriteRowRequest{
		TableName: tableName("velocity"),
		RowKey:    []byte(key),
		Rules: []*bigtablepb.ReadModifyWriteRule{
			{FamilyName: "window", ColumnQualifier: []byte("n"), Rule: &bigtablepb.ReadModifyWriteRule_IncrementAmount{IncrementAmount: 1}}, // want ttlwrite/read-modify-write
		},
	}
	_, err := c.ReadModifyWriteRow(ctx, req)
	return err
}

// look reads a row as it is on disk.
func look(ctx context.Context, c bigtablepb.BigtableClient, key string) error {
	req := &bigtablepb.ReadRowsRequest{ // want ttlread/missing-filter[look]
		TableName: "projects/acme-prod/instances/core/tables/sessions", // want ttlread/missing-filter[look]
		Rows:      &bigtablepb.RowSet{RowKeys: [][]byte{[]byte(key)}},
		Filter:    &bigtablepb.RowFilter{Filter: &bigtablepb.RowFilter_CellsPerColumnLimitFilter{CellsPerColumnLimitFilter: 1}}, // want ttlread/missing-filter[look]
	}
	stream, err := c.ReadRows(ctx, req) // want ttlread/missing-filter[look]
	if err != nil {
		return err
	}
	if err := drain(stream); err != nil {
		return err
	}
	live := &bigtablepb.ReadRowsRequest{ // ok ttlread/missing-filter
		TableName: "projects/acme-prod/instances/core/tables/sessions",
		Rows:      &bigtablepb.RowSet{RowKeys: [][]byte{[]byte(key)}},
		Filter: &bigtablepb.RowFilter{Filter: &bigtablepb.RowFilter_Chain_{Chain: &bigtablepb.RowFilter_Chain{Filters: []*bigtablepb.RowFilter{
			{Filter: &bigtablepb.RowFilter_FamilyNameRegexFilter{FamilyNameRegexFilter: "token"}},
			{Filter: &bigtablepb.RowFilter_TimestampRangeFilter{TimestampRangeFilter: &bigtablepb.TimestampRange{StartTimestampMicros: time.Now().UnixMilli() * 1000}}},
		}}}},
	}
	if stream, err = c.ReadRows(ctx, live); err != nil {
		return err
	}
	return drain(stream)
}

func drain(stream grpc.ServerStreamingClient[bigtablepb.ReadRowsResponse]) error {
	for {
		resp, err := stream.Recv()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		for _, ch := range resp.Chunks {
			fmt.Printf("%s\t%s\t%d\t%q\n", ch.FamilyName.GetValue(), ch.Qualifier.GetValue(), ch.TimestampMicros, ch.Value)
		}
	}
}
