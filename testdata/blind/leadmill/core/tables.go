// Package core is what is left of the monolith. Everything that has no better home lives here.
//
// History:
//
//	2017-11 jk   first version, sessions and visitors only
//	2018-05 jk   budgets
//	2019-02 psz  click tables per tenant
//	2020-09 mh   "temporary" scratch table, do not use
//	2023-01 ana  new code goes to attrib/, consent/, suppress/ please
package core

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"strings"
	"sync"
	"time"

	"cloud.google.com/go/bigtable"
)

// Table names.
const (
	TblSessions = "sessions"
	TblVisitors = "visitors"
	TblCaps     = "freqcaps"
	TblBudgets  = "budgets"
	TblMailQ    = "mailq"
	tblScratch  = "scratch"
	tblImpr     = "impressions"
)

// Families. Two letters was the rule in 2017, nobody remembers why.
const (
	FamTok   = "tok"
	FamProf  = "prof"
	FamIDMap = "idmap"
	FamSeg   = "seg"
	FamAttr  = "attr"
	FamCap   = "cap"
	FamRoll  = "roll"
	FamLed   = "led"
	FamCur   = "cur"
	FamAudit = "audit"
	FamJob   = "job"
	FamSt    = "st"
)

// budgetFams is indexed by the record kind.
var budgetFams = []string{"led", "cur", "audit"}

// Tables, opened by Init. Nil before.
var (
	client *bigtable.Client

	SessTbl    *bigtable.Table
	VisTbl     *bigtable.Table
	CapTbl     *bigtable.Table
	BudTbl     *bigtable.Table
	MailTbl    *bigtable.Table
	ClicksTbl  *bigtable.Table // <tenant>-clicks
	scratchTbl *bigtable.Table // no GC at all, wiped on Sundays
	imprTbl    *bigtable.Table // owned by the ad server team
)

var (
	initOnce sync.Once
	initErr  error
)

// ErrNotInit is returned by everything before Init.
var ErrNotInit = errors.New("core: not initialised")

// Init opens everything. Call it once from main; calling it again is harmless.
func Init(ctx context.Context, project, instance, tenant string) error {
	initOnce.Do(func() {
		if project == "" {
			project = os.Getenv("GOOGLE_CLOUD_PROJECT")
		}
		if instance == "" {
			instance = "leadmill-prod"
		}
		c, err := bigtable.NewClient(ctx, project, instance)
		if err != nil {
			initErr = fmt.Errorf("core: client: %w", err)
			return
		}
		client = c
		SessTbl = c.Open(TblSessions)
		VisTbl = c.Open(TblVisitors)
		CapTbl = c.Open(TblCaps)
		BudTbl = c.Open(TblBudgets)
		MailTbl = c.Open(TblMailQ)
		ClicksTbl = c.Open(clicksName(tenant))
		scratchTbl = c.Open(tblScratch)
		imprTbl = c.Open(tblImpr)
		if Debug {
			log.Printf("core: opened tables of %s/%s for tenant %q", project, instance, tenant)
		}
	})
	return initErr
}

func clicksName(tenant string) string {
	tenant = strings.ToLower(strings.TrimSpace(tenant))
	if tenant == "" {
		tenant = "default"
	}
	return tenant + "-clicks"
}

// Shutdown closes the client.
func Shutdown() {
	if client == nil {
		return
	}
	if err := client.Close(); err != nil {
		log.Printf("core: close: %v", err)
	}
	client = nil
}

// Client is for packages that open tables of their own.
func Client() *bigtable.Client { return client }

// Feature flags. Read once at start, the ops runbook says how to flip them.
var (
	Debug            = os.Getenv("LM_DEBUG") != ""
	FlagLegacyTokens = os.Getenv("LM_LEGACY_TOKENS") == "1"
	FlagCapsV2       = os.Getenv("LM_CAPS_V2") == "1"
	FlagSoftBudget   = os.Getenv("LM_SOFT_BUDGET") == "1"
	FlagShadowRead   = os.Getenv("LM_SHADOW_READ") == "1"
)

// Durations that several files need.
const (
	SessionTTL  = 30 * time.Minute
	RememberTTL = 30 * 24 * time.Hour
	SegTTL      = 24 * time.Hour
	IDMapTTL    = 30 * 24 * time.Hour
	CapTTL      = 24 * time.Hour
	RollTTL     = 7 * 24 * time.Hour
	JobTTL      = 2 * time.Hour
)
