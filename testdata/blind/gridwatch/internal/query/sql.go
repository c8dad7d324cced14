package query

import (
	"context"
	"fmt"

	"cloud.google.com/go/bigtable"

	"example.com/gridwatch/internal/store"
)

var byKey = map[string]bigtable.SQLType{"key": bigtable.StringSQLType{}}

// Statements that are prepared once.
const (
	sqlFiring = "SELECT firing['severity'] FROM `alert-state`(with_history => TRUE, after_or_equal => TIMESTAMP_SUB(CURRENT_TIMESTAMP(), INTERVAL 72 HOUR)) WHERE _key = @key"
	sqlRule   = "SELECT rule FROM `alert-state` WHERE _key = @key"
	sqlMute   = "SELECT mute FROM `alert-state` WHERE _key = @key" // want ttlread/sql[sqlmute]
)

// SQL answers with statements.
type SQL struct {
	client *bigtable.Client
}

// NewSQL returns an answerer.
func NewSQL(t *store.Tables) *SQL { return &SQL{client: t.Client()} }

// run binds the key, executes and sends the first column.
func (s *SQL) run(ctx context.Context, ps *bigtable.PreparedStatement, key string, out chan<- []byte) error {
	bs, err := ps.Bind(map[string]any{"key": key})
	if err != nil {
		return err
	}
	return bs.Execute(ctx, func(rr bigtable.ResultRow) bool {
		var v []byte
		if err := rr.GetByIndex(0, &v); err != nil {
			return false
		}
		select {
		case out <- v:
			return true
		case <-ctx.Done():
			return false
		}
	})
}

// Tokens reads tokens, dead or alive.
func (s *SQL) Tokens(ctx context.Context, key string, out chan<- []byte) error {
	ps, err := s.client.PrepareStatement(ctx, "SELECT token['jwt'] FROM `device-sessions` WHERE _key = @key", byKey) // want ttlread/sql
	if err != nil {
		return err
	}
	return s.run(ctx, ps, key, out)
}

// LiveTokens reads what is alive.
func (s *SQL) LiveTokens(ctx context.Context, key string, out chan<- []byte) error {
	ps, err := s.client.PrepareStatement(ctx, "SELECT token['jwt'] FROM `device-sessions`(with_history => TRUE, after => CURRENT_TIMESTAMP()) WHERE _key = @key", byKey) // ok ttlread/sql
	if err != nil {
		return err
	}
	return s.run(ctx, ps, key, out)
}

// AsOf reads what was alive, and only that.
func (s *SQL) AsOf(ctx context.Context, key string, out chan<- []byte) error {
	ps, err := s.client.PrepareStatement(ctx, "SELECT presence['alive'] FROM `device-sessions`(as_of => CURRENT_TIMESTAMP()) WHERE _key = @key", byKey) // want ttlread/sql
	if err != nil {
		return err
	}
	return s.run(ctx, ps, key, out)
}

// Profile reads ordinary cells.
func (s *SQL) Profile(ctx context.Context, key string, out chan<- []byte) error {
	ps, err := s.client.PrepareStatement(ctx, "SELECT profile['firmware'] FROM `device-sessions` WHERE _key = @key", byKey) // ok ttlread/sql
	if err != nil {
		return err
	}
	return s.run(ctx, ps, key, out)
}

// Firing reads by the default lifetime.
func (s *SQL) Firing(ctx context.Context, key string, out chan<- []byte) error {
	ps, err := s.client.PrepareStatement(ctx, sqlFiring, byKey) // ok ttlread/sql
	if err != nil {
		return err
	}
	return s.run(ctx, ps, key, out)
}

// Rule reads an ordinary family.
func (s *SQL) Rule(ctx context.Context, key string, out chan<- []byte) error {
	ps, err := s.client.PrepareStatement(ctx, sqlRule, byKey) // ok ttlread/sql
	if err != nil {
		return err
	}
	return s.run(ctx, ps, key, out)
}

// Mute reads mutes that may be over.
func (s *SQL) Mute(ctx context.Context, key string, out chan<- []byte) error {
	ps, err := s.client.PrepareStatement(ctx, sqlMute, byKey) // want ttlread/sql[sqlmute]
	if err != nil {
		return err
	}
	return s.run(ctx, ps, key, out)
}

// Raw reads samples of any age.
func (s *SQL) Raw(ctx context.Context, key string, out chan<- []byte) error {
	q := fmt.Sprintf("SELECT raw['v'] FROM `%s` WHERE _key = @key", store.TableTelemetry) // want ttlread/sql[sqlraw]
	ps, err := s.client.PrepareStatement(ctx, q, byKey)                                   // want ttlread/sql[sqlraw]
	if err != nil {
		return err
	}
	return s.run(ctx, ps, key, out)
}

// RawDay has the bound of another strategy.
func (s *SQL) RawDay(ctx context.Context, key string, out chan<- []byte) error {
	ps, err := s.client.PrepareStatement(ctx, "SELECT raw['v'] FROM telemetry(with_history => TRUE, after => CURRENT_TIMESTAMP()) WHERE _key = @key", byKey) // want ttlread/sql
	if err != nil {
		return err
	}
	return s.run(ctx, ps, key, out)
}

// Rollups reads ordinary cells.
func (s *SQL) Rollups(ctx context.Context, key string, out chan<- []byte) error {
	ps, err := s.client.PrepareStatement(ctx, "SELECT rollup['mean'] FROM telemetry(with_history => TRUE) WHERE _key = @key", byKey) // ok ttlread/sql
	if err != nil {
		return err
	}
	return s.run(ctx, ps, key, out)
}

// Revisions reads all revisions that linger.
func (s *SQL) Revisions(ctx context.Context, key string, out chan<- []byte) error {
	ps, err := s.client.PrepareStatement(ctx, "SELECT rev['mode'] FROM `device-shadow`(with_history => TRUE) WHERE _key = @key", byKey) // want ttlread/sql
	if err != nil {
		return err
	}
	return s.run(ctx, ps, key, out)
}

// LatestRevision reads one.
func (s *SQL) LatestRevision(ctx context.Context, key string, out chan<- []byte) error {
	ps, err := s.client.PrepareStatement(ctx, "SELECT rev['mode'] FROM `device-shadow` WHERE _key = @key", byKey) // ok ttlread/sql
	if err != nil {
		return err
	}
	return s.run(ctx, ps, key, out)
}

// Audit reads a table that is not registered.
func (s *SQL) Audit(ctx context.Context, key string, out chan<- []byte) error {
	ps, err := s.client.PrepareStatement(ctx, "SELECT token['what'] FROM `audit-trail` WHERE _key = @key", byKey) // ok ttlread/sql
	if err != nil {
		return err
	}
	return s.run(ctx, ps, key, out)
}
