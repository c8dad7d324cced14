package btimpl

import (
	"context"
	"strconv"
	"strings"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/meridian/orderhub/internal/constants"
	"example.com/meridian/orderhub/internal/dao"
	"example.com/meridian/orderhub/internal/domain"
	"example.com/meridian/orderhub/internal/filter"
	"example.com/meridian/orderhub/internal/platform/bt"
	"example.com/meridian/orderhub/internal/platform/clock"
)

// BigtableCampaignDAO implements dao.CampaignDAO. Its family "entry" is not that of the ledgers: it keeps real time.
type BigtableCampaignDAO struct {
	tbl   *bigtable.Table
	clock clock.Clock
}

var _ dao.CampaignDAO = (*BigtableCampaignDAO)(nil)

// NewBigtableCampaignDAO returns a BigtableCampaignDAO.
func NewBigtableCampaignDAO(client *bigtable.Client, c clock.Clock) *BigtableCampaignDAO {
	return &BigtableCampaignDAO{tbl: client.Open(constants.TableCampaigns), clock: c}
}

// Save implements dao.CampaignDAO.
func (d *BigtableCampaignDAO) Save(ctx context.Context, c *domain.Campaign) error {
	m := bigtable.NewMutation()
	now := bigtable.Now()
	m.Set(constants.FamilyEntry, constants.ColTitle, now, []byte(c.Title))                     // ok ttlwrite/clock-in-sequence
	m.Set(constants.FamilyEntry, constants.ColSegment, bigtable.ServerTime, []byte(c.Segment)) // ok ttlwrite/clock-in-sequence
	m.Set(constants.FamilyQuota, constants.ColUsed, 0, []byte("0"))                            // ok ttlwrite/clock-in-zero
	return d.tbl.Apply(ctx, c.ID, m)
}

// Touch counts visits of a campaign's page.
func (d *BigtableCampaignDAO) Touch(ctx context.Context, id string) error {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment(constants.FamilyEntry, "visits", 1) // ok ttlwrite/read-modify-write
	_, err := d.tbl.ApplyReadModifyWrite(ctx, id, rmw)
	return err
}

// Use takes from the quota.
func (d *BigtableCampaignDAO) Use(ctx context.Context, id string) error {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment(constants.FamilyQuota, constants.ColUsed, 1) // want ttlwrite/read-modify-write
	_, err := d.tbl.ApplyReadModifyWrite(ctx, id, rmw)
	return err
}

// AddAudience implements dao.CampaignDAO.
func (d *BigtableCampaignDAO) AddAudience(ctx context.Context, id string, customers []string) error {
	m := bigtable.NewMutation()
	for _, c := range customers {
		m.Set(constants.FamilyAudience, c, bigtable.ServerTime, nil) // ok ttlwrite/server-timestamp
	}
	return d.tbl.Apply(ctx, id, m)
}

// AddAudienceFor adds customers for less than a week.
func (d *BigtableCampaignDAO) AddAudienceFor(ctx context.Context, id string, customers []string, days int) error {
	m := bigtable.NewMutation()
	lifetime := time.Duration(days) * 24 * time.Hour
	ts := bigtable.Time(d.clock.Now().Add(lifetime - constants.AudienceTTL))
	for _, c := range customers {
		m.Set(constants.FamilyAudience, c, ts, nil) // ok ttlwrite/already-expired
	}
	return d.tbl.Apply(ctx, id, m)
}

// ImportAudience imports what the agency sent, with the agency's dates.
func (d *BigtableCampaignDAO) ImportAudience(ctx context.Context, id string, customers map[string]time.Time) error {
	m := bigtable.NewMutation()
	for c, at := range customers {
		m.Set(constants.FamilyAudience, c, bigtable.Time(at), nil) // ok ttlwrite/already-expired
	}
	return d.tbl.Apply(ctx, id, m)
}

// launchAudience was imported for the launch of the platform.
var launchAudience = time.Date(2021, time.March, 1, 0, 0, 0, 0, time.UTC)

// ImportLaunch imports the audience of the launch.
func (d *BigtableCampaignDAO) ImportLaunch(ctx context.Context, id, customer string) error {
	m := bigtable.NewMutation()
	m.Set(constants.FamilyAudience, customer, bigtable.Time(launchAudience), nil) // want ttlwrite/already-expired
	m.Set(constants.FamilyEntry, "launched", bigtable.Time(launchAudience), nil)  // ok ttlwrite/already-expired
	return d.tbl.Apply(ctx, id, m)
}

