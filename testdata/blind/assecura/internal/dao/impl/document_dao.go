package impl

import (
	"context"
	"log/slog"
	"strings"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/assecura/internal/common"
	"example.com/assecura/internal/constants"
	"example.com/assecura/internal/core"
	"example.com/assecura/internal/dao"
	"example.com/assecura/internal/domain"
)

// serviceStart is when the service came up.
var serviceStart = time.Now() // want ttlwrite/stale-clock[svcStart]

// indexFilter was a static final of the old DAO.
var indexFilter = bigtable.ChainFilters(bigtable.FamilyFilter(constants.FamilyIndex), // want ttlread/stale-bound[indexFilter]
	bigtable.TimestampRangeFilter(time.Now().Add(-constants.DocumentIndexTTL), time.Time{})) // want ttlread/stale-bound[indexFilter]

type documentDaoImpl struct {
	core.AbstractDao
	writer core.CellWriter
}

// NewDocumentDao makes the DAO of the table of documents.
func NewDocumentDao(factory core.TableFactory, clock common.Clock, log *slog.Logger) dao.DocumentDao {
	return &documentDaoImpl{AbstractDao: core.NewAbstractDao(factory, constants.TableDocuments, clock, log)} // want ttlread/missing-filter[exists]
}

// SaveDocument implements dao.DocumentDao.
func (d *documentDaoImpl) SaveDocument(ctx context.Context, doc *domain.Document) error {
	m := bigtable.NewMutation()
	m.Set(constants.FamilyMeta, constants.QualifierTitle, bigtable.Now(), []byte(doc.Title))                                 // ok ttlwrite/write-time
	m.Set(constants.FamilyMeta, constants.QualifierTerms, bigtable.Time(serviceStart), []byte(strings.Join(doc.Terms, " "))) // ok ttlwrite/stale-clock
	m.Set(constants.FamilyMeta, constants.QualifierCreatedAt, bigtable.Timestamp(doc.CreatedAt.UnixNano()), nil)             // want ttlunit/wrong-unit
	m.Set(constants.FamilyMeta, "uploaded", bigtable.Timestamp(doc.CreatedAt.UnixNano()/int64(time.Microsecond)), nil)       // ok ttlunit/wrong-unit
	return d.Save(ctx, doc.ID, m)
}

// IndexDocument implements dao.DocumentDao.
func (d *documentDaoImpl) IndexDocument(ctx context.Context, doc *domain.Document) error {
	var keys []string
	var muts []*bigtable.Mutation
	for _, term := range doc.Terms {
		m := bigtable.NewMutation()
		m.Set(constants.FamilyIndex, doc.ID, bigtable.ServerTime, nil)             // ok ttlwrite/server-timestamp
		m.Set(constants.FamilyIndex, "start", bigtable.Time(serviceStart), nil)    // want ttlwrite/stale-clock[svcStart]
		d.writer.PutNow(m, constants.FamilyIndex, "latest", []byte(doc.ID))        // ok ttlwrite/write-time
		d.writer.PutExpiring(m, constants.FamilyIndex, "boost", 24*time.Hour, nil) // ok ttlwrite/write-time
		keys, muts = append(keys, "t#"+term), append(muts, m)
	}
	errs, err := d.GetTable().ApplyBulk(ctx, keys, muts)
	if err != nil {
		return common.NewTechnicalException("index", err)
	}
	for _, e := range errs {
		d.GetLogger().Warn("term not indexed", "error", e)
	}
	m := bigtable.NewMutation()
	m.Set(constants.FamilyIndex, "tombstone", 0, nil)                         // want ttlwrite/already-expired
	m.Set(constants.FamilyMeta, "indexed", 0, nil)                            // ok ttlwrite/already-expired
	m.Set(constants.FamilyMeta, "count", bigtable.Timestamp(-5000), nil)      // want ttlunit/out-of-range
	m.Set(constants.FamilyMeta, "never", bigtable.Time(time.Time{}), nil)     // want ttlunit/out-of-range
	m.Set(constants.FamilyMeta, "epoch", bigtable.Time(time.Unix(0, 0)), nil) // ok ttlunit/out-of-range
	return d.Save(ctx, doc.ID, m)
}

