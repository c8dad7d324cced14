package schema

import (
	"time"

	"cloud.google.com/go/bigtable"
)

// Policy is one family's declared garbage collection.
type Policy struct {
	Table  TableID
	Family Family
	GC     bigtable.GCPolicy
	// Owner is the team that is asked before the policy changes.
	Owner string
}

// AtExpiry collects cells once their timestamp has passed.
var AtExpiry = bigtable.MaxAgePolicy(time.Second)

// Policies is what the migrations command brings about.
var Policies = []Policy{
	{Table: Tokens, Family: Access, GC: AtExpiry, Owner: "tokens"},                                                              // ok ttlgc/age-mismatch
	{Table: Tokens, Family: Refresh, GC: bigtable.MaxAgePolicy(RefreshTTL), Owner: "tokens"},                                    // want ttlgc/age-mismatch
	{Table: Tokens, Family: Audit, GC: bigtable.MaxAgePolicy(365 * 24 * time.Hour), Owner: "compliance"},                        // ok ttlgc/age-mismatch
	{Table: Challenges, Family: FamChallenge, GC: bigtable.MaxAgePolicy(time.Millisecond), Owner: "webauthn"},                   // ok ttlunit/age-unit
	{Table: Leases, Family: FamLease, GC: AtExpiry, Owner: "platform"},                                                          // ok ttlgc/age-mismatch
	{Table: Grants, Family: FamGrant, GC: bigtable.MaxVersionsPolicy(GrantVersions), Owner: "grants"},                           // ok ttlgc/policy-mismatch
	{Table: Grants, Family: FamMeta, GC: bigtable.UnionPolicy(bigtable.MaxVersionsPolicy(1), bigtable.MaxAgePolicy(DeviceTTL))}, // ok ttlgc/age-on-sequence
	{Table: Quotas, Family: FamLimit, GC: bigtable.MaxVersionsPolicy(1), Owner: "quotas"},                                       // ok ttlgc/age-on-zero
	{Table: Quotas, Family: FamWindow, GC: bigtable.UnionPolicy(bigtable.MaxVersionsPolicy(1), AtExpiry), Owner: "quotas"},      // want ttlgc/versions-with-expiry
	{Table: Prefs, Family: FamPref, GC: bigtable.NoGcPolicy(), Owner: "profile"},                                                // ok ttlgc/no-policy
	{Table: Prefs, Family: FamDevice, GC: bigtable.MaxAgePolicy(DeviceTTL), Owner: "profile"},                                   // ok ttlgc/age-mismatch
	{Table: Presence, Family: FamOnline, GC: bigtable.MaxAgePolicy(OnlineTTL), Owner: "presence"},                               // ok ttlgc/age-mismatch
	{Table: Presence, Family: FamTyping, GC: bigtable.MaxAgePolicy(OnlineTTL), Owner: "presence"},                               // want ttlgc/age-mismatch
	{Table: Presence, Family: FamProfile, GC: bigtable.MaxVersionsPolicy(1), Owner: "presence"},                                 // ok ttlgc/versions-with-expiry
	{Table: Analytics, Family: FamDaily, GC: bigtable.MaxAgePolicy(DailyMaxAge), Owner: "insights"},                             // ok ttlgc/policy-mismatch
	{Table: Analytics, Family: FamRaw, GC: bigtable.MaxVersionsPolicy(2), Owner: "insights"},                                    // want ttlgc/policy-mismatch
	{Table: Analytics, Family: FamGrant, GC: bigtable.MaxAgePolicy(400 * 24 * time.Hour), Owner: "insights"},                    // ok ttlgc/age-on-sequence
	{Table: ImportScratch, Family: Access, GC: bigtable.MaxAgePolicy(24 * time.Hour), Owner: "platform"},                        // ok ttlgc/age-mismatch
	{Table: ImportScratch, Family: FamPref, GC: bigtable.MaxAgePolicy(24 * time.Hour), Owner: "platform"},                       // ok ttlgc/age-on-zero
}

// For ranges over the policies of a table.
func For(id TableID) map[Family]bigtable.GCPolicy {
	out := make(map[Family]bigtable.GCPolicy)
	for _, p := range Policies {
		if p.Table == id {
			out[p.Family] = p.GC
		}
	}
	return out
}

// journalFamilies are the families of every journal.
var journalFamilies = map[string]bigtable.GCPolicy{
	FamEvent: bigtable.MaxVersionsGCPolicy(EventVersions), // ok ttlgc/policy-mismatch
	FamSnap: bigtable.UnionPolicy( // want ttlgc/age-on-sequence[snapunion]
		bigtable.MaxVersionsPolicy(SnapVersions),
		bigtable.MaxAgePolicy(30*24*time.Hour), // want ttlgc/age-on-sequence[snapunion]
	),
}

// Journal is the configuration of one aggregate's journal.
func Journal(aggregate string) *bigtable.TableConf {
	conf := &bigtable.TableConf{
		TableID:        JournalPrefix + aggregate,
		ColumnFamilies: make(map[string]bigtable.Family, len(journalFamilies)),
	}
	for name, gc := range journalFamilies {
		conf.ColumnFamilies[name] = bigtable.Family{GCPolicy: gc}
	}
	return conf
}
