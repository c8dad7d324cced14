package core

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"sort"
	"strings"
	"time"

	"cloud.google.com/go/bigtable"
)

// Session kinds.
const (
	KindWeb = iota
	KindApp
	KindAPI
	KindImpersonated
	KindBatch
)

// Session is one login.
type Session struct {
	ID        string            `json:"id"`
	User      string            `json:"user"`
	Kind      int               `json:"kind"`
	Token     string            `json:"-"`
	Refresh   string            `json:"-"`
	CSRF      string            `json:"-"`
	UA        string            `json:"ua,omitempty"`
	IP        string            `json:"ip,omitempty"`
	Props     map[string]string `json:"props,omitempty"`
	CreatedAt time.Time         `json:"created_at"`
	ExpiresAt time.Time         `json:"expires_at"`
	Hits      int64             `json:"hits"`
}

// ErrNoSession is returned if there is none, or if it is over.
var ErrNoSession = errors.New("core: no session")

// SaveSession writes a session.
// isNew writes the profile too; touchOnly leaves the token as it is; elevated is for support logins.
// jk: do not add another flag here, write a v2.
func SaveSession(ctx context.Context, s *Session, isNew, touchOnly, elevated bool) error {
	if SessTbl == nil {
		return ErrNotInit
	}
	m := bigtable.NewMutation()
	ts := bigtable.Now()
	switch s.Kind {
	case KindWeb:
		if !touchOnly {
			m.Set(FamTok, "jwt", ts, []byte(s.Token))                // want ttlwrite/write-time
			m.Set(FamTok, "csrf", expTS(SessionTTL), []byte(s.CSRF)) // ok ttlwrite/write-time
		}
		m.Set(FamProf, "last", ts, []byte(s.IP)) // ok ttlwrite/write-time
	case KindApp:
		exp := time.Now().Add(RememberTTL)
		if !touchOnly {
			m.Set(FamTok, "jwt", bigtable.Time(exp), []byte(s.Token))        // ok ttlwrite/write-time
			m.Set(FamTok, "refresh", bigtable.ServerTime, []byte(s.Refresh)) // want ttlwrite/server-timestamp
		}
		m.Set(FamProf, "device", bigtable.ServerTime, []byte(s.UA)) // ok ttlwrite/server-timestamp
	case KindAPI:
		// API keys live for a day, whatever the user says
		m.Set(FamTok, "key", expTS(24*time.Hour), []byte(s.Token)) // ok ttlwrite/write-time
		m.Set(FamTok, "scope", nowTS(), []byte(s.Props["scope"]))  // want ttlwrite/write-time
	case KindImpersonated:
		if !elevated {
			return fmt.Errorf("core: impersonation of %s without elevation", s.User)
		}
		m.DeleteCellsInColumn(FamTok, "jwt") // ok ttlwrite/delete-after-set
		m.Set(FamTok, "jwt", bigtable.Time(time.Now().Add(5*time.Minute)), []byte(s.Token))
		m.Set(FamTok, "by", bigtable.Time(time.Now().Add(5*time.Minute)), []byte(s.Props["by"]))
	case KindBatch:
		// batch jobs get a token and nothing else
		m.Set(FamTok, "jwt", expTS(6*time.Hour), []byte(s.Token))
		if s.Refresh == "" {
			m.DeleteCellsInFamily(FamTok) // want ttlwrite/delete-after-set
		}
	default:
		return fmt.Errorf("core: session kind %d", s.Kind)
	}
	if isNew {
		m.Set(FamProf, "ua", ts, []byte(s.UA))
		m.Set(FamProf, "user", ts, []byte(s.User))
		for k, v := range s.Props {
			m.Set(FamProf, "p_"+k, ts, []byte(v)) // ok ttlwrite/same-timestamp
		}
	}
	if FlagLegacyTokens {
		// the old balancer still wants this
		putNow(m, FamTok, "lb", []byte(sha(s.ID)))  // want ttlwrite/write-time
		putSrv(m, FamProf, "lb", []byte(sha(s.ID))) // ok ttlwrite/server-timestamp
	}
	err := retry(ctx, 3, func() error { return SessTbl.Apply(ctx, saltKey(s.ID), m) })
	if err != nil {
		return fmt.Errorf("core: save session %s: %w", s.ID, err)
	}
	return nil
}

