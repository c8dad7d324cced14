package careful

import (
	"os" // for the clock

	"cloud.google.com/go/bigtable"
)

// The import that would go has a comment.
func stamped(mut *bigtable.Mutation) {
	info, err := os.Stat("x")
	if err != nil {
		return
	}
	mut.Set("latest", "x", bigtable.Timestamp(info.Size()), nil)
	mut.Set("latest", "y", bigtable.Now(), nil) // want `clock-in-zero: .*"latest"`
}
