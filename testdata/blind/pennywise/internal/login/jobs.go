package login

import (
	"context"
	"encoding/csv"
	"encoding/json"
	"io"
	"log"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"cloud.google.com/go/bigtable"

	"pennywise.example/shop/internal/bt"
	"pennywise.example/shop/internal/clock"
	"pennywise.example/shop/internal/keys"
	"pennywise.example/shop/internal/web"
)

// SweepReset deletes the links of yesterday. Runs at night.
func SweepReset(ctx context.Context) error {
	var dead []string
	err := bt.Login.ReadRows(ctx, bigtable.PrefixRange("r"+keys.Sep), func(row bigtable.Row) bool { // ok ttlread/missing-filter
		dead = append(dead, row.Key())
		return true
	}, bigtable.RowFilter(bigtable.StripValueFilter()))
	if err != nil {
		return err
	}
	for len(dead) > 0 {
		n := min(len(dead), 1000)
		muts := make([]*bigtable.Mutation, n)
		for i := range muts {
			muts[i] = bigtable.NewMutation()
			muts[i].DeleteRow()
		}
		errs, err := bt.Login.ApplyBulk(ctx, dead[:n], muts)
		if err != nil {
			return err
		}
		for i, err := range errs {
			log.Printf("sweep: %s: %v", dead[i], err)
		}
		dead = dead[n:]
	}
	return nil
}

// CountSessions is the number on the wallboard.
func CountSessions(ctx context.Context) (int, error) {
	n := 0
	err := bt.Login.ReadRows(ctx, bigtable.PrefixRange("s"+keys.Sep), func(bigtable.Row) bool { // ok ttlread/missing-filter
		n++
		return true
	}, bigtable.RowFilter(bigtable.ChainFilters(
		bigtable.FamilyFilter(bt.FamSess),
		bigtable.CellsPerRowLimitFilter(1),
		bigtable.StripValueFilter(),
	)))
	return n, err
}

// CountExpired is what the GC has still to do. For the wallboard, too.
func CountExpired(ctx context.Context) (int, error) {
	n := 0
	err := bt.Login.ReadRows(ctx, bigtable.PrefixRange("s"+keys.Sep), func(bigtable.Row) bool {
		n++
		return true
	}, bigtable.RowFilter(bigtable.ChainFilters(
		bigtable.FamilyFilter(bt.FamSess),
		bigtable.TimestampRangeFilter(time.Time{}, clock.Now()), // want ttlread/expired-only
	)))
	return n, err
}

// WriteSessions writes open sessions as CSV. The BI people fetch it.
func WriteSessions(ctx context.Context, w io.Writer) error {
	out := csv.NewWriter(w)
	if err := out.Write([]string{"session", "user", "ip", "created", "until"}); err != nil {
		return err
	}
	var failed error
	err := bt.Login.ReadRows(ctx, bigtable.PrefixRange("s"+keys.Sep), func(row bigtable.Row) bool { // want ttlread/missing-filter[csvread]
		user := bt.Cell(row, bt.FamSess, "user")
		if user == nil {
			return true
		}
		created := user.Timestamp.Time() // want ttlage/not-write-time[csv]
		failed = out.Write([]string{
			row.Key(),
			string(user.Value),
			bt.Str(row, bt.FamSess, "ip"),
			created.Format(time.RFC3339),               // want ttlage/not-write-time[csv]
			user.Timestamp.Time().Format(time.RFC3339), // ok ttlage/not-write-time
		})
		return failed == nil
	}, bigtable.RowFilter(bigtable.LatestNFilter(1))) // want ttlread/missing-filter[csvread]
	if err == nil {
		err = failed
	}
	if err != nil {
		return err
	}
	out.Flush()
	return out.Error()
}

// WriteUsers writes the users as CSV.
func WriteUsers(ctx context.Context, w io.Writer) error {
	out := csv.NewWriter(w)
	err := bt.Login.ReadRows(ctx, bigtable.PrefixRange("u"+keys.Sep), func(row bigtable.Row) bool { // ok ttlread/missing-filter
		login := bt.Cell(row, bt.FamWho, "last_login")
		if login == nil {
			return true
		}
		days := int(time.Since(login.Timestamp.Time()).Hours() / 24) // ok ttlage/not-write-time
		return out.Write([]string{row.Key(), bt.Str(row, bt.FamWho, "country"), strconv.Itoa(days)}) == nil
	})
	if err != nil {
		return err
	}
	out.Flush()
	return out.Error()
}

