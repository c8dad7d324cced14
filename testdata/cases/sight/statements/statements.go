// Package statements puts statements together.
package statements

import (
	"context"
	"fmt"
	"strings"
	"time"

	"cloud.google.com/go/bigtable"
)

type store struct{ c *bigtable.Client }

func (s *store) prepared(ctx context.Context) (*bigtable.PreparedStatement, error) {
	return s.c.PrepareStatement(ctx, "SELECT token['jwt'] FROM sessions WHERE _key = @key", nil) // want `sql: .*"token"`
}

func query(table, family, column string) string {
	return fmt.Sprintf("SELECT %s['%s'] AS v FROM `%s` WHERE _key = @key", family, column, table)
}

func (s *store) sprintf(ctx context.Context) (*bigtable.PreparedStatement, error) {
	return s.c.PrepareStatement(ctx, query("sessions", "token", "jwt"), nil) // want `sql: .*"token"`
}

func (s *store) okSprintf(ctx context.Context) (*bigtable.PreparedStatement, error) {
	return s.c.PrepareStatement(ctx, query("sessions", "profile", "name"), nil)
}

func (s *store) run(ctx context.Context, family string) (*bigtable.PreparedStatement, error) {
	return s.c.PrepareStatement(ctx, "SELECT "+family+"['v'] FROM sessions", nil)
}

func (s *store) given(ctx context.Context) error {
	if _, err := s.run(ctx, "profile"); err != nil {
		return err
	}
	_, err := s.run(ctx, "token") // want `sql: .*"token"|GoogleSQL`
	return err
}

// Any family.
func (s *store) okAny(ctx context.Context, family, table string) error {
	if _, err := s.c.PrepareStatement(ctx, fmt.Sprintf("SELECT %s FROM %s", family, table), nil); err != nil {
		return err
	}
	_, err := s.c.PrepareStatement(ctx, fmt.Sprintf("SELECT %s FROM sessions", family), nil)
	return err
}

const list = "SELECT _key, %[1]s FROM %[2]s(with_history => TRUE, after_or_equal => TIMESTAMP_MILLIS(%[3]d))"

func (s *store) okLive(ctx context.Context) (*bigtable.PreparedStatement, error) {
	return s.c.PrepareStatement(ctx, fmt.Sprintf(list, "token", "sessions", time.Now().UnixMilli()), nil)
}

func (s *store) joined(ctx context.Context) (*bigtable.PreparedStatement, error) {
	q := strings.Join([]string{"SELECT token['jwt']", "FROM sessions"}, " ")
	return s.c.PrepareStatement(ctx, q, nil) // want `sql: .*"token"`
}

// A range of numbers.
func (s *store) okNumbers(ctx context.Context) (*bigtable.PreparedStatement, error) {
	return s.c.PrepareStatement(ctx, "SELECT val FROM history(latest_n => 1) WHERE _key = @key", nil)
}

func (s *store) okNumberRange(ctx context.Context) (*bigtable.PreparedStatement, error) {
	return s.c.PrepareStatement(ctx, "SELECT val FROM history(with_history => TRUE, latest_n => 1, after => TIMESTAMP_MICROS(1000), before => TIMESTAMP_MICROS(9000))", nil)
}

// Whatever stands behind it, a statement is wrong where it is written.
func (s *store) typed(ctx context.Context, types map[string]bigtable.SQLType) (*bigtable.PreparedStatement, error) {
	return s.c.PrepareStatement(ctx, "SELECT token['jwt'] FROM sessions WHERE _key = @key", // want `sql: .*"token"`
		map[string]bigtable.SQLType{"key": bigtable.StringSQLType{}})
}

func (s *store) withOptions(ctx context.Context, first, second bigtable.PrepareOption) (*bigtable.PreparedStatement, error) {
	return s.c.PrepareStatement(ctx,
		"SELECT token['jwt'] FROM sessions WHERE _key = @key", // want `sql: .*"token"`
		nil,
		first,
		second)
}

func (s *store) byMethodExpression(ctx context.Context) (*bigtable.PreparedStatement, error) {
	return (*bigtable.Client).PrepareStatement(s.c, ctx,
		"SELECT token['jwt'] FROM sessions WHERE _key = @key", // want `sql: .*"token"`
		nil)
}

func (s *store) okTyped(ctx context.Context) (*bigtable.PreparedStatement, error) {
	return s.c.PrepareStatement(ctx, "SELECT profile['name'] FROM sessions WHERE _key = @key",
		map[string]bigtable.SQLType{"key": bigtable.StringSQLType{}})
}
