package registry

import (
	"time"

	"github.com/ttlvet/ttlvet/runtime/strategy"
)

// ParseDuration parses a positive duration as time.ParseDuration does, and
// days written "90d" or "1d12h". The error says what was meant.
func ParseDuration(s string) (time.Duration, error) { return strategy.ParseDuration(s) }

// GoDuration writes a duration as Go source, such as "720*time.Hour".
func GoDuration(d time.Duration) string { return strategy.GoDuration(d) }

// FormatDuration writes d as the documentation and registries do: whole
// days, hours, minutes or seconds where d is a multiple of them.
func FormatDuration(d time.Duration) string { return strategy.FormatDuration(d) }

// Limits writes the limits with which a family is declared: "max-age 7d and
// 3 versions". It is "" for a family without.
func Limits(f *Family) string { return f.Agreement().Limits() }
