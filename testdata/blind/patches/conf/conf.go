// Package conf holds what everybody needs and nobody owns.
package conf

import (
	"os"
	"strconv"
	"strings"
	"time"
)

// tables
const (
	TblImpressions = "impressions"
	TblCampaigns   = "campaigns"
	TblSubscribers = "subscribers"
	TblSends       = "sends"
	TblClicks      = "clicks"

	// not ours any more, but the nightly job still writes it. TODO(petra): ask data team 2019-03
	TblImprArchive = "impressions_archive"
	TblSubsOld     = "subscribers_v1"
)

// families
const (
	FamCap     = "cap"
	FamSeen    = "seen"
	FamMeta    = "meta"
	FamRev     = "rev" // campaigns: revision. clicks: revenue!! do not mix up (INC-2231)
	FamState   = "state"
	FamInfo    = "info"
	FamConfirm = "confirm"
	FamOpens   = "opens"
	FamProfile = "profile"
	FamJob     = "job"
	FamLog     = "log"
	FamRaw     = "raw"
)

// SubFams is by index, because the old import tool was.
var SubFams = []string{"confirm", "opens", "profile"}

// ImprFams, same reason.
var ImprFams = []string{FamCap, FamSeen, FamMeta}

const (
	CapTTL     = 24 * time.Hour
	SeenTTL    = 7 * 24 * time.Hour
	ConfirmTTL = 48 * time.Hour
	OpensTTL   = 30 * 24 * time.Hour
	ClickTTL   = 90 * 24 * time.Hour
	JobLease   = 5 * time.Minute
)

var (
	// NewCaps: switch for the 2021 rewrite of frequency capping. Still not on everywhere.
	NewCaps = boolEnv("BP_NEW_CAPS", false)
	// DryRun is honoured by most of the code.
	DryRun   = boolEnv("BP_DRY_RUN", false)
	Project  = strEnv("BP_PROJECT", "brightpost-prod")
	Instance = strEnv("BP_INSTANCE", "main")
	Listen   = strEnv("BP_LISTEN", ":8080")
	Workers  = intEnv("BP_WORKERS", 8)
)

func strEnv(k, def string) string {
	if v := os.Getenv(k); v != "" {
		return v
	}
	return def
}

func boolEnv(k string, def bool) bool {
	v := strings.ToLower(os.Getenv(k))
	if v == "" {
		return def
	}
	return v == "1" || v == "true" || v == "yes"
}

func intEnv(k string, def int) int {
	n, err := strconv.Atoi(os.Getenv(k))
	if err != nil {
		return def
	}
	return n
}

// DurEnv reads a duration, seconds if it has no unit.
func DurEnv(k string, def time.Duration) time.Duration {
	v := os.Getenv(k)
	if v == "" {
		return def
	}
	if n, err := strconv.Atoi(v); err == nil {
		return time.Duration(n) * time.Second
	}
	d, err := time.ParseDuration(v)
	if err != nil {
		return def
	}
	return d
}
