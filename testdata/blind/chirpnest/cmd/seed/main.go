// Command seed fills a development instance.
package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"math/rand/v2"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/chirpnest/internal/bt"
	"example.com/chirpnest/internal/config"
	"example.com/chirpnest/internal/container"
	"example.com/chirpnest/internal/dto"
	"example.com/chirpnest/internal/tables"
	"example.com/chirpnest/internal/utils/strutil"
	"example.com/chirpnest/internal/utils/timeutil"
)

var names = []string{"ada", "grace", "linus", "ken", "barbara", "edsger"}

type seeder struct {
	client *bigtable.Client
	users  int
	posts  int
}

func main() {
	users := flag.Int("users", 6, "how many users")
	posts := flag.Int("posts", 20, "posts per user")
	flag.Parse()

	ctx := context.Background()
	cfg, err := config.FromEnv()
	if err != nil {
		log.Fatal(err)
	}
	c, err := container.New(ctx, cfg)
	if err != nil {
		log.Fatal(err)
	}
	defer c.Close()

	s := &seeder{client: c.Client, users: *users, posts: *posts}
	for _, step := range []struct {
		name string
		run  func(context.Context) error
	}{
		{"sessions", s.sessions},
		{"posts", s.seedPosts},
		{"notifications", s.notifications},
		{"presence", s.presence},
		{"timelines", s.timelines},
		{"legacy", s.legacy},
	} {
		start := time.Now()
		if err := step.run(ctx); err != nil {
			log.Fatalf("%s: %v", step.name, err)
		}
		log.Printf("%s seeded in %s", step.name, time.Since(start).Round(time.Millisecond))
	}
}

func (s *seeder) user(i int) string { return fmt.Sprintf("%s%d", names[i%len(names)], i) }

// sessions writes one of each kind of session.
func (s *seeder) sessions(ctx context.Context) error {
	tbl := s.client.Open(tables.Sessions)
	for i := range s.users {
		rows := []struct {
			family, column string
			ts             bigtable.Timestamp
		}{
			{tables.FamSess, "jwt", bt.ExpiresIn(30 * time.Minute)},      // ok ttlwrite/write-time
			{tables.FamSess, "user", bigtable.Now()},                     // want ttlwrite/write-time[seeduser]
			{tables.FamRefresh, "hash", bigtable.ServerTime},             // want ttlwrite/server-timestamp[seedhash]
			{tables.FamRefresh, "user", bt.ExpiresIn(30 * timeutil.Day)}, // ok ttlwrite/server-timestamp
			{tables.FamMeta, "ua", bigtable.ServerTime},                  // ok ttlwrite/server-timestamp
			{tables.FamMeta, "seeded", bigtable.Now()},                   // ok ttlwrite/write-time
		}
		mut := bigtable.NewMutation()
		for _, r := range rows {
			mut.Set(r.family, r.column, r.ts, []byte(s.user(i))) // want ttlwrite/write-time[seeduser] ttlwrite/server-timestamp[seedhash]
		}
		if err := tbl.Apply(ctx, strutil.Key("s", s.user(i), "seed"), mut); err != nil {
			return err
		}
	}
	return nil
}

// seedPosts writes posts with a few revisions.
func (s *seeder) seedPosts(ctx context.Context) error {
	tbl := s.client.Open(tables.Posts)
	var keys []string
	var muts []*bigtable.Mutation
	for i := range s.users {
		for j := range s.posts {
			id := fmt.Sprintf("%s-%d", s.user(i), j)
			mut := bigtable.NewMutation()
			for rev := 1; rev <= 1+rand.IntN(4); rev++ {
				text := []byte(fmt.Sprintf("post %d, revision %d", j, rev))
				mut.Set(tables.FamRev, "text", bigtable.Timestamp(rev*1000), text)    // ok ttlwrite/unscaled-sequence
				mut.Set(tables.FamRev, "by", bigtable.Timestamp(rev), []byte("seed")) // want ttlwrite/unscaled-sequence
			}
			mut.Set(tables.FamBody, "text", 0, []byte("post"))            // ok ttlwrite/clock-in-zero
			mut.Set(tables.FamStats, "created", bigtable.ServerTime, nil) // ok ttlwrite/clock-in-sequence
			mut.Set(tables.FamRev, "seeded", bigtable.ServerTime, nil)    // want ttlwrite/clock-in-sequence
			keys, muts = append(keys, strutil.Key("p", id)), append(muts, mut)
		}
	}
	errs, err := tbl.ApplyBulk(ctx, keys, muts)
	if err != nil {
		return err
	}
	for i, e := range errs {
		if e != nil {
			return fmt.Errorf("%s: %w", keys[i], e)
		}
	}
	return nil
}

