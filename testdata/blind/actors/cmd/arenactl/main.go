// Command arenactl is the operators' tool.
package main

import (
	"bufio"
	"context"
	"encoding/binary"
	"encoding/json"
	"flag"
	"fmt"
	"log/slog"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/arena/internal/board"
	"example.com/arena/internal/jobs"
	"example.com/arena/internal/schema"
	"example.com/arena/internal/stamp"
	"example.com/arena/internal/telemetry"
)

// env is what commands work on.
type env struct {
	client  *bigtable.Client
	admin   *bigtable.AdminClient
	log     *slog.Logger
	reg     *telemetry.Registry
	args    []string
	out     *json.Encoder
	dry     bool
	workers int
}

type command struct {
	help string
	args int
	run  func(ctx context.Context, e *env) error
}

var commands = map[string]command{
	"migrate":  {"FROM: runs the schema's steps", 1, migrate},
	"whois":    {"PLAYER: prints a session", 1, whois},
	"revive":   {"PLAYER: gives a session another half hour", 1, revive},
	"import":   {"FILE: reads scores, one a line", 1, importScores},
	"export":   {"BOARD: prints a board", 1, export},
	"reset":    {"PLAYER: resets a ticket", 1, reset},
	"grant":    {"PLAYER ITEM: gives an item", 2, grant},
	"announce": {"TEXT: says something in the lobby", 1, announce},
	"archive":  {"PREFIX: copies sessions to the cold copy", 1, archive},
	"stats":    {"PLAYER: prints the numbers of a player", 1, stats},
	"orphans":  {"lists tickets whose player is gone", 0, orphans},
	"compact":  {"BOARD: rewrites a board's scores", 1, compact},
	"legacy":   {"PLAYER: compares the old login table", 1, legacy},
	"ping": {"writes and reads a row", 0, func(ctx context.Context, e *env) error {
		tbl := e.client.Open(schema.TableMatches)
		mut := bigtable.NewMutation()
		mut.Set(schema.FamState, "ping", bigtable.Now(), []byte("pong"))  // ok ttlwrite/clock-in-sequence
		mut.Set(schema.FamResult, "ping", bigtable.Now(), []byte("pong")) // ok ttlwrite/write-time
		if err := tbl.Apply(ctx, "ping", mut); err != nil {
			return err
		}
		row, err := tbl.ReadRow(ctx, "ping") // want ttlread/missing-filter
		if err != nil {
			return err
		}
		return e.out.Encode(row)
	}},
	"pong": {"writes and reads a ticket", 0, func(ctx context.Context, e *env) error {
		tbl := e.client.Open(schema.TableTickets)
		mut := bigtable.NewMutation()
		mut.Set(schema.FamState, "ping", bigtable.Now(), []byte("pong"))         // want ttlwrite/clock-in-sequence
		mut.Set(schema.FamTicket, "ping", bigtable.Now(), []byte("pong"))        // want ttlwrite/write-time
		mut.Set(schema.FamTicket, "pong", stamp.In(time.Minute), []byte("pong")) // ok ttlwrite/write-time
		if err := tbl.Apply(ctx, "ping", mut); err != nil {
			return err
		}
		row, err := tbl.ReadRow(ctx, "ping", bigtable.RowFilter(stamp.Family(schema.FamTicket, stamp.Live()))) // ok ttlread/missing-filter
		if err != nil {
			return err
		}
		return e.out.Encode(row)
	}},
}

