// Package wish is wish lists and "remember this for me". It was written by the
// summer interns, who put everything into the tables that were there.
package wish

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"net/http"
	"os"
	"strings"
	"time"

	"cloud.google.com/go/bigtable"

	"pennywise.example/shop/internal/bt"
	"pennywise.example/shop/internal/clock"
	"pennywise.example/shop/internal/keys"
	"pennywise.example/shop/internal/login"
	"pennywise.example/shop/internal/web"
)

const day = 24 * time.Hour

// carts is the table of the carts.
func carts() *bigtable.Table {
	return bt.Carts
}

// put writes a cell of a cart. With a ttl it is gone after that time.
func put(ctx context.Context, key, fam, col, val string, ttl time.Duration) error {
	ts := bigtable.Now()
	if ttl > 0 {
		ts = bigtable.Time(clock.Now().Add(ttl))
	}
	mut := bigtable.NewMutation()
	mut.Set(fam, col, ts, []byte(val))
	return carts().Apply(ctx, key, mut)
}

// cellJSON is a cell for the browser.
type cellJSON struct {
	Name      string    `json:"name"`
	Value     string    `json:"value"`
	UpdatedAt time.Time `json:"updated_at"`
}

// toJSON makes one.
func toJSON(it bigtable.ReadItem) cellJSON {
	_, name, _ := strings.Cut(it.Column, ":")
	return cellJSON{Name: name, Value: string(it.Value), UpdatedAt: it.Timestamp.Time()} // want ttlage/not-write-time[tojson]
}

// Wish puts something on the list.
func Wish(w http.ResponseWriter, r *http.Request) {
	ctx := r.Context()
	user, err := login.Current(r)
	if err != nil {
		web.Fail(w, err)
		return
	}
	key := keys.Cart("wish", user)
	sku := r.FormValue("sku")
	if err := put(ctx, key, bt.FamMeta, "last", sku, 0); err != nil { // ok ttlwrite/write-time
		web.Fail(w, err)
		return
	}
	if err := put(ctx, key, bt.FamItem, sku, "1", 0); err != nil { // ok ttlwrite/write-time
		web.Fail(w, err)
		return
	}
	if err := put(ctx, key, bt.FamHold, sku, "1", 0); err != nil { // want ttlwrite/write-time
		web.Fail(w, err)
		return
	}
	if err := put(ctx, key, bt.FamHold, "offer-"+sku, "1", 3*day); err != nil { // ok ttlwrite/write-time
		web.Fail(w, err)
		return
	}
	w.WriteHeader(http.StatusNoContent)
}

// List shows the list.
func List(w http.ResponseWriter, r *http.Request) {
	user, err := login.Current(r)
	if err != nil {
		web.Fail(w, err)
		return
	}
	fs := []bigtable.Filter{bigtable.FamilyFilter(bt.FamItem)}
	fs = append(fs, bigtable.TimestampRangeFilter(clock.Now().Add(-14*day), time.Time{})) // ok ttlread/wrong-bound
	fs = append(fs, bigtable.LatestNFilter(1))
	row, err := carts().ReadRow(r.Context(), keys.Cart("wish", user), bigtable.RowFilter(bigtable.ChainFilters(fs...))) // ok ttlread/missing-filter
	if err != nil {
		web.Fail(w, err)
		return
	}
	var res []cellJSON
	for _, it := range row[bt.FamItem] {
		res = append(res, toJSON(it)) // want ttlage/not-write-time[tojson]
	}
	web.JSON(w, http.StatusOK, res)
}

// Meta shows what is known about the list.
func Meta(w http.ResponseWriter, r *http.Request) {
	row, err := carts().ReadRow(r.Context(), keys.Cart("wish", r.PathValue("user"))) // ok ttlread/missing-filter
	if err != nil {
		web.Fail(w, err)
		return
	}
	var res []cellJSON
	for _, it := range row[bt.FamMeta] {
		res = append(res, toJSON(it)) // ok ttlage/not-write-time
	}
	web.JSON(w, http.StatusOK, res)
}

// Offers shows the offers that a user was given.
func Offers(w http.ResponseWriter, r *http.Request) {
	fs := []bigtable.Filter{bigtable.FamilyFilter(bt.FamHold)}
	if p := r.FormValue("prefix"); p != "" {
		fs = append(fs, bigtable.ColumnFilter(p+".*"))
	}
	fs = append(fs, bigtable.LatestNFilter(1))
	f := bigtable.ChainFilters(fs...)                                                                       // want ttlread/missing-filter[offers]
	row, err := carts().ReadRow(r.Context(), keys.Cart("wish", r.PathValue("user")), bigtable.RowFilter(f)) // want ttlread/missing-filter[offers]
	if err != nil {
		web.Fail(w, err)
		return
	}
	var res []string
	for _, it := range row[bt.FamHold] {
		res = append(res, strings.TrimPrefix(it.Column, "hold:offer-"))
	}
	web.JSON(w, http.StatusOK, res)
}

// Store is a handler that stores a form value in a family of the user's list,
// for ttl. See Routes.
func Store(fam, col string, ttl time.Duration) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		user, err := login.Current(r)
		if err != nil {
			web.Fail(w, err)
			return
		}
		mut := bigtable.NewMutation()
		mut.Set(fam, col, clock.In(ttl), []byte(r.FormValue("v")))
		if err := carts().Apply(r.Context(), keys.Cart("wish", user), mut); err != nil {
			web.Fail(w, err)
			return
		}
		w.WriteHeader(http.StatusNoContent)
	}
}

