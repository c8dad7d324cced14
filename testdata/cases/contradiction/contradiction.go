// Package contradiction declares tables otherwise than the file does. To be
// run with the analyzer ttlvet, like the packages of silencebad.
package contradiction

import (
	"time"

	"github.com/ttlvet/ttlvet/runtime/ttl"
)

var clicks = ttl.NewTable("clicks", ttl.Default("event", 24*time.Hour)) // want `registry: .*"event"`

var catalog = ttl.NewTable("catalog", ttl.RealTime("latest")) // want `registry: .*"latest"`

var ledger = ttl.NewTable("bank-ledger", ttl.Sequence("entry", 5)) // want `registry: .*"entry"`

// okSessions says what the file says.
var okSessions = ttl.NewTable("sessions", ttl.OneSecond("token", 30*time.Minute), ttl.RealTime("profile"))

// okNew is in no file.
var okNew = ttl.NewTable("queues", ttl.OneSecond("lease", time.Minute))
