// Package login is sessions, one time codes and who is who.
//
// Table login: a session's cells (sess) and codes (otp) have the time of their
// expiry as timestamp and the GC throws away what is a second old. "who" is an
// ordinary family.
package login

import (
	"crypto/subtle"
	"encoding/json"
	"fmt"
	"log"
	"net"
	"net/http"
	"os"
	"strings"
	"time"

	"cloud.google.com/go/bigtable"

	"pennywise.example/shop/internal/bt"
	"pennywise.example/shop/internal/clock"
	"pennywise.example/shop/internal/keys"
	"pennywise.example/shop/internal/web"
)

const cookie = "pw_sid"

var (
	sessionTTL  = 12 * time.Hour
	rememberTTL = 60 * 24 * time.Hour
	codeTTL     = 5 * time.Minute
)

type loginRequest struct {
	Email    string `json:"email"`
	Password string `json:"password"`
	Remember bool   `json:"remember"`
	Device   string `json:"device"`
}

// Login checks the password and opens a session.
func Login(w http.ResponseWriter, r *http.Request) {
	var req loginRequest
	if !web.Read(w, r, &req) {
		return
	}
	ctx := r.Context()
	user := strings.ToLower(strings.TrimSpace(req.Email))
	row, err := bt.Login.ReadRow(ctx, keys.User(user), bigtable.RowFilter(bigtable.FamilyFilter(bt.FamWho))) // ok ttlread/missing-filter
	if err != nil {
		web.Fail(w, err)
		return
	}
	hash := bt.Str(row, bt.FamWho, "hash")
	if hash == "" || !checkPassword(hash, req.Password) {
		rmw := bigtable.NewReadModifyWrite()
		rmw.Increment(bt.FamWho, "failed", 1) // ok ttlwrite/read-modify-write
		if _, err := bt.Login.ApplyReadModifyWrite(ctx, keys.User(user), rmw); err != nil {
			log.Printf("login: count failure of %s: %v", user, err)
		}
		web.Fail(w, web.ErrForbidden)
		return
	}

	ttl := sessionTTL
	if req.Remember {
		ttl = rememberTTL
	}
	token := keys.NewToken()
	exp := clock.Now().Add(ttl)
	mut := bigtable.NewMutation()
	mut.Set(bt.FamSess, "user", bigtable.Time(exp), []byte(user))           // ok ttlwrite/write-time
	mut.Set(bt.FamSess, "ip", bigtable.Time(exp), []byte(clientIP(r)))      // ok ttlwrite/write-time
	mut.Set(bt.FamSess, "agent", bigtable.Time(exp), []byte(r.UserAgent())) // ok ttlwrite/write-time
	if err := bt.Login.Apply(ctx, keys.Session(token), mut); err != nil {
		web.Fail(w, err)
		return
	}

	mut = bigtable.NewMutation()
	mut.Set(bt.FamWho, "last_login", bigtable.Now(), []byte(clientIP(r))) // ok ttlwrite/write-time
	mut.Set(bt.FamWho, "failed", bigtable.ServerTime, bt.PackInt(0))      // ok ttlwrite/server-timestamp
	if err := bt.Login.Apply(ctx, keys.User(user), mut); err != nil {
		log.Printf("login: %s: %v", user, err)
	}
	http.SetCookie(w, &http.Cookie{Name: cookie, Value: token, Expires: exp, HttpOnly: true, Secure: true})
	web.JSON(w, http.StatusOK, map[string]any{"user": user, "expires": exp})
}

// Logout ends the session of the cookie.
func Logout(w http.ResponseWriter, r *http.Request) {
	c, err := r.Cookie(cookie)
	if err != nil {
		w.WriteHeader(http.StatusNoContent)
		return
	}
	mut := bigtable.NewMutation()
	mut.DeleteCellsInFamily(bt.FamSess)
	mut.Set(bt.FamWho, "logout", bigtable.Now(), []byte(clientIP(r))) // ok ttlwrite/delete-after-set
	if err := bt.Login.Apply(r.Context(), keys.Session(c.Value), mut); err != nil {
		web.Fail(w, err)
		return
	}
	http.SetCookie(w, &http.Cookie{Name: cookie, MaxAge: -1})
	w.WriteHeader(http.StatusNoContent)
}