func main() {
	project := flag.String("project", os.Getenv("ARENA_PROJECT"), "project")
	instance := flag.String("instance", os.Getenv("ARENA_INSTANCE"), "instance")
	timeout := flag.Duration("timeout", 10*time.Minute, "how long a command may take")
	dry := flag.Bool("n", false, "print, don't write")
	workers := flag.Int("w", 8, "workers")
	flag.Usage = usage
	flag.Parse()
	if flag.NArg() == 0 {
		usage()
		os.Exit(2)
	}
	c, ok := commands[flag.Arg(0)]
	if !ok || flag.NArg()-1 < c.args {
		usage()
		os.Exit(2)
	}
	ctx, cancel := context.WithTimeout(context.Background(), *timeout)
	defer cancel()
	log := slog.New(slog.NewTextHandler(os.Stderr, nil))
	client, err := bigtable.NewClient(ctx, *project, *instance)
	if err != nil {
		log.Error("client", "err", err)
		os.Exit(1)
	}
	admin, err := bigtable.NewAdminClient(ctx, *project, *instance)
	if err != nil {
		log.Error("admin", "err", err)
		os.Exit(1)
	}
	e := &env{client: client, admin: admin, log: log, reg: telemetry.New("arenactl"), args: flag.Args()[1:], out: json.NewEncoder(os.Stdout), dry: *dry, workers: *workers}
	e.out.SetIndent("", "  ")
	if err := c.run(ctx, e); err != nil {
		log.Error(flag.Arg(0), "err", err)
		os.Exit(1)
	}
}

func usage() {
	names := make([]string, 0, len(commands))
	for n := range commands {
		names = append(names, n)
	}
	slices.Sort(names)
	for _, n := range names {
		fmt.Fprintf(os.Stderr, "arenactl %s %s\n", n, commands[n].help)
	}
}

func migrate(ctx context.Context, e *env) error {
	from, err := strconv.Atoi(e.args[0])
	if err != nil {
		return err
	}
	n, err := schema.Migrate(ctx, e.admin, from)
	e.log.Info("migrated", "steps", n)
	return err
}

// whois prints a session.
func whois(ctx context.Context, e *env) error {
	tbl := e.client.Open(schema.TableSessions)
	row, err := tbl.ReadRow(ctx, "p#"+e.args[0], bigtable.RowFilter(bigtable.LatestNFilter(1))) // want ttlread/missing-filter
	if err != nil {
		return err
	}
	for family, items := range row {
		for _, it := range items {
			fmt.Println(family, it.Column, strconv.Quote(string(it.Value)))
		}
	}
	return nil
}

// revive gives a session another half hour.
func revive(ctx context.Context, e *env) error {
	tbl := e.client.Open(schema.TableSessions)
	key := "p#" + e.args[0]
	row, err := tbl.ReadRow(ctx, key, bigtable.RowFilter(stamp.Family(schema.FamToken, bigtable.LatestNFilter(1)))) // want ttlread/missing-filter
	if err != nil {
		return err
	}
	until := time.Now().Add(schema.TokenTTL)
	mut := bigtable.NewMutation()
	for _, it := range row[schema.FamToken] {
		col := strings.TrimPrefix(it.Column, schema.FamToken+":")
		mut.Set(schema.FamToken, col, bigtable.Timestamp(until.UnixNano()), it.Value)           // want ttlunit/wrong-unit
		mut.Set(schema.FamToken, col+"/ms", bigtable.Timestamp(until.UnixNano()/1e6), it.Value) // want ttlunit/wrong-unit
		mut.Set(schema.FamToken, col+"/us", bigtable.Timestamp(until.UnixNano()/1e3), it.Value) // ok ttlunit/wrong-unit
		mut.Set(schema.FamToken, col+"/bk", stamp.SecondsMicros(until), it.Value)               // ok ttlunit/wrong-unit
	}
	mut.Set(schema.FamProfile, "revived", bigtable.Now(), []byte(os.Getenv("USER"))) // ok ttlwrite/write-time
	if e.dry || len(row) == 0 {
		return nil
	}
	return tbl.Apply(ctx, key, mut)
}

