// Package newsletter is subscriptions, double opt-in and open tracking.
package newsletter

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"html/template"
	"log"
	"net/http"
	"net/mail"
	"strings"
	"time"

	"brightpost.example/monolith/bt"
	"brightpost.example/monolith/btutil"
	"brightpost.example/monolith/conf"
	"brightpost.example/monolith/dbx"

	"cloud.google.com/go/bigtable"
)

var (
	confirmPage = template.Must(template.New("c").Parse(`<p>{{.}}, please confirm.</p>`))
	errNoToken  = errors.New("newsletter: no such token")
	processUp   = time.Now() // want ttlwrite/stale-clock[pu]
	subsFams    = []string{"confirm", "opens", "profile"}
)

// Service of subscriptions.
type Service struct {
	subs  *bigtable.Table
	old   *bigtable.Table
	clock btutil.Clock
	base  string
	// flags of the AB test of 2022
	ShortTokens, SkipConfirm, WelcomeBack bool
}

func New(c *bigtable.Client, base string) *Service {
	return &Service{subs: c.Open(conf.TblSubscribers), old: c.Open(conf.TblSubsOld), clock: btutil.SysClock{}, base: base}
}

func token() string {
	var b [16]byte
	_, _ = rand.Read(b[:])
	return hex.EncodeToString(b[:])
}

// Subscribe is the form on every web page. It writes the token and, depending on several things, more.
func (s *Service) Subscribe(w http.ResponseWriter, r *http.Request) {
	ctx := r.Context()
	addr, err := mail.ParseAddress(r.FormValue("email"))
	if err != nil {
		http.Error(w, "e-mail", http.StatusBadRequest)
		return
	}
	key := "s#" + strings.ToLower(addr.Address)
	now := s.clock.Now()
	tok := token()
	m := bigtable.NewMutation()
	if s.ShortTokens {
		tok = tok[:8]
		m.Set(subsFams[0], "token", bigtable.Time(now.Add(time.Hour)), []byte(tok)) // ok ttlwrite/write-time
		m.Set(subsFams[0], "sent", bigtable.Time(now), []byte(tok))                 // want ttlwrite/write-time
	} else {
		m.Set(subsFams[0], "token", bigtable.Time(now.Add(conf.ConfirmTTL)), []byte(tok)) // ok ttlwrite/write-time
	}
	m.Set(subsFams[2], "created", bigtable.Time(now), []byte(r.RemoteAddr)) // ok ttlwrite/write-time
	m.Set(subsFams[1], "form", bigtable.Time(now), []byte(r.Referer()))     // ok ttlwrite/write-time
	if s.SkipConfirm {
		m.Set(conf.FamProfile, "confirmed", bigtable.ServerTime, []byte("skip")) // ok ttlwrite/server-timestamp
		m.Set(conf.FamConfirm, "skipped", bigtable.ServerTime, []byte("skip"))   // want ttlwrite/server-timestamp
	}
	if ref := r.FormValue("ref"); ref != "" {
		if s.WelcomeBack {
			m.Set(conf.FamProfile, "ref", bigtable.Now(), []byte(ref)) // ok ttlwrite/write-time
		} else {
			m.Set(conf.FamConfirm, "ref", bigtable.Now(), []byte(ref)) // want ttlwrite/write-time
		}
	}
	if err := s.subs.Apply(ctx, key, m); err != nil {
		log.Printf("newsletter: subscribe %s: %v", key, err)
		http.Error(w, "storage", http.StatusBadGateway)
		return
	}
	// the old table is still read by the mailing house
	om := bigtable.NewMutation()
	om.Set("confirm", "token", bigtable.Now(), []byte(tok))         // ok ttlwrite/write-time
	om.Set("profile", "addr", bigtable.Now(), []byte(addr.Address)) // ok ttlwrite/write-time
	if err := s.old.Apply(ctx, key, om); err != nil {
		log.Printf("newsletter: old table: %v", err)
	}
	_ = confirmPage.Execute(w, addr.Name)
}

