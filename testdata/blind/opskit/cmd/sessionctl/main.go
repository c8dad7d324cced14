// sessionctl is for support: who is logged in, log them out, give them an hour.
package main

import (
	"context"
	"encoding/base64"
	"errors"
	"flag"
	"fmt"
	"os"
	"sort"
	"strings"
	"time"

	"cloud.google.com/go/bigtable"

	"acme.test/opskit/kit"
)

var (
	all    bool
	device string
	hours  int
)

func main() {
	kit.Main("sessionctl", run, func(fs *flag.FlagSet) {
		fs.BoolVar(&all, "all", false, "expired ones too")
		fs.StringVar(&device, "device", "web", "device of the session")
		fs.IntVar(&hours, "hours", 1, "for grant")
	})
}

func run(ctx context.Context, e *kit.Env, args []string) error {
	if len(args) < 2 {
		return kit.Usage("sessionctl who|list|kill|grant|grant-forever|revoke|rename|count|oldest USER")
	}
	s := &sessions{tbl: e.Sessions, env: e}
	user := args[1]
	switch cmd := args[0]; cmd {
	case "who":
		return s.who(ctx, user)
	case "list":
		return s.list(ctx, user)
	case "list-raw":
		return s.listRaw(ctx, user)
	case "kill":
		return s.kill(ctx, user)
	case "kill-idle":
		return s.killIdle(ctx, user)
	case "grant":
		return s.grant(ctx, user, time.Duration(hours)*time.Hour)
	case "grant-forever":
		return s.grantForever(ctx, user)
	case "revoke":
		return s.revoke(ctx, user)
	case "move":
		if len(args) < 3 {
			return kit.Usage("sessionctl move USER USER")
		}
		return s.move(ctx, user, args[2])
	case "seen":
		return s.seen(ctx, user)
	case "count":
		return s.count(ctx, user)
	case "oldest":
		return s.oldest(ctx, user)
	case "active":
		ok, err := kit.Exists(ctx, e.Sessions, user) // want ttlread/missing-filter
		if err != nil {
			return err
		}
		fmt.Println(ok)
		return nil
	case "active2":
		ok, err := kit.ExistsIn(ctx, e.Sessions, user, kit.LiveIn(kit.FamToken)) // ok ttlread/missing-filter
		if err != nil {
			return err
		}
		fmt.Println(ok)
		return nil
	default:
		return kit.Usage("unknown command %q", cmd)
	}
}

type sessions struct {
	tbl *bigtable.Table
	env *kit.Env
}

// who prints the profile.
func (s *sessions) who(ctx context.Context, user string) error {
	row, err := s.tbl.ReadRow(ctx, user) // ok ttlread/missing-filter
	if err != nil {
		return err
	}
	for _, it := range row[kit.FamProfile] {
		fmt.Printf("%s\t%s\tupdated %s\n", it.Column, it.Value, it.Timestamp.Time().Format(time.RFC3339)) // ok ttlage/not-write-time
	}
	return nil
}

func (s *sessions) list(ctx context.Context, user string) error {
	row, err := s.tbl.ReadRow(ctx, user, bigtable.RowFilter(bigtable.LatestNFilter(1))) // want ttlread/missing-filter
	if err != nil {
		return err
	}
	email := kit.Value(row, kit.FamProfile, "email")
	for _, it := range row[kit.FamToken] {
		left := time.Until(it.Timestamp.Time()) // ok ttlage/not-write-time
		fmt.Printf("%s\t%s\t%s left\n", email, it.Column, left.Round(time.Second))
	}
	return nil
}

// listRaw checks the expiry itself; support wants to see the dead ones too.
func (s *sessions) listRaw(ctx context.Context, user string) error {
	now := bigtable.Now()
	row, err := s.tbl.ReadRow(ctx, user, bigtable.RowFilter(bigtable.FamilyFilter(kit.FamToken))) // ok ttlread/missing-filter
	if err != nil {
		return err
	}
	for _, it := range row[kit.FamToken] {
		state := "live"
		if it.Timestamp < now {
			state = "dead"
		}
		if state == "dead" && !all {
			continue
		}
		fmt.Printf("%s\t%s\t%s\n", it.Column, state, it.Timestamp.Time().Format(time.RFC3339))
	}
	return nil
}

// kill logs out one device.
func (s *sessions) kill(ctx context.Context, user string) error {
	m := bigtable.NewMutation()
	m.DeleteCellsInColumn(kit.FamToken, device)
	m.Set(kit.FamProfile, "last_logout", bigtable.Now(), []byte("ops")) // ok ttlwrite/delete-after-set
	return s.tbl.Apply(ctx, user, m)
}

// killIdle logs out what has no token any more. Only deletes.
func (s *sessions) killIdle(ctx context.Context, prefix string) error {
	w := s.env.NewWriter(s.tbl, 200)
	_, err := kit.Scan(ctx, s.tbl, prefix, bigtable.FamilyFilter(kit.FamToken), func(r bigtable.Row) error { // ok ttlread/missing-filter
		m := bigtable.NewMutation()
		m.DeleteCellsInFamily(kit.FamToken)
		return w.Add(ctx, r.Key(), m)
	})
	return errors.Join(err, w.Flush(ctx))
}

// grant makes a support session.
func (s *sessions) grant(ctx context.Context, user string, d time.Duration) error {
	tok := newToken(user)
	exp := bigtable.Time(time.Now().Add(d))
	m := bigtable.NewMutation()
	m.Set(kit.FamToken, device, exp, []byte(tok))                   // ok ttlwrite/write-time
	m.Set(kit.FamToken, "granted_by", kit.Stamp(), []byte(who()))   // want ttlwrite/write-time
	m.Set(kit.FamProfile, "granted_by", kit.Stamp(), []byte(who())) // ok ttlwrite/write-time
	if err := s.tbl.Apply(ctx, user, m); err != nil {
		return err
	}
	fmt.Println(tok)
	return nil
}

