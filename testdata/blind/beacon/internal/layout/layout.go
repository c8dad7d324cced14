// Package layout names what Beacon keeps in Bigtable: every tenant has its own
// set of tables, PREFIX-TENANT-KIND, and every kind of table has its families.
package layout

import (
	"fmt"
	"strings"
	"time"
)

// Kinds of tables. The last element of a table's name.
const (
	KindAudit    = "audit"
	KindMetrics  = "metrics"
	KindSessions = "sessions"
	KindLedger   = "ledger"
	KindState    = "state"
	KindTraces   = "traces"
	KindJournal  = "journal"
)

// ControlTable is the only table that tenants share.
const ControlTable = "control-tenants"

// Names builds the names of one tenant's tables.
type Names struct {
	Prefix string
	Tenant string
}

// For returns the names of one tenant's tables.
func For(prefix, tenant string) Names {
	return Names{Prefix: prefix, Tenant: tenant}
}

func (n Names) join(kind string) string {
	parts := make([]string, 0, 3)
	if n.Prefix != "" {
		parts = append(parts, n.Prefix)
	}
	parts = append(parts, strings.ToLower(n.Tenant), kind)
	return strings.Join(parts, "-")
}

// Audit is the name of the tenant's audit log.
func (n Names) Audit() string { return n.join(KindAudit) }

// Metrics is the name of the tenant's time series.
func (n Names) Metrics() string { return n.join(KindMetrics) }

// Sessions is the name of the tenant's sessions.
func (n Names) Sessions() string { return n.join(KindSessions) }

// Ledger is the name of the tenant's ledger.
func (n Names) Ledger() string { return n.join(KindLedger) }

// State is the name of the tenant's state of consumers.
func (n Names) State() string { return n.join(KindState) }

// Traces is the name of the tenant's traces.
func (n Names) Traces() string { return n.join(KindTraces) }

// Journal is the name of the tenant's change journal.
func (n Names) Journal() string { return n.join(KindJournal) }

// All lists the names of all tables of the tenant.
func (n Names) All() []string {
	return []string{n.Audit(), n.Metrics(), n.Sessions(), n.Ledger(), n.State(), n.Traces(), n.Journal()}
}

// Valid reports whether the names can be table IDs.
func (n Names) Valid() error {
	for _, name := range n.All() {
		if len(name) > 50 {
			return fmt.Errorf("table name %q is longer than 50 characters", name)
		}
		if strings.ContainsAny(name, " /*") {
			return fmt.Errorf("table name %q has a forbidden character", name)
		}
	}
	return nil
}

// Audit says how a tenant's audit log is laid out.
type Audit struct {
	Event     string        // one column per field of the event
	Grant     string        // who may read the log, and until when
	Actor     string        // what is known about the actor
	Retention time.Duration // of events, unless the tenant's plan says otherwise
	GrantTTL  time.Duration
}

// DefaultAudit is what every edition uses.
func DefaultAudit() Audit {
	return Audit{
		Event:     "event",
		Grant:     "grant",
		Actor:     "actor",
		Retention: 90 * 24 * time.Hour,
		GrantTTL:  15 * time.Minute,
	}
}

// Metrics says how a tenant's time series are laid out.
type Metrics struct {
	Point  string
	Latest string
	Rollup string

	Keep       time.Duration // of points
	KeepRollup time.Duration
}

// WithDefaults fills what is not set.
func (m Metrics) WithDefaults() Metrics {
	if m.Point == "" {
		m.Point = "point"
	}
	if m.Latest == "" {
		m.Latest = "latest"
	}
	if m.Rollup == "" {
		m.Rollup = "rollup"
	}
	if m.Keep == 0 {
		m.Keep = 30 * 24 * time.Hour
	}
	if m.KeepRollup == 0 {
		m.KeepRollup = 400 * 24 * time.Hour
	}
	return m
}

// Sessions says how a tenant's sessions are laid out.
type Sessions struct {
	Families struct {
		Token   string
		MFA     string
		Profile string
	}
	TokenTTL time.Duration
	MFATTL   time.Duration
}

// DefaultSessions is what every edition uses.
func DefaultSessions() Sessions {
	var s Sessions
	s.Families.Token = "token"
	s.Families.MFA = "mfa"
	s.Families.Profile = "profile"
	s.TokenTTL = 30 * time.Minute
	s.MFATTL = 5 * time.Minute
	return s
}

// State says how a tenant's state of consumers is laid out.
type State struct {
	Cursor string
	Lease  string
	Pref   string
	Meta   string
	Hold   time.Duration // of leases
}

// StateLayout is shared by all tenants.
var StateLayout = State{
	Cursor: "cursor",
	Lease:  "lease",
	Pref:   "pref",
	Meta:   "meta",
	Hold:   time.Minute,
}

// Families of the ledger and the journal, which never differed between editions.
const (
	LedgerEntry  = "entry"
	LedgerHead   = "head"
	JournalEntry = "entry"
)

// TraceFamilies are the families of a tenant's traces, by index.
var TraceFamilies = []string{"span", "meta"}

// Indexes into TraceFamilies.
const (
	Span = iota
	SpanMeta
)

// Control holds the families of ControlTable.
var Control = struct {
	Tenant, Invite, Plan, Note string
}{"tenant", "invite", "plan", "note"}
