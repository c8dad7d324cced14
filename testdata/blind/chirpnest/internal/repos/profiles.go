package repos

import (
	"context"
	"sync"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/chirpnest/internal/bt"
	"example.com/chirpnest/internal/dto"
	"example.com/chirpnest/internal/tables"
	"example.com/chirpnest/internal/utils/strutil"
	"example.com/chirpnest/internal/utils/timeutil"
)

const badgeTTL = 180 * timeutil.Day

// seasonStart is computed once: every badge of a season gets one time.
var seasonStart = sync.OnceValue(func() bigtable.Timestamp { // want ttlwrite/stale-clock[season]
	return bigtable.Now() // want ttlwrite/stale-clock[season]
})

// ProfileRepo keeps the card at zero and badges for half a year.
type ProfileRepo struct {
	tbl   *bigtable.Table
	clock func() time.Time
}

func NewProfileRepo(deps Deps) *ProfileRepo {
	return &ProfileRepo{tbl: deps.Client.Open(tables.Profiles), clock: deps.Clock}
}

func profileKey(userID string) string { return strutil.Key("u", userID) }

func mapBadges(row bigtable.Row) []dto.Badge {
	var out []dto.Badge
	for _, it := range row[tables.FamBadge] {
		out = append(out, dto.Badge{
			Name:  bt.Qualifier(it),
			Until: it.Timestamp.Time().Add(badgeTTL), // ok ttlage/not-write-time
		})
	}
	return out
}

func mapProfile(row bigtable.Row) dto.Profile {
	p := dto.Profile{
		UserID: strutil.Tail(row.Key()),
		Name:   bt.Text(row, tables.FamCard, "name"),
		Bio:    bt.Text(row, tables.FamCard, "bio"),
		Badges: mapBadges(row),
	}
	if it, ok := bt.Pick(row, tables.FamMeta, "seen"); ok {
		p.UpdatedAt = it.Timestamp.Time() // ok ttlage/not-write-time
	}
	return p
}

// Upsert writes the card.
func (r *ProfileRepo) Upsert(ctx context.Context, p dto.Profile) error {
	return bt.Upsert(ctx, r.tbl, profileKey(p.UserID),
		bt.Cell{Family: tables.FamCard, Column: "name", TS: bt.Zero, Value: []byte(p.Name)}, // ok ttlwrite/clock-in-zero
		bt.Cell{Family: tables.FamCard, Column: "bio", Value: []byte(p.Bio)},                // ok ttlwrite/clock-in-zero
		bt.Cell{Family: tables.FamMeta, Column: "updated", TS: bt.Stamp()},                  // ok ttlwrite/clock-in-zero
	)
}

// UpsertAvatar is from the media team.
func (r *ProfileRepo) UpsertAvatar(ctx context.Context, userID, url string) error {
	ts := bt.Stamp()
	return bt.Upsert(ctx, r.tbl, profileKey(userID), // want ttlwrite/clock-in-zero[avatar]
		bt.Cell{Family: tables.FamCard, Column: "avatar", TS: ts, Value: []byte(url)}, // want ttlwrite/clock-in-zero[avatar]
		bt.Cell{Family: tables.FamMeta, Column: "avatar", TS: ts},                     // ok ttlwrite/clock-in-zero
	)
}

// Award gives a badge for the usual time.
func (r *ProfileRepo) Award(ctx context.Context, userID, badge string) error {
	return bt.Put(ctx, r.tbl, profileKey(userID), tables.FamBadge, badge, bigtable.ServerTime, []byte("1")) // ok ttlwrite/server-timestamp
}

// AwardSeason gives the badge of the season.
func (r *ProfileRepo) AwardSeason(ctx context.Context, userID, badge string) error {
	mut := bigtable.NewMutation()
	mut.Set(tables.FamBadge, badge, seasonStart(), []byte("season")) // want ttlwrite/stale-clock[season]
	return r.tbl.Apply(ctx, profileKey(userID), mut)
}

// AwardUntil gives a badge up to a day.
func (r *ProfileRepo) AwardUntil(ctx context.Context, userID, badge string, until time.Time) error {
	mut := bigtable.NewMutation()
	mut.Set(tables.FamBadge, badge, bigtable.Time(until.Add(-badgeTTL)), []byte("1")) // ok ttlwrite/already-expired
	return r.tbl.Apply(ctx, profileKey(userID), mut)
}

// Rename replaces the name; both columns in one go.
func (r *ProfileRepo) Rename(ctx context.Context, userID, old, name string) error {
	mut := bigtable.NewMutation()
	mut.Set(tables.FamCard, "name", bt.Zero, []byte(old))
	mut.Set(tables.FamCard, "name", bt.Zero, []byte(name)) // want ttlwrite/same-timestamp
	return r.tbl.Apply(ctx, profileKey(userID), mut)
}

// RenameKept keeps the old name in its own column.
func (r *ProfileRepo) RenameKept(ctx context.Context, userID, old, name string) error {
	mut := bigtable.NewMutation()
	mut.Set(tables.FamCard, "former", bt.Zero, []byte(old))
	mut.Set(tables.FamCard, "name", bt.Zero, []byte(name)) // ok ttlwrite/same-timestamp
	return r.tbl.Apply(ctx, profileKey(userID), mut)
}

// FindOne is a profile with its badges.
func (r *ProfileRepo) FindOne(ctx context.Context, userID string) (dto.Profile, error) {
	row, err := r.tbl.ReadRow(ctx, profileKey(userID)) // want ttlread/missing-filter
	if err != nil {
		return dto.Profile{}, err
	}
	return mapProfile(row), nil
}

// FindFull bounds the badges.
func (r *ProfileRepo) FindFull(ctx context.Context, userID string) (dto.Profile, error) {
	f := bt.AnyOf(
		bt.InFamily(tables.FamBadge, bt.YoungerThan(badgeTTL)),
		bigtable.FamilyFilter(tables.FamCard+"|"+tables.FamMeta),
	)
	row, err := r.tbl.ReadRow(ctx, profileKey(userID), bigtable.RowFilter(f)) // ok ttlread/unfiltered-branch
	if err != nil {
		return dto.Profile{}, err
	}
	return mapProfile(row), nil
}

// FindCard is name and bio.
func (r *ProfileRepo) FindCard(ctx context.Context, userID string) (name, bio string, err error) {
	row, err := r.tbl.ReadRow(ctx, profileKey(userID)) // ok ttlread/missing-filter
	if err != nil {
		return "", "", err
	}
	return bt.Text(row, tables.FamCard, "name"), bt.Text(row, tables.FamCard, "bio"), nil
}

// FindBadges uses the year that the product page promises.
func (r *ProfileRepo) FindBadges(ctx context.Context, userID string) ([]dto.Badge, error) {
	year := bt.YoungerThan(365 * timeutil.Day)                                                       // want ttlread/wrong-bound[badges]
	row, err := r.tbl.ReadRow(ctx, profileKey(userID), bt.Where(bt.InFamily(tables.FamBadge, year))) // want ttlread/wrong-bound[badges]
	if err != nil {
		return nil, err
	}
	return mapBadges(row), nil
}

// FindHeldBadges uses the family's.
func (r *ProfileRepo) FindHeldBadges(ctx context.Context, userID string) ([]dto.Badge, error) {
	held := bt.YoungerThan(badgeTTL)
	row, err := r.tbl.ReadRow(ctx, profileKey(userID), bt.Where(bt.InFamily(tables.FamBadge, held))) // ok ttlread/wrong-bound
	if err != nil {
		return nil, err
	}
	return mapBadges(row), nil
}