// LogoutEverywhere ends all sessions of the user, and says so in the row.
func LogoutEverywhere(w http.ResponseWriter, r *http.Request) {
	ctx := r.Context()
	user, err := Current(r)
	if err != nil {
		web.Fail(w, err)
		return
	}
	var ended []string
	err = bt.Login.ReadRows(ctx, bigtable.PrefixRange("s"+keys.Sep), func(row bigtable.Row) bool {
		if bt.Str(row, bt.FamSess, "user") == user {
			ended = append(ended, row.Key())
		}
		return true
	}, bigtable.RowFilter(bt.LiveIn(bt.FamSess))) // ok ttlread/missing-filter
	if err != nil {
		web.Fail(w, err)
		return
	}
	for _, key := range ended {
		mut := bigtable.NewMutation()
		mut.Set(bt.FamWho, "ended", bigtable.Now(), []byte(user))
		mut.DeleteRow() // want ttlwrite/delete-after-set
		if err := bt.Login.Apply(ctx, key, mut); err != nil {
			web.Fail(w, err)
			return
		}
	}
	web.JSON(w, http.StatusOK, map[string]int{"ended": len(ended)})
}

// Current is the user of the request's session.
func Current(r *http.Request) (string, error) {
	c, err := r.Cookie(cookie)
	if err != nil {
		return "", web.ErrForbidden
	}
	row, err := bt.Get(r.Context(), bt.Login, keys.Session(c.Value), bigtable.RowFilter(bt.LiveIn(bt.FamSess))) // ok ttlread/missing-filter
	if err != nil {
		return "", err
	}
	user := bt.Str(row, bt.FamSess, "user")
	if user == "" {
		return "", web.ErrForbidden
	}
	return user, nil
}

// RequireUser is the middleware in front of everything that needs a session.
func RequireUser(next http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		c, err := r.Cookie(cookie)
		if err != nil {
			web.Fail(w, web.ErrForbidden)
			return
		}
		row, err := bt.Login.ReadRow(r.Context(), keys.Session(c.Value)) // want ttlread/missing-filter
		if err != nil {
			web.Fail(w, err)
			return
		}
		if len(row[bt.FamSess]) == 0 {
			web.Fail(w, web.ErrForbidden)
			return
		}
		next(w, r)
	}
}

// RequireStaff is RequireUser for the back office. It looks at the expiry itself.
func RequireStaff(next http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		c, err := r.Cookie(cookie)
		if err != nil {
			web.Fail(w, web.ErrForbidden)
			return
		}
		row, err := bt.Login.ReadRow(r.Context(), keys.Session(c.Value)) // ok ttlread/missing-filter
		if err != nil {
			web.Fail(w, err)
			return
		}
		var user string
		for _, it := range row[bt.FamSess] {
			if it.Timestamp.Time().Before(clock.Now()) {
				continue
			}
			if it.Column == bt.FamSess+":user" {
				user = string(it.Value)
			}
		}
		if !strings.HasSuffix(user, "@pennywise.example") {
			web.Fail(w, web.ErrForbidden)
			return
		}
		next(w, r)
	}
}

// Me shows the session.
func Me(w http.ResponseWriter, r *http.Request) {
	c, err := r.Cookie(cookie)
	if err != nil {
		web.Fail(w, web.ErrForbidden)
		return
	}
	row, err := bt.Login.ReadRow(r.Context(), keys.Session(c.Value), bigtable.RowFilter(bigtable.ChainFilters(
		bigtable.FamilyFilter(bt.FamSess),
		bigtable.LatestNFilter(1),
		bt.Live(), // ok ttlread/expired-only
	)))
	if err != nil {
		web.Fail(w, err)
		return
	}
	it := bt.Cell(row, bt.FamSess, "user")
	if it == nil {
		web.Fail(w, web.ErrForbidden)
		return
	}
	web.JSON(w, http.StatusOK, map[string]any{
		"user":       string(it.Value),
		"expires_at": it.Timestamp.Time(),             // ok ttlage/not-write-time
		"left":       clock.Left(it.Timestamp.Time()), // ok ttlage/not-write-time
	})
}