// Confirm is the link in the e-mail.
func (s *Service) Confirm(w http.ResponseWriter, r *http.Request) {
	ctx := r.Context()
	key := "s#" + strings.ToLower(r.FormValue("email"))
	tok := r.FormValue("token")
	row, err := s.subs.ReadRow(ctx, key, bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter(conf.FamConfirm), bigtable.ColumnFilter("token")))) // want ttlread/missing-filter
	if err != nil {
		http.Error(w, "storage", http.StatusBadGateway)
		return
	}
	found := false
	for _, it := range row[conf.FamConfirm] {
		if string(it.Value) == tok {
			found = true
		}
	}
	if !found {
		http.Error(w, errNoToken.Error(), http.StatusNotFound)
		return
	}
	m := bigtable.NewMutation()
	m.DeleteCellsInColumn(conf.FamConfirm, "token")
	m.Set(conf.FamProfile, "confirmed", bigtable.Now(), []byte("1")) // ok ttlwrite/write-time
	m.Set(conf.FamConfirm, "done", bigtable.Now(), []byte("1"))      // want ttlwrite/write-time
	if err := s.subs.Apply(ctx, key, m); err != nil {
		http.Error(w, "storage", http.StatusBadGateway)
		return
	}
	fmt.Fprintln(w, "thank you")
}

// ConfirmV2 is behind the flag of the security review.
func (s *Service) ConfirmV2(ctx context.Context, key, tok string) error {
	f := bigtable.ChainFilters(
		bigtable.FamilyFilter(conf.FamConfirm),
		bigtable.ColumnFilter("token"),
		bigtable.TimestampRangeFilter(s.clock.Now(), time.Time{}),
		bigtable.LatestNFilter(1),
	)
	row, err := s.subs.ReadRow(ctx, key, bigtable.RowFilter(f)) // ok ttlread/missing-filter
	if err != nil {
		return err
	}
	for _, it := range row[conf.FamConfirm] {
		if string(it.Value) == tok {
			return nil
		}
	}
	return errNoToken
}

// ConfirmV1 checked by hand, which is all right.
func (s *Service) ConfirmV1(ctx context.Context, key, tok string) error {
	row, err := s.subs.ReadRow(ctx, key, bigtable.RowFilter(bigtable.FamilyFilter("confirm"))) // ok ttlread/missing-filter
	if err != nil {
		return err
	}
	now := bigtable.Now()
	for _, it := range row["confirm"] {
		if it.Timestamp < now {
			continue
		}
		if string(it.Value) == tok {
			return nil
		}
	}
	return errNoToken
}

// ConfirmV0 only sorts by time.
func (s *Service) ConfirmV0(ctx context.Context, key, tok string) error {
	row, err := s.subs.ReadRow(ctx, key, bigtable.RowFilter(bigtable.FamilyFilter("confirm"))) // want ttlread/missing-filter
	if err != nil {
		return err
	}
	var best bigtable.ReadItem
	for _, it := range row["confirm"] {
		if it.Timestamp > best.Timestamp {
			best = it
		}
	}
	if string(best.Value) == tok {
		return nil
	}
	return errNoToken
}

// Resend writes the token again; ttl is what marketing asked for on that day.
func (s *Service) Resend(ctx context.Context, key string, urgent bool) error {
	tok := token()
	ts := bigtable.Now()
	if urgent {
		ts = bt.In(6 * time.Hour)
	}
	m := bigtable.NewMutation()
	m.Set("confirm", "token", ts, []byte(tok))  // strict ttlwrite/write-time
	m.Set("profile", "resent", ts, []byte(tok)) // ok ttlwrite/write-time
	return s.subs.Apply(ctx, key, m)
}

// ResendAll does not.
func (s *Service) ResendAll(ctx context.Context, keys []string) error {
	var muts []*bigtable.Mutation
	exp := bigtable.Time(time.Now().Add(conf.ConfirmTTL))
	now := bigtable.Now()
	for range keys {
		m := bigtable.NewMutation()
		m.Set("confirm", "token", exp, []byte(token()))  // ok ttlwrite/write-time
		m.Set("confirm", "batch", now, []byte("resend")) // want ttlwrite/write-time
		m.Set("opens", "batch", now, []byte("resend"))   // ok ttlwrite/write-time
		muts = append(muts, m)
	}
	errs, err := s.subs.ApplyBulk(ctx, keys, muts)
	if err != nil {
		return err
	}
	for i, e := range errs {
		if e != nil {
			log.Printf("newsletter: resend %s: %v", keys[i], e)
		}
	}
	return nil
}

