// Command lbtool is what operators run by hand: exports, repairs, one-off reads.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"os"
	"strconv"
	"time"

	"cloud.google.com/go/bigtable"
	"cloud.google.com/go/bigtable/apiv2/bigtablepb"

	"studio.example/leaderbd/internal/board"
	"studio.example/leaderbd/internal/kit"
	"studio.example/leaderbd/internal/players"
	"studio.example/leaderbd/internal/schema"
	"studio.example/leaderbd/internal/vault"
)

type tool struct {
	c    *bigtable.Client
	log  *slog.Logger
	out  *json.Encoder
	args []string
}

func (t *tool) arg(i int) string {
	if i < len(t.args) {
		return t.args[i]
	}
	return ""
}

var tools = map[string]func(*tool, context.Context) error{
	"export":   (*tool).export,
	"totals":   (*tool).totals,
	"repair":   (*tool).repair,
	"filters":  (*tool).filters,
	"sql":      (*tool).sql,
	"raw":      (*tool).raw,
	"import":   (*tool).importCSV,
	"sessions": (*tool).sessions,
	"copy":     (*tool).copy,
}

func main() {
	project := flag.String("project", os.Getenv("LB_PROJECT"), "project")
	instance := flag.String("instance", os.Getenv("LB_INSTANCE"), "instance")
	flag.Parse()
	log := slog.New(slog.NewTextHandler(os.Stderr, nil))
	run, ok := tools[flag.Arg(0)]
	if !ok {
		fmt.Fprintln(os.Stderr, "usage: lbtool [flags] tool [arguments]; tools:", kit.SortedKeys(tools))
		os.Exit(2)
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Hour)
	defer cancel()
	c, err := bigtable.NewClient(ctx, *project, *instance)
	if err != nil {
		log.Error("client", "err", err)
		os.Exit(1)
	}
	defer c.Close()
	if err := run(&tool{c, log, json.NewEncoder(os.Stdout), flag.Args()[1:]}, ctx); err != nil {
		log.Error(flag.Arg(0), "err", err)
		os.Exit(1)
	}
}

// export writes a player's vault, as it is.
func (t *tool) export(ctx context.Context) error {
	v := vault.New(t.c, t.log)
	for _, player := range t.args {
		row, err := v.Raw(ctx, player)
		if err != nil {
			return err
		}
		for fam, items := range row {
			for _, it := range items {
				if err := t.out.Encode(map[string]any{"family": fam, "column": it.Column, "value": it.Value}); err != nil {
					return err
				}
			}
		}
		all, err := v.Everything(ctx, player)
		if err != nil {
			return err
		}
		if err := t.out.Encode(all); err != nil {
			return err
		}
	}
	return nil
}

// totals writes a board's total into both tables.
func (t *tool) totals(ctx context.Context) error {
	total, err := strconv.ParseInt(t.arg(1), 10, 64)
	if err != nil {
		return err
	}
	scores, archive := t.c.Open(schema.Scores), t.c.Open(schema.ScoreArchive)
	if err := archive.Apply(ctx, t.arg(0), board.Snapshot(total)); err != nil { // ok ttlwrite/clock-in-sequence
		return err
	}
	if err := scores.Apply(ctx, t.arg(0)+"#numbered", board.Numbered(7, total)); err != nil { // ok ttlwrite/clock-in-sequence
		return err
	}
	return scores.Apply(ctx, t.arg(0), board.Snapshot(total)) // want ttlwrite/clock-in-sequence
}

// repair puts back what the incident of the week has broken.
func (t *tool) repair(ctx context.Context) error {
	lobbies, verdicts := t.c.Open(schema.Lobbies), t.c.Open(schema.Verdicts)
	who := t.arg(0)
	for attempt := range 3 {
		m := bigtable.NewMutation()
		m.Set(schema.FamTicket, "repaired", bigtable.Time(time.Time{}), []byte(who)) // want ttlwrite/already-expired
		m.Set(schema.FamTicket, "repair", kit.ExpireIn(time.Minute), []byte(who))    // ok ttlwrite/already-expired
		m.Set(schema.FamMeta, "attempt", bigtable.Now(), []byte{byte(attempt)})      // ok ttlwrite/write-time
		m.Set(schema.FamMeta, "attempt_no", bigtable.Timestamp(-1000), nil)          // want ttlunit/out-of-range
		m.Set(schema.FamMeta, "attempt_at", bigtable.ServerTime, nil)                // ok ttlunit/out-of-range
		m.Set(schema.FamRoom, "repaired", bigtable.ServerTime, []byte(who))          // ok ttlwrite/server-timestamp
		m.Set(schema.FamTicket, "server", -1, []byte(who))                           // want ttlwrite/server-timestamp
		m.DeleteTimestampRange(schema.FamMeta, "attempt", 0, 999)                    // want ttlunit/sub-millisecond
		m.DeleteTimestampRange(schema.FamMeta, "attempt_no", 0, 5000)                // ok ttlunit/sub-millisecond
		if err := lobbies.Apply(ctx, who, m); err == nil {
			break
		}
	}
	m := bigtable.NewMutation()
	stamp := bigtable.Now()
	defer func() { t.log.Info("repaired", "who", who, "stamp", int64(stamp)) }()
	for _, rule := range t.args {
		m.Set(schema.FamFlag, rule, stamp, []byte(who))                 // ok ttlwrite/same-timestamp
		m.Set(schema.FamFlag, "repaired", stamp, []byte(rule))          // want ttlwrite/same-timestamp
		m.Set(schema.FamHold, "repaired_"+rule, stamp, []byte(who))     // want ttlwrite/write-time
		m.Set(schema.FamEvidence, "repaired_"+rule, stamp, []byte(who)) // ok ttlwrite/same-timestamp
	}
	return verdicts.Apply(ctx, who, m)
}