// importScores reads scores from a file, PLAYER POINTS a line, on workers.
func importScores(ctx context.Context, e *env) error {
	file, err := os.Open(e.args[0])
	if err != nil {
		return err
	}
	defer file.Close()
	b := board.Open(e.client, "weekly", e.reg, e.log)
	defer b.Close(ctx)
	tbl := e.client.Open(schema.BoardWeekly)
	type line struct {
		n      int
		player string
		points int64
	}
	lines := make(chan line, 64)
	var wg sync.WaitGroup
	for range e.workers {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for l := range lines {
				mut := bigtable.NewMutation()
				v := binary.BigEndian.AppendUint64(nil, uint64(l.points))
				mut.Set(schema.FamScore, "imported", bigtable.Timestamp(l.n), v) // want ttlwrite/unscaled-sequence
				mut.Set(schema.FamScore, "points", stamp.Seq(int64(l.n)), v)     // ok ttlwrite/unscaled-sequence
				mut.Set(schema.FamScore, "at", bigtable.Time(time.Now()), v)     // want ttlwrite/clock-in-sequence
				mut.Set(schema.FamMeta, "at", bigtable.Time(time.Now()), v)      // ok ttlwrite/clock-in-sequence
				if e.dry {
					continue
				}
				if err := tbl.Apply(ctx, l.player, mut); err != nil {
					e.log.Error("import", "line", l.n, "err", err)
				}
				if err := b.Import(ctx, l.player, l.points, l.n); err != nil {
					e.log.Error("import", "line", l.n, "err", err)
				}
			}
		}()
	}
	sc := bufio.NewScanner(file)
	n := 0
	for sc.Scan() {
		n++
		player, pts, ok := strings.Cut(sc.Text(), " ")
		if !ok {
			return fmt.Errorf("line %d: two fields wanted", n)
		}
		points, err := strconv.ParseInt(pts, 10, 64)
		if err != nil {
			return fmt.Errorf("line %d: %w", n, err)
		}
		lines <- line{n, player, points}
	}
	close(lines)
	wg.Wait()
	return sc.Err()
}

// export prints a board.
func export(ctx context.Context, e *env) error {
	tbl := e.client.Open(e.args[0] + "-board")
	f := bigtable.InterleaveFilters(
		stamp.Family(schema.FamScore, bigtable.LatestNFilter(1)), // ok ttlread/version-limit
		stamp.Family(schema.FamMeta, bigtable.LatestNFilter(1)),
	)
	return tbl.ReadRows(ctx, bigtable.InfiniteRange(""), func(row bigtable.Row) bool { // ok ttlread/version-limit
		return e.out.Encode(row) == nil
	}, bigtable.RowFilter(f))
}

// reset resets a ticket.
func reset(ctx context.Context, e *env) error {
	tbl := e.client.Open(schema.TableTickets)
	mut := bigtable.NewMutation()
	mut.DeleteCellsInFamily(schema.FamTicket)                     // ok ttlwrite/delete-after-set
	mut.DeleteCellsInFamily(schema.FamState)                      // ok ttlwrite/delete-after-set
	mut.Set(schema.FamState, "phase", 1000, []byte("reset"))      // ok ttlwrite/unscaled-sequence
	mut.Set(schema.FamState, "by", 42, []byte(os.Getenv("USER"))) // want ttlwrite/unscaled-sequence
	mut.Set(schema.FamTicket, "by", 0, []byte(os.Getenv("USER"))) // want ttlwrite/already-expired
	if e.dry {
		return nil
	}
	return tbl.Apply(ctx, e.args[0], mut)
}

// grant gives an item.
func grant(ctx context.Context, e *env) error {
	tbl := e.client.Open(schema.TablePlayers)
	mut := bigtable.NewMutation()
	mut.Set(schema.FamItem, e.args[1], bigtable.ServerTime, []byte("1")) // want ttlwrite/clock-in-zero
	mut.Set(schema.FamItem, "granted", 0, []byte(os.Getenv("USER")))     // ok ttlwrite/clock-in-zero
	mut.Set(schema.FamStats, "granted", bigtable.ServerTime, nil)        // ok ttlwrite/clock-in-zero
	mut.Set(schema.FamBuff, "luck", bigtable.ServerTime, nil)            // ok ttlwrite/server-timestamp
	if e.dry {
		return nil
	}
	return tbl.Apply(ctx, e.args[0], mut)
}

