package ladder

import (
	"context"
	"fmt"

	"cloud.google.com/go/bigtable"

	"example.com/guild/internal/kit"
)

// The statements of the reports.
const (
	// scoresSQL returns the newest score of every player.
	scoresSQL = "SELECT _key, score['elo'] AS elo FROM ladder" // ok ttlread/sql

	// boostsSQL returns the boosts of every player.
	boostsSQL = "SELECT _key, boost FROM ladder" // want ttlread/sql[boosts]

	// liveBoostsSQL returns the boosts that last.
	liveBoostsSQL = "SELECT _key, boost FROM ladder(with_history => TRUE, after_or_equal => CURRENT_TIMESTAMP())" // ok ttlread/sql

	// historySQL returns the scores of every player over the season.
	historySQL = "SELECT _key, score FROM ladder(with_history => TRUE)" // want ttlread/sql[history]

	// seasonSQL returns what does not change.
	seasonSQL = "SELECT _key, season['title'] AS title FROM ladder" // ok ttlread/sql
)

// run prepares and executes a statement.
func run(ctx context.Context, stmt *bigtable.PreparedStatement, err error, f func(bigtable.ResultRow) bool) error {
	if err != nil {
		return fmt.Errorf("prepare: %w", err)
	}
	bound, err := stmt.Bind(nil)
	if err != nil {
		return fmt.Errorf("bind: %w", err)
	}
	return bound.Execute(ctx, f)
}

// Scores calls f for the scores.
func (l *Ladder) Scores(ctx context.Context, f func(bigtable.ResultRow) bool) error {
	stmt, err := l.client.PrepareStatement(ctx, scoresSQL, nil) // ok ttlread/sql
	return run(ctx, stmt, err, f)
}

// BoostReport calls f for the boosts.
func (l *Ladder) BoostReport(ctx context.Context, f func(bigtable.ResultRow) bool) error {
	stmt, err := l.client.PrepareStatement(ctx, boostsSQL, nil) // want ttlread/sql[boosts]
	return run(ctx, stmt, err, f)
}

// LiveBoostReport calls f for the boosts that last.
func (l *Ladder) LiveBoostReport(ctx context.Context, f func(bigtable.ResultRow) bool) error {
	stmt, err := l.client.PrepareStatement(ctx, liveBoostsSQL, nil) // ok ttlread/sql
	return run(ctx, stmt, err, f)
}

// HistoryReport calls f for the scores of the season.
func (l *Ladder) HistoryReport(ctx context.Context, f func(bigtable.ResultRow) bool) error {
	stmt, err := l.client.PrepareStatement(ctx, historySQL, nil) // want ttlread/sql[history]
	return run(ctx, stmt, err, f)
}

// TitleReport calls f for the titles.
func (l *Ladder) TitleReport(ctx context.Context, f func(bigtable.ResultRow) bool) error {
	stmt, err := l.client.PrepareStatement(ctx, seasonSQL, nil) // ok ttlread/sql
	return run(ctx, stmt, err, f)
}

// MessageReport calls f for the mail of a player that is kept.
func (l *Ladder) MessageReport(ctx context.Context, f func(bigtable.ResultRow) bool) error {
	stmt, err := l.client.PrepareStatement(ctx, "SELECT _key, mail FROM mailbox2(with_history => TRUE, after_or_equal => TIMESTAMP_SUB(CURRENT_TIMESTAMP(), INTERVAL 720 HOUR))", nil) // ok ttlread/sql
	return run(ctx, stmt, err, f)
}

// OldMessageReport calls f for the mail in the old table as of now.
func (l *Ladder) OldMessageReport(ctx context.Context, f func(bigtable.ResultRow) bool) error {
	stmt, err := l.client.PrepareStatement(ctx, "SELECT _key, mail FROM mailbox(as_of => CURRENT_TIMESTAMP())", nil) // want ttlread/sql
	return run(ctx, stmt, err, f)
}

// TelemetryReport calls f for the tokens that the clients report.
func (l *Ladder) TelemetryReport(ctx context.Context, f func(bigtable.ResultRow) bool) error {
	stmt, err := l.client.PrepareStatement(ctx, "SELECT _key, tok, state FROM telemetry", nil) // ok ttlread/sql
	return run(ctx, stmt, err, f)
}

// SessionReport calls f for everything that is known of the sessions.
func (l *Ladder) SessionReport(ctx context.Context, f func(bigtable.ResultRow) bool) error {
	stmt, err := l.client.PrepareStatement(ctx, "SELECT * FROM sessions WHERE STARTS_WITH(_key, 'p#')", nil) // want ttlread/sql
	return run(ctx, stmt, err, f)
}

// DeviceReport calls f for the devices of the sessions.
func (l *Ladder) DeviceReport(ctx context.Context, f func(bigtable.ResultRow) bool) error {
	stmt, err := l.client.PrepareStatement(ctx, "SELECT _key, dev['agent'] FROM sessions WHERE STARTS_WITH(_key, 'p#')", nil) // ok ttlread/sql
	return run(ctx, stmt, err, f)
}

// Count returns the number of rows that a report has.
func Count(ctx context.Context, report func(context.Context, func(bigtable.ResultRow) bool) error) kit.Result[int] {
	var n int
	err := report(ctx, func(bigtable.ResultRow) bool { n++; return true })
	return kit.Of(n, err)
}
