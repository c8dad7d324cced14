// Package auth keeps sessions, challenges, logins, signing keys and flags.
package auth

import (
	"context"
	"fmt"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/corebase/pkg/btstore"
)

// Tables.
const (
	TableSessions   = "auth-sessions"
	TableChallenges = "auth-challenges"
	TableLogins     = "auth-logins"
	TableKeys       = "auth-keys"
	TableFlags      = "auth-flags"
	TableAudit      = "auth-audit"
)

// Families.
const (
	FamToken   = "token"
	FamDevice  = "device"
	FamProfile = "profile"
	FamOTP     = "otp"
	FamNonce   = "nonce"
	FamPin     = "pin"
	FamInfo    = "info"
	FamKey     = "key"
	FamMeta    = "meta"
	FamFlag    = "flag"
)

// Lifetimes.
const (
	TokenTTL   = 30 * time.Minute
	DeviceTTL  = 30 * 24 * time.Hour
	OTPTTL     = 5 * time.Minute
	PinTTL     = 15 * time.Minute
	KeysToKeep = 3
)

// Typed families of the tables above.
var (
	Token   = btstore.NewExpiring(FamToken, TokenTTL)
	Device  = btstore.NewRolling(FamDevice, DeviceTTL)
	Profile = btstore.NewPlain(FamProfile, bigtable.MaxVersionsPolicy(1))
	OTP     = btstore.NewExpiring(FamOTP, OTPTTL)
	Nonce   = btstore.NewExpiring(FamNonce, time.Minute)
	Pin     = btstore.NewExpiring(FamPin, PinTTL)
	Key     = btstore.NewSequence(FamKey, KeysToKeep)
	Flag    = btstore.NewSingle(FamFlag)
)

// Schema is what authd needs.
var Schema = []btstore.TableSpec{
	{
		Name:     TableSessions,
		Families: []btstore.FamilySpec{btstore.Of(Token), btstore.Of(Device), btstore.Of(Profile)}, // ok ttlgc/age-mismatch
		Split:    []string{"4", "8", "c"},
	},
	{
		Name: TableChallenges,
		Families: []btstore.FamilySpec{
			{Name: FamOTP, MaxAge: time.Second},   // ok ttlgc/age-mismatch
			{Name: FamNonce, MaxAge: time.Minute}, // want ttlgc/age-mismatch[nonceage]
		},
	},
	{
		Name: TableKeys,
		Families: []btstore.FamilySpec{
			{Name: FamKey, Versions: KeysToKeep}, // ok ttlgc/policy-mismatch
			{Name: FamMeta, Versions: 1},         // ok ttlgc/policy-mismatch
		},
	},
	{
		Name:     TableFlags,
		Families: []btstore.FamilySpec{{Name: FamFlag, Versions: 1}}, // ok ttlgc/age-on-zero
	},
	{
		Name: TableAudit,
		Families: []btstore.FamilySpec{
			{Name: "token", MaxAge: 400 * 24 * time.Hour}, // ok ttlgc/age-mismatch
			{Name: "log", MaxAge: 90 * 24 * time.Hour},
		},
	},
}

// Setup creates what is missing.
func Setup(ctx context.Context, s *btstore.Store) error {
	if err := s.Ensure(ctx, Schema...); err != nil { // want ttlgc/age-mismatch[nonceage]
		return fmt.Errorf("auth schema: %w", err)
	}
	return setupLogins(ctx, s)
}

// The logins came later and were never moved to Schema.
func setupLogins(ctx context.Context, s *btstore.Store) error {
	admin := s.Admin()
	if err := s.Ensure(ctx, btstore.TableSpec{Name: TableLogins}); err != nil {
		return err
	}
	pols := map[string]bigtable.GCPolicy{
		FamPin:  bigtable.UnionPolicy(bigtable.MaxAgePolicy(time.Second), bigtable.MaxVersionsPolicy(1)), // want ttlgc/versions-with-expiry[loginpin]
		FamInfo: bigtable.MaxVersionsPolicy(1),                                                           // ok ttlgc/policy-mismatch
	}
	for fam, p := range pols {
		if err := btstore.EnsureFamily(ctx, admin, TableLogins, fam, p); err != nil { // want ttlgc/versions-with-expiry[loginpin]
			return err
		}
	}
	return nil
}

// Migrate2023 is what operators ran when the key table got its versions.
func Migrate2023(ctx context.Context, admin *bigtable.AdminClient) error {
	if err := admin.SetGCPolicy(ctx, TableKeys, FamKey, bigtable.UnionPolicy(bigtable.MaxVersionsPolicy(3), bigtable.MaxAgePolicy(DeviceTTL))); err != nil { // want ttlgc/age-on-sequence
		return err
	}
	if err := admin.SetGCPolicy(ctx, TableKeys, FamMeta, bigtable.MaxAgePolicy(DeviceTTL)); err != nil { // ok ttlgc/age-on-sequence
		return err
	}
	if err := admin.SetGCPolicy(ctx, TableFlags, FamFlag, bigtable.MaxAgePolicy(24*time.Hour)); err != nil { // want ttlgc/age-on-zero
		return err
	}
	if err := admin.SetGCPolicy(ctx, TableFlags, FamFlag, bigtable.NoGcPolicy()); err != nil { // ok ttlgc/no-policy
		return err
	}
	return admin.SetGCPolicyWithOptions(ctx, TableSessions, FamDevice, bigtable.MaxAgePolicy(90*24*time.Hour), bigtable.IgnoreWarnings()) // want ttlgc/age-mismatch
}

// Migrate2024 undoes most of it.
func Migrate2024(ctx context.Context, admin *bigtable.AdminClient) error {
	steps := []struct {
		table, family string
		policy        bigtable.GCPolicy
	}{
		{TableKeys, FamKey, bigtable.MaxVersionsPolicy(KeysToKeep)},                                                               // ok ttlgc/policy-mismatch
		{TableSessions, FamDevice, bigtable.MaxAgePolicy(DeviceTTL)},                                                              // ok ttlgc/age-mismatch
		{TableSessions, FamToken, bigtable.IntersectionPolicy(bigtable.MaxVersionsPolicy(1), bigtable.MaxAgePolicy(time.Second))}, // want ttlgc/no-policy
		{TableChallenges, FamNonce, bigtable.MaxAgePolicy(time.Second)},                                                           // ok ttlgc/age-mismatch
		{TableSessions, FamProfile, bigtable.IntersectionPolicy(bigtable.MaxVersionsPolicy(5), bigtable.MaxAgePolicy(time.Hour))}, // ok ttlgc/no-policy
		{TableAudit, FamKey, bigtable.MaxAgePolicy(DeviceTTL)},                                                                    // ok ttlgc/age-on-sequence
	}
	for _, st := range steps {
		if err := admin.SetGCPolicy(ctx, st.table, st.family, st.policy); err != nil {
			return fmt.Errorf("%s.%s: %w", st.table, st.family, err)
		}
	}
	return nil
}
