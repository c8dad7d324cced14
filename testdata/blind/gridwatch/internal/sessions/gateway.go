package sessions

import (
	"context"
	"crypto/subtle"
	"fmt"
	"time"

	"cloud.google.com/go/bigtable"
	"golang.org/x/sync/errgroup"

	"example.com/gridwatch/internal/events"
	"example.com/gridwatch/internal/store"
)

// AuthRequest is one token to be checked.
type AuthRequest struct {
	Device string
	JWT    string
	Reply  chan<- AuthReply
}

// AuthReply is the answer.
type AuthReply struct {
	OK   bool
	Left time.Duration
	Err  error
}

// Gateway answers authentication requests that arrive on a channel.
type Gateway struct {
	tbl  *bigtable.Table
	opts []bigtable.ReadOption
}

// NewGateway returns a gateway on the session table.
func NewGateway(t *store.Tables) *Gateway {
	return &Gateway{tbl: t.Sessions}
}

// Serve answers until in is closed, with n workers.
func (g *Gateway) Serve(ctx context.Context, n int, in <-chan AuthRequest) error {
	eg, ctx := errgroup.WithContext(ctx)
	for range n {
		eg.Go(func() error {
			for req := range in {
				var rep AuthReply
				rep.OK, rep.Left, rep.Err = g.check(ctx, req.Device, req.JWT)
				select {
				case req.Reply <- rep:
				case <-ctx.Done():
					return ctx.Err()
				}
			}
			return nil
		})
	}
	return eg.Wait()
}

// read is what all lookups of one row go through.
func (g *Gateway) read(ctx context.Context, device string, f bigtable.Filter) (bigtable.Row, error) {
	ctx, cancel := context.WithTimeout(ctx, 250*time.Millisecond)
	defer cancel()
	row, err := g.tbl.ReadRow(ctx, events.ReverseKey(device), bigtable.RowFilter(f))
	if err != nil {
		return nil, fmt.Errorf("gateway: %s: %w", device, err)
	}
	return row, nil
}

func (g *Gateway) check(ctx context.Context, device, jwt string) (bool, time.Duration, error) {
	row, err := g.read(ctx, device, store.LiveFamily(store.FamToken)) // ok ttlread/missing-filter
	if err != nil {
		return false, 0, err
	}
	for _, it := range row[store.FamToken] {
		if it.Column == "token:jwt" && subtle.ConstantTimeCompare(it.Value, []byte(jwt)) == 1 {
			return true, time.Until(it.Timestamp.Time()), nil // ok ttlage/not-write-time
		}
	}
	return false, 0, nil
}

// Issuer tells who issued the token.
func (g *Gateway) Issuer(ctx context.Context, device string) (string, error) {
	row, err := g.read(ctx, device, bigtable.ColumnFilter("issuer")) // want ttlread/missing-filter
	if err != nil {
		return "", err
	}
	if items := row[store.FamToken]; len(items) > 0 {
		return string(items[0].Value), nil
	}
	return "", nil
}

// Firmware returns what the profile says.
func (g *Gateway) Firmware(ctx context.Context, device string) (string, error) {
	row, err := g.read(ctx, device, bigtable.ColumnFilter("firmware")) // ok ttlread/missing-filter
	if err != nil {
		return "", err
	}
	if items := row[store.FamProfile]; len(items) > 0 {
		return string(items[0].Value), nil
	}
	return "", nil
}

// tokenFilter selects the tokens, dead ones too when all is true.
func tokenFilter(all bool) bigtable.Filter {
	if all {
		return bigtable.FamilyFilter(store.FamToken)
	}
	return bigtable.ChainFilters(bigtable.FamilyFilter(store.FamToken), bigtable.TimestampRangeFilter(time.Now(), time.Time{}))
}

// Tokens lists the columns of the token family.
func (g *Gateway) Tokens(ctx context.Context, device string) ([]string, error) {
	row, err := g.read(ctx, device, tokenFilter(false)) // ok ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	return columns(row[store.FamToken]), nil
}

// History was meant for support only.
func (g *Gateway) History(ctx context.Context, device string) ([]string, error) {
	row, err := g.read(ctx, device, tokenFilter(true)) // want ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	return columns(row[store.FamToken]), nil
}

func columns(items []bigtable.ReadItem) []string {
	var out []string
	for _, it := range items {
		out = append(out, it.Column)
	}
	return out
}

// Grace returns a token for devices whose clock is a little behind.
func (g *Gateway) Grace(ctx context.Context, device string) (string, error) {
	row, err := g.read(ctx, device, bigtable.ChainFilters(bigtable.FamilyFilter(store.FamToken), bigtable.TimestampRangeFilter(time.Time{}, time.Now()))) // want ttlread/expired-only
	if err != nil {
		return "", err
	}
	for _, it := range row[store.FamToken] {
		return string(it.Value), nil
	}
	return "", nil
}

// Recent returns the tokens that were issued within the usual lifetime.
func (g *Gateway) Recent(ctx context.Context, device string) ([]string, error) {
	row, err := g.read(ctx, device, bigtable.ChainFilters(bigtable.FamilyFilter(store.FamToken), store.Within(store.TokenTTL))) // want ttlread/wrong-bound
	if err != nil {
		return nil, err
	}
	return columns(row[store.FamToken]), nil
}

// NextFew returns tokens that end within the next minutes.
func (g *Gateway) NextFew(ctx context.Context, device string) ([]string, error) {
	now := time.Now()
	row, err := g.read(ctx, device, bigtable.ChainFilters(bigtable.FamilyFilter(store.FamToken), bigtable.TimestampRangeFilter(now, now.Add(5*time.Minute)))) // want ttlread/upper-bound
	if err != nil {
		return nil, err
	}
	return columns(row[store.FamToken]), nil
}

