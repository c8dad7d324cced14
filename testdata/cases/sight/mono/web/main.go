// Command web is a monolith with everything in package variables.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	"cloud.google.com/go/bigtable"
)

var (
	client   *bigtable.Client
	sessions *bigtable.Table
	clicks   *bigtable.Table
	ledger   *bigtable.Table
	catalog  *bigtable.Table

	tokenTTL  = 30 * time.Minute
	liveToken bigtable.Filter // made when main starts

	seq   int64
	seqMu sync.Mutex

	started = time.Now()
)

const (
	famToken   = "token"
	famProfile = "profile"
	famEvent   = "event"
	famEntry   = "entry"
	colJWT     = "jwt"
)

func main() {
	ctx := context.Background()
	var err error
	client, err = bigtable.NewClient(ctx, os.Getenv("PROJECT"), os.Getenv("INSTANCE"))
	if err != nil {
		log.Fatal(err)
	}
	sessions = client.Open("sessions")
	clicks = client.Open("clicks")
	ledger = client.Open("eu-ledger")
	catalog = client.Open("catalog")
	liveToken = bigtable.ChainFilters(bigtable.FamilyFilter(famToken), bigtable.TimestampRangeFilter(time.Now(), time.Time{}))
	http.HandleFunc("/login", login)
	http.HandleFunc("/me", me)
	http.HandleFunc("/me2", me2)
	http.HandleFunc("/me3", me3)
	http.HandleFunc("/click", withUser(click))
	http.HandleFunc("/pay", withUser(pay))
	http.HandleFunc("/pay2", withUser(pay2))
	http.HandleFunc("/export", export)
	http.HandleFunc("/admin/", admin)
	http.Handle("/catalog", http.HandlerFunc(putCatalog))
	log.Fatal(http.ListenAndServe(":8080", nil))
}

func nextSeq() int64 {
	seqMu.Lock()
	defer seqMu.Unlock()
	seq++
	return seq
}

func login(w http.ResponseWriter, r *http.Request) {
	user := r.FormValue("user")
	ttl := tokenTTL
	if s := r.FormValue("remember"); s != "" {
		days, err := strconv.Atoi(s)
		if err != nil {
			http.Error(w, "bad", http.StatusBadRequest)
			return
		}
		ttl = time.Duration(days) * 24 * time.Hour
	}
	mut := bigtable.NewMutation()
	mut.Set(famToken, colJWT, bigtable.Time(time.Now().Add(ttl)), []byte(user))
	mut.Set(famToken, "ip", bigtable.Now(), []byte(r.RemoteAddr)) // want "uses the current time"
	mut.Set(famProfile, "seen", bigtable.Now(), nil)
	mut.Set(famToken, "ua", bigtable.ServerTime, []byte(r.UserAgent())) // want "uses the server timestamp"
	mut.Set(famToken, "up", bigtable.Time(started.Add(tokenTTL)), nil)  // want "clock that was read once"
	if err := sessions.Apply(r.Context(), "u#"+user, mut); err != nil {
		http.Error(w, err.Error(), 500)
		return
	}
	fmt.Fprintln(w, "ok")
}

func me(w http.ResponseWriter, r *http.Request) {
	row, err := sessions.ReadRow(r.Context(), "u#"+r.FormValue("user")) // want "read of one-second-expiration family .token. of table .sessions."
	if err != nil {
		http.Error(w, err.Error(), 500)
		return
	}
	out := map[string]string{}
	for fam, items := range row {
		for _, it := range items {
			out[fam+it.Column] = string(it.Value)
		}
	}
	json.NewEncoder(w).Encode(out)
}

func me2(w http.ResponseWriter, r *http.Request) {
	row, err := sessions.ReadRow(r.Context(), "u#"+r.FormValue("user"), bigtable.RowFilter(liveToken))
	if err != nil {
		http.Error(w, err.Error(), 500)
		return
	}
	if len(row[famToken]) > 0 {
		fmt.Fprintln(w, string(row[famToken][0].Value))
	}
}

func me3(w http.ResponseWriter, r *http.Request) {
	row, err := sessions.ReadRow(r.Context(), "u#"+r.FormValue("user"), bigtable.RowFilter(bigtable.ChainFilters(
		bigtable.FamilyFilter(famToken), bigtable.LatestNFilter(1), bigtable.TimestampRangeFilter(time.Now(), time.Time{}))))
	if err != nil {
		http.Error(w, err.Error(), 500)
		return
	}
	for _, it := range row[famToken] {
		fmt.Fprintln(w, it.Column, time.Since(it.Timestamp.Time())) // want "is when the cell expires"
		fmt.Fprintln(w, it.Column, time.Until(it.Timestamp.Time()))
	}
}

func withUser(h func(w http.ResponseWriter, r *http.Request, user string)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		user := r.Header.Get("X-User")
		if user == "" {
			http.Error(w, "who?", http.StatusUnauthorized)
			return
		}
		row, err := sessions.ReadRow(r.Context(), "u#"+user, bigtable.RowFilter(bigtable.FamilyFilter(famToken))) // want "read of one-second-expiration family .token. of table .sessions."
		if err != nil || len(row[famToken]) == 0 {
			http.Error(w, "who?", http.StatusUnauthorized)
			return
		}
		h(w, r, user)
	}
}

