package wording_test

import (
	"testing"

	"github.com/ttlvet/ttlvet/internal/wording"
)

func TestUnit(t *testing.T) {
	for name, want := range map[string]string{
		"AuditSeconds": "seconds", "ttl_secs": "seconds", "days": "days", "RETENTION_DAYS": "days", "maxAgeMs": "milliseconds",
		"GetTtlHours": "hours", "nanos": "", "ttl": "", "SecondsPerDay": "", "min": "", "ageMin": "", "sms": "", "": "",
	} {
		if got := wording.Unit(name); got != want {
			t.Errorf("%q says %q, want %q", name, got, want)
		}
	}
}