// Capped ignores tokens with an impossible lifetime.
func (g *Gateway) Capped(ctx context.Context, device string) ([]string, error) {
	now := time.Now()
	row, err := g.read(ctx, device, bigtable.ChainFilters(bigtable.FamilyFilter(store.FamToken), bigtable.TimestampRangeFilter(now, now.Add(24*time.Hour)))) // ok ttlread/upper-bound
	if err != nil {
		return nil, err
	}
	return columns(row[store.FamToken]), nil
}

// Both returns token and profile in one read, each by its rule.
func (g *Gateway) Both(ctx context.Context, device string) (bigtable.Row, error) {
	return g.read(ctx, device, bigtable.InterleaveFilters( // ok ttlread/unfiltered-branch
		store.LiveFamily(store.FamToken),
		bigtable.ChainFilters(bigtable.FamilyFilter(store.FamProfile), bigtable.LatestNFilter(1)),
	))
}

// Everything returns the whole row of a device for the console.
func (g *Gateway) Everything(ctx context.Context, device string) (bigtable.Row, error) {
	return g.read(ctx, device, bigtable.InterleaveFilters( // want ttlread/unfiltered-branch[everything]
		store.LiveFamily(store.FamToken),
		bigtable.FamilyFilter(store.FamProfile),
		bigtable.FamilyFilter(store.FamPresence), // want ttlread/unfiltered-branch[everything]
	))
}

// Console shows what is alive; the profile is on the same page.
func (g *Gateway) Console(ctx context.Context, device string) (map[string][]bigtable.ReadItem, error) {
	row, err := g.read(ctx, device, store.Alive()) // want ttlread/hides-other-families
	if err != nil {
		return nil, err
	}
	return map[string][]bigtable.ReadItem{
		"token":    row[store.FamToken],
		"presence": row[store.FamPresence],
		"profile":  row[store.FamProfile],
	}, nil
}

// Alive shows token and presence only.
func (g *Gateway) Alive(ctx context.Context, device string) (map[string][]bigtable.ReadItem, error) {
	row, err := g.read(ctx, device, store.Alive()) // ok ttlread/hides-other-families
	if err != nil {
		return nil, err
	}
	return map[string][]bigtable.ReadItem{
		"token":    row[store.FamToken],
		"presence": row[store.FamPresence],
	}, nil
}

// Claim takes the session over for another gateway unless a token exists.
func (g *Gateway) Claim(ctx context.Context, device, gateway string) (bool, error) {
	take := bigtable.NewMutation()
	take.Set(store.FamProfile, "gateway", bigtable.Now(), []byte(gateway))                             // ok ttlwrite/write-time
	held := bigtable.ChainFilters(bigtable.FamilyFilter(store.FamToken), bigtable.ColumnFilter("jwt")) // want ttlread/conditional-mutation[claim]
	cond := bigtable.NewCondMutation(held, nil, take)                                                  // want ttlread/conditional-mutation[claim]
	var matched bool
	if err := g.tbl.Apply(ctx, events.ReverseKey(device), cond, bigtable.GetCondMutationResult(&matched)); err != nil {
		return false, err
	}
	return !matched, nil
}

// ClaimLive is Claim that does not trip over expired tokens.
func (g *Gateway) ClaimLive(ctx context.Context, device, gateway string) (bool, error) {
	take := bigtable.NewMutation()
	take.Set(store.FamProfile, "gateway", bigtable.Now(), []byte(gateway))
	held := bigtable.ChainFilters(store.LiveFamily(store.FamToken), bigtable.ColumnFilter("jwt"))
	cond := bigtable.NewCondMutation(held, nil, take) // ok ttlread/conditional-mutation
	var matched bool
	if err := g.tbl.Apply(ctx, events.ReverseKey(device), cond, bigtable.GetCondMutationResult(&matched)); err != nil {
		return false, err
	}
	return !matched, nil
}

// Purge deletes a named token, dead or alive.
func (g *Gateway) Purge(ctx context.Context, device, name string) error {
	del := bigtable.NewMutation()
	del.DeleteCellsInColumn(store.FamToken, name)
	cond := bigtable.NewCondMutation(bigtable.ChainFilters(bigtable.FamilyFilter(store.FamToken), bigtable.ColumnFilter("jwt")), del, nil) // ok ttlread/conditional-mutation
	return g.tbl.Apply(ctx, events.ReverseKey(device), cond)
}

// Bulk checks many devices at once.
func (g *Gateway) Bulk(ctx context.Context, devices []string, out chan<- string) error {
	keys := make(bigtable.RowList, len(devices))
	for i, d := range devices {
		keys[i] = events.ReverseKey(d)
	}
	opts := append(g.opts, bigtable.RowFilter(bigtable.ChainFilters(store.LiveFamily(store.FamToken), bigtable.StripValueFilter())), bigtable.LimitRows(int64(len(keys))))
	return g.tbl.ReadRows(ctx, keys, func(row bigtable.Row) bool { // ok ttlread/missing-filter
		out <- row.Key()
		return true
	}, opts...)
}

// Newcomers reads who logged in, with two filters that were meant to add up.
func (g *Gateway) Newcomers(ctx context.Context, out chan<- string) error {
	return g.tbl.ReadRows(ctx, bigtable.InfiniteRange(""), func(row bigtable.Row) bool { // want ttlread/overridden-filter[newcomers]
		for _, it := range row[store.FamProfile] {
			out <- row.Key() + "=" + string(it.Value)
		}
		return true
	}, bigtable.RowFilter(bigtable.FamilyFilter(store.FamProfile)), bigtable.RowFilter(bigtable.ColumnFilter("last-login"))) // want ttlread/overridden-filter[newcomers]
}
