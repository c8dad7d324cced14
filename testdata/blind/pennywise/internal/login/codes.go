package login

import (
	"fmt"
	"log"
	"net/http"
	"strings"
	"time"

	"cloud.google.com/go/bigtable"

	"pennywise.example/shop/internal/bt"
	"pennywise.example/shop/internal/clock"
	"pennywise.example/shop/internal/keys"
	"pennywise.example/shop/internal/web"
)

// SendMail is replaced in tests.
var SendMail = func(to, subject, body string) error {
	log.Printf("mail to %s: %s", to, subject)
	return nil
}

// maxTries is how often a code may be wrong.
const maxTries = 5

// RequestCode sends a code for the second factor.
func RequestCode(w http.ResponseWriter, r *http.Request) {
	ctx := r.Context()
	user := r.URL.Query().Get("user")
	key := keys.User(user)

	// at most one code a minute
	row, err := bt.Login.ReadRow(ctx, key, bigtable.RowFilter(bt.LiveIn(bt.FamOtp))) // ok ttlread/missing-filter
	if err != nil {
		web.Fail(w, err)
		return
	}
	if it := bt.Cell(row, bt.FamOtp, "code"); it != nil {
		age := codeTTL - time.Until(it.Timestamp.Time()) // ok ttlage/not-write-time
		if age < time.Minute {
			web.JSON(w, http.StatusTooManyRequests, map[string]string{"error": "wait"})
			return
		}
	}

	code := keys.NewCode()
	ts := bigtable.Time(clock.Now().Add(codeTTL))
	mut := bigtable.NewMutation()
	mut.DeleteCellsInFamily(bt.FamOtp)
	mut.Set(bt.FamOtp, "code", ts, []byte(code))         // ok ttlwrite/write-time ttlwrite/delete-after-set
	mut.Set(bt.FamOtp, "tries", ts, bt.PackInt(0))       // ok ttlwrite/same-timestamp
	mut.Set(bt.FamWho, "code_sent", bigtable.Now(), nil) // ok ttlwrite/write-time
	if err := bt.Login.Apply(ctx, key, mut); err != nil {
		web.Fail(w, err)
		return
	}
	if err := SendMail(user, "Your code", fmt.Sprintf("Your code is %s. It is valid for %s.", code, codeTTL)); err != nil {
		web.Fail(w, err)
		return
	}
	w.WriteHeader(http.StatusAccepted)
}

// VerifyCode checks a code.
func VerifyCode(w http.ResponseWriter, r *http.Request) {
	ctx := r.Context()
	var req struct {
		User string `json:"user"`
		Code string `json:"code"`
	}
	if !web.Read(w, r, &req) {
		return
	}
	key := keys.User(req.User)

	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment(bt.FamOtp, "tries", 1) // want ttlwrite/read-modify-write
	row, err := bt.Login.ApplyReadModifyWrite(ctx, key, rmw)
	if err != nil {
		web.Fail(w, err)
		return
	}
	if bt.Int(row, bt.FamOtp, "tries") > maxTries {
		web.Fail(w, web.ErrForbidden)
		return
	}

	row, err = bt.Login.ReadRow(ctx, key, bigtable.RowFilter(bigtable.ChainFilters( // want ttlread/missing-filter[verify]
		bigtable.FamilyFilter(bt.FamOtp), // want ttlread/missing-filter[verify]
		bigtable.LatestNFilter(1),
	)))
	if err != nil {
		web.Fail(w, err)
		return
	}
	if bt.Str(row, bt.FamOtp, "code") != req.Code {
		web.Fail(w, web.ErrForbidden)
		return
	}
	mut := bigtable.NewMutation()
	mut.DeleteCellsInFamily(bt.FamOtp)
	if err := bt.Login.Apply(ctx, key, mut); err != nil {
		log.Printf("verify: %s: %v", req.User, err)
	}
	w.WriteHeader(http.StatusNoContent)
}

// UseCode is VerifyCode as the apps call it: check and delete in one.
func UseCode(w http.ResponseWriter, r *http.Request) {
	user, code := r.FormValue("user"), r.FormValue("code")
	if strings.Trim(code, "0123456789") != "" || len(code) != 6 {
		web.Fail(w, web.ErrForbidden)
		return
	}
	used := bigtable.NewMutation()
	used.DeleteCellsInFamily(bt.FamOtp)
	used.Set(bt.FamWho, "verified", bigtable.Now(), []byte("app"))                                                              // ok ttlwrite/delete-after-set
	match := bigtable.ChainFilters(bigtable.FamilyFilter(bt.FamOtp), bigtable.ColumnFilter("code"), bigtable.ValueFilter(code)) // want ttlread/conditional-mutation[use]
	var ok bool
	err := bt.Login.Apply(r.Context(), keys.User(user), bigtable.NewCondMutation(match, used, nil), bigtable.GetCondMutationResult(&ok)) // want ttlread/conditional-mutation[use]
	if err != nil {
		web.Fail(w, err)
		return
	}
	if !ok {
		web.Fail(w, web.ErrForbidden)
		return
	}
	w.WriteHeader(http.StatusNoContent)
}

