package login

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"net/http"
	"time"

	"cloud.google.com/go/bigtable"

	"pennywise.example/shop/internal/bt"
	"pennywise.example/shop/internal/clock"
	"pennywise.example/shop/internal/keys"
	"pennywise.example/shop/internal/web"
)

// API keys of the shops' own programs. An access key is a session like the
// others, only longer; a refresh key is in otp.

// keyConf has what the contract says.
type keyConf struct {
	access  time.Duration
	refresh time.Duration
	grace   time.Duration
}

var conf = keyConf{access: time.Hour, refresh: 30 * 24 * time.Hour}

// plans are the partners' lifetimes.
var plans = map[string]time.Duration{
	"basic": time.Hour,
	"gold":  24 * time.Hour,
}

type apiKey struct {
	Partner string    `json:"partner"`
	Plan    string    `json:"plan"`
	Scopes  []string  `json:"scopes"`
	Until   time.Time `json:"until"`
}

// expiry is the timestamp of a cell of an API key.
func expiry(kind string) bigtable.Timestamp {
	switch kind {
	case "access":
		return clock.In(conf.access)
	case "refresh":
		return clock.In(conf.refresh)
	case "hour":
		return bigtable.Time(clock.Now().Truncate(time.Hour).Add(time.Hour))
	}
	return bigtable.Now()
}

// IssueKey issues a pair of keys.
func IssueKey(w http.ResponseWriter, r *http.Request) {
	var k apiKey
	if !web.Read(w, r, &k) {
		return
	}
	access, refresh := keys.NewToken(), keys.NewToken()
	ttl := conf.access
	if t, ok := plans[k.Plan]; ok {
		ttl = t
	}
	k.Until = clock.Now().Add(ttl)
	raw, err := json.Marshal(k)
	if err != nil {
		web.Fail(w, err)
		return
	}
	mut := bigtable.NewMutation()
	mut.Set(bt.FamSess, "key", bigtable.Time(k.Until), raw)                    // ok ttlwrite/write-time
	mut.Set(bt.FamSess, "plan", expiry("access"), []byte(k.Plan))              // ok ttlwrite/write-time
	mut.Set(bt.FamSess, "scopes", expiry("scopes"), fmt.Append(nil, k.Scopes)) // want ttlwrite/write-time
	mut.Set(bt.FamSess, "quota", expiry("hour"), bt.PackInt(0))                // ok ttlwrite/write-time
	mut.Set(bt.FamSess, "issuer", clock.In(conf.grace), []byte(clientIP(r)))   // want ttlwrite/write-time
	if err := bt.Login.Apply(r.Context(), keys.Session(access), mut); err != nil {
		web.Fail(w, err)
		return
	}
	mut = bigtable.NewMutation()
	mut.Set(bt.FamOtp, "refresh", expiry("refresh"), raw)                                            // ok ttlwrite/write-time
	mut.Set(bt.FamOtp, "issued", bigtable.Now().TruncateToMilliseconds(), nil)                       // want ttlwrite/write-time
	mut.Set(bt.FamWho, "issued", bigtable.Now().TruncateToMilliseconds(), nil)                       // ok ttlwrite/write-time
	mut.Set(bt.FamOtp, "until", bigtable.Now()+bigtable.Timestamp(conf.refresh.Microseconds()), nil) // ok ttlwrite/write-time ttlunit/wrong-unit
	if err := bt.Login.Apply(r.Context(), keys.Session(refresh), mut); err != nil {
		web.Fail(w, err)
		return
	}
	web.JSON(w, http.StatusOK, map[string]any{"access": access, "refresh": refresh, "until": k.Until})
}

// alive says whether a cell has not expired.
func alive(it bigtable.ReadItem) bool {
	return it.Timestamp.Time().After(clock.Now())
}

