package auth

import (
	"context"
	"fmt"

	"cloud.google.com/go/bigtable"
)

// Statements of the support desk.
const (
	sqlToken = "SELECT _key, token['jwt'] AS jwt FROM `auth-sessions` WHERE _key = @id"                                                              // want ttlread/sql[sqltoken]
	sqlLive  = "SELECT _key, token['jwt'] AS jwt FROM `auth-sessions`(with_history => TRUE, after_or_equal => CURRENT_TIMESTAMP()) WHERE _key = @id" // ok ttlread/sql
	sqlUser  = "SELECT _key, profile['created'] AS created FROM `auth-sessions` WHERE _key = @id"                                                    // ok ttlread/sql
	sqlKeys  = "SELECT _key, key FROM `auth-keys` WHERE _key = @id"                                                                                  // ok ttlread/sql
	sqlHist  = "SELECT _key, key FROM `auth-keys`(with_history => TRUE) WHERE _key = @id"                                                            // want ttlread/sql[sqlhist]
	sqlAsOf  = "SELECT _key, otp['code'] AS code FROM `auth-challenges`(as_of => CURRENT_TIMESTAMP()) WHERE _key = @id"                              // want ttlread/sql[sqlasof]
	sqlAudit = "SELECT _key, token['line'] AS line FROM `auth-audit` WHERE _key = @id"                                                               // ok ttlread/sql
)

// Desk answers the support desk's questions.
type Desk struct {
	client *bigtable.Client
}

// NewDesk makes a desk.
func NewDesk(c *bigtable.Client) *Desk { return &Desk{client: c} }

func (d *Desk) one(ctx context.Context, stmt *bigtable.PreparedStatement, id, col string) (string, error) {
	bound, err := stmt.Bind(map[string]any{"id": []byte(id)})
	if err != nil {
		return "", fmt.Errorf("bind: %w", err)
	}
	var out []byte
	err = bound.Execute(ctx, func(r bigtable.ResultRow) bool {
		return r.GetByName(col, &out) != nil
	})
	return string(out), err
}

var idParam = map[string]bigtable.SQLType{"id": bigtable.BytesSQLType{}}

// Token looks a token up.
func (d *Desk) Token(ctx context.Context, id string) (string, error) {
	stmt, err := d.client.PrepareStatement(ctx, sqlToken, idParam) // want ttlread/sql[sqltoken]
	if err != nil {
		return "", err
	}
	return d.one(ctx, stmt, id, "jwt")
}

// Live looks a live token up.
func (d *Desk) Live(ctx context.Context, id string) (string, error) {
	stmt, err := d.client.PrepareStatement(ctx, sqlLive, idParam) // ok ttlread/sql
	if err != nil {
		return "", err
	}
	return d.one(ctx, stmt, id, "jwt")
}

// User looks a user up.
func (d *Desk) User(ctx context.Context, id string) (string, error) {
	stmt, err := d.client.PrepareStatement(ctx, sqlUser, idParam) // ok ttlread/sql
	if err != nil {
		return "", err
	}
	return d.one(ctx, stmt, id, "created")
}

// Dump prepares the others.
func (d *Desk) Dump(ctx context.Context) error {
	if _, err := d.client.PrepareStatement(ctx, sqlKeys, idParam); err != nil { // ok ttlread/sql
		return err
	}
	if _, err := d.client.PrepareStatement(ctx, sqlHist, idParam); err != nil { // want ttlread/sql[sqlhist]
		return err
	}
	if _, err := d.client.PrepareStatement(ctx, sqlAsOf, idParam); err != nil { // want ttlread/sql[sqlasof]
		return err
	}
	_, err := d.client.PrepareStatement(ctx, sqlAudit, idParam) // ok ttlread/sql
	return err
}
