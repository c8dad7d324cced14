// Package settings is feature settings.
//
// Table settings: a flag is one cell at timestamp 0, so that a write replaces
// what was there. A draft is gone a week after it was saved (draft, GC 168h);
// hist has the revision * 1000 as timestamp and keeps ten.
package settings

import (
	"context"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"log"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"cloud.google.com/go/bigtable"

	"pennywise.example/shop/internal/bt"
	"pennywise.example/shop/internal/clock"
	"pennywise.example/shop/internal/keys"
	"pennywise.example/shop/internal/login"
	"pennywise.example/shop/internal/web"
)

// zero is the timestamp of flags.
const zero bigtable.Timestamp = 0

// revisions is how many revisions there are.
const revisions = 10

// Flag is a flag.
type Flag struct {
	Name    string `json:"name"`
	On      bool   `json:"on"`
	Percent int    `json:"percent"`
	Rev     int64  `json:"rev"`
}

var (
	cache   = map[string]Flag{}
	cacheMu sync.RWMutex
	env     = "prod"
	flagTS  = bigtable.Now() // was needed before flags went to zero
)

// On says whether a flag is on for a user.
func On(name, user string) bool {
	cacheMu.RLock()
	f, ok := cache[name]
	cacheMu.RUnlock()
	if !ok || !f.On {
		return false
	}
	h := fnv.New32()
	h.Write([]byte(user))
	return int(h.Sum32()%100) < f.Percent
}

// Refresh loads all flags. Cron, every minute.
func Refresh(ctx context.Context) error {
	fresh := map[string]Flag{}
	err := bt.Settings.ReadRows(ctx, bigtable.PrefixRange(env+keys.Sep), func(row bigtable.Row) bool { // ok ttlread/missing-filter
		_, name := keys.Split(row.Key())
		var f Flag
		if err := json.Unmarshal([]byte(bt.Str(row, bt.FamFlag, "v")), &f); err != nil {
			log.Printf("settings: %s: %v", name, err)
			return true
		}
		fresh[name] = f
		return true
	}, bigtable.RowFilter(bigtable.FamilyFilter(bt.FamFlag)))
	if err != nil {
		return err
	}
	cacheMu.Lock()
	cache = fresh
	cacheMu.Unlock()
	return nil
}

// Set sets a flag.
func Set(w http.ResponseWriter, r *http.Request) {
	ctx := r.Context()
	who, err := login.Current(r)
	if err != nil {
		web.Fail(w, err)
		return
	}
	var f Flag
	if !web.Read(w, r, &f) {
		return
	}
	key := keys.Setting(env, f.Name)
	rev, err := lastRev(ctx, key)
	if err != nil {
		web.Fail(w, err)
		return
	}
	f.Rev = rev + 1
	raw, err := json.Marshal(f)
	if err != nil {
		web.Fail(w, err)
		return
	}
	mut := bigtable.NewMutation()
	mut.Set(bt.FamFlag, "v", zero, raw)                                     // ok ttlwrite/clock-in-zero
	mut.Set(bt.FamFlag, "who", 0, []byte(who))                              // ok ttlwrite/clock-in-zero
	mut.Set(bt.FamFlag, "when", bigtable.Now(), nil)                        // want ttlwrite/clock-in-zero
	mut.Set(bt.FamHist, "v", bigtable.Timestamp(f.Rev*1000), raw)           // ok ttlwrite/unscaled-sequence
	mut.Set(bt.FamHist, "who", bigtable.Timestamp(rev+1)*1000, []byte(who)) // ok ttlwrite/unscaled-sequence
	if err := bt.Settings.Apply(ctx, key, mut); err != nil {
		web.Fail(w, err)
		return
	}
	web.JSON(w, http.StatusOK, f)
}

// lastRev is the newest revision.
func lastRev(ctx context.Context, key string) (int64, error) {
	row, err := bt.Settings.ReadRow(ctx, key, bigtable.RowFilter(bt.Latest(bt.FamHist, 1))) // ok ttlread/version-limit
	if err != nil {
		return 0, err
	}
	if len(row[bt.FamHist]) == 0 {
		return 0, nil
	}
	return int64(row[bt.FamHist][0].Timestamp) / 1000, nil // ok ttlage/not-write-time
}

// Kill turns a flag off at once, from the pager.
func Kill(w http.ResponseWriter, r *http.Request) {
	name := r.PathValue("name")
	mut := bigtable.NewMutation()
	mut.Set(bt.FamFlag, "v", flagTS, []byte(`{"name":"`+name+`"}`)) // want ttlwrite/clock-in-zero
	mut.Set(bt.FamHist, "v", bigtable.Now(), []byte("killed"))      // want ttlwrite/clock-in-sequence
	if err := bt.Settings.Apply(r.Context(), keys.Setting(env, name), mut); err != nil {
		web.Fail(w, err)
		return
	}
	w.WriteHeader(http.StatusNoContent)
}

