// Package lib says how long families live, or fails.
package lib

import (
	"fmt"
	"time"
)

// Find returns the lifetime of a family.
func Find(family string) (time.Duration, error) {
	switch family {
	case "token":
		return time.Minute, nil
	case "ticket":
		return time.Hour, nil
	}
	return 0, fmt.Errorf("no family %q", family)
}