// grantForever is for the status page's user.
func (s *sessions) grantForever(ctx context.Context, user string) error {
	never := time.Date(9999, 12, 31, 0, 0, 0, 0, time.UTC)
	m := bigtable.NewMutation()
	m.Set(kit.FamToken, device, bigtable.Time(never), []byte(newToken(user))) // want ttlunit/out-of-range|ttlwrite/already-expired
	y := time.Date(2100, 1, 1, 0, 0, 0, 0, time.UTC)
	m.Set(kit.FamToken, device+"2", bigtable.Time(y), []byte(newToken(user))) // ok ttlunit/out-of-range
	return s.tbl.Apply(ctx, user, m)
}

// revoke leaves a tombstone so that the gateway's cache notices.
func (s *sessions) revoke(ctx context.Context, user string) error {
	m := bigtable.NewMutation()
	m.Set(kit.FamToken, device, bigtable.Time(time.Now().Add(-time.Minute)), nil) // want ttlwrite/already-expired
	m.Set(kit.FamToken, "revoked", kit.ExpireIn(kit.TokenTTL), []byte("1"))       // ok ttlwrite/already-expired
	return s.tbl.Apply(ctx, user, m)
}

// move copies the tokens of one user to another after an account merge.
func (s *sessions) move(ctx context.Context, from, to string) error {
	row, err := kit.Get(ctx, s.tbl, from, bigtable.RowFilter(kit.ScanOpts{Family: kit.FamToken, Live: true}.Filter())) // ok ttlread/missing-filter
	if err != nil {
		return err
	}
	m := bigtable.NewMutation()
	for _, it := range row[kit.FamToken] {
		m.Set(kit.FamToken, strings.TrimPrefix(it.Column, "token:"), it.Timestamp, it.Value) // ok ttlwrite/write-time
	}
	old, err := kit.Get(ctx, s.tbl, to, bigtable.RowFilter(kit.ScanOpts{Family: kit.FamToken}.Filter())) // want ttlread/missing-filter
	if err != nil && !errors.Is(err, kit.ErrNoRow) {
		return err
	}
	if len(old[kit.FamToken]) > 10 {
		return fmt.Errorf("%s has too many sessions already", to)
	}
	return s.tbl.Apply(ctx, to, m)
}

// seen notes that support looked.
func (s *sessions) seen(ctx context.Context, user string) error {
	m := bigtable.NewMutation()
	kit.SetAll(m, kit.FamProfile, bigtable.ServerTime, map[string]string{"seen_by": who()}) // ok ttlwrite/server-timestamp
	kit.SetAll(m, kit.FamToken, bigtable.ServerTime, map[string]string{"seen_by": who()})   // want ttlwrite/server-timestamp
	if err := s.tbl.Apply(ctx, user, m); err != nil {
		return err
	}
	return kit.Incr(ctx, s.tbl, user, kit.FamToken, "looks", 1) // want ttlwrite/read-modify-write
}

// count counts users with a session.
func (s *sessions) count(ctx context.Context, prefix string) error {
	keys, err := kit.Keys(ctx, s.tbl, prefix) // ok ttlread/missing-filter
	if err != nil {
		return err
	}
	live := 0
	err = s.tbl.ReadRows(ctx, bigtable.PrefixRange(prefix), func(r bigtable.Row) bool {
		live++
		return true
	}, bigtable.RowFilter(kit.FamilyView(kit.FamToken, false))) // ok ttlread/missing-filter
	if err != nil {
		return err
	}
	old := 0
	_, err = kit.Scan(ctx, s.tbl, prefix, kit.FamilyView(kit.FamToken, true), func(r bigtable.Row) error { // want ttlread/missing-filter
		for _, it := range r[kit.FamToken] {
			old += len(it.Value)
		}
		return nil
	})
	fmt.Printf("%d rows, %d live, %d bytes of tokens\n", len(keys), live, old)
	return err
}

// oldest tells since when each session runs.
func (s *sessions) oldest(ctx context.Context, prefix string) error {
	type sess struct {
		user    string
		created time.Time
	}
	var out []sess
	now := time.Now()
	err := s.tbl.ReadRows(ctx, bigtable.PrefixRange(prefix), func(r bigtable.Row) bool {
		for _, it := range r[kit.FamToken] {
			out = append(out, sess{user: r.Key(), created: it.Timestamp.Time()}) // want ttlage/not-write-time
		}
		for _, it := range r[kit.FamProfile] {
			if it.Column == "profile:login" {
				s.env.Log.Debug("login", "user", r.Key(), "age", now.Sub(it.Timestamp.Time())) // ok ttlage/not-write-time
			}
		}
		return true
	}, bigtable.RowFilter(bigtable.InterleaveFilters(kit.LiveIn(kit.FamToken), kit.Newest(kit.FamProfile, 1)))) // ok ttlread/unfiltered-branch
	if err != nil {
		return err
	}
	sort.Slice(out, func(i, j int) bool { return out[i].created.Before(out[j].created) })
	for _, o := range out {
		fmt.Printf("%s\t%s\n", o.user, o.created)
	}
	return nil
}

func newToken(user string) string {
	return base64.RawURLEncoding.EncodeToString([]byte(user + time.Now().String()))
}

func who() string {
	if u := os.Getenv("SUDO_USER"); u != "" {
		return u
	}
	return os.Getenv("USER")
}
