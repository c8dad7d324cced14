// Package reports answers the questions of the console's dashboards, in SQL.
package reports

import (
	"context"
	"fmt"
	"strings"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/beacon/internal/layout"
)

// Client is what this package needs of *bigtable.Client.
type Client interface {
	PrepareStatement(ctx context.Context, query string, paramTypes map[string]bigtable.SQLType, opts ...bigtable.PrepareOption) (*bigtable.PreparedStatement, error)
}

// Reports runs statements.
type Reports struct {
	c Client
}

// New returns reports on the client.
func New(c Client) *Reports { return &Reports{c: c} }

var keyParam = map[string]bigtable.SQLType{"key": bigtable.BytesSQLType{}}

var keyAndTime = map[string]bigtable.SQLType{"key": bigtable.BytesSQLType{}, "now": bigtable.TimestampSQLType{}}

// Tenants reads the states of all tenants.
func (r *Reports) Tenants(ctx context.Context) (*bigtable.PreparedStatement, error) {
	return r.c.PrepareStatement(ctx, "SELECT _key, tenant['state'] AS state FROM `control-tenants`", nil) // ok ttlread/sql
}

// Invites reads open invitations, or what the author thought they are.
func (r *Reports) Invites(ctx context.Context) (*bigtable.PreparedStatement, error) {
	return r.c.PrepareStatement(ctx, "SELECT _key, invite FROM `control-tenants` WHERE _key = @key", keyParam) // want ttlread/sql
}

// OpenInvites reads the invitations that have not expired.
func (r *Reports) OpenInvites(ctx context.Context) (*bigtable.PreparedStatement, error) {
	return r.c.PrepareStatement(ctx, "SELECT _key, invite FROM `control-tenants`(with_history => TRUE, after_or_equal => @now) WHERE _key = @key", keyAndTime) // ok ttlread/sql
}

// InvitesAsOf reads invitations as of now: only those that are over.
func (r *Reports) InvitesAsOf(ctx context.Context) (*bigtable.PreparedStatement, error) {
	return r.c.PrepareStatement(ctx, "SELECT _key, invite FROM `control-tenants`(as_of => CURRENT_TIMESTAMP()) WHERE _key = @key", keyParam) // want ttlread/sql
}

// Plans reads the current plans; SQL gives the latest version by itself.
func (r *Reports) Plans(ctx context.Context) (*bigtable.PreparedStatement, error) {
	return r.c.PrepareStatement(ctx, "SELECT _key, plan['doc'] AS doc FROM `control-tenants`", nil) // ok ttlread/sql
}

// PlanHistory reads all versions of plans that are there.
func (r *Reports) PlanHistory(ctx context.Context) (*bigtable.PreparedStatement, error) {
	return r.c.PrepareStatement(ctx, "SELECT _key, plan['doc'] AS docs FROM `control-tenants`(with_history => TRUE) WHERE _key = @key", keyParam) // want ttlread/sql
}

// PlanVersions reads the versions of plans that are kept.
func (r *Reports) PlanVersions(ctx context.Context) (*bigtable.PreparedStatement, error) {
	return r.c.PrepareStatement(ctx, "SELECT _key, plan['doc'] AS docs FROM `control-tenants`(with_history => TRUE, latest_n => 5) WHERE _key = @key", keyParam) // ok ttlread/sql
}

// PlanSince reads plans by time, which they do not have.
func (r *Reports) PlanSince(ctx context.Context) (*bigtable.PreparedStatement, error) {
	return r.c.PrepareStatement(ctx, "SELECT _key, plan['doc'] AS docs FROM `control-tenants`(with_history => TRUE, after => @now) WHERE _key = @key", keyAndTime) // want ttlread/sql
}

// Notes reads remarks.
func (r *Reports) Notes(ctx context.Context) (*bigtable.PreparedStatement, error) {
	return r.c.PrepareStatement(ctx, "SELECT note['log'] AS log FROM `control-tenants` WHERE _key = @key", keyParam) // ok ttlread/sql
}

// Portal reads tokens of the bought product.
func (r *Reports) Portal(ctx context.Context) (*bigtable.PreparedStatement, error) {
	return r.c.PrepareStatement(ctx, "SELECT token['jwt'] FROM acquired_portal WHERE _key = @key", keyParam) // ok ttlread/sql
}

// Demo reads the demonstration tenant's tokens.
func (r *Reports) Demo(ctx context.Context) (*bigtable.PreparedStatement, error) {
	return r.c.PrepareStatement(ctx, "SELECT _key, token['jwt'] AS jwt FROM `demo-sessions` WHERE _key = @key", keyParam) // want ttlread/sql
}

// DemoEmails reads the demonstration tenant's addresses.
func (r *Reports) DemoEmails(ctx context.Context) (*bigtable.PreparedStatement, error) {
	return r.c.PrepareStatement(ctx, "SELECT _key, profile['email'] AS email FROM `demo-sessions`", nil) // ok ttlread/sql
}

// Tokens reads any tenant's tokens.
func (r *Reports) Tokens(ctx context.Context, names layout.Names) (*bigtable.PreparedStatement, error) {
	q := fmt.Sprintf("SELECT _key, token['jwt'] AS jwt FROM `%s` WHERE _key = @key", names.Sessions()) // want ttlread/sql[sqltokens]
	return r.c.PrepareStatement(ctx, q, keyParam)                                                      // want ttlread/sql[sqltokens]
}

// LiveTokens reads any tenant's tokens that live.
func (r *Reports) LiveTokens(ctx context.Context, names layout.Names) (*bigtable.PreparedStatement, error) {
	q := "SELECT _key, token['jwt'] AS jwt FROM `" + names.Sessions() + "`(with_history => TRUE, after_or_equal => @now) WHERE _key = @key"
	return r.c.PrepareStatement(ctx, q, keyAndTime) // ok ttlread/sql
}

// Emails reads any tenant's addresses.
func (r *Reports) Emails(ctx context.Context, names layout.Names) (*bigtable.PreparedStatement, error) {
	q := "SELECT _key, profile['email'] AS email FROM `" + names.Sessions() + "`"
	return r.c.PrepareStatement(ctx, q, nil) // ok ttlread/sql
}

// Run executes a statement.
func Run(ctx context.Context, ps *bigtable.PreparedStatement, params map[string]any, each func(bigtable.ResultRow) error) error {
	bs, err := ps.Bind(params)
	if err != nil {
		return err
	}
	var failed error
	err = bs.Execute(ctx, func(rr bigtable.ResultRow) bool {
		failed = each(rr)
		return failed == nil
	})
	if err != nil {
		return err
	}
	return failed
}

// Params are the usual parameters.
func Params(key string) map[string]any {
	return map[string]any{"key": []byte(strings.ToLower(key)), "now": time.Now()}
}