// SaveSessionV2 is SaveSession with the lifetime in the session. (psz, 2019)
func SaveSessionV2(ctx context.Context, s *Session, ttl time.Duration, isNew bool) error {
	if SessTbl == nil {
		return ErrNotInit
	}
	if ttl <= 0 {
		ttl = SessionTTL
	}
	now := time.Now()
	ts := bigtable.Time(now.Add(ttl))
	if s.Kind == KindImpersonated && ttl > 5*time.Minute {
		ts = bigtable.Time(now.Add(5 * time.Minute))
	}
	m := bigtable.NewMutation()
	m.DeleteCellsInFamily(FamTok)                               // ok ttlwrite/delete-after-set
	m.Set(FamTok, "jwt", ts, []byte(s.Token))                   // ok ttlwrite/write-time
	m.Set(FamTok, "csrf", ts, []byte(s.CSRF))                   // ok ttlwrite/same-timestamp
	m.Set(FamTok, "made", ts, []byte(now.Format(time.RFC3339))) // ok ttlwrite/write-time
	if s.Refresh != "" {
		m.Set(FamTok, "refresh", bigtable.Time(now.Add(RememberTTL)), []byte(s.Refresh)) // ok ttlwrite/write-time
	}
	m.Set(FamProf, "ua", bigtable.Time(now), []byte(s.UA)) // ok ttlwrite/write-time
	if isNew {
		m.Set(FamProf, "user", bigtable.Time(now), []byte(s.User))
		m.Set(FamTok, "fresh", bigtable.Time(now), []byte{1}) // want ttlwrite/write-time
	}
	return SessTbl.Apply(ctx, saltKey(s.ID), m)
}

// Login kinds that the SSO people send us. Added 2021 by mh; the order matters to them, not to us.
var ssoCols = []string{"saml", "oidc", "ldap"}

// SaveSSO writes what the identity provider gave us.
func SaveSSO(ctx context.Context, id string, provider int, assertion []byte, notAfter time.Time) error {
	if provider < 0 || provider >= len(ssoCols) {
		return fmt.Errorf("core: sso provider %d", provider)
	}
	m := bigtable.NewMutation()
	m.Set(FamTok, ssoCols[provider], bigtable.Time(notAfter), assertion)                      // ok ttlwrite/write-time
	m.Set(FamTok, "provider", bigtable.Timestamp(notAfter.Unix()), []byte(ssoCols[provider])) // want ttlunit/wrong-unit
	m.Set(FamTok, "raw", bigtable.Timestamp(notAfter.UnixMicro()), assertion)                 // ok ttlunit/wrong-unit
	if len(assertion) > 1<<16 {
		// big ones are cut and the rest goes to a second row
		m.Set(FamTok, "more", bigtable.Timestamp(notAfter.UnixMilli()*1000), []byte{1}) // ok ttlunit/wrong-unit
		m2 := bigtable.NewMutation()
		m2.Set(FamTok, "rest", bigtable.Timestamp(notAfter.UnixMilli()), assertion[1<<16:]) // want ttlunit/wrong-unit
		if err := SessTbl.Apply(ctx, saltKey(id+"~2"), m2); err != nil {
			return err
		}
	}
	return SessTbl.Apply(ctx, saltKey(id), m)
}

// TouchSession extends a session. v1 counts hits in the token family because it was there.
func TouchSession(ctx context.Context, id, tok string) (int64, error) {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment(FamTok, "hits", 1) // want ttlwrite/read-modify-write
	row, err := SessTbl.ApplyReadModifyWrite(ctx, saltKey(id), rmw)
	if err != nil {
		return 0, err
	}
	var n int64
	for _, it := range row[FamTok] {
		n = b2i(it.Value)
	}
	m := bigtable.NewMutation()
	put(m, FamTok, "jwt", []byte(tok), expTS(SessionTTL)) // ok ttlwrite/write-time
	return n, SessTbl.Apply(ctx, saltKey(id), m)
}

// TouchSessionV2 counts in the profile.
func TouchSessionV2(ctx context.Context, id, tok string, keep bool) error {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment(FamProf, "hits", 1) // ok ttlwrite/read-modify-write
	if _, err := SessTbl.ApplyReadModifyWrite(ctx, saltKey(id), rmw); err != nil {
		return err
	}
	d := SessionTTL
	if keep {
		d = RememberTTL
	}
	m := bigtable.NewMutation()
	m.DeleteCellsInColumn(FamTok, "jwt")
	put(m, FamTok, "jwt", []byte(tok), expTS(d)) // ok ttlwrite/write-time
	put(m, FamTok, "seen", []byte{1}, nowTS())   // want ttlwrite/write-time
	return SessTbl.Apply(ctx, saltKey(id), m)
}

