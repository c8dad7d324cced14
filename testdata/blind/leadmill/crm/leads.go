package crm

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sort"
	"strconv"
	"strings"
	"time"

	bt "cloud.google.com/go/bigtable"
)

// Lead is somebody who might buy.
type Lead struct {
	ID        string
	Owner     string
	Stage     string
	Score     float64
	ScoredAt  time.Time
	UpdatedAt time.Time
	Valid     time.Time
}

// SaveLead writes a lead. rev is real time here!
func (s *Store) SaveLead(ctx context.Context, l *Lead, rescore bool, src string) error {
	m := bt.NewMutation()
	m.Set(famRev, "owner", bt.Now(), []byte(l.Owner))      // ok ttlwrite/clock-in-sequence
	m.Set(famRev, "stage", bt.ServerTime, []byte(l.Stage)) // ok ttlwrite/clock-in-sequence
	if !l.UpdatedAt.IsZero() {
		m.Set(famRev, "upd", bt.Time(l.UpdatedAt), []byte(src)) // ok ttlwrite/clock-in-sequence
	}
	if rescore {
		val := []byte(strconv.FormatFloat(l.Score, 'f', 4, 64))
		exp := s.now().Add(scoreTTL)
		switch src {
		case "model":
			m.DeleteCellsInColumn(famScore, "v")
			m.Set(famScore, "v", bt.Time(exp), val)                 // ok ttlwrite/write-time
			m.Set(famScore, "model", bt.Time(s.now()), []byte(src)) // want ttlwrite/write-time
		case "manual":
			m.DeleteCellsInColumn(famScore, "v")
			m.Set(famScore, "v", bt.Time(s.now().Add(24*time.Hour)), val) // ok ttlwrite/write-time
			m.Set(famScore, "by", bt.ServerTime, []byte(l.Owner))         // want ttlwrite/server-timestamp
		case "import":
			// millis, that is what the file has
			m.Set(famScore, "v", bt.Timestamp(exp.UnixMilli()), val) // want ttlunit/wrong-unit
		default:
			m.Set(famScore, "v", bt.Time(exp).TruncateToMilliseconds(), val) // ok ttlwrite/write-time
		}
	}
	return s.leads.Apply(ctx, l.ID, m)
}

// BumpScore adds to the score.
func (s *Store) BumpScore(ctx context.Context, id string, by int64) error {
	rmw := bt.NewReadModifyWrite()
	rmw.Increment(famScore, "bumps", by)                                  // want ttlwrite/read-modify-write
	rmw.Increment(famRev, "bumps", by)                                    // ok ttlwrite/read-modify-write
	rmw.AppendValue(famRev, "log", []byte(strconv.FormatInt(by, 10)+",")) // ok ttlwrite/read-modify-write
	_, err := s.leads.ApplyReadModifyWrite(ctx, id, rmw)
	return err
}

// CountTouch counts on the contact; the same family's name means numbers there.
func (s *Store) CountTouch(ctx context.Context, id, kind string) error {
	rmw := bt.NewReadModifyWrite()
	switch kind {
	case "mail":
		rmw.Increment(famRev, "mails", 1) // want ttlwrite/read-modify-write
	case "call":
		rmw.Increment(famNote, "calls", 1) // ok ttlwrite/read-modify-write
	case "visit":
		rmw.Increment(famCard, "visits", 1) // want ttlwrite/read-modify-write
	case "opt":
		rmw.Increment(famOpt, "asked", 1) // ok ttlwrite/read-modify-write
	default:
		return fmt.Errorf("crm: touch %q", kind)
	}
	_, err := s.contacts.ApplyReadModifyWrite(ctx, id, rmw)
	return err
}

// LoadLead reads a lead.
func (s *Store) LoadLead(ctx context.Context, id string) (*Lead, error) {
	row, err := s.leads.ReadRow(ctx, id, bt.RowFilter(bt.InterleaveFilters(
		bt.ChainFilters(bt.FamilyFilter(famScore), bt.TimestampRangeFilter(s.now(), time.Time{}), bt.LatestNFilter(1)),
		bt.ChainFilters(bt.FamilyFilter(famRev), bt.LatestNFilter(1)),
	))) // ok ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	l := &Lead{ID: id}
	for _, it := range row[famRev] {
		switch it.Column {
		case famRev + ":owner":
			l.Owner = string(it.Value)
		case famRev + ":stage":
			l.Stage = string(it.Value)
			l.UpdatedAt = it.Timestamp.Time() // ok ttlage/not-write-time
		}
	}
	for _, it := range row[famScore] {
		if it.Column == famScore+":v" {
			l.Score, _ = strconv.ParseFloat(string(it.Value), 64)
			l.Valid = it.Timestamp.Time() // ok ttlage/not-write-time
			l.ScoredAt = it.Timestamp.Time().Add(-scoreTTL)
		}
	}
	return l, nil
}

// LeadOwner does not need the score.
func (s *Store) LeadOwner(ctx context.Context, id string) (string, error) {
	row, err := s.leads.ReadRow(ctx, id) // ok ttlread/missing-filter
	if err != nil {
		return "", err
	}
	for _, it := range row[famRev] {
		if it.Column == "rev:owner" {
			return string(it.Value), nil
		}
	}
	return "", errors.New("crm: nobody owns " + id)
}

