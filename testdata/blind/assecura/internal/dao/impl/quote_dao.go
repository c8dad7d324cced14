package impl

import (
	"context"
	"log/slog"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/assecura/internal/common"
	"example.com/assecura/internal/constants"
	"example.com/assecura/internal/core"
	"example.com/assecura/internal/dao"
	"example.com/assecura/internal/domain"
)

type quoteDaoImpl struct {
	core.AbstractDao
	repository core.Repository[domain.Quote]
	unbounded  core.Repository[domain.Quote]
	writer     core.CellWriter
}

// NewQuoteDao makes the DAO of the table of quotes.
func NewQuoteDao(factory core.TableFactory, clock common.Clock, log *slog.Logger) dao.QuoteDao {
	base := core.NewAbstractDao(factory, constants.TableQuotes, clock, log) // want ttlread/missing-filter[exists]
	live := func() bigtable.Filter {
		return bigtable.ChainFilters(bigtable.FamilyFilter(constants.FamilyOffer), base.GetFilters().CreateYoungerThanFilter(constants.QuoteDefaultTTL))
	}
	latest := func() bigtable.Filter { return bigtable.LatestNFilter(1) } // want ttlread/missing-filter[repoOfferPass]
	return &quoteDaoImpl{
		AbstractDao: base,
		repository:  core.NewGenericRepository[domain.Quote](base.GetTable(), &quoteRowMapper{}, live),   // ok ttlread/missing-filter
		unbounded:   core.NewGenericRepository[domain.Quote](base.GetTable(), &quoteRowMapper{}, latest), // want ttlread/missing-filter[repoOfferPass]
	}
}

// SaveQuote implements dao.QuoteDao.
func (d *quoteDaoImpl) SaveQuote(ctx context.Context, q *domain.Quote) error {
	m := bigtable.NewMutation()
	m.Set(constants.FamilyOffer, constants.QualifierOffer, bigtable.ServerTime, []byte(q.Product))     // ok ttlwrite/server-timestamp
	m.Set(constants.FamilyOffer, constants.QualifierCurrency, bigtable.Now(), []byte(q.Currency))      // ok ttlwrite/write-time
	d.writer.PutInt64(m, constants.FamilyOffer, constants.QualifierPremium, bigtable.Now(), q.Premium) // ok ttlwrite/write-time
	d.writer.PutNow(m, constants.FamilyCalc, constants.QualifierInputs, q.Inputs)                      // ok ttlwrite/write-time
	return d.Save(ctx, q.ID, m)
}

// SaveShortQuote implements dao.QuoteDao: offers of the broker's portal live for two days.
func (d *quoteDaoImpl) SaveShortQuote(ctx context.Context, q *domain.Quote) error {
	shifted := d.GetClock().Now().Add(constants.ShortQuoteTTL - constants.QuoteDefaultTTL)
	m := bigtable.NewMutation()
	m.DeleteCellsInFamily(constants.FamilyOffer)
	m.Set(constants.FamilyOffer, constants.QualifierOffer, bigtable.Time(shifted), []byte(q.Product))     // ok ttlwrite/already-expired
	m.Set(constants.FamilyOffer, constants.QualifierOffer, bigtable.Time(shifted), []byte(q.ID))          // want ttlwrite/same-timestamp
	m.Set(constants.FamilyOffer, constants.QualifierCurrency, bigtable.Time(shifted), []byte(q.Currency)) // ok ttlwrite/same-timestamp
	m.Set(constants.FamilyCalc, constants.QualifierInputs, bigtable.Now(), q.Inputs)                      // ok ttlwrite/write-time
	return d.Save(ctx, q.ID, m)
}

// ImportQuote implements dao.QuoteDao.
func (d *quoteDaoImpl) ImportQuote(ctx context.Context, q *domain.Quote, at time.Time) error {
	m := bigtable.NewMutation()
	m.Set(constants.FamilyOffer, constants.QualifierOffer, bigtable.Time(at), []byte(q.Product))                        // ok ttlwrite/already-expired
	m.Set(constants.FamilyOffer, "source", bigtable.Timestamp(at.UnixMilli()), []byte("import"))                        // want ttlunit/wrong-unit
	m.Set(constants.FamilyOffer, "batch", bigtable.Timestamp(at.Unix()*1e6), []byte("import"))                          // ok ttlunit/wrong-unit
	m.Set(constants.FamilyOffer, "cutover", bigtable.Time(time.Date(2019, 7, 1, 0, 0, 0, 0, time.UTC)), []byte("true")) // want ttlwrite/already-expired
	m.Set(constants.FamilyCalc, "cutover", bigtable.Time(time.Date(2019, 7, 1, 0, 0, 0, 0, time.UTC)), []byte("true"))  // ok ttlwrite/already-expired
	return d.Save(ctx, q.ID, m)
}