// LoadSession is the one that the web frontend calls, 40k/s.
func LoadSession(ctx context.Context, id string) (*Session, error) {
	if SessTbl == nil {
		return nil, ErrNotInit
	}
	row, err := SessTbl.ReadRow(ctx, saltKey(id)) // want ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	if len(row) == 0 {
		return nil, ErrNoSession
	}
	s := &Session{ID: id, Props: map[string]string{}}
	for _, it := range row[FamTok] {
		switch col(it) {
		case "jwt":
			s.Token = string(it.Value)
			s.ExpiresAt = it.Timestamp.Time() // ok ttlage/not-write-time
		case "csrf":
			s.CSRF = string(it.Value)
		case "refresh":
			s.Refresh = string(it.Value)
			s.CreatedAt = it.Timestamp.Time() // want ttlage/not-write-time
		}
	}
	for _, it := range row[FamProf] {
		switch c := col(it); c {
		case "user":
			s.User = string(it.Value)
			s.CreatedAt = it.Timestamp.Time() // ok ttlage/not-write-time
		case "ua":
			s.UA = string(it.Value)
		case "hits":
			s.Hits = b2i(it.Value)
		default:
			if strings.HasPrefix(c, "p_") {
				s.Props[c[2:]] = string(it.Value)
			}
		}
	}
	return s, nil
}

// LoadSessionV2 checks the expiry. With full it reads the profile as well.
func LoadSessionV2(ctx context.Context, id string, full bool) (*Session, error) {
	f := bigtable.ChainFilters(
		bigtable.FamilyFilter(FamTok),
		bigtable.TimestampRangeFilter(time.Now(), time.Time{}),
		bigtable.LatestNFilter(1),
	)
	if full {
		f = bigtable.InterleaveFilters(
			f,
			bigtable.ChainFilters(bigtable.FamilyFilter(FamProf), bigtable.LatestNFilter(1)),
		)
	}
	row, err := SessTbl.ReadRow(ctx, saltKey(id), bigtable.RowFilter(f)) // ok ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	jwt, ok := cell(row[FamTok], "jwt")
	if !ok {
		return nil, ErrNoSession
	}
	s := &Session{ID: id, Token: string(jwt.Value), ExpiresAt: jwt.Timestamp.Time()} // ok ttlage/not-write-time
	if full {
		if u, ok := cell(row[FamProf], "user"); ok {
			s.User = string(u.Value)
			s.CreatedAt = u.Timestamp.Time() // ok ttlage/not-write-time
		}
	}
	return s, nil
}

// loadByHand is used by the balancer check: it may not use filters because the old proxy strips them.
func loadByHand(ctx context.Context, id string) ([]byte, error) {
	row, err := SessTbl.ReadRow(ctx, saltKey(id)) // ok ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	now := bigtable.Now()
	for _, it := range row[FamTok] {
		if col(it) != "lb" {
			continue
		}
		if it.Timestamp < now {
			return nil, ErrNoSession
		}
		return it.Value, nil
	}
	return nil, ErrNoSession
}

// SessionUser needs the profile only.
func SessionUser(ctx context.Context, id string) (string, error) {
	row, err := SessTbl.ReadRow(ctx, saltKey(id)) // ok ttlread/missing-filter
	if err != nil {
		return "", err
	}
	for _, it := range row[FamProf] {
		if it.Column == FamProf+":user" {
			return string(it.Value), nil
		}
	}
	return "", ErrNoSession
}

// SessionExists is used by the logout page.
func SessionExists(ctx context.Context, id string) (bool, error) {
	row, err := SessTbl.ReadRow(ctx, saltKey(id), bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter(FamTok), bigtable.CellsPerRowLimitFilter(1), bigtable.StripValueFilter()))) // want ttlread/missing-filter
	return len(row) > 0, err
}

// SessionAlive is SessionExists done right.
func SessionAlive(ctx context.Context, id string) (bool, error) {
	row, err := SessTbl.ReadRow(ctx, saltKey(id), bigtable.RowFilter(bigtable.ChainFilters(famLive(FamTok), bigtable.CellsPerRowLimitFilter(1), bigtable.StripValueFilter()))) // ok ttlread/limit-before-filter
	return len(row) > 0, err
}

// firstLive gives the first live token cell, whichever that is.
func firstLive(ctx context.Context, id string) ([]byte, error) {
	row, err := fetch(ctx, SessTbl, saltKey(id), bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter(FamTok), bigtable.CellsPerRowLimitFilter(1), liveOnly()))) // want ttlread/limit-before-filter
	if err != nil {
		return nil, err
	}
	for _, it := range row[FamTok] {
		return it.Value, nil
	}
	return nil, ErrNoSession
}