// FindDocument implements dao.DocumentDao.
func (d *documentDaoImpl) FindDocument(ctx context.Context, id string) (*domain.Document, error) {
	row, err := d.FindRow(ctx, id, bigtable.ChainFilters(bigtable.FamilyFilter(constants.FamilyMeta), bigtable.LatestNFilter(1))) // ok ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	doc := &domain.Document{}
	doc.ID = id
	for _, item := range row[constants.FamilyMeta] {
		doc.CreatedAt = item.Timestamp.Time() // ok ttlage/not-write-time
		if item.Column == constants.FamilyMeta+":"+constants.QualifierTitle {
			doc.Title = string(item.Value)
		}
	}
	return doc, nil
}

// SearchTerm implements dao.DocumentDao.
func (d *documentDaoImpl) SearchTerm(ctx context.Context, term string) ([]string, error) {
	row, err := d.GetTable().ReadRow(ctx, "t#"+term, bigtable.RowFilter(indexFilter)) // want ttlread/stale-bound[indexFilter]
	if err != nil {
		return nil, common.NewTechnicalException("search", err)
	}
	if ids := d.ids(row); len(ids) > 0 {
		return ids, nil
	}
	row, err = d.GetTable().ReadRow(ctx, "t#"+strings.ToLower(term)) // want ttlread/missing-filter
	if err != nil {
		return nil, common.NewTechnicalException("search", err)
	}
	return d.ids(row), nil
}

// SearchRecent implements dao.DocumentDao.
func (d *documentDaoImpl) SearchRecent(ctx context.Context, term string) ([]string, error) {
	now := d.GetClock().Now()
	closed := bigtable.TimestampRangeFilter(now.Add(-constants.DocumentIndexTTL), now)                                 // want ttlread/upper-bound[closed]
	row, err := d.FindRow(ctx, "t#"+term, bigtable.ChainFilters(bigtable.FamilyFilter(constants.FamilyIndex), closed)) // want ttlread/upper-bound[closed]
	if err != nil {
		return nil, err
	}
	open := bigtable.TimestampRangeFilter(now.Add(-constants.DocumentIndexTTL), time.Time{})
	more, err := d.FindRow(ctx, "t#"+strings.ToLower(term), bigtable.ChainFilters(bigtable.FamilyFilter(constants.FamilyIndex), open)) // ok ttlread/upper-bound
	if err != nil {
		return nil, err
	}
	month, err := d.FindRow(ctx, "m#"+term, d.GetFilters().CreateFamilyFilter(constants.FamilyIndex, d.GetFilters().CreateYoungerThanFilter(30*24*time.Hour))) // want ttlread/wrong-bound
	if err != nil {
		return nil, err
	}
	return append(append(d.ids(row), d.ids(more)...), d.ids(month)...), nil
}

// HasTerm implements dao.DocumentDao.
func (d *documentDaoImpl) HasTerm(ctx context.Context, term string) (bool, error) {
	row, err := d.GetTable().ReadRow(ctx, "t#"+term, bigtable.RowFilter(bigtable.StripValueFilter())) // want ttlread/missing-filter
	return len(row) > 0, common.NewTechnicalException("has term", err)
}

// CountTerm implements dao.DocumentDao.
func (d *documentDaoImpl) CountTerm(ctx context.Context, term string) error {
	ok, err := d.ExistsByID(ctx, "t#"+term) // want ttlread/missing-filter[exists]
	if err != nil || !ok {
		return err
	}
	_, err = d.GetTable().ApplyReadModifyWrite(ctx, "t#"+term, core.Counters{}.Increment(constants.FamilyIndex, "searches", 1)) // ok ttlwrite/read-modify-write
	return common.NewTechnicalException("count term", err)
}

func (d *documentDaoImpl) ids(row bigtable.Row) []string {
	var out []string
	for _, item := range row[constants.FamilyIndex] {
		out = append(out, strings.TrimPrefix(item.Column, constants.FamilyIndex+":"))
	}
	return out
}