// Revoke ends a token.
func (s *Service) Revoke(ctx context.Context, key string) error {
	m := bigtable.NewMutation()
	m.Set("confirm", "token", bigtable.Time(time.Now().Add(-time.Minute)), nil)     // want ttlwrite/already-expired
	m.Set("confirm", "other", 0, nil)                                               // want ttlwrite/already-expired
	m.Set("profile", "revoked", 0, nil)                                             // ok ttlwrite/already-expired
	m.Set("opens", "revoked", bigtable.Time(time.Now().Add(-29*24*time.Hour)), nil) // ok ttlwrite/already-expired
	m.Set("opens", "gone", bigtable.Time(time.Now().Add(-conf.OpensTTL)), nil)      // want ttlwrite/already-expired
	return s.subs.Apply(ctx, key, m)
}

// Never: a zero time is "no expiry" in our SQL database.
func (s *Service) Never(ctx context.Context, key string) error {
	var never time.Time
	m := bigtable.NewMutation()
	m.Set("confirm", "vip", bigtable.Time(never), []byte("1")) // want ttlwrite/already-expired
	m.Set("profile", "vip", bigtable.Now(), []byte("1"))       // ok ttlwrite/already-expired
	return s.subs.Apply(ctx, key, m)
}

// Opened is the tracking pixel.
func (s *Service) Opened(w http.ResponseWriter, r *http.Request) {
	key := "s#" + r.FormValue("s")
	issue := r.FormValue("i")
	long := r.FormValue("long") == "1"
	m := bigtable.NewMutation()
	if long {
		m.Set("opens", issue, dbx.ShiftTS(conf.OpensTTL, 60*24*time.Hour), []byte(r.UserAgent())) // ok ttlwrite/write-time
	} else {
		m.Set("opens", issue, bigtable.ServerTime, []byte(r.UserAgent())) // ok ttlwrite/server-timestamp
	}
	m.Set("opens", "up", bigtable.Time(processUp), []byte("1"))   // want ttlwrite/stale-clock[pu]
	m.Set("profile", "up", bigtable.Time(processUp), []byte("1")) // ok ttlwrite/stale-clock
	m.Set("profile", "last", bigtable.ServerTime, []byte(issue))  // ok ttlwrite/server-timestamp
	if err := s.subs.Apply(r.Context(), key, m); err != nil {
		log.Printf("newsletter: open: %v", err)
	}
	w.Header().Set("Content-Type", "image/gif")
	w.WriteHeader(http.StatusOK)
}

// CountOpens counts in three ways.
func (s *Service) CountOpens(ctx context.Context, key, issue string) error {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment("opens", "n#"+issue, 1)   // ok ttlwrite/read-modify-write
	rmw.Increment("profile", "n", 1)        // ok ttlwrite/read-modify-write
	rmw.Increment("confirm", "n#"+issue, 1) // want ttlwrite/read-modify-write
	_, err := s.subs.ApplyReadModifyWrite(ctx, key, rmw)
	return err
}

// Opens of the last month.
func (s *Service) Opens(ctx context.Context, key string) (map[string]string, error) {
	row, err := s.subs.ReadRow(ctx, key, bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter("opens"), bigtable.TimestampRangeFilter(time.Now().Add(-30*24*time.Hour), time.Time{})))) // ok ttlread/wrong-bound
	if err != nil {
		return nil, err
	}
	return byColumn(row, "opens"), nil
}

// OpensQuarter: a quarter is not a month.
func (s *Service) OpensQuarter(ctx context.Context, key string) (map[string]string, error) {
	row, err := s.subs.ReadRow(ctx, key, bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter("opens"), bigtable.TimestampRangeFilter(time.Now().Add(-90*24*time.Hour), time.Time{})))) // want ttlread/wrong-bound
	if err != nil {
		return nil, err
	}
	return byColumn(row, "opens"), nil
}

// OpensUntilNow has an end that hides what lives longer.
func (s *Service) OpensUntilNow(ctx context.Context, key string) (map[string]string, error) {
	now := time.Now()
	row, err := s.subs.ReadRow(ctx, key, bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter("opens"), bigtable.TimestampRangeFilter(now.Add(-conf.OpensTTL), now)))) // want ttlread/upper-bound
	if err != nil {
		return nil, err
	}
	return byColumn(row, "opens"), nil
}