func click(w http.ResponseWriter, r *http.Request, user string) {
	mut := bigtable.NewMutation()
	now := time.Now()
	mut.Set(famEvent, "click", bigtable.Time(now), []byte(r.URL.Path))
	mut.Set(famEvent, "old", bigtable.Time(now.AddDate(0, 0, -31)), nil) // want "uses a time 30d or more ago"
	if err := clicks.Apply(r.Context(), user+"#"+strconv.FormatInt(now.Unix(), 10), mut); err != nil {
		log.Print(err)
	}
	var n int
	err := clicks.ReadRows(r.Context(), bigtable.PrefixRange(user+"#"), func(row bigtable.Row) bool { // want "read of default-expiration family .event. of table .clicks."
		n += len(row[famEvent])
		return true
	})
	if err != nil {
		log.Print(err)
	}
	fmt.Fprintln(w, n)
}

func pay(w http.ResponseWriter, r *http.Request, user string) {
	amount, _ := strconv.Atoi(r.FormValue("amount"))
	n := nextSeq()
	mut := bigtable.NewMutation()
	mut.Set(famEntry, "amount", bigtable.Timestamp(n), []byte(strconv.Itoa(amount))) // want "counter, of which Bigtable cuts"
	mut.Set(famEntry, "who", bigtable.Timestamp(n*1000), []byte(user))
	mut.Set(famEntry, "at", bigtable.Now(), nil) // want "uses a clock reading"
	if err := ledger.Apply(r.Context(), user, mut); err != nil {
		http.Error(w, err.Error(), 500)
	}
}

func pay2(w http.ResponseWriter, r *http.Request, user string) {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment(famEntry, "n", 1) // want "read-modify-write"
	if _, err := ledger.ApplyReadModifyWrite(r.Context(), user, rmw); err != nil {
		http.Error(w, err.Error(), 500)
	}
	row, err := ledger.ReadRow(r.Context(), user, bigtable.RowFilter(bigtable.LatestNFilter(3)))
	if err == nil {
		fmt.Fprintln(w, len(row[famEntry]))
	}
	row, err = ledger.ReadRow(r.Context(), user, bigtable.RowFilter(bigtable.ColumnFilter("n"))) // want "does not limit versions"
	if err == nil {
		fmt.Fprintln(w, len(row[famEntry]))
	}
}

var exports = map[string]*bigtable.Table{}

func export(w http.ResponseWriter, r *http.Request) {
	name := r.FormValue("table")
	tbl, ok := exports[name]
	if !ok {
		tbl = client.Open(name)
		exports[name] = tbl
	}
	err := tbl.ReadRows(r.Context(), bigtable.InfiniteRange(""), func(row bigtable.Row) bool {
		fmt.Fprintln(w, row.Key())
		return true
	}, bigtable.RowFilter(bigtable.StripValueFilter()))
	if err != nil {
		log.Print(err)
	}
}

func admin(w http.ResponseWriter, r *http.Request) {
	switch strings.TrimPrefix(r.URL.Path, "/admin/") {
	case "sessions":
		dump(w, r, sessions, famToken) // want "read of one-second-expiration family .token. of table .sessions."
	case "profiles":
		dump(w, r, sessions, famProfile)
	case "ledger":
		dump(w, r, ledger, famEntry) // want "does not limit versions"
	case "purge":
		now := bigtable.Now()
		n := 0
		sessions.ReadRows(r.Context(), bigtable.InfiniteRange(""), func(row bigtable.Row) bool {
			m := bigtable.NewMutation()
			for _, it := range row[famToken] {
				m.DeleteTimestampRange(famToken, strings.TrimPrefix(it.Column, famToken+":"), 0, now)
				n++
			}
			return sessions.Apply(r.Context(), row.Key(), m) == nil
		}, bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter(famToken), bigtable.TimestampRangeFilterMicros(0, now))))
		fmt.Fprintln(w, n)
	}
}

func dump(w http.ResponseWriter, r *http.Request, tbl *bigtable.Table, fam string) {
	tbl.ReadRows(r.Context(), bigtable.InfiniteRange(""), func(row bigtable.Row) bool {
		for _, it := range row[fam] {
			fmt.Fprintln(w, row.Key(), it.Column, string(it.Value))
		}
		return true
	}, bigtable.RowFilter(bigtable.FamilyFilter(fam)))
}

type item struct {
	SKU     string
	Price   int
	Updated time.Time
}

func putCatalog(w http.ResponseWriter, r *http.Request) {
	var items []item
	if err := json.NewDecoder(r.Body).Decode(&items); err != nil {
		http.Error(w, err.Error(), 400)
		return
	}
	var keys []string
	var muts []*bigtable.Mutation
	for i, it := range items {
		m := bigtable.NewMutation()
		m.Set("latest", "price", 0, []byte(strconv.Itoa(it.Price)))
		m.Set("latest", "updated", bigtable.Time(it.Updated), nil) // want "timestamp-zero"
		if i == 0 {
			m.Set("latest", "first", bigtable.Now(), nil) // want "timestamp-zero"
		}
		keys, muts = append(keys, it.SKU), append(muts, m)
	}
	errs, err := catalog.ApplyBulk(r.Context(), keys, muts)
	if err != nil || len(errs) > 0 {
		http.Error(w, "failed", 500)
	}
}
