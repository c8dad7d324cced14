package jobs

import (
	"context"
	"fmt"
	"time"

	"cloud.google.com/go/bigtable"
)

// Reporter runs the reports that the designers ask for.
type Reporter struct {
	client *bigtable.Client
}

// NewReporter returns a Reporter.
func NewReporter(c *bigtable.Client) *Reporter { return &Reporter{client: c} }

func (r *Reporter) run(ctx context.Context, query string, types map[string]bigtable.SQLType, args map[string]any, each func(bigtable.ResultRow) bool) error {
	ps, err := r.client.PrepareStatement(ctx, query, types)
	if err != nil {
		return fmt.Errorf("prepare: %w", err)
	}
	bs, err := ps.Bind(args)
	if err != nil {
		return fmt.Errorf("bind: %w", err)
	}
	return bs.Execute(ctx, each)
}

// Nodes says on which nodes the players are.
func (r *Reporter) Nodes(ctx context.Context, each func(bigtable.ResultRow) bool) error {
	return r.run(ctx, "SELECT _key, beat['node'] FROM presence", nil, nil, each) // want ttlread/sql
}

// LiveNodes says where they are now.
func (r *Reporter) LiveNodes(ctx context.Context, each func(bigtable.ResultRow) bool) error {
	return r.run(ctx, "SELECT _key, beat['node'] FROM presence(with_history => TRUE, after_or_equal => CURRENT_TIMESTAMP())", nil, nil, each) // ok ttlread/sql
}

// Scores is a board's newest submissions.
func (r *Reporter) Scores(ctx context.Context, each func(bigtable.ResultRow) bool) error {
	return r.run(ctx, "SELECT _key, score['points'] FROM `daily-board`", nil, nil, each) // ok ttlread/sql
}

// Profiles is ordinary data.
func (r *Reporter) Profiles(ctx context.Context, locale string, each func(bigtable.ResultRow) bool) error {
	return r.run(ctx, "SELECT _key, profile['name'] FROM sessions WHERE profile['locale'] = @locale", // ok ttlread/sql
		map[string]bigtable.SQLType{"locale": bigtable.BytesSQLType{}}, map[string]any{"locale": []byte(locale)}, each)
}

// Messages counts what was said.
func (r *Reporter) Messages(ctx context.Context, room string) (n int, err error) {
	const q = "SELECT msg['body'] FROM chat WHERE STARTS_WITH(_key, @room)" // want ttlread/sql[messages]
	types := map[string]bigtable.SQLType{"room": bigtable.BytesSQLType{}}
	err = r.run(ctx, q, types, map[string]any{"room": []byte(room)}, func(bigtable.ResultRow) bool { // want ttlread/sql[messages]
		n++
		return true
	})
	return n, err
}

// Archived is the same over the cold copy.
func (r *Reporter) Archived(ctx context.Context, each func(bigtable.ResultRow) bool) error {
	return r.run(ctx, "SELECT msg['body'] FROM archive", nil, nil, each) // ok ttlread/sql
}

// Tokens is who was logged in at a moment.
func (r *Reporter) Tokens(ctx context.Context, at time.Time, each func(bigtable.ResultRow) bool) error {
	return r.run(ctx, "SELECT _key, token['jwt'] FROM sessions(as_of => @at)", map[string]bigtable.SQLType{"at": bigtable.TimestampSQLType{}}, map[string]any{"at": at}, each) // want ttlread/sql
}