// Touch keeps a session open while somebody uses it.
func Touch(w http.ResponseWriter, r *http.Request) {
	ctx := r.Context()
	c, err := r.Cookie(cookie)
	if err != nil {
		web.Fail(w, web.ErrForbidden)
		return
	}
	row, err := bt.Login.ReadRow(ctx, keys.Session(c.Value), bigtable.RowFilter(bt.LiveIn(bt.FamSess))) // ok ttlread/missing-filter
	if err != nil {
		web.Fail(w, err)
		return
	}
	user := bt.Cell(row, bt.FamSess, "user")
	if user == nil {
		web.Fail(w, web.ErrForbidden)
		return
	}
	if time.Since(user.Timestamp.Time()) < 5*time.Minute { // want ttlage/not-write-time
		w.WriteHeader(http.StatusNoContent)
		return
	}
	mut := bigtable.NewMutation()
	for _, it := range row[bt.FamSess] {
		col := strings.TrimPrefix(it.Column, bt.FamSess+":")
		mut.Set(bt.FamSess, col, clock.In(sessionTTL), it.Value) // ok ttlwrite/write-time
	}
	mut.Set(bt.FamSess, "touched", clock.TS(), []byte(clientIP(r))) // want ttlwrite/write-time
	if err := bt.Login.Apply(ctx, keys.Session(c.Value), mut); err != nil {
		web.Fail(w, err)
		return
	}
	w.WriteHeader(http.StatusNoContent)
}

type sessionInfo struct {
	ID        string    `json:"id"`
	User      string    `json:"user,omitempty"`
	IP        string    `json:"ip"`
	Agent     string    `json:"agent"`
	CreatedAt time.Time `json:"created_at"`
	ExpiresAt time.Time `json:"expires_at"`
}

// Sessions lists the user's open sessions for the account page.
func Sessions(w http.ResponseWriter, r *http.Request) {
	user, err := Current(r)
	if err != nil {
		web.Fail(w, err)
		return
	}
	var list []sessionInfo
	live := bigtable.TimestampRangeFilter(clock.Now(), time.Time{}) // ok ttlread/hides-other-families
	err = bt.Login.ReadRows(r.Context(), bigtable.PrefixRange("s"+keys.Sep), func(row bigtable.Row) bool {
		if bt.Str(row, bt.FamSess, "user") != user {
			return true
		}
		var s sessionInfo
		_, s.ID = keys.Split(row.Key())
		for _, it := range row[bt.FamSess] {
			switch it.Column {
			case "sess:user":
				s.CreatedAt = it.Timestamp.Time() // want ttlage/not-write-time
				s.ExpiresAt = it.Timestamp.Time() // ok ttlage/not-write-time
			case "sess:ip":
				s.IP = string(it.Value)
			case "sess:agent":
				s.Agent = string(it.Value)
			}
		}
		list = append(list, s)
		return true
	}, bigtable.RowFilter(live))
	if err != nil {
		web.Fail(w, err)
		return
	}
	web.JSON(w, http.StatusOK, list)
}

// Profile shows what we know about a user.
func Profile(w http.ResponseWriter, r *http.Request) {
	user, err := Current(r)
	if err != nil {
		web.Fail(w, err)
		return
	}
	row, err := bt.Login.ReadRow(r.Context(), keys.User(user)) // ok ttlread/missing-filter
	if err != nil {
		web.Fail(w, err)
		return
	}
	res := map[string]any{"user": user}
	for _, it := range row[bt.FamWho] {
		switch it.Column {
		case "who:name", "who:lang", "who:country":
			res[it.Column[len("who:"):]] = string(it.Value)
		case "who:last_login":
			res["last_login"] = clock.Ago(it.Timestamp.Time())           // ok ttlage/not-write-time
			res["updated_at"] = it.Timestamp.Time().Format(time.RFC3339) // ok ttlage/not-write-time
		}
	}
	web.JSON(w, http.StatusOK, res)
}

// SetProfile changes name, language and country.
func SetProfile(w http.ResponseWriter, r *http.Request) {
	user, err := Current(r)
	if err != nil {
		web.Fail(w, err)
		return
	}
	var req map[string]string
	if !web.Read(w, r, &req) {
		return
	}
	mut := bigtable.NewMutation()
	for _, col := range []string{"name", "lang", "country"} {
		if v, ok := req[col]; ok {
			mut.Set(bt.FamWho, col, bigtable.Now(), []byte(v)) // ok ttlwrite/write-time
		}
	}
	if err := bt.Login.Apply(r.Context(), keys.User(user), mut); err != nil {
		web.Fail(w, err)
		return
	}
	w.WriteHeader(http.StatusNoContent)
}