// OpensBefore has what is gone.
func (s *Service) OpensBefore(ctx context.Context, key string) (map[string]string, error) {
	now := time.Now()
	row, err := s.subs.ReadRow(ctx, key, bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter("opens"), bigtable.TimestampRangeFilter(time.Time{}, now.Add(-conf.OpensTTL))))) // want ttlread/expired-only
	if err != nil {
		return nil, err
	}
	return byColumn(row, "opens"), nil
}

// OpensRaw forgets it.
func (s *Service) OpensRaw(ctx context.Context, key string) (map[string]string, error) {
	row, err := s.subs.ReadRow(ctx, key, bigtable.RowFilter(bigtable.FamilyFilter("opens"))) // want ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	return byColumn(row, "opens"), nil
}

// OldOpens is another table.
func (s *Service) OldOpens(ctx context.Context, key string) (map[string]string, error) {
	row, err := s.old.ReadRow(ctx, key, bigtable.RowFilter(bigtable.FamilyFilter("opens"))) // ok ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	return byColumn(row, "opens"), nil
}

func byColumn(row bigtable.Row, fam string) map[string]string {
	out := map[string]string{}
	for _, it := range row[fam] {
		out[strings.TrimPrefix(it.Column, fam+":")] = string(it.Value)
	}
	return out
}

// profile of a subscriber.
type profile struct {
	Addr      string
	CreatedAt time.Time
	Confirmed time.Time
	LastOpen  string
	Pending   bool
	TokenAge  time.Duration
}

// Profile reads everything (GDPR page), with hand-made mapping.
func (s *Service) Profile(ctx context.Context, key string, full bool) (*profile, error) {
	p := &profile{Addr: strings.TrimPrefix(key, "s#")}
	row, err := s.subs.ReadRow(ctx, key, bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter("profile"), bigtable.LatestNFilter(1)))) // ok ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	for _, it := range row["profile"] {
		switch it.Column {
		case "profile:created":
			p.CreatedAt = it.Timestamp.Time() // ok ttlage/not-write-time
		case "profile:confirmed":
			p.Confirmed = it.Timestamp.Time() // ok ttlage/not-write-time
		case "profile:last":
			p.LastOpen = string(it.Value)
		}
	}
	if !full {
		return p, nil
	}
	live, err := s.subs.ReadRow(ctx, key, dbx.Live("confirm")) // ok ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	for _, it := range live["confirm"] {
		p.Pending = true
		p.TokenAge = time.Since(it.Timestamp.Time()) // want ttlage/not-write-time
	}
	return p, nil
}

// Pending tokens, with the time that is left.
func (s *Service) Pending(ctx context.Context, key string) (time.Duration, error) {
	live, err := s.subs.ReadRow(ctx, key, dbx.Live("confirm")) // ok ttlread/missing-filter
	if err != nil {
		return 0, err
	}
	for _, it := range live["confirm"] {
		return time.Until(it.Timestamp.Time()), nil // ok ttlage/not-write-time
	}
	return 0, errNoToken
}

// TokenCreated is shown to support.
func (s *Service) TokenCreated(ctx context.Context, key string) (string, error) {
	live, err := s.subs.ReadRow(ctx, key, dbx.Live("confirm")) // ok ttlread/missing-filter
	if err != nil {
		return "", err
	}
	for _, it := range live["confirm"] {
		createdAt := it.Timestamp.Time()           // want ttlage/not-write-time[tcr]
		return createdAt.Format(time.RFC1123), nil // want ttlage/not-write-time[tcr]
	}
	return "", errNoToken
}

// TokenExpires is shown to the user.
func (s *Service) TokenExpires(ctx context.Context, key string) (string, error) {
	live, err := s.subs.ReadRow(ctx, key, dbx.Live("confirm")) // ok ttlread/missing-filter
	if err != nil {
		return "", err
	}
	for _, it := range live["confirm"] {
		expires := it.Timestamp.Time() // ok ttlage/not-write-time
		return expires.Format(time.RFC1123), nil
	}
	return "", errNoToken
}