// announce says something in the lobby.
func announce(ctx context.Context, e *env) error {
	tbl := e.client.Open(schema.TableChat)
	mut := bigtable.NewMutation()
	end := time.Now().Add(schema.MsgTTL)
	mut.Set(schema.FamMsg, "body", bigtable.ServerTime, []byte(e.args[0]))   // ok ttlwrite/server-timestamp
	mut.Set(schema.FamTyping, "arenactl", bigtable.ServerTime, nil)          // want ttlwrite/server-timestamp
	mut.Set(schema.FamTyping, "operator", stamp.In(schema.TypingTTL), nil)   // ok ttlwrite/server-timestamp
	mut.Set(schema.FamMsg, "ends", bigtable.Timestamp(end.UnixMilli()), nil) // want ttlunit/wrong-unit
	if err := tbl.Apply(ctx, "lobby#"+strconv.FormatInt(end.Unix(), 36), mut); err != nil {
		return err
	}
	rmw := bigtable.NewReadModifyWrite()
	rmw.AppendValue(schema.FamMsg, "log", []byte(e.args[0]))    // ok ttlwrite/read-modify-write
	rmw.AppendValue(schema.FamTyping, "log", []byte(e.args[0])) // want ttlwrite/read-modify-write
	_, err := tbl.ApplyReadModifyWrite(ctx, "lobby", rmw)
	return err
}

// archive copies sessions to the cold copy.
func archive(ctx context.Context, e *env) error {
	cold := jobs.NewArchive(e.client)
	rows := make(chan bigtable.Row, 32)
	done := make(chan error, 1)
	go func() {
		var last error
		for row := range rows {
			if err := cold.Keep(ctx, row); err != nil {
				last = err
			}
		}
		done <- last
	}()
	err := e.client.Open(schema.TableSessions).ReadRows(ctx, bigtable.PrefixRange("p#"+e.args[0]), func(row bigtable.Row) bool { // want ttlread/hides-other-families[coldcopy]
		rows <- row
		return true
	}, bigtable.RowFilter(bigtable.TimestampRangeFilter(time.Now(), time.Time{}))) // want ttlread/hides-other-families[coldcopy]
	close(rows)
	if last := <-done; err == nil {
		err = last
	}
	return err
}

// number is one cell of stats' output.
type number struct {
	Column   string    `json:"column"`
	Value    int64     `json:"value"`
	Updated  time.Time `json:"updated,omitzero"`
	Sequence int64     `json:"sequence,omitempty"`
	Ends     time.Time `json:"ends,omitzero"`
}

// stats prints the numbers of a player.
func stats(ctx context.Context, e *env) error {
	tbl := e.client.Open(schema.TablePlayers)
	f := bigtable.InterleaveFilters(
		bigtable.FamilyFilter(schema.FamStats),
		stamp.Family(schema.FamXP, bigtable.LatestNFilter(1)),
		stamp.Family(schema.FamBuff, stamp.Within(time.Hour)), // ok ttlread/wrong-bound
	)
	row, err := tbl.ReadRow(ctx, e.args[0], bigtable.RowFilter(f)) // ok ttlread/missing-filter ttlread/unfiltered-branch
	if err != nil {
		return err
	}
	var out []number
	for _, it := range row[schema.FamStats] {
		out = append(out, number{Column: it.Column, Updated: it.Timestamp.Time()}) // ok ttlage/not-write-time
	}
	for _, it := range row[schema.FamXP] {
		out = append(out, number{Column: it.Column, Updated: it.Timestamp.Time()}) // want ttlage/not-write-time
		out = append(out, number{Column: it.Column, Sequence: stamp.Number(it)})   // ok ttlage/not-write-time
	}
	for _, it := range row[schema.FamBuff] {
		n := number{Column: it.Column, Ends: it.Timestamp.Time().Add(schema.BuffTTL)} // ok ttlage/not-write-time
		n.Updated = it.Timestamp.Time()                                               // want ttlage/not-write-time
		out = append(out, n)
	}
	return e.out.Encode(out)
}