// Impersonate opens a short session in the name of a customer. Staff only.
func Impersonate(w http.ResponseWriter, r *http.Request) {
	staff, err := Current(r)
	if err != nil {
		web.Fail(w, err)
		return
	}
	customer := r.URL.Query().Get("customer")
	token := keys.NewToken()
	mut := bigtable.NewMutation()
	mut.Set(bt.FamSess, "user", clock.In(15*time.Minute), []byte(customer)) // ok ttlwrite/write-time
	mut.Set(bt.FamSess, "staff", bigtable.ServerTime, []byte(staff))        // want ttlwrite/server-timestamp
	if err := bt.Login.Apply(r.Context(), keys.Session(token), mut); err != nil {
		web.Fail(w, err)
		return
	}
	// support wants to see it in the customer's row
	if err := bt.Put(r.Context(), bt.Login, keys.User(customer), bt.FamWho, "support", bigtable.Now(), []byte(staff)); err != nil { // ok ttlwrite/write-time
		log.Printf("impersonate: %v", err)
	}
	web.JSON(w, http.StatusOK, map[string]string{"token": token})
}

// Kick marks a session as dead without deleting it, so that the fraud desk can
// still look at it for a while.
func Kick(w http.ResponseWriter, r *http.Request) {
	id := r.URL.Query().Get("session")
	mut := bigtable.NewMutation()
	mut.Set(bt.FamSess, "kicked", bigtable.Time(clock.Now().Add(-time.Minute)), []byte("1")) // want ttlwrite/already-expired
	if err := bt.Login.Apply(r.Context(), "s"+keys.Sep+id, mut); err != nil {
		web.Fail(w, err)
		return
	}
	w.WriteHeader(http.StatusNoContent)
}

// Debug dumps a row of the login table. Staff only.
func Debug(w http.ResponseWriter, r *http.Request) {
	row, err := bt.Get(r.Context(), bt.Login, r.URL.Query().Get("key")) // want ttlread/missing-filter
	if err != nil {
		web.Fail(w, err)
		return
	}
	web.JSON(w, http.StatusOK, row)
}

// checkPassword compares the way the old shop did.
func checkPassword(hash, password string) bool {
	sum := keys.Session(os.Getenv("PW_PEPPER") + password)
	return subtle.ConstantTimeCompare([]byte(hash), []byte(sum)) == 1
}

func clientIP(r *http.Request) string {
	if f := r.Header.Get("X-Forwarded-For"); f != "" {
		ip, _, _ := strings.Cut(f, ",")
		return strings.TrimSpace(ip)
	}
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		return r.RemoteAddr
	}
	return host
}

// Ticket is what the mobile apps get instead of a cookie.
type Ticket struct {
	User  string    `json:"user"`
	Shops []string  `json:"shops"`
	Until time.Time `json:"until"`
}

// NewTicket opens a session for an app.
func NewTicket(w http.ResponseWriter, r *http.Request) {
	user, err := Current(r)
	if err != nil {
		web.Fail(w, err)
		return
	}
	t := Ticket{User: user, Until: clock.NextMidnight(clock.Now())}
	raw, err := json.Marshal(t)
	if err != nil {
		web.Fail(w, fmt.Errorf("ticket: %w", err))
		return
	}
	token := keys.NewToken()
	mut := bigtable.NewMutation()
	mut.Set(bt.FamSess, "ticket", bigtable.Time(t.Until), raw)                        // ok ttlwrite/write-time
	mut.Set(bt.FamSess, "user", bigtable.Timestamp(t.Until.Unix()), []byte(user))     // want ttlunit/wrong-unit|ttlwrite/already-expired
	mut.Set(bt.FamSess, "app", clock.FromUnix(t.Until.Unix()), []byte(r.UserAgent())) // ok ttlunit/wrong-unit
	if err := bt.Login.Apply(r.Context(), keys.Session(token), mut); err != nil {
		web.Fail(w, err)
		return
	}
	web.JSON(w, http.StatusOK, map[string]any{"token": token, "until": t.Until})
}

// CheckTicket is for the apps' gateway.
func CheckTicket(w http.ResponseWriter, r *http.Request) {
	token := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
	filter := bigtable.ChainFilters( // want ttlread/missing-filter[ticket]
		bigtable.ColumnFilter("ticket"),
		bigtable.LatestNFilter(1),
	)
	row, err := bt.Login.ReadRow(r.Context(), keys.Session(token), bigtable.RowFilter(filter)) // want ttlread/missing-filter[ticket]
	if err != nil {
		web.Fail(w, err)
		return
	}
	it := bt.Cell(row, bt.FamSess, "ticket")
	if it == nil {
		web.Fail(w, web.ErrForbidden)
		return
	}
	var t Ticket
	if err := json.Unmarshal(it.Value, &t); err != nil {
		web.Fail(w, err)
		return
	}
	web.JSON(w, http.StatusOK, t)
}