// UseCode2 is UseCode since the incident in March.
func UseCode2(w http.ResponseWriter, r *http.Request) {
	user, code := r.FormValue("user"), r.FormValue("code")
	if strings.Trim(code, "0123456789") != "" || len(code) != 6 {
		web.Fail(w, web.ErrForbidden)
		return
	}
	used := bigtable.NewMutation()
	used.DeleteCellsInFamily(bt.FamOtp)
	used.Set(bt.FamWho, "verified", bigtable.Now(), []byte("app"))
	match := bigtable.ChainFilters(bt.LiveIn(bt.FamOtp), bigtable.ColumnFilter("code"), bigtable.ValueFilter(code)) // ok ttlread/conditional-mutation
	var ok bool
	err := bt.Login.Apply(r.Context(), keys.User(user), bigtable.NewCondMutation(match, used, nil), bigtable.GetCondMutationResult(&ok)) // ok ttlread/conditional-mutation
	if err != nil {
		web.Fail(w, err)
		return
	}
	if !ok {
		web.Fail(w, web.ErrForbidden)
		return
	}
	w.WriteHeader(http.StatusNoContent)
}

// DropCodes throws codes away when a user changes the mail address.
func DropCodes(w http.ResponseWriter, r *http.Request) {
	user, err := Current(r)
	if err != nil {
		web.Fail(w, err)
		return
	}
	drop := bigtable.NewMutation()
	drop.DeleteCellsInFamily(bt.FamOtp)
	cond := bigtable.NewCondMutation(bigtable.FamilyFilter(bt.FamOtp), drop, nil) // ok ttlread/conditional-mutation
	if err := bt.Login.Apply(r.Context(), keys.User(user), cond); err != nil {
		web.Fail(w, err)
		return
	}
	w.WriteHeader(http.StatusNoContent)
}

// ResetLink mails a link with which a password can be set once.
func ResetLink(w http.ResponseWriter, r *http.Request) {
	user := r.FormValue("user")
	token := keys.NewToken()
	mut := bigtable.NewMutation()
	mut.Set(bt.FamOtp, "reset", bigtable.Now(), []byte(user)) // want ttlwrite/write-time
	if err := bt.Login.Apply(r.Context(), "r"+keys.Sep+token, mut); err != nil {
		web.Fail(w, err)
		return
	}
	if err := SendMail(user, "New password", "https://pennywise.example/reset?t="+token); err != nil {
		web.Fail(w, err)
		return
	}
	w.WriteHeader(http.StatusAccepted)
}

// Reset sets the password.
func Reset(w http.ResponseWriter, r *http.Request) {
	ctx := r.Context()
	key := "r" + keys.Sep + r.FormValue("token")
	row, err := bt.Login.ReadRow(ctx, key, bigtable.RowFilter(bigtable.ChainFilters(
		bigtable.FamilyFilter(bt.FamOtp),
		bigtable.TimestampRangeFilter(clock.Now().Add(-time.Hour), time.Time{}), // want ttlread/wrong-bound
	)))
	if err != nil {
		web.Fail(w, err)
		return
	}
	user := bt.Str(row, bt.FamOtp, "reset")
	if user == "" {
		web.Fail(w, web.ErrForbidden)
		return
	}
	mut := bigtable.NewMutation()
	mut.Set(bt.FamWho, "hash", bigtable.Now(), []byte(keys.Session(r.FormValue("password"))))
	if err := bt.Login.Apply(ctx, keys.User(user), mut); err != nil {
		web.Fail(w, err)
		return
	}
	del := bigtable.NewMutation()
	del.DeleteRow()
	if err := bt.Login.Apply(ctx, key, del); err != nil {
		log.Printf("reset: %v", err)
	}
	w.WriteHeader(http.StatusNoContent)
}

// Invite mails a link that is valid for as long as the inviter says.
func Invite(w http.ResponseWriter, r *http.Request) {
	user, err := Current(r)
	if err != nil {
		web.Fail(w, err)
		return
	}
	days := web.Int(r, "days", 3)
	until := clock.Now().AddDate(0, 0, days)
	token := keys.NewToken()
	if err := bt.Put(r.Context(), bt.Login, "i"+keys.Sep+token, bt.FamOtp, "invite", bigtable.Time(until), []byte(user)); err != nil { // ok ttlwrite/write-time
		web.Fail(w, err)
		return
	}
	if err := bt.Put(r.Context(), bt.Login, "i"+keys.Sep+token, bt.FamOtp, "left", clock.TS(), bt.PackInt(10)); err != nil { // want ttlwrite/write-time
		web.Fail(w, err)
		return
	}
	web.JSON(w, http.StatusOK, map[string]string{"link": "https://pennywise.example/join?t=" + token})
}

// Join uses an invitation.
func Join(w http.ResponseWriter, r *http.Request) {
	key := "i" + keys.Sep + r.FormValue("t")
	now := clock.Now()
	row, err := bt.Login.ReadRow(r.Context(), key, bigtable.RowFilter(bigtable.ChainFilters(
		bigtable.FamilyFilter(bt.FamOtp),
		bigtable.TimestampRangeFilter(now, now.AddDate(0, 0, 3)), // ok ttlread/upper-bound
	)))
	if err != nil {
		web.Fail(w, err)
		return
	}
	it := bt.Cell(row, bt.FamOtp, "invite")
	if it == nil {
		web.Fail(w, web.ErrNotFound)
		return
	}
	web.JSON(w, http.StatusOK, map[string]any{
		"by":      string(it.Value),
		"invited": clock.Ago(it.Timestamp.Time()),            // want ttlage/not-write-time
		"until":   it.Timestamp.Time().Format(time.DateOnly), // ok ttlage/not-write-time
	})
}
