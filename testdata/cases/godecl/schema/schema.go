// Package schema declares tables with the runtime package.
package schema

import (
	"time"

	"github.com/ttlvet/ttlvet/runtime/ttl"
)

// Carts live for two hours.
var (
	Item  = ttl.OneSecond("item", 2*time.Hour)
	Owner = ttl.RealTime("owner")
	Carts = ttl.NewTable("carts", Item, Owner)
)

// Feeds keep posts for a week.
var (
	Post  = ttl.Default("post", 168*time.Hour)
	Feeds = ttl.NewTable("feeds", Post)
)

// Offsets and flags.
var (
	Position = ttl.Sequence("position", 2)
	Offsets  = ttl.NewTable("offsets", Position)
	Flags    = ttl.NewTable("flags", ttl.Zero("flag"))
)

// Sessions says the same as the file.
var Sessions = ttl.NewTable("sessions", ttl.OneSecond("token", 30*time.Minute), ttl.RealTime("profile"))
