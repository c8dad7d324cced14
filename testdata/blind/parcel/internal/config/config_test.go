package config

import (
	"errors"
	"testing"
	"time"
)

func TestFromEnv(t *testing.T) {
	for _, tc := range []struct {
		name string
		env  map[string]string
		ok   bool
		err  error
	}{
		{"defaults", map[string]string{"PARCEL_PROJECT": "p", "PARCEL_INSTANCE": "i"}, true, nil},
		{"no project", map[string]string{"PARCEL_INSTANCE": "i"}, false, ErrMissing},
		{"bad ttl", map[string]string{"PARCEL_PROJECT": "p", "PARCEL_INSTANCE": "i", "PARCEL_SESSION_TTL": "x"}, false, nil},
		{"workers", map[string]string{"PARCEL_PROJECT": "p", "PARCEL_INSTANCE": "i", "PARCEL_WORKERS": "0"}, false, nil},
	} {
		t.Run(tc.name, func(t *testing.T) {
			for k, v := range tc.env {
				t.Setenv(k, v)
			}
			c, err := FromEnv()
			if (err == nil) != tc.ok {
				t.Fatalf("err = %v", err)
			}
			if tc.err != nil && !errors.Is(err, tc.err) {
				t.Fatalf("err = %v, want %v", err, tc.err)
			}
			if tc.ok && c.SessionTTL != 12*time.Hour {
				t.Errorf("SessionTTL = %v", c.SessionTTL)
			}
		})
	}
}
