package ttlguard_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/ttlvet/ttlvet/runtime/ttlguard"
)

// JSON is YAML too: the tests of this module have no other library. Those of
// the linter, which has one, read ttlvet.yaml.
const registryJSON = `{
	"version": 1,
	"tables": {
		"sessions": {"families": {"token": {"strategy": "one-second-expiration", "ttl": "30m"}, "profile": {"strategy": "real-timestamps"}}},
		"*-ledger": {"handles": ["example.com/shop/store.Ledger.tbl"], "families": {"entry": {"strategy": "sequential-numbers", "versions": 3}}}
	},
	"rules": {"disable": ["ttlread/missing-filter", "ttlage"]},
	"schema": ["infra/*.tf"]
}`

func TestRegistry(t *testing.T) {
	registry := ttlguard.WithRegistry([]byte(registryJSON), json.Unmarshal)
	for _, test := range []struct {
		table, family string
		want          string
	}{
		{"sessions", "token", "ttlwrite/server-timestamp"},
		{"sessions", "profile", ""},
		{"eu-ledger", "entry", "ttlwrite/clock-in-sequence"},
	} {
		if got := strings.Join(violations(t, mutate(test.table, set(test.family, "a", -1)), registry), " "); got != test.want {
			t.Errorf("%s of %s: %s, want %s", test.family, test.table, got, test.want)
		}
	}
	if got := violations(t, read("sessions", nil), registry); got != nil {
		t.Errorf("disabled, but %v", got)
	}
}

func TestBadRegistry(t *testing.T) {
	for data, want := range map[string]string{
		`{`:              "cannot be read",
		`{"version": 2}`: "version 2, not 1",
		`{"version": 1, "tables": {"t": {"families": {"f": {}}}}}`:                                                     `table "t", family "f": has no strategy`,
		`{"version": 1, "tables": {"t": {"families": {"f": {"strategy": "zero"}}}}}`:                                   `unknown strategy "zero"; it has one of one-second-expiration`,
		`{"version": 1, "tables": {"t": {"families": {"f": {"strategy": "default-expiration"}}}}}`:                     "needs its ttl",
		`{"version": 1, "tables": {"t": {"families": {"f": {"strategy": "sequential-numbers"}}}}}`:                     "needs versions",
		`{"version": 1, "tables": {"t": {"families": {"f": {"strategy": "default-expiration", "ttl": "30"}}}}}`:        `ttl "30" has no unit`,
		`{"version": 1, "tables": {"t": {"families": {"f": {"strategy": "one-second-expiration", "max-age": "1h"}}}}}`: "more than a second",
		`{"version": 1, "tables": {"[": {"families": {"f": {"strategy": "timestamp-zero"}}}}}`:                         "no name of a table",
		`{"version": 1}`: "no tables",
	} {
		if _, err := ttlguard.New(ttlguard.WithRegistry([]byte(data), json.Unmarshal)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", data, err, want)
		}
	}
}