// filters tries filters on a table for the on-call handbook.
func (t *tool) filters(ctx context.Context) error {
	analytics := t.c.Open(schema.Analytics)
	day := time.Date(2025, 6, 1, 0, 0, 0, 0, time.UTC)
	named := map[string]bigtable.Filter{
		"one day":   bigtable.TimestampRangeFilter(day, day.Add(24*time.Hour)),                                 // ok ttlunit/empty-range
		"backwards": bigtable.TimestampRangeFilter(time.Unix(1700000000, 0), time.Unix(1600000000, 0)),         // want ttlunit/empty-range
		"nothing":   bigtable.TimestampRangeFilterMicros(5000, 5000),                                           // want ttlunit/empty-range
		"first ms":  bigtable.TimestampRangeFilterMicros(0, 999),                                               // want ttlunit/sub-millisecond
		"two ms":    bigtable.TimestampRangeFilterMicros(0, 2000),                                              // ok ttlunit/sub-millisecond
		"none":      bigtable.LatestNFilter(0),                                                                 // want ttlunit/invalid-filter
		"one":       bigtable.LatestNFilter(1),                                                                 // ok ttlunit/invalid-filter
		"chain":     bigtable.ChainFilters(bigtable.FamilyFilter(schema.FamTicket)),                            // want ttlunit/invalid-filter
		"pair":      bigtable.ChainFilters(bigtable.FamilyFilter(schema.FamTicket), bigtable.LatestNFilter(1)), // ok ttlunit/invalid-filter
	}
	for _, name := range kit.SortedKeys(named) {
		n := 0
		err := analytics.ReadRows(ctx, bigtable.PrefixRange(t.arg(0)), func(row bigtable.Row) bool { // ok ttlread/missing-filter
			n += len(row[schema.FamTicket])
			return true
		}, bigtable.RowFilter(named[name]), bigtable.LimitRows(100))
		fmt.Printf("%-10s %d %v\n", name, n, err)
	}
	return nil
}

// sql runs the handbook's queries.
func (t *tool) sql(ctx context.Context) error {
	show := func(ps *bigtable.PreparedStatement, err error) error {
		if err != nil {
			return err
		}
		bs, err := ps.Bind(map[string]any{"key": t.arg(0)})
		if err != nil {
			return err
		}
		return bs.Execute(ctx, func(r bigtable.ResultRow) bool {
			fmt.Printf("%+v\n", r)
			return true
		})
	}
	key := map[string]bigtable.SQLType{"key": bigtable.StringSQLType{}}
	return errors.Join(
		show(t.c.PrepareStatement(ctx, "SELECT session['token'] AS token FROM players WHERE _key = @key", key)),                                                              // want ttlread/sql
		show(t.c.PrepareStatement(ctx, "SELECT session['token'] AS token FROM players(with_history => TRUE, after_or_equal => CURRENT_TIMESTAMP()) WHERE _key = @key", key)), // ok ttlread/sql
		show(t.c.PrepareStatement(ctx, "SELECT profile['card'] AS card FROM players WHERE _key = @key", key)),                                                                // ok ttlread/sql
		show(t.c.PrepareStatement(ctx, "SELECT room['r'] AS room FROM lobbies WHERE _key = @key", key)),                                                                      // want ttlread/sql
		show(t.c.PrepareStatement(ctx, "SELECT meta['opened'] AS opened FROM lobbies WHERE _key = @key", key)),                                                               // ok ttlread/sql
		show(t.c.PrepareStatement(ctx, "SELECT lock['owner'] AS owner FROM vault(as_of => CURRENT_TIMESTAMP()) WHERE _key = @key", key)),                                     // want ttlread/sql
		show(t.c.PrepareStatement(ctx, "SELECT ticket['t'] AS t FROM analytics WHERE _key = @key", key)),                                                                     // ok ttlread/sql
	)
}

