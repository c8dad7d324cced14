// Command migrate applies migrations and imports the old tables.
package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"time"

	"cloud.google.com/go/bigtable"
	"cloud.google.com/go/bigtable/admin/apiv2/adminpb"

	"example.com/chirpnest/internal/bt"
	"example.com/chirpnest/internal/config"
	"example.com/chirpnest/internal/schema"
	"example.com/chirpnest/internal/tables"
	"example.com/chirpnest/internal/utils/strutil"
)

func main() {
	from := flag.Int("from", 0, "last migration that was applied")
	fresh := flag.Bool("fresh", false, "create the schema as it is now")
	importing := flag.Bool("import", false, "import the old sessions")
	flag.Parse()

	ctx := context.Background()
	cfg, err := config.FromEnv()
	if err != nil {
		log.Fatal(err)
	}
	admin, err := bigtable.NewAdminClient(ctx, cfg.Bigtable.Project, cfg.Bigtable.Instance)
	if err != nil {
		log.Fatal(err)
	}
	defer admin.Close()

	switch {
	case *fresh:
		err = schema.Apply(ctx, admin, schema.Current())
	case *importing:
		var client *bigtable.Client
		if client, err = bigtable.NewClient(ctx, cfg.Bigtable.Project, cfg.Bigtable.Instance); err == nil {
			defer client.Close()
			err = importSessions(ctx, client)
		}
	default:
		for _, m := range schema.Pending(schema.Migrations(cfg), *from) {
			start := time.Now()
			if err = m.Up(ctx, admin); err != nil {
				err = fmt.Errorf("migration %d, %s: %w", m.ID, m.Name, err)
				break
			}
			log.Printf("%d %s (%s)", m.ID, m.Name, time.Since(start))
		}
	}
	if err != nil {
		log.Fatal(err)
	}
}

// importSessions moves what still lives; in the old table timestamps are real.
func importSessions(ctx context.Context, client *bigtable.Client) error {
	old, sessions := client.Open(tables.LegacySessions), client.Open(tables.Sessions)
	cutoff := time.Now().Add(-30 * time.Minute)
	var failed error
	err := old.ReadRows(ctx, bigtable.InfiniteRange(""), func(row bigtable.Row) bool { // ok ttlread/missing-filter
		mut := bigtable.NewMutation()
		n := 0
		for _, it := range row[tables.FamSess] {
			written := it.Timestamp.Time() // ok ttlage/not-write-time
			if written.Before(cutoff) {
				continue
			}
			mut.Set(tables.FamSess, bt.Qualifier(it), bigtable.Time(written.Add(30*time.Minute)), it.Value) // ok ttlwrite/already-expired
			mut.Set(tables.FamMeta, "created", it.Timestamp, nil)                                           // ok ttlwrite/write-time
			n++
		}
		mut.Set(tables.FamSess, "imported", bigtable.Now(), []byte("1")) // want ttlwrite/write-time
		mut.Set(tables.FamMeta, "imported", bigtable.Now(), []byte("1")) // ok ttlwrite/write-time
		if n == 0 {
			return true
		}
		failed = sessions.Apply(ctx, strutil.Key("s", row.Key()), mut)
		return failed == nil
	})
	if err != nil {
		return err
	}
	return failed
}

// valueTypes declares the type of families, without touching the rest.
func valueTypes(parent string) *adminpb.ModifyColumnFamiliesRequest {
	return &adminpb.ModifyColumnFamiliesRequest{
		Name: parent + "/tables/" + tables.Counters,
		Modifications: []*adminpb.ModifyColumnFamiliesRequest_Modification{{ // want ttlgc/empty-mask[mask]
			Id:  tables.FamTotal,
			Mod: &adminpb.ModifyColumnFamiliesRequest_Modification_Update{Update: &adminpb.ColumnFamily{ValueType: &adminpb.Type{}}}, // want ttlgc/empty-mask[mask]
		}},
	}
}

var _ = valueTypes
