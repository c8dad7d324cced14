// Bulkload writes with the service's own messages, which is faster for millions of rows.
package main

import (
	"context"
	"errors"
	"io"
	"log"
	"time"

	"cloud.google.com/go/bigtable/apiv2/bigtablepb"

	"northlane.example/parcel/internal/config"
)

type loader struct {
	c        bigtablepb.BigtableClient
	instance string
}

func (l *loader) send(ctx context.Context, table string, entries []*bigtablepb.MutateRowsRequest_Entry) error {
	st, err := l.c.MutateRows(ctx, &bigtablepb.MutateRowsRequest{TableName: l.instance + "/tables/" + table, Entries: entries})
	if err != nil {
		return err
	}
	for {
		if _, err := st.Recv(); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
	}
}

func set(fam, col string, micros int64, v []byte) *bigtablepb.Mutation {
	return &bigtablepb.Mutation{Mutation: &bigtablepb.Mutation_SetCell_{SetCell: &bigtablepb.Mutation_SetCell{
		FamilyName:      fam,
		ColumnQualifier: []byte(col),
		TimestampMicros: micros,
		Value:           v,
	}}}
}

func (l *loader) tokens(ctx context.Context, rows map[string][]byte) error {
	var entries []*bigtablepb.MutateRowsRequest_Entry
	for key, v := range rows {
		entries = append(entries, &bigtablepb.MutateRowsRequest_Entry{RowKey: []byte(key), Mutations: []*bigtablepb.Mutation{
			set("token", "jwt", -1, v), // want ttlwrite/server-timestamp
			set("token", "refresh", time.Now().Add(time.Hour).UnixMilli()*1000, v), // ok ttlwrite/server-timestamp
			set("device", "model", -1, v),                                          // ok ttlwrite/server-timestamp
			{Mutation: &bigtablepb.Mutation_SetCell_{SetCell: &bigtablepb.Mutation_SetCell{ // want ttlwrite/unset-timestamp[raw]
				FamilyName: "token", ColumnQualifier: []byte("loaded"), Value: v, // want ttlwrite/unset-timestamp[raw]
			}}},
		}})
	}
	return l.send(ctx, "sessions", entries)
}

func (l *loader) tariffs(ctx context.Context, rows map[string][]byte) error {
	var entries []*bigtablepb.MutateRowsRequest_Entry
	for key, v := range rows {
		cell := &bigtablepb.Mutation_SetCell{FamilyName: "tariff", ColumnQualifier: []byte("std"), Value: v} // ok ttlwrite/unset-timestamp
		price := &bigtablepb.Mutation_SetCell{FamilyName: "price", ColumnQualifier: []byte("std"), Value: v} // want ttlwrite/unset-timestamp
		entries = append(entries, &bigtablepb.MutateRowsRequest_Entry{RowKey: []byte(key), Mutations: []*bigtablepb.Mutation{
			{Mutation: &bigtablepb.Mutation_SetCell_{SetCell: cell}},
			{Mutation: &bigtablepb.Mutation_SetCell_{SetCell: price}},
		}})
	}
	return l.send(ctx, "rates", entries)
}

func main() {
	cfg, err := config.FromEnv()
	if err != nil {
		log.Fatal(err)
	}
	l := &loader{instance: "projects/" + cfg.Project + "/instances/" + cfg.Instance}
	if l.c == nil {
		log.Fatal("bulkload: no connection configured")
	}
	if err := errors.Join(l.tokens(context.Background(), nil), l.tariffs(context.Background(), nil)); err != nil {
		log.Fatal(err)
	}
}