// raw prints requests that the support tickets ask for.
func (t *tool) raw(context.Context) error {
	name := "projects/studio/instances/game/tables/" + schema.Players
	soon := time.Now().Add(schema.SessionTTL).UnixMilli() * 1000
	req := &bigtablepb.MutateRowRequest{
		TableName: name,
		RowKey:    []byte(t.arg(0)),
		Mutations: []*bigtablepb.Mutation{
			{Mutation: &bigtablepb.Mutation_SetCell_{SetCell: &bigtablepb.Mutation_SetCell{FamilyName: schema.FamSession, ColumnQualifier: []byte("raw"), Value: []byte("x")}}},                         // want ttlwrite/unset-timestamp
			{Mutation: &bigtablepb.Mutation_SetCell_{SetCell: &bigtablepb.Mutation_SetCell{FamilyName: schema.FamSession, ColumnQualifier: []byte("raw2"), TimestampMicros: soon, Value: []byte("x")}}}, // ok ttlwrite/unset-timestamp
			{Mutation: &bigtablepb.Mutation_SetCell_{SetCell: &bigtablepb.Mutation_SetCell{FamilyName: schema.FamSession, ColumnQualifier: []byte("raw3"), TimestampMicros: -1, Value: []byte("x")}}},   // want ttlwrite/server-timestamp
			{Mutation: &bigtablepb.Mutation_SetCell_{SetCell: &bigtablepb.Mutation_SetCell{FamilyName: schema.FamWallet, ColumnQualifier: []byte("coins"), Value: []byte("x")}}},                        // ok ttlwrite/unset-timestamp
			{Mutation: &bigtablepb.Mutation_SetCell_{SetCell: &bigtablepb.Mutation_SetCell{FamilyName: schema.FamProfile, ColumnQualifier: []byte("raw"), TimestampMicros: -1, Value: []byte("x")}}},    // ok ttlwrite/server-timestamp
		},
	}
	claim := &bigtablepb.MutateRowRequest{
		TableName: "projects/studio/instances/game/tables/" + schema.Vault,
		RowKey:    []byte(t.arg(0)),
		Mutations: []*bigtablepb.Mutation{
			{Mutation: &bigtablepb.Mutation_SetCell_{SetCell: &bigtablepb.Mutation_SetCell{FamilyName: schema.FamClaim, ColumnQualifier: []byte("daily"), Value: []byte("{}")}}}, // want ttlwrite/unset-timestamp
		},
	}
	return errors.Join(t.out.Encode(req), t.out.Encode(claim))
}

func (t *tool) importCSV(ctx context.Context) error {
	f, err := os.Open(t.arg(0))
	if err != nil {
		return err
	}
	defer f.Close()
	s := players.New(t.c, t.log)
	n, err := s.Import(ctx, players.ReadExport(f))
	t.log.Info("imported", "n", n)
	return errors.Join(err, s.Tombstones(ctx, t.args[1:]))
}

// SessionLine is what sessions prints.
type SessionLine struct {
	Player    string    `json:"player"`
	CreatedAt time.Time `json:"created_at"`
	ExpiresAt time.Time `json:"expires_at"`
}

// sessions prints the sessions of a shard.
func (t *tool) sessions(ctx context.Context) error {
	tbl := t.c.Open(schema.Players)
	live := bigtable.ChainFilters(bigtable.FamilyFilter(schema.FamSession), bigtable.TimestampRangeFilterMicros(bigtable.Now(), 0), bigtable.LatestNFilter(1))
	err := tbl.ReadRows(ctx, bigtable.PrefixRange(t.arg(0)), func(row bigtable.Row) bool { // ok ttlread/missing-filter
		for _, it := range row[schema.FamSession] {
			line := SessionLine{
				Player:    row.Key(),
				CreatedAt: it.Timestamp.Time(), // want ttlage/not-write-time
				ExpiresAt: it.Timestamp.Time(), // ok ttlage/not-write-time
			}
			if err := t.out.Encode(line); err != nil {
				return false
			}
		}
		return true
	}, bigtable.RowFilter(live))
	if err != nil {
		return err
	}
	return tbl.ReadRows(ctx, bigtable.PrefixRange(t.arg(0)), func(row bigtable.Row) bool { // want ttlread/missing-filter[sl]
		for _, it := range row[schema.FamSession] {
			fmt.Printf("%s\t%s\t%q\n", row.Key(), it.Column, it.Value)
		}
		return true
	}, bigtable.RowFilter(bigtable.LatestNFilter(1))) // want ttlread/missing-filter[sl]
}

// copy moves one row of any table to another key; timestamps come along.
func (t *tool) copy(ctx context.Context) error {
	tbl := t.c.Open(t.arg(0))
	row, err := tbl.ReadRow(ctx, t.arg(1)) // ok ttlread/missing-filter
	if err != nil {
		return err
	}
	m := bigtable.NewMutation()
	for fam, items := range row {
		for _, it := range items {
			m.Set(fam, it.Column[len(fam)+1:], it.Timestamp, it.Value) // ok ttlwrite/write-time
		}
	}
	return tbl.Apply(ctx, t.arg(2), m)
}
