// Package timeutil formats times, and knows nothing of Bigtable.
package timeutil

import "time"

func ISO(t time.Time) string { return t.UTC().Format(time.RFC3339) }

func Text(t time.Time) string { return t.String() }