// Score reads the score only.
func (s *Store) Score(ctx context.Context, id string, quick bool) (float64, error) {
	opts := []bt.ReadOption{}
	if quick {
		opts = append(opts, bt.LimitRows(1))
	}
	row, err := s.leads.ReadRow(ctx, id, opts...) // want ttlread/missing-filter
	if err != nil {
		return 0, err
	}
	for _, it := range row[famScore] {
		return strconv.ParseFloat(string(it.Value), 64)
	}
	return math.NaN(), nil
}

// decay is how the score was meant to sink over the hours.
func decay(score float64, items []bt.ReadItem, now time.Time) float64 {
	for _, it := range items {
		age := now.Sub(it.Timestamp.Time()) // want ttlage/not-write-time[decay]
		score *= math.Exp(-age.Hours() / 24)
	}
	return score
}

// TopLeads reads the best leads of an owner.
func (s *Store) TopLeads(ctx context.Context, prefix string, n int, decayed bool) ([]Lead, error) {
	now := s.now()
	var out []Lead
	err := s.leads.ReadRows(ctx, bt.PrefixRange(prefix), func(r bt.Row) bool {
		l := Lead{ID: r.Key()}
		for _, it := range r[famScore] {
			l.Score, _ = strconv.ParseFloat(string(it.Value), 64)
		}
		if decayed {
			l.Score = decay(l.Score, r[famScore], now) // want ttlage/not-write-time[decay]
		}
		out = append(out, l)
		return true
	}, bt.RowFilter(bt.ChainFilters(bt.FamilyFilter(famScore), bt.TimestampRangeFilter(now, time.Time{})))) // ok ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	sort.Slice(out, func(i, j int) bool { return out[i].Score > out[j].Score })
	if len(out) > n {
		out = out[:n]
	}
	return out, nil
}

// TopLeadsV1: "only scores that are valid for at most an hour more, the others are manual"
func (s *Store) TopLeadsV1(ctx context.Context, prefix string) (map[string]string, error) {
	now := s.now()
	out := map[string]string{}
	err := s.leads.ReadRows(ctx, bt.PrefixRange(prefix), func(r bt.Row) bool {
		for _, it := range r[famScore] {
			out[r.Key()] = string(it.Value)
		}
		return true
	}, bt.RowFilter(bt.ChainFilters(bt.FamilyFilter(famScore), bt.TimestampRangeFilter(now, now.Add(time.Hour))))) // want ttlread/upper-bound
	return out, err
}

// RecentScores: the last six hours, somebody thought.
func (s *Store) RecentScores(ctx context.Context, prefix string) (map[string]string, error) {
	out := map[string]string{}
	err := s.leads.ReadRows(ctx, bt.PrefixRange(prefix), func(r bt.Row) bool {
		for _, it := range r[famScore] {
			out[r.Key()] = string(it.Value)
		}
		return true
	}, bt.RowFilter(bt.ChainFilters(bt.FamilyFilter(famScore), bt.TimestampRangeFilter(s.now().Add(-scoreTTL), time.Time{})))) // want ttlread/wrong-bound
	return out, err
}

// StageChanges reads changes of a day, real time.
func (s *Store) StageChanges(ctx context.Context, prefix string, day time.Time) ([]string, error) {
	var out []string
	err := s.leads.ReadRows(ctx, bt.PrefixRange(prefix), func(r bt.Row) bool {
		for _, it := range r[famRev] {
			if strings.HasSuffix(it.Column, ":stage") {
				out = append(out, fmt.Sprintf("%s %s updated %s", r.Key(), it.Value, it.Timestamp.Time().Format(time.RFC3339))) // ok ttlage/not-write-time
			}
		}
		return true
	}, bt.RowFilter(bt.ChainFilters(bt.FamilyFilter(famRev), bt.TimestampRangeFilter(day, day.Add(24*time.Hour))))) // ok ttlread/upper-bound
	return out, err
}

// Claim takes a lead for an owner if nobody has a score running. Nobody remembers why the score.
func (s *Store) Claim(ctx context.Context, id, owner string, strict bool) (bool, error) {
	take := bt.NewMutation()
	take.Set(famRev, "owner", bt.Now(), []byte(owner))
	take.Set(famScore, "claim", bt.Time(s.now().Add(15*time.Minute)), []byte(owner)) // ok ttlwrite/write-time
	var cond *bt.Mutation
	if strict {
		cond = bt.NewCondMutation(bt.ChainFilters(bt.FamilyFilter(famScore), bt.ColumnFilter("claim"), bt.TimestampRangeFilter(s.now(), time.Time{})), nil, take) // ok ttlread/conditional-mutation
	} else {
		cond = bt.NewCondMutation(bt.ChainFilters(bt.FamilyFilter(famScore), bt.ColumnFilter("claim"), bt.LatestNFilter(1)), nil, take) // want ttlread/conditional-mutation
	}
	var taken bool
	if err := s.leads.Apply(ctx, id, cond, bt.GetCondMutationResult(&taken)); err != nil {
		return false, err
	}
	return !taken, nil
}