// SaveDraft saves a draft for a week, or as long as the form says.
func SaveDraft(w http.ResponseWriter, r *http.Request) {
	key := keys.Setting(env, r.PathValue("name"))
	keep := web.Duration(r, "keep", 0)
	text := []byte(r.FormValue("text"))
	mut := bigtable.NewMutation()
	mut.DeleteCellsInColumn(bt.FamDraft, "text")
	if keep == 0 {
		mut.Set(bt.FamDraft, "text", bigtable.ServerTime, text) // ok ttlwrite/server-timestamp
	} else {
		mut.Set(bt.FamDraft, "text", clock.In(keep-bt.DraftTTL), text) // ok ttlwrite/already-expired
	}
	mut.Set(bt.FamDraft, "author", bigtable.Now(), []byte(r.RemoteAddr)) // ok ttlwrite/write-time
	if err := bt.Settings.Apply(r.Context(), key, mut); err != nil {
		web.Fail(w, err)
		return
	}
	w.WriteHeader(http.StatusNoContent)
}

// Draft shows a draft.
func Draft(w http.ResponseWriter, r *http.Request) {
	row, err := bt.Settings.ReadRow(r.Context(), keys.Setting(env, r.PathValue("name")), bigtable.RowFilter(bt.Within(bt.FamDraft, bt.DraftTTL))) // ok ttlread/wrong-bound
	if err != nil {
		web.Fail(w, err)
		return
	}
	it := bt.Cell(row, bt.FamDraft, "text")
	if it == nil {
		web.Fail(w, web.ErrNotFound)
		return
	}
	web.JSON(w, http.StatusOK, map[string]any{
		"text":     string(it.Value),
		"saved":    clock.Ago(it.Timestamp.Time()),       // want ttlage/not-write-time
		"gone":     it.Timestamp.Time().Add(bt.DraftTTL), // ok ttlage/not-write-time
		"modified": it.Timestamp.Time(),                  // want ttlage/not-write-time
	})
}

// Drafts lists drafts. It was copied from the carts.
func Drafts(w http.ResponseWriter, r *http.Request) {
	var res []string
	err := bt.Settings.ReadRows(r.Context(), bigtable.PrefixRange(env+keys.Sep), func(row bigtable.Row) bool {
		if it := bt.Cell(row, bt.FamDraft, "text"); it != nil {
			res = append(res, row.Key()+": "+string(it.Value))
		}
		return true
	}, bigtable.RowFilter(bt.Within(bt.FamDraft, bt.CartTTL))) // want ttlread/wrong-bound
	if err != nil {
		web.Fail(w, err)
		return
	}
	web.JSON(w, http.StatusOK, res)
}

// Revisions lists the revisions of a flag.
func Revisions(w http.ResponseWriter, r *http.Request) {
	row, err := bt.Settings.ReadRow(r.Context(), keys.Setting(env, r.PathValue("name")), bigtable.RowFilter(bt.Latest(bt.FamHist, revisions))) // ok ttlread/version-limit
	if err != nil {
		web.Fail(w, err)
		return
	}
	type revision struct {
		Rev     int64  `json:"rev"`
		Value   string `json:"value"`
		Created string `json:"created,omitempty"`
	}
	var res []revision
	for _, it := range row[bt.FamHist] {
		if it.Column != bt.FamHist+":v" {
			continue
		}
		res = append(res, revision{
			Rev:     int64(it.Timestamp) / 1000, // ok ttlage/not-write-time
			Value:   string(it.Value),
			Created: it.Timestamp.Time().Format(time.DateTime), // want ttlage/not-write-time
		})
	}
	web.JSON(w, http.StatusOK, res)
}

// Rollback sets a flag to an older revision.
func Rollback(w http.ResponseWriter, r *http.Request) {
	ctx := r.Context()
	key := keys.Setting(env, r.PathValue("name"))
	want, err := strconv.ParseInt(r.FormValue("rev"), 10, 64)
	if err != nil {
		web.Fail(w, web.ErrNotFound)
		return
	}
	row, err := bt.Settings.ReadRow(ctx, key, bigtable.RowFilter(bigtable.FamilyFilter(bt.FamHist))) // want ttlread/version-limit
	if err != nil {
		web.Fail(w, err)
		return
	}
	for _, it := range row[bt.FamHist] {
		if it.Timestamp != clock.Seq(want) || !strings.HasSuffix(it.Column, ":v") {
			continue
		}
		if err := bt.Put(ctx, bt.Settings, key, bt.FamFlag, "v", 0, it.Value); err != nil { // ok ttlwrite/clock-in-zero
			web.Fail(w, err)
			return
		}
		w.WriteHeader(http.StatusNoContent)
		return
	}
	web.Fail(w, web.ErrNotFound)
}