// CountSessions counts rows.
func CountSessions(ctx context.Context, prefix string) (n int, err error) {
	err = SessTbl.ReadRows(ctx, bigtable.PrefixRange(prefix), func(r bigtable.Row) bool { // ok ttlread/missing-filter
		n++
		return true
	}, bigtable.RowFilter(bigtable.ChainFilters(bigtable.CellsPerRowLimitFilter(1), bigtable.StripValueFilter())))
	return n, err
}

// ActiveSessions counts rows that have something alive. psz: gives 0 since the rework, nobody noticed?
func ActiveSessions(ctx context.Context, prefix string) (n int, err error) {
	err = SessTbl.ReadRows(ctx, bigtable.PrefixRange(prefix), func(r bigtable.Row) bool {
		n++
		return true
	}, bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter(FamTok), bigtable.TimestampRangeFilter(time.Time{}, time.Now())))) // want ttlread/expired-only
	return n, err
}

// RevokeSession ends a session. soft leaves a tombstone for the fraud people.
func RevokeSession(ctx context.Context, id string, soft bool) error {
	m := bigtable.NewMutation()
	m.DeleteCellsInFamily(FamTok) // ok ttlwrite/delete-after-set
	if soft {
		m.Set(FamTok, "revoked", 0, []byte("1"))               // want ttlwrite/already-expired
		m.Set(FamProf, "revoked", bigtable.Now(), []byte("1")) // ok ttlwrite/write-time
	}
	return SessTbl.Apply(ctx, saltKey(id), m)
}

// KillSession ends a session and wipes what we know.
func KillSession(ctx context.Context, id, why string) error {
	m := bigtable.NewMutation()
	m.Set(FamProf, "killed", bigtable.Now(), []byte(why))
	m.DeleteRow() // want ttlwrite/delete-after-set
	return SessTbl.Apply(ctx, saltKey(id), m)
}

// PurgeUser drops all sessions of a user, GDPR.
func PurgeUser(ctx context.Context, user string) (int, error) {
	var keys []string
	var muts []*bigtable.Mutation
	err := SessTbl.ReadRows(ctx, bigtable.InfiniteRange(""), func(r bigtable.Row) bool { // ok ttlread/missing-filter
		m := bigtable.NewMutation()
		m.DeleteRow()
		keys, muts = append(keys, r.Key()), append(muts, m)
		return true
	}, bigtable.RowFilter(bigtable.ChainFilters(bigtable.ColumnFilter("user"), bigtable.ValueFilter(user))))
	if err != nil {
		return 0, err
	}
	if len(keys) == 0 {
		return 0, nil
	}
	errs, err := SessTbl.ApplyBulk(ctx, keys, muts)
	for i, e := range errs {
		log.Printf("core: purge %s: %v", keys[i], e)
	}
	return len(keys) - len(errs), err
}

// lockSession takes a lock of ten seconds. Returns false if somebody has it.
func lockSession(ctx context.Context, id, owner string) (bool, error) {
	set := bigtable.NewMutation()
	set.Set(FamTok, "lock", expTS(10*time.Second), []byte(owner))                               // ok ttlwrite/write-time
	pred := bigtable.ChainFilters(bigtable.FamilyFilter(FamTok), bigtable.ColumnFilter("lock")) // want ttlread/conditional-mutation[lock]
	cond := bigtable.NewCondMutation(pred, nil, set)                                            // want ttlread/conditional-mutation[lock]
	var held bool
	if err := SessTbl.Apply(ctx, saltKey(id), cond, bigtable.GetCondMutationResult(&held)); err != nil {
		return false, err
	}
	return !held, nil
}

// lockSession2 sees live locks only.
func lockSession2(ctx context.Context, id, owner string) (bool, error) {
	set := bigtable.NewMutation()
	set.DeleteCellsInColumn(FamTok, "lock")
	set.Set(FamTok, "lock", expTS(10*time.Second), []byte(owner))
	pred := bigtable.ChainFilters(bigtable.FamilyFilter(FamTok), bigtable.ColumnFilter("lock"), liveOnly())
	cond := bigtable.NewCondMutation(pred, nil, set) // ok ttlread/conditional-mutation
	var held bool
	if err := SessTbl.Apply(ctx, saltKey(id), cond, bigtable.GetCondMutationResult(&held)); err != nil {
		return false, err
	}
	return !held, nil
}

// unlockSession removes the lock if it is ours.
func unlockSession(ctx context.Context, id, owner string) error {
	del := bigtable.NewMutation()
	del.DeleteCellsInColumn(FamTok, "lock")
	pred := bigtable.ChainFilters(bigtable.FamilyFilter(FamTok), bigtable.ColumnFilter("lock"), bigtable.ValueFilter(owner))
	return SessTbl.Apply(ctx, saltKey(id), bigtable.NewCondMutation(pred, del, nil)) // ok ttlread/conditional-mutation
}