// notifications writes some for every day of the last month.
func (s *seeder) notifications(ctx context.Context) error {
	tbl := s.client.Open(tables.Notifications)
	now := time.Now()
	for i := range s.users {
		mut := bigtable.NewMutation()
		mut.Set(tables.FamInbox, "today", bigtable.Time(now), []byte("new follower"))                       // ok ttlwrite/write-time
		mut.Set(tables.FamInbox, "week", bigtable.Time(now.Add(-timeutil.Week)), []byte("old follower"))    // ok ttlwrite/already-expired
		mut.Set(tables.FamInbox, "year", bigtable.Time(now.AddDate(0, 0, -365)), []byte("oldest follower")) // maybe ttlwrite/already-expired
		mut.Set(tables.FamDigest, "last", bigtable.Time(now.Add(-8*timeutil.Day)), []byte("last week"))     // want ttlwrite/already-expired
		mut.Set(tables.FamDigest, "this", bigtable.Time(now.Add(-6*timeutil.Day)), []byte("this week"))     // ok ttlwrite/already-expired
		mut.Set(tables.FamPrefs, "email", bigtable.Time(now.Add(-90*timeutil.Day)), []byte("1"))            // ok ttlwrite/already-expired
		mut.Set(tables.FamDigest, "stamp", bigtable.Timestamp(now.Unix()*1000), []byte("s"))                // want ttlunit/wrong-unit
		mut.Set(tables.FamDigest, "stamp2", bigtable.Timestamp(now.Unix()*1e6), []byte("s"))                // ok ttlunit/wrong-unit
		if err := tbl.Apply(ctx, strutil.Key("n", s.user(i)), mut); err != nil {
			return err
		}
	}
	return nil
}

// presence makes half of them online.
func (s *seeder) presence(ctx context.Context) error {
	tbl := s.client.Open(tables.Presence)
	for i := range s.users {
		mut := bigtable.NewMutation()
		if i%2 == 0 {
			mut.Set(tables.FamOnline, "status", bigtable.Time(timeutil.FromNow(time.Hour)), []byte("online")) // ok ttlwrite/write-time
		} else {
			mut.Set(tables.FamOnline, "status", bigtable.Time(time.Now()), []byte("away")) // want ttlwrite/write-time
		}
		mut.Set(tables.FamTyping, s.user(i), bigtable.Time(time.Time{}), nil) // want ttlunit/out-of-range|ttlwrite/already-expired
		if err := tbl.Apply(ctx, strutil.Key("u", s.user(i)), mut); err != nil {
			return err
		}
	}
	return nil
}

// timelines fans posts out.
func (s *seeder) timelines(ctx context.Context) error {
	tbl := s.client.Open(tables.Timelines)
	for i := range s.users {
		for j := range s.posts {
			e := dto.TimelineEntry{PostID: fmt.Sprintf("%s-%d", s.user(i), j), AuthorID: s.user(i)}
			ts := bigtable.Time(time.Now().Add(-time.Duration(j) * time.Minute))
			if err := bt.Put(ctx, tbl, strutil.Key("t", s.user(i)), tables.FamEntry, e.PostID, ts, bt.JSON(e)); err != nil { // ok ttlwrite/already-expired
				return err
			}
		}
		if _, err := bt.Incr(ctx, tbl, strutil.Key("t", s.user(i)), tables.FamCursor, "n", 1); err != nil { // want ttlwrite/read-modify-write
			return err
		}
		if _, err := bt.Incr(ctx, tbl, strutil.Key("t", s.user(i)), tables.FamEntry, "n", 1); err != nil { // ok ttlwrite/read-modify-write
			return err
		}
	}
	return nil
}

// legacy fills the old table, for the importer.
func (s *seeder) legacy(ctx context.Context) error {
	tbl := s.client.Open(tables.LegacySessions)
	for i := range s.users {
		mut := bigtable.NewMutation()
		mut.Set(tables.FamSess, "jwt", bigtable.Now(), []byte(s.user(i)))          // ok ttlwrite/write-time
		mut.Set(tables.FamRefresh, "hash", bigtable.ServerTime, []byte(s.user(i))) // ok ttlwrite/server-timestamp
		mut.Set(tables.FamMeta, "jwt", bigtable.Now(), []byte(s.user(i)))
		mut.DeleteCellsInFamily(tables.FamMeta) // want ttlwrite/delete-after-set
		if err := tbl.Apply(ctx, s.user(i), mut); err != nil {
			return err
		}
	}
	return nil
}