// ExpireQuote implements dao.QuoteDao.
func (d *quoteDaoImpl) ExpireQuote(ctx context.Context, id string) error {
	m := bigtable.NewMutation()
	m.Set(constants.FamilyOffer, "withdrawn", bigtable.Time(d.GetClock().Now().Add(-constants.QuoteDefaultTTL)), nil) // want ttlwrite/already-expired
	m.Set(constants.FamilyOffer, "noticed", bigtable.Time(d.GetClock().Now().Add(-constants.ShortQuoteTTL)), nil)     // ok ttlwrite/already-expired
	return d.Save(ctx, id, m)
}

// FindQuote implements dao.QuoteDao.
func (d *quoteDaoImpl) FindQuote(ctx context.Context, id string) (*domain.Quote, error) {
	return d.repository.FindByID(ctx, id) // ok ttlread/missing-filter
}

// FindQuotes implements dao.QuoteDao.
func (d *quoteDaoImpl) FindQuotes(ctx context.Context, prefix string) ([]*domain.Quote, error) {
	if ok, err := d.ExistsByID(ctx, prefix); err != nil || ok { // want ttlread/missing-filter[exists]
		q, ferr := d.repository.FindByID(ctx, prefix) // ok ttlread/missing-filter
		return []*domain.Quote{q}, ferr
	}
	return d.unbounded.FindAll(ctx, prefix, 100) // want ttlread/missing-filter[repoOfferPass]
}

// FindOpenOffers implements dao.QuoteDao.
func (d *quoteDaoImpl) FindOpenOffers(ctx context.Context, prefix string) ([]*domain.Quote, error) {
	var out []*domain.Quote
	live := bigtable.TimestampRangeFilter(d.GetClock().Now(), time.Time{}) // want ttlread/wrong-bound[open]
	opts := core.NewReadOptionsBuilder().
		WithFilter(bigtable.FamilyFilter(constants.FamilyOffer)).
		WithFilter(live). // want ttlread/wrong-bound[open]
		WithLimit(50).
		Build()
	err := d.GetTable().ReadRows(ctx, bigtable.PrefixRange(prefix), func(row bigtable.Row) bool { // want ttlread/wrong-bound[open]
		q := &domain.Quote{}
		q.ID = row.Key()
		q.Product = core.CellReader{}.GetString(row, constants.FamilyOffer, constants.QualifierOffer)
		out = append(out, q)
		return true
	}, opts...) // want ttlread/wrong-bound[open]
	return out, common.NewTechnicalException("find open offers", err)
}

// FindCalculation implements dao.QuoteDao.
func (d *quoteDaoImpl) FindCalculation(ctx context.Context, id string) ([]byte, error) {
	row, err := d.GetTable().ReadRow(ctx, id) // ok ttlread/missing-filter
	if err != nil {
		return nil, common.NewTechnicalException("find calculation", err)
	}
	for _, item := range row[constants.FamilyCalc] {
		return item.Value, nil
	}
	return nil, nil
}

// FindStale implements dao.QuoteDao: quotes that nobody bought.
func (d *quoteDaoImpl) FindStale(ctx context.Context, prefix string) ([]string, error) {
	var out []string
	week := bigtable.ChainFilters(bigtable.FamilyFilter(constants.FamilyOffer), d.GetFilters().CreateYoungerThanFilter(7*24*time.Hour)) // want ttlread/wrong-bound[week]
	err := d.GetTable().ReadRows(ctx, bigtable.PrefixRange(prefix), func(row bigtable.Row) bool {                                       // want ttlread/wrong-bound[week]
		for _, item := range row[constants.FamilyOffer] {
			out = append(out, string(item.Value))
		}
		return true
	}, bigtable.RowFilter(week)) // want ttlread/wrong-bound[week]
	return out, common.NewTechnicalException("find stale", err)
}

type quoteRowMapper struct{ reader core.CellReader }

// MapRow implements core.RowMapper.
func (m *quoteRowMapper) MapRow(row bigtable.Row) (*domain.Quote, error) {
	b := domain.NewQuoteBuilder().
		WithID(row.Key()).
		WithProduct(m.reader.GetString(row, constants.FamilyOffer, constants.QualifierOffer)).
		WithPremium(m.reader.GetInt64(row, constants.FamilyOffer, constants.QualifierPremium), m.reader.GetString(row, constants.FamilyOffer, constants.QualifierCurrency))
	if items := row[constants.FamilyOffer]; len(items) > 0 {
		b.WithCreatedAt(items[0].Timestamp.Time()) // want ttlage/not-write-time
	}
	for _, item := range row[constants.FamilyCalc] {
		b.WithInputs(item.Value).WithCreatedAt(item.Timestamp.Time()) // ok ttlage/not-write-time
	}
	return b.Build(), nil
}