// WithLock runs f under the lock.
func WithLock(ctx context.Context, id, owner string, v2 bool, f func() error) error {
	var ok bool
	var err error
	if v2 {
		ok, err = lockSession2(ctx, id, owner)
	} else {
		ok, err = lockSession(ctx, id, owner)
	}
	if err != nil {
		return err
	}
	if !ok {
		return errors.New("core: session is locked")
	}
	defer func() {
		if err := unlockSession(ctx, id, owner); err != nil {
			log.Printf("core: unlock %s: %v", id, err)
		}
	}()
	return f()
}

// DumpSession writes everything for support. It knows more than it should.
func DumpSession(ctx context.Context, w io.Writer, id string, withTokens, asJSON bool) error {
	var opts []bigtable.ReadOption
	if !withTokens {
		opts = append(opts, bigtable.RowFilter(bigtable.FamilyFilter(FamProf)))
	} else {
		opts = append(opts, bigtable.RowFilter(bigtable.InterleaveFilters(
			famLive(FamTok),
			bigtable.FamilyFilter(FamProf),
		)))
	}
	row, err := SessTbl.ReadRow(ctx, saltKey(id), opts...) // ok ttlread/missing-filter
	if err != nil {
		return err
	}
	if asJSON {
		enc := json.NewEncoder(w)
		out := map[string]interface{}{}
		for _, it := range row[FamTok] {
			out[col(it)] = map[string]string{
				"updated_at": it.Timestamp.Time().Format(time.RFC3339), // want ttlage/not-write-time
				"value":      string(it.Value),
			}
		}
		for _, it := range row[FamProf] {
			out[col(it)] = map[string]string{
				"updated_at": it.Timestamp.Time().Format(time.RFC3339), // ok ttlage/not-write-time
				"value":      string(it.Value),
			}
		}
		return enc.Encode(out)
	}
	for _, it := range row[FamTok] {
		fmt.Fprintf(w, "%-20s expires in %s\n", col(it), time.Until(it.Timestamp.Time())) // ok ttlage/not-write-time
	}
	for _, it := range row[FamProf] {
		fmt.Fprintf(w, "%-20s %s\n", col(it), ago(time.Since(it.Timestamp.Time()))) // ok ttlage/not-write-time
	}
	return nil
}

// IdleReport lists sessions by how long they are idle.
func IdleReport(ctx context.Context, prefix string, min time.Duration) ([]string, error) {
	type idle struct {
		id string
		d  time.Duration
	}
	var all []idle
	err := SessTbl.ReadRows(ctx, bigtable.PrefixRange(prefix), func(r bigtable.Row) bool {
		for _, it := range r[FamTok] {
			if col(it) != "seen" {
				continue
			}
			d := time.Since(it.Timestamp.Time()) // want ttlage/not-write-time
			if d > min {
				all = append(all, idle{unsaltKey(r.Key()), d})
			}
		}
		return true
	}, bigtable.RowFilter(famLive(FamTok))) // ok ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	sort.Slice(all, func(a, b int) bool { return all[a].d > all[b].d })
	var out []string
	for _, i := range all {
		out = append(out, fmt.Sprintf("%s\t%s", i.id, i.d))
	}
	return out, nil
}

// soonest reads what ends within the next minutes; the renewal job wants these.
func soonest(ctx context.Context, prefix string, within time.Duration) ([]string, error) {
	now := time.Now()
	var ids []string
	err := SessTbl.ReadRows(ctx, bigtable.PrefixRange(prefix), func(r bigtable.Row) bool {
		for _, it := range r[FamTok] {
			ids = append(ids, unsaltKey(r.Key())+"/"+string(it.Value))
		}
		return true
	}, bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter(FamTok), bigtable.TimestampRangeFilter(now, now.Add(10*time.Minute))))) // want ttlread/upper-bound
	_ = within
	return ids, err
}

// tokens reads with two filters, the author believed that they add up.
func tokens(ctx context.Context, id string) ([]bigtable.ReadItem, error) {
	row, err := SessTbl.ReadRow(ctx, saltKey(id), // want ttlread/overridden-filter[tk] // maybe ttlread/missing-filter
		bigtable.RowFilter(liveOnly()),                    // want ttlread/overridden-filter[tk] // maybe ttlread/missing-filter
		bigtable.RowFilter(bigtable.FamilyFilter(FamTok))) // want ttlread/overridden-filter[tk] // maybe ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	return row[FamTok], nil
}
