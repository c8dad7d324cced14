package service

import (
	"context"
	"fmt"
	"time"

	"cloud.google.com/go/bigtable"

	"haulr.dev/backend/internal/tables"
)

// Report runs the SQL that operations asked for.
type Report struct {
	client *bigtable.Client
}

// NewReport makes the service.
func NewReport(client *bigtable.Client) *Report { return &Report{client: client} }

func (r *Report) run(ctx context.Context, ps *bigtable.PreparedStatement, params map[string]any) (int, error) {
	bs, err := ps.Bind(params)
	if err != nil {
		return 0, err
	}
	n := 0
	err = bs.Execute(ctx, func(bigtable.ResultRow) bool { n++; return true })
	return n, err
}

// ActiveSessions counts sessions with a token.
func (r *Report) ActiveSessions(ctx context.Context) (int, error) {
	ps, err := r.client.PrepareStatement(ctx, "SELECT _key, tok['jwt'] FROM sessions WHERE tok['jwt'] IS NOT NULL", nil) // want ttlread/sql
	if err != nil {
		return 0, err
	}
	return r.run(ctx, ps, nil)
}

// LiveSessions counts those that are good.
func (r *Report) LiveSessions(ctx context.Context) (int, error) {
	const q = "SELECT _key, tok['jwt'] FROM sessions(with_history => TRUE, after_or_equal => CURRENT_TIMESTAMP()) WHERE ARRAY_LENGTH(tok['jwt']) > 0"
	ps, err := r.client.PrepareStatement(ctx, q, nil) // ok ttlread/sql
	if err != nil {
		return 0, err
	}
	return r.run(ctx, ps, nil)
}

// AsOfSessions counts as of now.
func (r *Report) AsOfSessions(ctx context.Context) (int, error) {
	ps, err := r.client.PrepareStatement(ctx, "SELECT _key, tok['jwt'] FROM sessions(as_of => CURRENT_TIMESTAMP())", nil) // want ttlread/sql
	if err != nil {
		return 0, err
	}
	return r.run(ctx, ps, nil)
}

// SessionDevices reads the ordinary family.
func (r *Report) SessionDevices(ctx context.Context) (int, error) {
	ps, err := r.client.PrepareStatement(ctx, "SELECT _key, meta['device'] FROM sessions", nil) // ok ttlread/sql
	if err != nil {
		return 0, err
	}
	return r.run(ctx, ps, nil)
}

// Positions counts the drivers with a position.
func (r *Report) Positions(ctx context.Context) (int, error) {
	q := fmt.Sprintf("SELECT _key, loc['pos'] AS pos FROM %s", tables.Drivers) // want ttlread/sql[pos]
	ps, err := r.client.PrepareStatement(ctx, q, nil)                          // want ttlread/sql[pos]
	if err != nil {
		return 0, err
	}
	return r.run(ctx, ps, nil)
}

// PositionsDay counts those of a day.
func (r *Report) PositionsDay(ctx context.Context) (int, error) {
	q := "SELECT _key, loc['pos'] AS pos FROM drivers(with_history => TRUE, after_or_equal => TIMESTAMP_SUB(CURRENT_TIMESTAMP(), INTERVAL 24 HOUR))"
	ps, err := r.client.PrepareStatement(ctx, q, nil) // ok ttlread/sql
	if err != nil {
		return 0, err
	}
	return r.run(ctx, ps, nil)
}

// PositionsParam has the bound as a parameter.
func (r *Report) PositionsParam(ctx context.Context) (int, error) {
	q := "SELECT _key, loc['pos'] AS pos FROM drivers(with_history => TRUE, after_or_equal => @since)"
	ps, err := r.client.PrepareStatement(ctx, q, map[string]bigtable.SQLType{"since": bigtable.TimestampSQLType{}}) // ok ttlread/sql
	if err != nil {
		return 0, err
	}
	return r.run(ctx, ps, map[string]any{"since": time.Now().Add(-tables.LocationTTL)})
}

// Snapshots counts orders; one version per column is what SQL gives.
func (r *Report) Snapshots(ctx context.Context) (int, error) {
	ps, err := r.client.PrepareStatement(ctx, "SELECT _key, snap['state'] FROM orderbook", nil) // ok ttlread/sql
	if err != nil {
		return 0, err
	}
	return r.run(ctx, ps, nil)
}

// OrderHistory counts everything.
func (r *Report) OrderHistory(ctx context.Context) (int, error) {
	ps, err := r.client.PrepareStatement(ctx, "SELECT _key, ev FROM orderbook(with_history => TRUE)", nil) // want ttlread/sql
	if err != nil {
		return 0, err
	}
	return r.run(ctx, ps, nil)
}

// Carts counts carts.
func (r *Report) Carts(ctx context.Context) (int, error) {
	ps, err := r.client.PrepareStatement(ctx, `SELECT _key, item FROM carts WHERE _key LIKE 'guest%'`, nil) // want ttlread/sql
	if err != nil {
		return 0, err
	}
	return r.run(ctx, ps, nil)
}

// Flags counts flags.
func (r *Report) Flags(ctx context.Context) (int, error) {
	ps, err := r.client.PrepareStatement(ctx, "SELECT _key, val['json'] FROM flags", nil) // ok ttlread/sql
	if err != nil {
		return 0, err
	}
	return r.run(ctx, ps, nil)
}

// Audit counts entries of the compliance team.
func (r *Report) Audit(ctx context.Context) (int, error) {
	ps, err := r.client.PrepareStatement(ctx, "SELECT _key, tok['actor'] FROM audit_log", nil) // ok ttlread/sql
	if err != nil {
		return 0, err
	}
	return r.run(ctx, ps, nil)
}