// Dump saves sessions as JSON lines, for moving them to another region.
func Dump(ctx context.Context, dir string) error {
	f, err := os.Create(filepath.Join(dir, "sessions.jsonl"))
	if err != nil {
		return err
	}
	defer f.Close()
	enc := json.NewEncoder(f)
	live := bigtable.TimestampRangeFilter(clock.Now(), time.Time{})                         // want ttlread/hides-other-families[dump]
	return bt.Login.ReadRows(ctx, bigtable.InfiniteRange(""), func(row bigtable.Row) bool { // want ttlread/hides-other-families[dump]
		return enc.Encode(row) == nil
	}, bigtable.RowFilter(live)) // want ttlread/hides-other-families[dump]
}

// Restore is the inverse of Dump. The expiries come from the file.
func Restore(ctx context.Context, r io.Reader) error {
	dec := json.NewDecoder(r)
	for {
		var row map[string][]bigtable.ReadItem
		if err := dec.Decode(&row); err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
		for _, items := range row {
			for _, it := range items {
				mut := bigtable.NewMutation()
				fam, col := splitColumn(it.Column)
				mut.Set(fam, col, it.Timestamp, it.Value)
				if err := bt.Login.Apply(ctx, it.Row, mut); err != nil {
					return err
				}
			}
		}
	}
}

// DumpAll is what Dump should have been.
func DumpAll(ctx context.Context, dir string) error {
	f, err := os.Create(filepath.Join(dir, "login.jsonl"))
	if err != nil {
		return err
	}
	defer f.Close()
	enc := json.NewEncoder(f)
	return bt.Login.ReadRows(ctx, bigtable.InfiniteRange(""), func(row bigtable.Row) bool {
		return enc.Encode(row) == nil
	}, bigtable.RowFilter(bigtable.InterleaveFilters( // ok ttlread/unfiltered-branch ttlread/hides-other-families
		bt.LiveIn(bt.FamSess),
		bt.LiveIn(bt.FamOtp),
		bigtable.FamilyFilter(bt.FamWho),
	)))
}

// Recent is the fraud desk's list: every session and what is known of the user.
func Recent(w http.ResponseWriter, r *http.Request) {
	type entry struct {
		Key   string            `json:"key"`
		Cells map[string]string `json:"cells"`
	}
	var list []entry
	err := bt.Login.ReadRows(r.Context(), bigtable.PrefixRange("s"+keys.Sep), func(row bigtable.Row) bool {
		e := entry{Key: row.Key(), Cells: map[string]string{}}
		for _, items := range row {
			for _, it := range items {
				e.Cells[it.Column] = string(it.Value)
			}
		}
		list = append(list, e)
		return len(list) < 200
	}, bigtable.RowFilter(bigtable.InterleaveFilters( // want ttlread/unfiltered-branch[recent]
		bigtable.FamilyFilter(bt.FamSess), // want ttlread/unfiltered-branch[recent]
		bt.LiveIn(bt.FamOtp),
		bigtable.ChainFilters(bigtable.FamilyFilter(bt.FamWho), bigtable.LatestNFilter(1)), // ok ttlread/unfiltered-branch
	)))
	if err != nil {
		web.Fail(w, err)
		return
	}
	web.JSON(w, http.StatusOK, list)
}

// Working counts the sessions of people at work: nobody's is longer than a
// shift. The board shows it.
func Working(ctx context.Context) (map[string]int, error) {
	now := clock.Now()
	users := map[string]int{}
	err := bt.Login.ReadRows(ctx, bigtable.PrefixRange("s"+keys.Sep), func(row bigtable.Row) bool {
		for _, it := range row[bt.FamSess] {
			users[string(it.Value)]++
		}
		return true
	}, bigtable.RowFilter(bigtable.ChainFilters(
		bigtable.FamilyFilter(bt.FamSess),
		bigtable.ColumnFilter("user"),
		bigtable.TimestampRangeFilter(now, now.Add(8*time.Hour)), // want ttlread/upper-bound
	)))
	return users, err
}

func splitColumn(column string) (fam, col string) {
	for i := range column {
		if column[i] == ':' {
			return column[:i], column[i+1:]
		}
	}
	return column, ""
}