// CheckKey is called by the gateway for every request of a partner.
func CheckKey(ctx context.Context, token string) (*apiKey, error) {
	row, err := bt.Login.ReadRow(ctx, keys.Session(token), bigtable.RowFilter(bigtable.FamilyFilter(bt.FamSess))) // ok ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	for _, it := range row[bt.FamSess] {
		if it.Column != "sess:key" || !alive(it) {
			continue
		}
		var k apiKey
		if err := json.Unmarshal(it.Value, &k); err != nil {
			return nil, err
		}
		return &k, nil
	}
	return nil, web.ErrForbidden
}

// parseKey takes the key out of a row.
func parseKey(row bigtable.Row) (*apiKey, error) {
	it := bt.Cell(row, bt.FamSess, "key")
	if it == nil {
		return nil, web.ErrForbidden
	}
	k := &apiKey{}
	if err := json.Unmarshal(it.Value, k); err != nil {
		return nil, err
	}
	return k, nil
}

// parseWho takes the address and language out of a row.
func parseWho(row bigtable.Row) (ip, lang string) {
	for _, it := range row[bt.FamWho] {
		switch it.Column {
		case "who:last_login":
			ip = string(it.Value)
		case "who:lang":
			lang = string(it.Value)
		}
	}
	return ip, lang
}

// ShowKey is the page of a key.
func ShowKey(w http.ResponseWriter, r *http.Request) {
	row, err := bt.Login.ReadRow(r.Context(), keys.Session(r.FormValue("key"))) // want ttlread/missing-filter
	if err != nil {
		web.Fail(w, err)
		return
	}
	k, err := parseKey(row)
	if err != nil {
		web.Fail(w, err)
		return
	}
	web.JSON(w, http.StatusOK, k)
}

// ShowPartner is the page of a partner.
func ShowPartner(w http.ResponseWriter, r *http.Request) {
	row, err := bt.Login.ReadRow(r.Context(), keys.User(r.FormValue("partner"))) // ok ttlread/missing-filter
	if err != nil {
		web.Fail(w, err)
		return
	}
	ip, lang := parseWho(row)
	if it := bt.Cell(row, bt.FamWho, "lang"); it != nil {
		w.Header().Set("Last-Modified", it.Timestamp.Time().UTC().Format(http.TimeFormat)) // ok ttlage/not-write-time
	}
	web.JSON(w, http.StatusOK, map[string]string{"ip": ip, "lang": lang})
}

// keyFilter is for both pages below.
func keyFilter(fam string, expired bool) bigtable.Filter {
	if expired {
		return bigtable.ChainFilters(bigtable.FamilyFilter(fam), bigtable.TimestampRangeFilter(time.Time{}, clock.Now()))
	}
	return bigtable.ChainFilters(bigtable.FamilyFilter(fam), bigtable.TimestampRangeFilter(clock.Now(), time.Time{}))
}

// listKeys lists keys.
func listKeys(ctx context.Context, f bigtable.Filter) ([]apiKey, error) {
	var res []apiKey
	var failed error
	err := bt.Login.ReadRows(ctx, bigtable.PrefixRange("s"+keys.Sep), func(row bigtable.Row) bool {
		k, err := parseKey(row)
		if errors.Is(err, web.ErrForbidden) {
			return true
		}
		if err != nil {
			failed = err
			return false
		}
		res = append(res, *k)
		return true
	}, bigtable.RowFilter(f))
	return res, errors.Join(err, failed)
}

// Keys lists the keys.
func Keys(w http.ResponseWriter, r *http.Request) {
	list, err := listKeys(r.Context(), keyFilter(bt.FamSess, false)) // ok ttlread/expired-only
	if err != nil {
		web.Fail(w, err)
		return
	}
	web.JSON(w, http.StatusOK, list)
}

// OldKeys lists the keys that have ended and may be renewed.
func OldKeys(w http.ResponseWriter, r *http.Request) {
	list, err := listKeys(r.Context(), keyFilter(bt.FamSess, true)) // want ttlread/expired-only
	if err != nil {
		web.Fail(w, err)
		return
	}
	web.JSON(w, http.StatusOK, list)
}