// RemoveAudience moves a customer past the limit.
func (d *BigtableCampaignDAO) RemoveAudience(ctx context.Context, id, customer string) error {
	m := bigtable.NewMutation()
	m.Set(constants.FamilyAudience, customer, bigtable.Time(d.clock.Now().AddDate(0, 0, -30)), nil) // want ttlwrite/already-expired
	return d.tbl.Apply(ctx, id, m)
}

// Audience implements dao.CampaignDAO.
func (d *BigtableCampaignDAO) Audience(ctx context.Context, id string) ([]string, error) {
	f := bigtable.ChainFilters(bigtable.FamilyFilter(constants.FamilyAudience), filter.Within(constants.AudienceTTL), bigtable.LatestNFilter(1))
	row, err := d.tbl.ReadRow(ctx, id, bigtable.RowFilter(f)) // ok ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	return audience(row), nil
}

// AudienceAtOnce is Audience without a filter.
func (d *BigtableCampaignDAO) AudienceAtOnce(ctx context.Context, id string) ([]string, error) {
	row, err := d.tbl.ReadRow(ctx, id) // want ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	return audience(row), nil
}

// AudienceMonth reads with the lifetime of the inbox.
func (d *BigtableCampaignDAO) AudienceMonth(ctx context.Context, id string) ([]string, error) {
	f := bigtable.ChainFilters(bigtable.FamilyFilter(constants.FamilyAudience), filter.Within(constants.InboxTTL)) // want ttlread/wrong-bound[month]
	row, err := d.tbl.ReadRow(ctx, id, bigtable.RowFilter(f))                                                      // want ttlread/wrong-bound[month]
	if err != nil {
		return nil, err
	}
	return audience(row), nil
}

func audience(row bigtable.Row) []string {
	var out []string
	for _, item := range row[constants.FamilyAudience] {
		out = append(out, strings.TrimPrefix(item.Column, constants.FamilyAudience+":"))
	}
	return out
}

// Title reads the title.
func (d *BigtableCampaignDAO) Title(ctx context.Context, id string) (string, time.Time, error) {
	row, err := d.tbl.ReadRow(ctx, id, bigtable.RowFilter(bigtable.FamilyFilter(constants.FamilyEntry))) // ok ttlread/version-limit // strict ttlread/missing-filter
	if err != nil {
		return "", time.Time{}, err
	}
	for _, item := range row[constants.FamilyEntry] {
		if item.Column == constants.FamilyEntry+":"+constants.ColTitle {
			modifiedAt := item.Timestamp.Time() // ok ttlage/not-write-time
			return string(item.Value), modifiedAt, nil
		}
	}
	return "", time.Time{}, bt.ErrNotFound
}

// SetQuota implements dao.CampaignDAO.
func (d *BigtableCampaignDAO) SetQuota(ctx context.Context, id string, limit int64) error {
	m := bigtable.NewMutation()
	m.Set(constants.FamilyQuota, constants.ColLimit, 0, strconv.AppendInt(nil, limit, 10)) // ok ttlwrite/clock-in-zero
	return d.tbl.Apply(ctx, id, m)
}

// RaiseQuota raises it, and is the only one that sees it from then on.
func (d *BigtableCampaignDAO) RaiseQuota(ctx context.Context, id string, limit int64) error {
	m := bigtable.NewMutation()
	m.Set(constants.FamilyQuota, constants.ColLimit, bigtable.Time(d.clock.Now()), strconv.AppendInt(nil, limit, 10)) // want ttlwrite/clock-in-zero
	return d.tbl.Apply(ctx, id, m)
}

// ResetQuota removes the quota, then sets it.
func (d *BigtableCampaignDAO) ResetQuota(ctx context.Context, id string) error {
	m := bigtable.NewMutation()
	m.DeleteCellsInColumn(constants.FamilyQuota, constants.ColUsed)
	m.Set(constants.FamilyQuota, constants.ColUsed, 0, []byte("0")) // ok ttlwrite/delete-after-set
	return d.tbl.Apply(ctx, id, m)
}

// Quota reads the quota.
func (d *BigtableCampaignDAO) Quota(ctx context.Context, id string) (int64, error) {
	row, err := d.tbl.ReadRow(ctx, id, bigtable.RowFilter(bigtable.ColumnRangeFilter(constants.FamilyQuota, "", ""))) // ok ttlread/missing-filter
	if err != nil {
		return 0, err
	}
	return strconv.ParseInt(bt.Text(row, constants.FamilyQuota, constants.ColLimit), 10, 64)
}