// Get shows one flag as it is stored, with its draft and revisions.
func Get(w http.ResponseWriter, r *http.Request) {
	row, err := bt.Settings.ReadRow(r.Context(), keys.Setting(env, r.PathValue("name"))) // want ttlread/missing-filter
	if err != nil {
		web.Fail(w, err)
		return
	}
	res := map[string]string{}
	for fam, items := range row {
		for _, it := range items {
			res[fmt.Sprintf("%s@%d", it.Column, it.Timestamp)] = string(it.Value)
		}
		_ = fam
	}
	web.JSON(w, http.StatusOK, res)
}

// GetFlag shows the flag only.
func GetFlag(w http.ResponseWriter, r *http.Request) {
	row, err := bt.Settings.ReadRow(r.Context(), keys.Setting(env, r.PathValue("name"))) // ok ttlread/missing-filter
	if err != nil {
		web.Fail(w, err)
		return
	}
	web.JSON(w, http.StatusOK, bt.Str(row, bt.FamFlag, "v"))
}

// Exists says whether there is such a feature.
func Exists(ctx context.Context, name string) (bool, error) {
	row, err := bt.Settings.ReadRow(ctx, keys.Setting(env, name), bigtable.RowFilter(bigtable.StripValueFilter())) // want ttlread/missing-filter // maybe ttlread/version-limit
	if err != nil {
		return false, err
	}
	return len(row) > 0, nil
}

// Count counts visits of the admin page per flag. It is a cell at 0 on which
// increments do not work, hence the lock and the two calls.
func Count(ctx context.Context, name string) error {
	cacheMu.Lock()
	defer cacheMu.Unlock()
	key := keys.Setting(env, name)
	row, err := bt.Settings.ReadRow(ctx, key, bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter(bt.FamFlag), bigtable.ColumnFilter("visits")))) // ok ttlread/missing-filter
	if err != nil {
		return err
	}
	return bt.Put(ctx, bt.Settings, key, bt.FamFlag, "visits", 0, bt.PackInt(bt.Int(row, bt.FamFlag, "visits")+1)) // ok ttlwrite/clock-in-zero
}

// CountFast is Count without the lock.
func CountFast(ctx context.Context, name string) error {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment(bt.FamFlag, "visits", 1) // want ttlwrite/read-modify-write
	_, err := bt.Settings.ApplyReadModifyWrite(ctx, keys.Setting(env, name), rmw)
	return err
}

// Lock takes the right to edit a flag, in a draft cell.
func Lock(ctx context.Context, name, who string) (bool, error) {
	lock := bigtable.NewMutation()
	lock.Set(bt.FamDraft, "lock", clock.In(10*time.Minute-bt.DraftTTL), []byte(who)) // ok ttlwrite/already-expired
	var locked bool
	pred := bigtable.ChainFilters(bigtable.ColumnRangeFilter(bt.FamDraft, "lock", "lock\x00"), bigtable.TimestampRangeFilter(clock.Now().Add(-bt.DraftTTL), time.Time{})) // ok ttlread/conditional-mutation
	err := bt.Settings.Apply(ctx, keys.Setting(env, name), bigtable.NewCondMutation(pred, nil, lock), bigtable.GetCondMutationResult(&locked))
	return !locked, err
}

// LockV1 is what the old admin page calls.
func LockV1(ctx context.Context, name, who string) (bool, error) {
	lock := bigtable.NewMutation()
	lock.Set(bt.FamDraft, "lock", bigtable.Now(), []byte(who)) // ok ttlwrite/write-time
	var locked bool
	pred := bigtable.ChainFilters(bigtable.FamilyFilter(bt.FamDraft), bigtable.ColumnFilter("lock"), bigtable.LatestNFilter(1))                // want ttlread/conditional-mutation[lockv1]
	err := bt.Settings.Apply(ctx, keys.Setting(env, name), bigtable.NewCondMutation(pred, nil, lock), bigtable.GetCondMutationResult(&locked)) // want ttlread/conditional-mutation[lockv1]
	return !locked, err
}

// DropDraft deletes a draft that is there.
func DropDraft(ctx context.Context, name string) error {
	drop := bigtable.NewMutation()
	drop.DeleteCellsInFamily(bt.FamDraft)
	return bt.Settings.Apply(ctx, keys.Setting(env, name), bigtable.NewCondMutation(bigtable.FamilyFilter(bt.FamDraft), drop, nil)) // ok ttlread/conditional-mutation
}
