package auth

import (
	"context"
	"fmt"
	"strings"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/corebase/pkg/btstore"
)

// Login is a login in progress.
type Login struct {
	User, Pin, Origin string
	Expires           time.Time
}

// loginMapper maps logins for the repo.
type loginMapper struct {
	ttl time.Duration
}

// Cells implements btstore.Mapper.
func (m loginMapper) Cells(l Login) ([]btstore.Cell, error) {
	if l.User == "" {
		return nil, ErrDenied
	}
	return []btstore.Cell{
		{Family: FamPin, Column: "pin", TS: bigtable.Time(time.Now().Add(m.ttl)), Value: []byte(l.Pin)}, // ok ttlwrite/write-time
		{Family: FamPin, Column: "origin", TS: bigtable.Now(), Value: []byte(l.Origin)},                 // want ttlwrite/write-time[loginorigin]
		{Family: FamInfo, Column: "origin", Value: []byte(l.Origin)},                                    // ok ttlwrite/server-timestamp
	}, nil
}

// FromRow implements btstore.Mapper.
func (m loginMapper) FromRow(row bigtable.Row) (Login, error) {
	l := Login{User: row.Key(), Pin: string(btstore.Value(row, FamPin, "pin"))}
	if l.Pin == "" {
		return l, ErrNoSession
	}
	l.Origin = string(btstore.Value(row, FamInfo, "origin"))
	for _, it := range row[FamPin] {
		l.Expires = it.Timestamp.Time() // ok ttlage/not-write-time
	}
	return l, nil
}

// Logins keeps logins.
type Logins struct {
	repo *btstore.Repo[Login]
	tbl  *btstore.Table
}

// NewLogins makes the repo of the logins.
func NewLogins(s *Service) *Logins {
	return &Logins{
		tbl:  s.logins,
		repo: btstore.NewRepo(s.logins, loginMapper{ttl: PinTTL}), // want ttlread/missing-filter[loginrepo]
	}
}

// Begin stores a login.
func (l *Logins) Begin(ctx context.Context, v Login) error {
	return l.repo.Save(ctx, v.User, v) // want ttlwrite/write-time[loginorigin]
}

// Find reads one.
func (l *Logins) Find(ctx context.Context, user string) (Login, error) {
	return l.repo.Find(ctx, user) // want ttlread/missing-filter[loginrepo]
}

// Report prints the logins of a tenant.
func (l *Logins) Report(ctx context.Context, tenant string) ([]string, error) {
	var lines []string
	err := l.tbl.Prefix(ctx, tenant, func(r bigtable.Row) bool { // want ttlread/hides-other-families[loginreport]
		for fam, items := range r {
			for _, it := range items {
				lines = append(lines, fmt.Sprintf("%s %s %s=%q", r.Key(), fam, it.Column, it.Value))
			}
		}
		return true
	}, btstore.Where(bigtable.TimestampRangeFilter(time.Now(), time.Time{}))) // want ttlread/hides-other-families[loginreport]
	return lines, err
}

// Pins needs nothing but pins.
func (l *Logins) Pins(ctx context.Context, tenant string) ([]string, error) {
	var pins []string
	err := l.tbl.Prefix(ctx, tenant, func(r bigtable.Row) bool {
		for _, it := range r[FamPin] {
			pins = append(pins, string(it.Value))
		}
		return true
	}, btstore.Where(bigtable.TimestampRangeFilter(time.Now(), time.Time{}))) // ok ttlread/hides-other-families
	return pins, err
}

// Attempts deals with at most a hundred cells.
func (l *Logins) Attempts(ctx context.Context, tenant string) (map[string]int, error) {
	counts := map[string]int{}
	f := bigtable.ChainFilters(
		bigtable.FamilyFilter(FamPin),
		bigtable.CellsPerRowLimitFilter(3), // want ttlread/limit-before-filter[attempts]
		bigtable.TimestampRangeFilter(time.Now(), time.Time{}),
	)
	err := l.tbl.Prefix(ctx, tenant, func(r bigtable.Row) bool { // want ttlread/limit-before-filter[attempts]
		for _, it := range r[FamPin] {
			counts[string(it.Value)]++
		}
		return true
	}, btstore.Where(f)) // want ttlread/limit-before-filter[attempts]
	return counts, err
}

// AttemptsLive limits what is left.
func (l *Logins) AttemptsLive(ctx context.Context, tenant string) (map[string]int, error) {
	counts := map[string]int{}
	f := bigtable.ChainFilters(btstore.LiveOnly(FamPin), bigtable.CellsPerRowLimitFilter(3)) // ok ttlread/limit-before-filter
	err := l.tbl.Prefix(ctx, tenant, func(r bigtable.Row) bool {
		for _, it := range r[FamPin] {
			counts[string(it.Value)]++
		}
		return true
	}, btstore.Where(f)) // ok ttlread/limit-before-filter
	return counts, err
}

// Prompt asks for the pin and gives the reason for asking.
func (l *Logins) Prompt(ctx context.Context, user string) (string, error) {
	f := bigtable.ConditionFilter(
		btstore.LiveOnly(FamPin),
		bigtable.PassAllFilter(), // want ttlread/unfiltered-branch[prompt]
		bigtable.BlockAllFilter(),
	)
	row, err := l.tbl.Get(ctx, user, btstore.Where(f)) // want ttlread/unfiltered-branch[prompt]
	if err != nil {
		return "", err
	}
	return strings.TrimSpace(string(btstore.Value(row, FamPin, "pin"))), nil
}

// PromptInfo does the same with the ordinary family alone.
func (l *Logins) PromptInfo(ctx context.Context, user string) (string, error) {
	f := bigtable.ConditionFilter(
		btstore.LiveOnly(FamPin),
		bigtable.FamilyFilter(FamInfo), // ok ttlread/unfiltered-branch
		bigtable.BlockAllFilter(),
	)
	row, err := l.tbl.Get(ctx, user, btstore.Where(f)) // ok ttlread/unfiltered-branch
	if err != nil {
		return "", err
	}
	return string(btstore.Value(row, FamInfo, "origin")), nil
}