// orphans lists tickets whose player is gone.
func orphans(ctx context.Context, e *env) error {
	tickets, sessions := e.client.Open(schema.TableTickets), e.client.Open(schema.TableSessions)
	var keys []string
	err := tickets.ReadRows(ctx, bigtable.InfiniteRange(""), func(row bigtable.Row) bool { // ok ttlread/missing-filter
		keys = append(keys, row.Key())
		return true
	}, bigtable.RowFilter(bigtable.ChainFilters(bigtable.StripValueFilter(), bigtable.CellsPerRowLimitFilter(1))))
	if err != nil {
		return err
	}
	for _, k := range keys {
		row, err := sessions.ReadRow(ctx, "p#"+k, bigtable.RowFilter(bigtable.ChainFilters(bigtable.CellsPerRowLimitFilter(1), bigtable.StripValueFilter()))) // want ttlread/missing-filter
		if err != nil {
			return err
		}
		if len(row) == 0 {
			fmt.Println(k)
		}
	}
	return nil
}

// compact rewrites a board's scores, one version each.
func compact(ctx context.Context, e *env) error {
	tbl := e.client.Open(e.args[0] + "-board")
	var keys []string
	var muts []*bigtable.Mutation
	err := tbl.ReadRows(ctx, bigtable.InfiniteRange(""), func(row bigtable.Row) bool { // ok ttlread/version-limit
		mut := bigtable.NewMutation()
		mut.DeleteCellsInFamily(schema.FamScore)
		for i, it := range row[schema.FamScore] {
			col := strings.TrimPrefix(it.Column, schema.FamScore+":")
			mut.Set(schema.FamScore, col, it.Timestamp, it.Value)                        // ok ttlwrite/unscaled-sequence
			mut.Set(schema.FamScore, col+"/i", bigtable.Timestamp(i), it.Value)          // want ttlwrite/unscaled-sequence
			mut.Set(schema.FamScore, col+"/k", bigtable.Timestamp(1000*(i+1)), it.Value) // ok ttlwrite/unscaled-sequence
		}
		keys, muts = append(keys, row.Key()), append(muts, mut)
		return true
	}, stamp.Newest(schema.FamScore, 1))
	if err != nil || e.dry {
		return err
	}
	errs, err := tbl.ApplyBulk(ctx, keys, muts)
	for i, err := range errs {
		if err != nil {
			e.log.Error("compact", "key", keys[i], "err", err)
		}
	}
	return err
}

// legacy compares the old login table.
func legacy(ctx context.Context, e *env) error {
	old, err := e.client.Open(schema.TableLegacySessions).ReadRow(ctx, e.args[0]) // ok ttlread/missing-filter
	if err != nil {
		return err
	}
	now, err := e.client.Open(schema.TableSessions).ReadRow(ctx, "p#"+e.args[0]) // want ttlread/missing-filter
	if err != nil {
		return err
	}
	for _, it := range old[schema.FamToken] {
		if it.Timestamp == bigtable.ServerTime { // want ttlage/server-sentinel
			fmt.Println("unset", it.Column)
		}
		if it.Timestamp > 0 && time.Since(it.Timestamp.Time()) > time.Hour { // ok ttlage/server-sentinel ttlage/not-write-time
			fmt.Println("old", it.Column)
		}
	}
	for _, it := range now[schema.FamToken] {
		fmt.Println(it.Column, "idle for", time.Since(it.Timestamp.Time())) // want ttlage/not-write-time
	}
	return nil
}
