package storedreaders

import (
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/cases/sight/storedreaders/lib"
)

// Services are what a program is made of. Their methods are called elsewhere.
type Services struct {
	Tokens, Profiles *lib.Cache
	Reader           *lib.Reader
	Stores           []*lib.Store
}

// Wire makes them.
func Wire(c *bigtable.Client) *Services {
	sessions := c.Open("sessions")
	return &Services{
		Tokens:   lib.NewCache(sessions, "token", time.Now), // want `write-time: .*"token"`
		Profiles: lib.NewCache(sessions, "profile", time.Now),
		Reader:   lib.NewReader(sessions, lib.Config{Family: "token", Filter: bigtable.LatestNFilter(1)}), // want `missing-filter: .*"token"`
		Stores: []*lib.Store{
			lib.NewStore(sessions),
			lib.NewStore(sessions, lib.WithFamily("token"), lib.WithLife(time.Hour)),
			lib.NewStore(sessions, lib.WithFamily("token")), // want `write-time: .*"token"`
		},
	}
}

// WireRight makes them right.
func WireRight(c *bigtable.Client) *Services {
	sessions := c.Open("sessions")
	return &Services{
		Tokens: lib.NewCache(sessions, "token", func() time.Time { return time.Now().Add(time.Hour) }),
		Reader: lib.NewReader(sessions, lib.Config{Family: "profile", Filter: bigtable.FamilyFilter("profile")}),
	}
}