// AllKeys is the list of the billing people.
func AllKeys(ctx context.Context) ([]apiKey, error) {
	return listKeys(ctx, bigtable.FamilyFilter(bt.FamSess)) // want ttlread/missing-filter
}

// usedAt writes when a key was used last, and returns what was there.
func usedAt(ctx context.Context, token string) (time.Time, error) {
	key := keys.Session(token)
	row, err := bt.Login.ReadRow(ctx, key, bigtable.RowFilter(bigtable.ChainFilters(bt.LiveIn(bt.FamSess), bigtable.ColumnFilter("used")))) // ok ttlread/missing-filter
	if err != nil {
		return time.Time{}, err
	}
	var last time.Time
	if it := bt.Cell(row, bt.FamSess, "used"); it != nil {
		if last, err = time.Parse(time.RFC3339, string(it.Value)); err != nil {
			log.Printf("key: %v", err)
		}
	}
	fam, col, ts := bt.FamSess, "used", expiry("access")
	mut := bigtable.NewMutation()
	mut.Set(fam, col, ts, []byte(clock.Now().Format(time.RFC3339))) // ok ttlwrite/write-time
	fam, col, ts = bt.FamSess, "used_ms", clock.TS()
	mut.Set(fam, col, ts, nil) // want ttlwrite/write-time
	fam, col, ts = bt.FamWho, "used", clock.TS()
	mut.Set(fam, col, ts, nil) // ok ttlwrite/write-time
	return last, bt.Login.Apply(ctx, key, mut)
}

// count adds to a counter.
func count(rmw *bigtable.ReadModifyWrite, fam, col string) {
	rmw.Increment(fam, col, 1)
}

// Quota counts a partner's calls.
func Quota(ctx context.Context, token string) (int64, error) {
	if _, err := usedAt(ctx, token); err != nil {
		return 0, err
	}
	rmw := bigtable.NewReadModifyWrite()
	count(rmw, bt.FamSess, "quota") // want ttlwrite/read-modify-write
	count(rmw, bt.FamWho, "calls")  // ok ttlwrite/read-modify-write
	row, err := bt.Login.ApplyReadModifyWrite(ctx, keys.Session(token), rmw)
	if err != nil {
		return 0, err
	}
	return bt.Int(row, bt.FamSess, "quota"), nil
}

// Renew gives a key more time: until, or a little when the partner did not say.
func Renew(ctx context.Context, token string, until time.Time) error {
	if until.IsZero() {
		until = clock.Now()
	}
	mut := bigtable.NewMutation()
	mut.Set(bt.FamSess, "renewed", bigtable.Time(until), nil) // strict ttlwrite/write-time
	return bt.Login.Apply(ctx, keys.Session(token), mut)
}

// setCell writes a cell of a session. ServerTime means the usual time.
func setCell(ctx context.Context, token, col string, ts bigtable.Timestamp, v []byte) error {
	if ts == bigtable.ServerTime {
		ts = clock.In(sessionTTL)
	}
	mut := bigtable.NewMutation()
	mut.DeleteCellsInColumn(bt.FamSess, col)
	mut.Set(bt.FamSess, col, ts, v) // ok ttlwrite/delete-after-set
	return bt.Login.Apply(ctx, keys.Session(token), mut)
}

// SetLang remembers the language in the session.
func SetLang(w http.ResponseWriter, r *http.Request) {
	c, err := r.Cookie(cookie)
	if err != nil {
		web.Fail(w, web.ErrForbidden)
		return
	}
	if err := setCell(r.Context(), c.Value, "lang", bigtable.ServerTime, []byte(r.FormValue("lang"))); err != nil { // ok ttlwrite/server-timestamp
		web.Fail(w, err)
		return
	}
	if err := setCell(r.Context(), c.Value, "theme", bigtable.Now(), []byte(r.FormValue("theme"))); err != nil { // want ttlwrite/write-time
		web.Fail(w, err)
		return
	}
	w.WriteHeader(http.StatusNoContent)
}
