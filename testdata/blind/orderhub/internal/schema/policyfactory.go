package schema

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/meridian/orderhub/internal/constants"
)

// PolicyFactory makes policies by what they are for.
type PolicyFactory interface {
	Expiring() bigtable.GCPolicy
	Retained(d time.Duration) bigtable.GCPolicy
	Versioned(n int) bigtable.GCPolicy
}

type standardPolicyFactory struct{}

// NewPolicyFactory returns the standard PolicyFactory.
func NewPolicyFactory() PolicyFactory { return standardPolicyFactory{} }

// Expiring implements PolicyFactory.
func (standardPolicyFactory) Expiring() bigtable.GCPolicy { return bigtable.MaxAgePolicy(time.Second) }

// Retained implements PolicyFactory.
func (standardPolicyFactory) Retained(d time.Duration) bigtable.GCPolicy {
	return bigtable.MaxAgePolicy(d)
}

// Versioned implements PolicyFactory.
func (standardPolicyFactory) Versioned(n int) bigtable.GCPolicy { return bigtable.MaxVersionsPolicy(n) }

// TableBuilder builds a TableConf.
type TableBuilder struct {
	conf bigtable.TableConf
}

// NewTableBuilder returns a TableBuilder.
func NewTableBuilder(name string) *TableBuilder {
	return &TableBuilder{conf: bigtable.TableConf{TableID: name, ColumnFamilies: map[string]bigtable.Family{}}}
}

// Family adds a family.
func (b *TableBuilder) Family(name string, p bigtable.GCPolicy) *TableBuilder {
	b.conf.ColumnFamilies[name] = bigtable.Family{GCPolicy: p}
	return b
}

// Build returns the TableConf.
func (b *TableBuilder) Build() *bigtable.TableConf { return &b.conf }

// Bootstrapper creates the tables of a new environment.
type Bootstrapper struct {
	admin    *bigtable.AdminClient
	policies PolicyFactory
}

// NewBootstrapper returns a Bootstrapper.
func NewBootstrapper(admin *bigtable.AdminClient) *Bootstrapper {
	return &Bootstrapper{admin: admin, policies: NewPolicyFactory()}
}

// EnsureSessions sets the policies of sessions.
func (b *Bootstrapper) EnsureSessions(ctx context.Context) error {
	if err := b.admin.SetGCPolicy(ctx, constants.TableSessions, constants.FamilyToken, b.policies.Expiring()); err != nil { // ok ttlgc/age-mismatch
		return err
	}
	return b.admin.SetGCPolicy(ctx, constants.TableSessions, constants.FamilyDevice, b.policies.Retained(constants.DeviceTTL)) // want ttlgc/age-mismatch
}

// EnsureOrders sets the policies of orders.
func (b *Bootstrapper) EnsureOrders(ctx context.Context) error {
	if err := b.admin.SetGCPolicy(ctx, constants.TableOrders, constants.FamilyRevision, b.policies.Versioned(constants.RevisionVersions)); err != nil { // ok ttlgc/policy-mismatch
		return err
	}
	if err := b.admin.SetGCPolicy(ctx, constants.TableOrders, constants.FamilyHold, b.policies.Versioned(1)); err != nil { // want ttlgc/no-policy
		return err
	}
	return b.admin.SetGCPolicy(ctx, constants.TableOrders, constants.FamilyState, b.policies.Expiring()) // want ttlgc/age-on-zero
}

// EnsureNotifications sets the policies of notifications.
func (b *Bootstrapper) EnsureNotifications(ctx context.Context) error {
	for family, policy := range map[string]bigtable.GCPolicy{
		constants.FamilyInbox:   b.policies.Retained(constants.InboxTTL),     // ok ttlgc/age-mismatch
		constants.FamilyReceipt: b.policies.Retained(2 * constants.InboxTTL), // ok ttlgc/age-mismatch
		constants.FamilyPref:    b.policies.Versioned(1),                     // ok ttlgc/age-on-zero
	} {
		if err := b.admin.SetGCPolicy(ctx, constants.TableNotifications, family, policy); err != nil {
			return err
		}
	}
	return nil
}

// SandboxOrders creates a table of orders for a sandbox, with the builder.
func (b *Bootstrapper) SandboxOrders(ctx context.Context) error {
	conf := NewTableBuilder(constants.TableOrders).
		Family(constants.FamilyHeader, b.policies.Versioned(1)).   // ok ttlgc/policy-mismatch
		Family(constants.FamilyHold, b.policies.Expiring()).       // ok ttlgc/age-mismatch
		Family(constants.FamilyRevision, b.policies.Versioned(3)). // ok ttlgc/policy-mismatch
		Family(constants.FamilyState, b.policies.Versioned(1)).    // ok ttlgc/age-on-zero
		Build()
	return b.admin.CreateTableFromConf(ctx, conf)
}

// SandboxNotifications does the same for notifications. The sandbox was to be small.
func (b *Bootstrapper) SandboxNotifications(ctx context.Context) error {
	conf := NewTableBuilder(constants.TableNotifications).
		Family(constants.FamilyInbox, b.policies.Retained(24*time.Hour)).   // want ttlgc/age-mismatch
		Family(constants.FamilyReceipt, b.policies.Retained(24*time.Hour)). // ok ttlgc/age-mismatch
		Family(constants.FamilyPref, b.policies.Retained(24*time.Hour)).    // want ttlgc/age-on-zero
		Build()
	return b.admin.CreateTableFromConf(ctx, conf)
}
