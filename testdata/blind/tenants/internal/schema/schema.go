// Package schema names tables, families and columns of the platform and reads its configuration.
package schema

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"regexp"
	"strings"
	"time"
)

// Families. They are the same for every tenant; the layout below is what the stores are handed.
const (
	FamSession  = "session"
	FamInvite   = "invite"
	FamProfile  = "profile"
	FamFlag     = "flag"
	FamRollout  = "rollout"
	FamEvent    = "event"
	FamRev      = "rev"
	FamDraft    = "draft"
	FamMeta     = "meta"
	FamCounters = "counters"
	FamPage     = "page"
	FamLock     = "lock"
	FamWindow   = "win"
	FamQuota    = "quota"
)

// Shared tables, one of each per installation.
const (
	AuthTable      = "platform-auth"
	FlagsTable     = "platform-flags"
	ActivityTable  = "platform-activity"
	DirectoryTable = "platform-directory"
	ScratchTable   = "platform-scratch"
	LedgerTable    = "billing-ledger"
)

const (
	suffixDocs   = "docs"
	suffixCache  = "cache"
	suffixLimits = "limits"
	separator    = "-"
)

// Lifetimes.
const (
	SessionTTL = 12 * time.Hour
	InviteTTL  = 72 * time.Hour
	PageTTL    = time.Hour
	LockTTL    = 30 * time.Second
	DraftTTL   = 7 * 24 * time.Hour
	WindowTTL  = time.Minute
	EventTTL   = 90 * 24 * time.Hour
)

// Versions kept.
const (
	RevVersions     = 5
	RolloutVersions = 10
	QuotaVersions   = 2
)

// TableNames are the shared tables' names; an installation may rename them.
type TableNames struct {
	Auth      string `json:"auth"`
	Flags     string `json:"flags"`
	Activity  string `json:"activity"`
	Directory string `json:"directory"`
}

func (n TableNames) withDefaults() TableNames {
	if n.Auth == "" {
		n.Auth = AuthTable
	}
	if n.Flags == "" {
		n.Flags = FlagsTable
	}
	if n.Activity == "" {
		n.Activity = ActivityTable
	}
	if n.Directory == "" {
		n.Directory = DirectoryTable
	}
	return n
}

// Layout holds family names. It is never read from a file.
type Layout struct {
	Session, Invite, Profile string
	Flag, Rollout            string
	Event                    string
	Rev, Draft, Meta         string
	Page, Lock               string
	Window, Quota            string
}

// DefaultLayout is the layout of every installation so far.
func DefaultLayout() Layout {
	return Layout{
		Session: FamSession,
		Invite:  FamInvite,
		Profile: FamProfile,
		Flag:    FamFlag,
		Rollout: FamRollout,
		Event:   FamEvent,
		Rev:     FamRev,
		Draft:   FamDraft,
		Meta:    FamMeta,
		Page:    FamPage,
		Lock:    FamLock,
		Window:  FamWindow,
		Quota:   FamQuota,
	}
}

// TenantConfig is one tenant's entry in the configuration file.
type TenantConfig struct {
	ID          string            `json:"id"`
	Plan        string            `json:"plan"`
	MonthlyCall int64             `json:"monthly_calls"`
	PerMinute   int               `json:"per_minute"`
	Labels      map[string]string `json:"labels"`
	ExtraFamily string            `json:"extra_family"`
}

// Config is the whole configuration file.
type Config struct {
	Project  string         `json:"project"`
	Instance string         `json:"instance"`
	Listen   string         `json:"listen"`
	Prefix   string         `json:"prefix"`
	Tables   TableNames     `json:"tables"`
	Tenants  []TenantConfig `json:"tenants"`
}

var tenantID = regexp.MustCompile(`^[a-z][a-z0-9]{2,30}$`)

// Load reads path and fills in what it leaves out.
func Load(path string) (Config, error) {
	var cfg Config
	b, err := os.ReadFile(path)
	if err != nil {
		return cfg, err
	}
	if err := json.Unmarshal(b, &cfg); err != nil {
		return cfg, fmt.Errorf("%s: %w", path, err)
	}
	cfg.Tables = cfg.Tables.withDefaults()
	if cfg.Listen == "" {
		cfg.Listen = ":8080"
	}
	if p := os.Getenv("PLATFORM_PROJECT"); p != "" {
		cfg.Project = p
	}
	return cfg, cfg.validate()
}

func (c Config) validate() error {
	var errs []error
	if c.Project == "" || c.Instance == "" {
		errs = append(errs, errors.New("project and instance are required"))
	}
	seen := map[string]bool{}
	for i, t := range c.Tenants {
		if !tenantID.MatchString(t.ID) {
			errs = append(errs, fmt.Errorf("tenants[%d]: bad id %q", i, t.ID))
		}
		if seen[t.ID] {
			errs = append(errs, fmt.Errorf("tenants[%d]: %q twice", i, t.ID))
		}
		seen[t.ID] = true
	}
	return errors.Join(errs...)
}

// DocsTable is the name of a tenant's documents.
func DocsTable(tenant string) string { return tenant + separator + suffixDocs }

// CacheTable is the name of a tenant's page cache.
func CacheTable(tenant string) string { return fmt.Sprintf("%s-%s", tenant, suffixCache) }

// LimitsTable is the name of a tenant's rate limits and quotas.
func LimitsTable(tenant string) string {
	return strings.Join([]string{tenant, suffixLimits}, separator)
}

// Key joins parts of a row key.
func Key(parts ...string) string { return strings.Join(parts, "#") }

// ReverseKey makes later times sort first.
func ReverseKey(prefix string, t time.Time) string {
	return fmt.Sprintf("%s#%016x", prefix, uint64(1<<63-1)-uint64(t.UnixMicro()))
}

// SplitKey is the reverse of Key.
func SplitKey(key string) []string { return strings.Split(key, "#") }
