// Package schema describes tables that other packages create.
package schema

import (
	"time"

	"cloud.google.com/go/bigtable"
)

var entries = map[string]bigtable.GCPolicy{
	"entry": bigtable.MaxAgePolicy(time.Hour), // want `age-on-sequence: .*"entry"`
}

// Ledger is the configuration of the ledger's table.
func Ledger(prefix string) *bigtable.TableConf {
	conf := &bigtable.TableConf{TableID: prefix + "-ledger", ColumnFamilies: map[string]bigtable.Family{}}
	for f, gc := range entries {
		conf.ColumnFamilies[f] = bigtable.Family{GCPolicy: gc}
	}
	return conf
}

// Sessions is the configuration of the sessions' table.
func Sessions() *bigtable.TableConf {
	return &bigtable.TableConf{
		TableID: "sessions",
		ColumnFamilies: map[string]bigtable.Family{
			"token":   {GCPolicy: bigtable.MaxAgePolicy(24 * time.Hour)}, // want `age-mismatch: .*"token"`
			"profile": {GCPolicy: bigtable.MaxVersionsPolicy(1)},
		},
	}
}

// Of is the configuration of a table whose age callers give.
func Of(table string, age time.Duration) *bigtable.TableConf {
	return &bigtable.TableConf{
		TableID:        table,
		ColumnFamilies: map[string]bigtable.Family{"token": {GCPolicy: bigtable.MaxAgePolicy(age)}},
	}
}

// Tickets is the right configuration of the tickets' table.
func Tickets() (*bigtable.TableConf, error) {
	return &bigtable.TableConf{
		TableID:        "tickets",
		ColumnFamilies: map[string]bigtable.Family{"ticket": {GCPolicy: bigtable.MaxAgePolicy(time.Second)}},
	}, nil
}

// Bare gives no policies: who creates the table does.
func Bare() *bigtable.TableConf {
	return &bigtable.TableConf{TableID: "sessions", ColumnFamilies: map[string]bigtable.Family{"token": {}}}
}

// Otp is the configuration of the codes' table.
func Otp() bigtable.TableConf {
	return bigtable.TableConf{
		TableID:        "otp",
		ColumnFamilies: map[string]bigtable.Family{"code": {GCPolicy: bigtable.NoGcPolicy()}}, // want `no-policy: .*"code"`
	}
}
