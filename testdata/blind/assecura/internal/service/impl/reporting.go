package impl

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/assecura/internal/common"
	"example.com/assecura/internal/constants"
	"example.com/assecura/internal/service"
)

const (
	sqlSessions = "SELECT _key, tok['jwt'] FROM sessions" // want ttlread/sql[sqlSessions]
	sqlLive     = "SELECT _key, tok FROM sessions(with_history => TRUE, after_or_equal => CURRENT_TIMESTAMP())"
	sqlAsOf     = "SELECT _key, tok FROM sessions(as_of => CURRENT_TIMESTAMP())" // want ttlread/sql[sqlAsOf]
	sqlUsers    = "SELECT _key, usr['login'] FROM sessions"
	sqlOffers   = "SELECT _key, offer['premium'] FROM quotes" // want ttlread/sql[sqlOffers]
	sqlLegacy   = "SELECT _key, tok['jwt'] FROM legacy_sessions"
	sqlPolicies = "SELECT _key, hdr['holder'] FROM policies"
)

type reportingServiceImpl struct {
	AbstractService
	client *bigtable.Client
}

// NewReportingService makes the service of reports.
func NewReportingService(base AbstractService, client *bigtable.Client) service.ReportingService {
	return &reportingServiceImpl{AbstractService: base, client: client}
}

func (s *reportingServiceImpl) count(ctx context.Context, st *bigtable.PreparedStatement) (int, error) {
	bound, err := st.Bind(nil)
	if err != nil {
		return 0, common.NewTechnicalException("bind", err)
	}
	n := 0
	err = bound.Execute(ctx, func(bigtable.ResultRow) bool { n++; return true })
	return n, common.NewTechnicalException("execute", err)
}

// ActiveSessions implements service.ReportingService.
func (s *reportingServiceImpl) ActiveSessions(ctx context.Context) (int, error) {
	total := 0
	st, err := s.client.PrepareStatement(ctx, sqlSessions, nil) // want ttlread/sql[sqlSessions]
	if err != nil {
		return 0, common.NewTechnicalException("prepare", err)
	}
	n, err := s.count(ctx, st)
	if err != nil {
		return 0, err
	}
	total += n
	if st, err = s.client.PrepareStatement(ctx, sqlAsOf, nil); err != nil { // want ttlread/sql[sqlAsOf]
		return 0, common.NewTechnicalException("prepare", err)
	}
	if n, err = s.count(ctx, st); err != nil {
		return 0, err
	}
	total += n
	for _, q := range []string{sqlLive, sqlUsers, sqlLegacy, sqlPolicies} {
		if st, err = s.client.PrepareStatement(ctx, q, nil); err != nil { // ok ttlread/sql
			return 0, common.NewTechnicalException("prepare", err)
		}
		if n, err = s.count(ctx, st); err != nil {
			return 0, err
		}
		total += n
	}
	return total, nil
}

// OpenQuotes implements service.ReportingService.
func (s *reportingServiceImpl) OpenQuotes(ctx context.Context) (int, error) {
	st, err := s.client.PrepareStatement(ctx, sqlOffers, nil) // want ttlread/sql[sqlOffers]
	if err != nil {
		return 0, common.NewTechnicalException("prepare", err)
	}
	n, err := s.count(ctx, st)
	if err != nil {
		return 0, err
	}
	quotes := s.client.Open(constants.TableQuotes)
	since := s.now().Add(-constants.QuoteDefaultTTL)
	inner := 0
	err = quotes.ReadRows(ctx, bigtable.InfiniteRange("q#"), func(row bigtable.Row) bool { // ok ttlread/missing-filter
		for _, item := range row[constants.FamilyOffer] {
			inner += len(item.Value)
		}
		return true
	}, bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter(constants.FamilyOffer), bigtable.TimestampRangeFilter(since, time.Time{}))))
	if err != nil {
		return 0, common.NewTechnicalException("open quotes", err)
	}
	err = quotes.ReadRows(ctx, bigtable.InfiniteRange("o#"), func(row bigtable.Row) bool { // want ttlread/missing-filter[openQuotes]
		for _, item := range row[constants.FamilyOffer] {
			inner += len(item.Value)
		}
		return true
	}, bigtable.RowFilter(bigtable.FamilyFilter(constants.FamilyOffer))) // want ttlread/missing-filter[openQuotes]
	return n + inner, common.NewTechnicalException("open quotes", err)
}
