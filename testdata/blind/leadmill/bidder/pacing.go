package bidder

import (
	"context"
	"fmt"
	"log"
	"strconv"
	"time"

	"cloud.google.com/go/bigtable"
	"golang.org/x/sync/errgroup"

	"example.com/leadmill/core"
)

// Pacing keeps the share of bids per campaign and hour in the budgets table: led numbers the plan, cur is
// the plan in force.

// Plan of a campaign.
type Plan struct {
	Campaign string
	Version  int
	Hours    [24]float64
	Made     time.Time
}

// Pacer writes plans.
type Pacer struct {
	tbl     *bigtable.Table
	version map[string]int
	next    int64
	tag     string
}

// NewPacer makes one.
func NewPacer(tag string) *Pacer {
	return &Pacer{tbl: core.BudTbl, version: map[string]int{}, tag: tag}
}

// Publish writes a plan. v1 of the readers wants every hour in a column, v2 wants JSON.
func (p *Pacer) Publish(ctx context.Context, pl Plan, v1, v2, force bool) error {
	p.version[pl.Campaign]++
	n := p.version[pl.Campaign]
	m := bigtable.NewMutation()
	if v1 {
		for h, share := range pl.Hours {
			m.Set("led", fmt.Sprintf("h%02d", h), bigtable.Timestamp(n), share2b(share)) // want ttlwrite/unscaled-sequence
			m.Set("cur", fmt.Sprintf("h%02d", h), 0, share2b(share))                     // ok ttlwrite/clock-in-zero
		}
	}
	if v2 {
		m.Set("led", "plan", bigtable.Timestamp(n)*1000, []byte(fmt.Sprint(pl.Hours))) // ok ttlwrite/unscaled-sequence
		m.Set("cur", "plan", 0, []byte(fmt.Sprint(pl.Hours)))
	}
	if force {
		m.Set("led", "force", bigtable.Time(pl.Made), []byte(p.tag)) // want ttlwrite/clock-in-sequence
		m.Set("cur", "force", bigtable.Time(pl.Made), []byte(p.tag)) // maybe ttlwrite/clock-in-zero
	}
	m.Set("audit", "plan", bigtable.Now(), []byte(p.tag+" v"+strconv.Itoa(n))) // ok ttlwrite/clock-in-sequence
	return p.tbl.Apply(ctx, pl.Campaign, m)
}

// Step numbers in thousands by itself.
func (p *Pacer) Step(ctx context.Context, campaign string, share float64) error {
	p.next += 1000
	m := bigtable.NewMutation()
	m.Set("led", "step", bigtable.Timestamp(p.next), share2b(share)) // ok ttlwrite/unscaled-sequence
	return p.tbl.Apply(ctx, campaign, m)
}

// Replay writes old plans again.
func (p *Pacer) Replay(ctx context.Context, campaign string, plans []Plan) error {
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(4)
	for i, pl := range plans {
		g.Go(func() error {
			m := bigtable.NewMutation()
			m.Set("led", "plan", bigtable.Timestamp(i+1), []byte(fmt.Sprint(pl.Hours))) // want ttlwrite/unscaled-sequence
			m.Set("led", "replayed", bigtable.Timestamp(1000*(i+1)), []byte(p.tag))     // ok ttlwrite/unscaled-sequence
			return p.tbl.Apply(ctx, campaign, m)
		})
	}
	return g.Wait()
}

// Current reads the plan in force.
func (p *Pacer) Current(ctx context.Context, campaign string) (string, error) {
	row, err := p.tbl.ReadRow(ctx, campaign, bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter("cur"), bigtable.ColumnFilter("plan")))) // ok ttlread/missing-filter
	if err != nil {
		return "", err
	}
	for _, it := range row["cur"] {
		return string(it.Value), nil
	}
	return "", nil
}

// Previous reads the plan before. jk: newest first, so the second one
func (p *Pacer) Previous(ctx context.Context, campaign string) (string, error) {
	row, err := p.tbl.ReadRow(ctx, campaign, bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter("led"), bigtable.ColumnFilter("plan"), bigtable.LatestNFilter(2)))) // ok ttlread/version-limit
	if err != nil {
		return "", err
	}
	if items := row["led"]; len(items) > 1 {
		return string(items[1].Value), nil
	}
	return "", nil
}

// History reads them all.
func (p *Pacer) History(ctx context.Context, campaign string) ([]string, error) {
	row, err := p.tbl.ReadRow(ctx, campaign, bigtable.RowFilter(bigtable.ColumnRangeFilter("led", "plan", "plan~"))) // want ttlread/version-limit
	if err != nil {
		return nil, err
	}
	var out []string
	for _, it := range row["led"] {
		out = append(out, fmt.Sprintf("#%d: %s", int64(it.Timestamp)/1000, it.Value))
	}
	return out, nil
}

// Plans scans plans of all campaigns; one goroutine per prefix.
func (p *Pacer) Plans(ctx context.Context, prefixes []string, out chan<- Plan) error {
	defer close(out)
	for _, pre := range prefixes {
		err := p.tbl.ReadRows(ctx, bigtable.PrefixRange(pre), func(r bigtable.Row) bool { // want ttlread/missing-filter
			for _, it := range r["led"] {
				pl := Plan{Campaign: r.Key(), Version: int(it.Timestamp / 1000)}
				if it.Column == "led:plan" {
					pl.Made = it.Timestamp.Time() // maybe ttlage/not-write-time
				}
				out <- pl
			}
			return true
		})
		if err != nil {
			log.Printf("bidder: plans of %s: %v", pre, err)
			return err
		}
	}
	return nil
}

func share2b(f float64) []byte { return []byte(strconv.FormatFloat(f, 'f', 6, 64)) }