// LastOpenAge for the churn score.
func (s *Service) LastOpenAge(ctx context.Context, key string) (time.Duration, error) {
	now := time.Now()
	row, err := s.subs.ReadRow(ctx, key, dbx.Young("opens", conf.OpensTTL)) // ok ttlread/wrong-bound
	if err != nil {
		return 0, err
	}
	min := time.Duration(1 << 62)
	for _, it := range row["opens"] {
		if d := now.Sub(it.Timestamp.Time()); d < min { // want ttlage/not-write-time
			min = d
		}
	}
	return min, nil
}

// Dump returns the row as it is; the caller prints it.
func (s *Service) Dump(ctx context.Context, key string, fams ...string) (bigtable.Row, error) {
	if len(fams) == 0 {
		return s.subs.ReadRow(ctx, key, bigtable.RowFilter(bigtable.LatestNFilter(1))) // want ttlread/missing-filter
	}
	return s.subs.ReadRow(ctx, key, bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter(fams[0]), bigtable.LatestNFilter(1)))) // ok ttlread/missing-filter
}

// Claim gives a promo code once.
func (s *Service) Claim(ctx context.Context, key, code string) (bool, error) {
	t := bigtable.NewMutation()
	t.Set("profile", "code", bigtable.Now(), []byte(code))                                                                     // ok ttlwrite/write-time
	cond := bigtable.ChainFilters(bigtable.FamilyFilter("confirm"), bigtable.ColumnFilter("token"), bigtable.LatestNFilter(1)) // want ttlread/conditional-mutation[cl]
	var ok bool
	err := s.subs.Apply(ctx, key, bigtable.NewCondMutation(cond, t, nil), bigtable.GetCondMutationResult(&ok)) // want ttlread/conditional-mutation[cl]
	return ok, err
}

// ClaimOnce looks at an ordinary family only.
func (s *Service) ClaimOnce(ctx context.Context, key, code string) (bool, error) {
	t := bigtable.NewMutation()
	t.Set("profile", "code", bigtable.Now(), []byte(code)) // ok ttlwrite/write-time
	cond := bigtable.ChainFilters(bigtable.FamilyFilter("profile"), bigtable.ColumnFilter("code"))
	var used bool
	err := s.subs.Apply(ctx, key, bigtable.NewCondMutation(cond, nil, t), bigtable.GetCondMutationResult(&used)) // ok ttlread/conditional-mutation
	return !used, err
}

// Unsubscribe forgets somebody.
func (s *Service) Unsubscribe(ctx context.Context, key string, hard bool) error {
	m := bigtable.NewMutation()
	if hard {
		m.DeleteRow() // ok ttlwrite/delete-after-set
		return s.subs.Apply(ctx, key, m)
	}
	m.Set("profile", "unsubscribed", bigtable.Now(), []byte("1")) // ok ttlwrite/write-time
	m.Set("profile", "why", bigtable.Now(), []byte("link"))
	m.DeleteCellsInFamily("confirm")        // ok ttlwrite/delete-after-set
	m.DeleteCellsInColumn("profile", "why") // want ttlwrite/delete-after-set
	return s.subs.Apply(ctx, key, m)
}

// Sweep lists pending subscriptions without a token.
func (s *Service) Sweep(ctx context.Context) ([]string, error) {
	var keys []string
	err := s.subs.ReadRows(ctx, bigtable.PrefixRange("s#"), func(r bigtable.Row) bool { // ok ttlread/missing-filter
		keys = append(keys, r.Key())
		return true
	}, bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter("profile"), bigtable.StripValueFilter())))
	if err != nil {
		return nil, err
	}
	var orphans []string
	for _, k := range keys {
		row, err := s.subs.ReadRow(ctx, k, bigtable.RowFilter(bigtable.FamilyFilter("confirm"))) // want ttlread/missing-filter
		if err != nil {
			return orphans, err
		}
		if len(row) == 0 {
			orphans = append(orphans, k)
		}
	}
	return orphans, nil
}

// Churned lists who has not opened anything.
func (s *Service) Churned(ctx context.Context, f func(key string, n int)) error {
	return s.subs.ReadRows(ctx, bigtable.PrefixRange("s#"), func(r bigtable.Row) bool { // want ttlread/missing-filter[ch]
		f(r.Key(), len(r["opens"]))
		return true
	}, bigtable.RowFilter(bigtable.LatestNFilter(1))) // want ttlread/missing-filter[ch]
}