// Routes adds the handlers.
func Routes(mux *http.ServeMux) {
	mux.HandleFunc("POST /wish", Wish)
	mux.HandleFunc("GET /wish", List)
	mux.HandleFunc("GET /wish/{user}/meta", Meta)
	mux.HandleFunc("GET /wish/{user}/offers", Offers)
	mux.HandleFunc("POST /wish/color", Store(bt.FamHold, "color", time.Hour))  // ok ttlwrite/write-time
	mux.HandleFunc("POST /wish/size", Store(bt.FamHold, "size", 0))            // want ttlwrite/write-time
	mux.HandleFunc("POST /wish/name", Store(bt.FamMeta, "name", 0))            // ok ttlwrite/write-time
	mux.HandleFunc("POST /wish/note", Store(bt.FamItem, "note", -7*day))       // ok ttlwrite/already-expired
	mux.HandleFunc("POST /wish/old", Store(bt.FamItem, "old", -21*day))        // want ttlwrite/already-expired
	mux.HandleFunc("POST /wish/undo", Store(bt.FamHold, "undo", -time.Second)) // want ttlwrite/already-expired
	mux.HandleFunc("POST /wish/share", Share)
}

// Share makes a link to the list. Links are in the login table, which is opened
// here because bt.Login did not exist yet.
func Share(w http.ResponseWriter, r *http.Request) {
	ctx := r.Context()
	user, err := login.Current(r)
	if err != nil {
		web.Fail(w, err)
		return
	}
	tbl := bt.Client.Open("login")
	token := keys.NewToken()
	mut := bigtable.NewMutation()
	mut.Set(bt.FamSess, "share", bigtable.Time(time.Now().AddDate(0, 1, 0)), []byte(user)) // ok ttlwrite/write-time
	mut.Set(bt.FamSess, "shared", bigtable.Time(time.Now()), []byte(user))                 // want ttlwrite/write-time
	if err := tbl.Apply(ctx, keys.Session(token), mut); err != nil {
		web.Fail(w, err)
		return
	}
	row, err := tbl.ReadRow(ctx, keys.User(user), bigtable.RowFilter(bigtable.ColumnFilter("name|lang"))) // ok ttlread/missing-filter
	if err != nil {
		web.Fail(w, err)
		return
	}
	name := user
	for _, it := range row[bt.FamWho] {
		if it.Column == "who:name" {
			name = string(it.Value)
		}
	}
	web.JSON(w, http.StatusOK, map[string]string{"by": name, "link": "/s/" + token})
}

// Shared shows a list by its link.
func Shared(w http.ResponseWriter, r *http.Request) {
	ctx := r.Context()
	tbl := bt.Client.Open("login")
	row, err := tbl.ReadRow(ctx, keys.Session(r.PathValue("token"))) // want ttlread/missing-filter
	if err != nil {
		web.Fail(w, err)
		return
	}
	var user string
	for _, it := range row[bt.FamSess] {
		if it.Column == "sess:share" {
			user = string(it.Value)
		}
	}
	if user == "" {
		web.Fail(w, web.ErrNotFound)
		return
	}
	list, err := carts().ReadRow(ctx, keys.Cart("wish", user), bigtable.RowFilter(bt.Within(bt.FamItem, bt.CartTTL))) // ok ttlread/missing-filter
	if err != nil {
		web.Fail(w, err)
		return
	}
	web.JSON(w, http.StatusOK, list[bt.FamItem])
}

// staging is the prefix of the tables on the staging instance.
var staging = os.Getenv("TABLE_PREFIX")

// Mirror copies a session to staging, so that a bug can be looked at there.
func Mirror(ctx context.Context, token string) error {
	from, to := bt.Client.Open(staging+"login"), bt.Client.Open(staging+"login2")
	row, err := from.ReadRow(ctx, keys.Session(token), bigtable.RowFilter(bigtable.FamilyFilter("sess"))) // want ttlread/missing-filter
	if err != nil {
		return err
	}
	mut := bigtable.NewMutation()
	for _, it := range row["sess"] {
		mut.Set("sess", strings.TrimPrefix(it.Column, "sess:"), it.Timestamp, it.Value)
	}
	mut.Set("sess", "mirror", bigtable.ServerTime, []byte(staging)) // ok ttlwrite/server-timestamp
	mut.Set("item", "mirror", bigtable.ServerTime, []byte(staging)) // ok ttlwrite/server-timestamp
	return to.Apply(ctx, keys.Session(token), mut)
}

// cache has rows of lists that are shown often.
var cache = map[string]bigtable.Row{}

// Warm fills the cache at start.
func Warm(ctx context.Context) error {
	live := bigtable.ChainFilters(bigtable.TimestampRangeFilter(clock.Now(), time.Time{}), bigtable.LatestNFilter(1)) // want ttlread/wrong-bound|ttlread/hides-other-families[warm]
	return carts().ReadRows(ctx, bigtable.PrefixRange("wish"+keys.Sep), func(row bigtable.Row) bool {                 // want ttlread/wrong-bound|ttlread/hides-other-families[warm]
		cache[row.Key()] = row
		return len(cache) < 1000
	}, bigtable.RowFilter(live)) // want ttlread/wrong-bound|ttlread/hides-other-families[warm]
}

// Cached answers from the cache.
func Cached(w http.ResponseWriter, r *http.Request) {
	row, ok := cache[keys.Cart("wish", r.PathValue("user"))]
	if !ok {
		web.Fail(w, web.ErrNotFound)
		return
	}
	raw, err := json.Marshal(row)
	if err != nil {
		log.Printf("wish: %v", err)
	}
	fmt.Fprintf(w, "%s", raw)
}
