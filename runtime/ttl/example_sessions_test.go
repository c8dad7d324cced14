package ttl_test

import (
	"context"
	"fmt"
	"time"

	"cloud.google.com/go/bigtable"
	"github.com/ttlvet/ttlvet/runtime/ttl"
)

// A user's row has the session, which ends half an hour after it was last used,
// and the profile, which stays.
var (
	Session  = ttl.OneSecond("session", 30*time.Minute)
	Started  = ttl.WrittenAt(Session, "started")
	UserData = ttl.RealTime("profile")
	Users    = ttl.NewTable("users", Session, UserData)
)

// A sessionStore keeps one session of each user.
type sessionStore struct{ tbl *bigtable.Table }

// start begins a session, in place of one that the user may have.
func (s sessionStore) start(ctx context.Context, user, token string) error {
	mut := bigtable.NewMutation()
	if err := Session.With(Started).Replace(mut, "token", []byte(token), 30*time.Minute); err != nil {
		return err
	}
	return s.tbl.Apply(ctx, user, mut)
}

// use returns the token and when its session began, and lets the session
// last for another half hour. Without a session the token is empty.
func (s sessionStore) use(ctx context.Context, user string) (token string, since time.Time, err error) {
	row, err := s.tbl.ReadRow(ctx, user, Users.Latest(bigtable.FamilyFilter("session")))
	if err != nil {
		return "", time.Time{}, err
	}
	since, _ = Started.Time(row)
	mut, deadline := bigtable.NewMutation(), time.Now().Add(30*time.Minute)
	for _, item := range row["session"] {
		column := item.Column[len("session:"):]
		if column == "token" {
			token = string(item.Value)
		}
		if err := Session.ReplaceUntil(mut, column, item.Value, deadline); err != nil {
			return "", time.Time{}, err
		}
	}
	if token == "" {
		return "", time.Time{}, nil
	}
	return token, since, s.tbl.Apply(ctx, user, mut)
}

// end ends the session now.
func (s sessionStore) end(ctx context.Context, user string) error {
	mut := bigtable.NewMutation()
	mut.DeleteCellsInFamily("session")
	return s.tbl.Apply(ctx, user, mut)
}

// A session store. How its sessions expire, without waiting for it, is
// tested with testing/synctest in sessions_test.go of this package.
func Example_sessionStore() {
	ctx := context.Background()
	client, admin, stop := connect(ctx)
	defer stop()
	must(Users.Ensure(ctx, admin))
	sessions := sessionStore{client.Open(Users.Name())}

	must(sessions.start(ctx, "ada", "eyJhbGciOi"))
	token, since, err := sessions.use(ctx, "ada")
	must(err)
	fmt.Println(token, time.Since(since) < time.Minute)

	must(sessions.end(ctx, "ada"))
	token, _, err = sessions.use(ctx, "ada")
	must(err)
	fmt.Printf("%q\n", token)
	// Output:
	// eyJhbGciOi true
	// ""
}
