// Package schema names the tables and column families of the platform.
package schema

import "time"

// Tables.
const (
	TableFreqCap  = "freqcap"
	TableConsent  = "consent"
	TableAudience = "audience"
	TablePacing   = "pacing"
	// TableDebug is the scratch table of the on-call rotation; it borrows
	// family names from everywhere and nobody relies on it.
	TableDebug = "oncall-scratch"

	// BudgetSuffix is appended to the name of the market: "emea-budget".
	BudgetSuffix = "-budget"
)

// Families of freqcap.
const (
	FamCap  = "cap"
	FamSeen = "seen"
	FamSeg  = "seg"
)

// Families of consent.
const (
	FamGrant = "grant"
	FamRev   = "rev"
	FamCur   = "cur"
	FamMeta  = "meta"
)

// Families of the budget tables.
const (
	FamEntry = "entry"
	FamHold  = "hold"
	FamLimit = "limit"
)

// Families of audience.
const (
	FamMember = "member"
	FamModel  = "model"
)

// FamRate belongs to pacing, which also has an "entry" of its own.
const FamRate = "rate"

// Lifetimes as the product people state them.
const (
	CapWindow     = 24 * time.Hour
	SeenLifetime  = 7 * 24 * time.Hour
	GrantLifetime = 30 * 24 * time.Hour
	HoldLifetime  = 10 * time.Minute
	MemberTTL     = 30 * 24 * time.Hour
	PacingHistory = 72 * time.Hour
)

// Versions kept by the sequence families.
const (
	RevVersions   = 5
	EntryVersions = 3
	ModelVersions = 2
)

// CapFamilies lists the families of freqcap in the order of the reports.
var CapFamilies = []string{FamCap, FamSeen, FamSeg}