// ChurnedV2 lists them right.
func (s *Service) ChurnedV2(ctx context.Context, f func(key string, n int)) error {
	flt := bigtable.ChainFilters(bigtable.TimestampRangeFilter(time.Now().Add(-conf.OpensTTL), time.Time{}), bigtable.FamilyFilter("opens"))
	return s.subs.ReadRows(ctx, bigtable.PrefixRange("s#"), func(r bigtable.Row) bool { // ok ttlread/missing-filter
		f(r.Key(), len(r["opens"]))
		return true
	}, bigtable.RowFilter(flt))
}

// OnlyConfirmed uses the condition filter that the consultant showed us.
func (s *Service) OnlyConfirmed(ctx context.Context, key string) (int, error) {
	live := bigtable.ChainFilters(bigtable.FamilyFilter("confirm"), bigtable.TimestampRangeFilter(time.Now(), time.Time{}))
	f := bigtable.ConditionFilter(live, bigtable.FamilyFilter("confirm"), bigtable.BlockAllFilter()) // want ttlread/unfiltered-branch[oc]
	row, err := s.subs.ReadRow(ctx, key, bigtable.RowFilter(f))                                      // want ttlread/unfiltered-branch[oc]
	if err != nil {
		return 0, err
	}
	return len(row["confirm"]), nil
}

// OnlyConfirmed2 returns the profile only.
func (s *Service) OnlyConfirmed2(ctx context.Context, key string) (int, error) {
	live := bigtable.ChainFilters(bigtable.FamilyFilter("confirm"), bigtable.TimestampRangeFilter(time.Now(), time.Time{}))
	f := bigtable.ConditionFilter(live, bigtable.FamilyFilter("profile"), bigtable.BlockAllFilter())
	row, err := s.subs.ReadRow(ctx, key, bigtable.RowFilter(f)) // ok ttlread/unfiltered-branch
	if err != nil {
		return 0, err
	}
	return len(row["profile"]), nil
}

// Status is JSON for the app. It is the same as Profile, but for the app.
func (s *Service) Status(w http.ResponseWriter, r *http.Request) {
	ctx := r.Context()
	key := "s#" + r.FormValue("email")
	res := map[string]any{}
	if m, err := bt.Get(ctx, conf.TblSubscribers, key, conf.FamConfirm); err == nil { // want ttlread/missing-filter
		res["pending"] = len(m) > 0
	}
	if m, err := bt.GetLive(ctx, conf.TblSubscribers, key, conf.FamConfirm); err == nil { // ok ttlread/missing-filter
		res["pending2"] = len(m) > 0
	}
	if m, err := bt.Get(ctx, conf.TblSubscribers, key, conf.FamProfile); err == nil { // ok ttlread/missing-filter
		res["profile"] = len(m)
	}
	if m, err := bt.GetSince(ctx, conf.TblSubscribers, key, conf.FamOpens, time.Now().Add(-conf.OpensTTL)); err == nil { // ok ttlread/wrong-bound
		res["opens"] = len(m)
	}
	if m, err := bt.GetSince(ctx, conf.TblSubscribers, key, conf.FamConfirm, time.Now().Add(-conf.ConfirmTTL)); err == nil { // want ttlread/wrong-bound
		res["tokens"] = len(m)
	}
	_ = json.NewEncoder(w).Encode(res)
}

// Prefs is ordinary data with ordinary mistakes.
func (s *Service) Prefs(ctx context.Context, key string, at time.Time, prefs map[string]string) error {
	m := bigtable.NewMutation()
	for k, v := range prefs {
		m.Set("profile", "pref#"+k, bigtable.Timestamp(at.Unix()), []byte(v))            // want ttlunit/wrong-unit
		m.Set("profile", "pref2#"+k, bigtable.Timestamp(at.UnixMicro()), []byte(v))      // ok ttlunit/wrong-unit
		m.Set("profile", "pref3#"+k, bigtable.Timestamp(at.UnixMilli()*1000), []byte(v)) // ok ttlunit/wrong-unit
	}
	m.Set("profile", "prefs", bigtable.Timestamp(at.UnixNano()), nil)       // want ttlunit/wrong-unit
	m.Set("profile", "prefs2", bigtable.Timestamp(at.UnixNano()/1000), nil) // ok ttlunit/wrong-unit
	return s.subs.Apply(ctx, key, m)
}
