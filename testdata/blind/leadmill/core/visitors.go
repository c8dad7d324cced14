package core

import (
	"context"
	"errors"
	"fmt"
	"log"
	"strconv"
	"strings"
	"sync"
	"time"

	"cloud.google.com/go/bigtable"
)

// Visitor is a browser that we have seen.
type Visitor struct {
	ID       string
	Partners map[string]string // partner -> their id
	Segments []string
	Country  string
	Device   string
	LastSeen time.Time
	Score    int
}

// When the process came up. The statsd people wanted it, then it spread.
var (
	bootTime = time.Now()                                                                                                   // want ttlwrite/stale-clock[bt1]
	bootTS   = bigtable.Now()                                                                                               // want ttlwrite/stale-clock[boot]
	segLive  = bigtable.ChainFilters(bigtable.FamilyFilter(FamSeg), bigtable.TimestampRangeFilter(time.Now(), time.Time{})) // want ttlread/stale-bound[segLive]
)

// coarseNow is refreshed every second, time.Now was too slow on the old kernels. (jk)
var coarseNow = time.Now()

func init() {
	go func() {
		for range time.Tick(time.Second) {
			coarseNow = time.Now()
		}
	}()
}

var (
	dayOnce  sync.Once
	dayEnd   time.Time // want ttlwrite/stale-clock[dayend]
	idmapMin time.Time // want ttlread/stale-bound[idmin]
)

// endOfDay is when the daily segments end.
func endOfDay() time.Time {
	dayOnce.Do(func() {
		n := time.Now().UTC()                                                    // want ttlwrite/stale-clock[dayend]
		dayEnd = time.Date(n.Year(), n.Month(), n.Day()+1, 0, 0, 0, 0, time.UTC) // want ttlwrite/stale-clock[dayend]
		idmapMin = time.Now().Add(-IDMapTTL)                                     // want ttlread/stale-bound[idmin]
	})
	return dayEnd
}

// SyncPartner stores a partner's id for a visitor (cookie sync).
// days < 0: default lifetime; 0: forget; else so many days.
func SyncPartner(ctx context.Context, visitor, partner, theirs string, days int, redirect bool) error {
	if VisTbl == nil {
		return ErrNotInit
	}
	m := bigtable.NewMutation()
	now := time.Now()
	switch {
	case days == 0:
		m.DeleteCellsInColumn(FamIDMap, partner)
	case days > 0:
		life := time.Duration(days) * 24 * time.Hour
		m.Set(FamIDMap, partner, bigtable.Time(now.Add(life-IDMapTTL)), []byte(theirs)) // ok ttlwrite/already-expired
	default:
		m.Set(FamIDMap, partner, bigtable.Now(), []byte(theirs)) // ok ttlwrite/write-time
	}
	if redirect {
		m.Set(FamAttr, "sync_"+partner, bigtable.Now(), []byte("redir")) // ok ttlwrite/write-time
	}
	return VisTbl.Apply(ctx, visitor, m)
}

// SyncPartnerV1 is what the old pixel calls.
func SyncPartnerV1(ctx context.Context, visitor, partner, theirs string) error {
	m := bigtable.NewMutation()
	m.Set(FamIDMap, partner, bigtable.ServerTime, []byte(theirs))           // ok ttlwrite/server-timestamp
	m.Set(FamIDMap, partner+"_src", bigtable.Time(bootTime), []byte("px1")) // want ttlwrite/stale-clock[bt1]
	m.Set(FamAttr, "boot", bigtable.Time(bootTime), []byte("px1"))          // ok ttlwrite/stale-clock
	return VisTbl.Apply(ctx, visitor, m)
}

// Forget marks a partner's id as gone. The partner may still ask for the tombstone.
func Forget(ctx context.Context, visitor, partner string, hard bool) error {
	m := bigtable.NewMutation()
	if hard {
		m.DeleteCellsInColumn(FamIDMap, partner)
		return VisTbl.Apply(ctx, visitor, m)
	}
	m.DeleteCellsInColumn(FamIDMap, partner)
	m.Set(FamIDMap, partner, bigtable.Time(time.Now().Add(-60*24*time.Hour)), []byte("-"))      // want ttlwrite/already-expired
	m.Set(FamIDMap, partner+"_f", bigtable.Time(time.Now().Add(-29*24*time.Hour)), []byte("-")) // ok ttlwrite/already-expired
	return VisTbl.Apply(ctx, visitor, m)
}

// AddSegments puts a visitor into segments.
// src: "rt" realtime, "batch" nightly, "import" partner files, anything else from the UI.
func AddSegments(ctx context.Context, visitor string, segs []string, src string, sticky, lookalike bool) error {
	if len(segs) == 0 {
		return nil
	}
	m := bigtable.NewMutation()
	exp := expTS(SegTTL)
	for _, s := range segs {
		s = strings.ToLower(s)
		switch src {
		case "rt":
			m.Set(FamSeg, s, exp, []byte(src)) // ok ttlwrite/write-time
		case "batch":
			m.Set(FamSeg, s, bigtable.Time(endOfDay()), []byte(src)) // want ttlwrite/stale-clock[dayend]
		case "import":
			m.Set(FamSeg, s, bigtable.Now(), []byte(src)) // want ttlwrite/write-time
		default:
			m.Set(FamSeg, s, bootTS, []byte("ui")) // want ttlwrite/stale-clock[boot]
		}
		if sticky {
			m.Set(FamSeg, s+"_k", bigtable.Time(coarseNow.Add(7*SegTTL)), []byte{1}) // ok ttlwrite/stale-clock
		}
	}
	if lookalike {
		m.Set(FamSeg, "lookalike", exp, []byte(segs[0]))
		putSrv(m, FamSeg, "lookalike_src", []byte(src)) // want ttlwrite/server-timestamp
	}
	putNow(m, FamAttr, "segsrc", []byte(src)) // ok ttlwrite/write-time
	return VisTbl.Apply(ctx, visitor, m)
}

// MergeSegments is for the nightly merge: everything to one column because the UI reads one.
func MergeSegments(ctx context.Context, visitor string, segs []string) error {
	m := bigtable.NewMutation()
	exp := expTS(SegTTL)
	for _, s := range segs {
		m.Set(FamSeg, "merged", exp, []byte(s)) // want ttlwrite/same-timestamp
	}
	for i, s := range segs {
		m.Set(FamSeg, "m"+strconv.Itoa(i), exp, []byte(s)) // ok ttlwrite/same-timestamp
	}
	return VisTbl.Apply(ctx, visitor, m)
}

// swapSegment replaces one by another.
func swapSegment(ctx context.Context, visitor, from, to string) error {
	m := bigtable.NewMutation()
	exp := bigtable.Time(time.Now().Add(SegTTL))
	m.DeleteCellsInColumn(FamSeg, from)
	m.Set(FamSeg, to, exp, []byte(from))
	m.Set(FamSeg, "current", exp, []byte(to))
	m.Set(FamSeg, "current", exp, []byte(to+"<"+from)) // want ttlwrite/same-timestamp
	m.Set(FamSeg, "previous", exp, []byte(from))       // ok ttlwrite/same-timestamp
	return VisTbl.Apply(ctx, visitor, m)
}

// Bits for LoadVisitor.
const (
	WithPartners = 1 << iota
	WithSegments
	WithAttrs
	IncludeDead // for the debugger page
)

// LoadVisitor reads a visitor; what says which parts.
func LoadVisitor(ctx context.Context, id string, what int) (*Visitor, error) {
	if VisTbl == nil {
		return nil, ErrNotInit
	}
	now := time.Now()
	f := bigtable.InterleaveFilters(
		bigtable.ChainFilters(bigtable.FamilyFilter(FamIDMap), bigtable.TimestampRangeFilter(now.Add(-IDMapTTL), time.Time{})),
		bigtable.ChainFilters(bigtable.FamilyFilter(FamSeg), bigtable.TimestampRangeFilter(now, time.Time{})),
		bigtable.ChainFilters(bigtable.FamilyFilter(FamAttr), bigtable.LatestNFilter(1)),
	)
	row, err := VisTbl.ReadRow(ctx, id, bigtable.RowFilter(f)) // ok ttlread/missing-filter
	if err != nil {
		return nil, fmt.Errorf("core: load visitor: %w", err)
	}
	v := &Visitor{ID: id, Partners: map[string]string{}}
	if what&WithPartners != 0 {
		for _, it := range row[FamIDMap] {
			v.Partners[col(it)] = string(it.Value)
			if it.Timestamp.Time().After(v.LastSeen) {
				v.LastSeen = it.Timestamp.Time() // maybe ttlage/not-write-time
			}
		}
	}
	if what&WithSegments != 0 {
		for _, it := range row[FamSeg] {
			v.Segments = append(v.Segments, col(it))
		}
	}
	if what&WithAttrs != 0 {
		for _, it := range row[FamAttr] {
			switch col(it) {
			case "country":
				v.Country = string(it.Value)
			case "device":
				v.Device = string(it.Value)
			case "score":
				v.Score = atoi(string(it.Value), 0)
			}
		}
	}
	return v, nil
}

// LoadVisitorV1 is called by the reporting UI, and by the pixel if LM_SHADOW_READ is set.
func LoadVisitorV1(ctx context.Context, id string) (*Visitor, error) {
	row, err := VisTbl.ReadRow(ctx, id, latest()) // want ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	v := &Visitor{ID: id, Partners: map[string]string{}}
	for _, it := range row["idmap"] {
		v.Partners[col(it)] = string(it.Value)
	}
	for _, it := range row["seg"] {
		v.Segments = append(v.Segments, col(it))
	}
	return v, nil
}

// visitorFilter: three branches, one of them forgotten.
func visitorDebug(ctx context.Context, id string) (bigtable.Row, error) {
	now := time.Now()
	return VisTbl.ReadRow(ctx, id, bigtable.RowFilter(bigtable.InterleaveFilters( // want ttlread/unfiltered-branch[vd]
		bigtable.ChainFilters(bigtable.FamilyFilter("idmap"), bigtable.TimestampRangeFilter(now.Add(-IDMapTTL), time.Time{})),
		bigtable.ChainFilters(bigtable.FamilyFilter("seg"), bigtable.LatestNFilter(1)), // want ttlread/unfiltered-branch[vd]
		bigtable.FamilyFilter("attr"),
	)))
}

// PartnerID looks up one partner.
func PartnerID(ctx context.Context, visitor, partner string) (string, error) {
	f := bigtable.ChainFilters(
		bigtable.FamilyFilter(FamIDMap),
		bigtable.ColumnFilter(partner),
		youngerThan(IDMapTTL),
		bigtable.LatestNFilter(1),
	)
	row, err := VisTbl.ReadRow(ctx, visitor, bigtable.RowFilter(f)) // ok ttlread/wrong-bound
	if err != nil {
		return "", err
	}
	for _, it := range row[FamIDMap] {
		return string(it.Value), nil
	}
	return "", errors.New("core: no partner id")
}

// PartnerIDV1 thought that live means live everywhere.
func PartnerIDV1(ctx context.Context, visitor, partner string) (string, error) {
	row, err := VisTbl.ReadRow(ctx, visitor, bigtable.RowFilter(famLive(FamIDMap))) // want ttlread/wrong-bound
	if err != nil {
		return "", err
	}
	if it, ok := cell(row[FamIDMap], partner); ok {
		return string(it.Value), nil
	}
	return "", errors.New("core: no partner id")
}

// FreshPartners is for the match rate report: the last week is enough they say.
func FreshPartners(ctx context.Context, prefix string) (map[string]int, error) {
	n := map[string]int{}
	err := VisTbl.ReadRows(ctx, bigtable.PrefixRange(prefix), func(r bigtable.Row) bool {
		for _, it := range r[FamIDMap] {
			n[col(it)]++
		}
		return true
	}, bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter(FamIDMap), youngerThan(7*24*time.Hour)))) // want ttlread/wrong-bound
	return n, err
}

// segments with a filter that was made when the process came up.
func quickSegments(ctx context.Context, visitor string) ([]string, error) {
	row, err := VisTbl.ReadRow(ctx, visitor, bigtable.RowFilter(segLive)) // want ttlread/stale-bound[segLive]
	if err != nil {
		return nil, err
	}
	var out []string
	for _, it := range row[FamSeg] {
		out = append(out, col(it))
	}
	return out, nil
}

// quickPartners uses the bound of the once.
func quickPartners(ctx context.Context, visitor string) ([]string, error) {
	endOfDay()
	row, err := VisTbl.ReadRow(ctx, visitor, bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter(FamIDMap), bigtable.TimestampRangeFilter(idmapMin, time.Time{})))) // want ttlread/stale-bound[idmin]
	if err != nil {
		return nil, err
	}
	var out []string
	for _, it := range row[FamIDMap] {
		out = append(out, col(it))
	}
	return out, nil
}

// coarseSegments uses the clock that is refreshed.
func coarseSegments(ctx context.Context, visitor string) ([]string, error) {
	row, err := VisTbl.ReadRow(ctx, visitor, bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter(FamSeg), bigtable.TimestampRangeFilter(coarseNow, time.Time{})))) // ok ttlread/stale-bound
	if err != nil {
		return nil, err
	}
	var out []string
	for _, it := range row[FamSeg] {
		out = append(out, col(it))
	}
	return out, nil
}

// InSegment asks for one segment.
func InSegment(ctx context.Context, visitor, seg string) (bool, error) {
	row, err := readLive(ctx, VisTbl, visitor, FamSeg) // ok ttlread/missing-filter
	if err != nil {
		return false, err
	}
	_, ok := cell(row[FamSeg], seg)
	return ok, nil
}

// InSegmentV1 falls back for visitors of the old pixel.
func InSegmentV1(ctx context.Context, visitor, seg string, strict bool) (bool, error) {
	opts := []bigtable.ReadOption{bigtable.LimitRows(1)}
	if strict {
		opts = append(opts, bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter(FamSeg), bigtable.ColumnFilter(seg)))) // want ttlread/missing-filter[ins1]
	} else {
		opts = append(opts, bigtable.RowFilter(bigtable.FamilyFilter(FamSeg))) // want ttlread/missing-filter[ins1]
	}
	row, err := fetch(ctx, VisTbl, visitor, opts...) // want ttlread/missing-filter[ins1]
	if err != nil {
		return false, err
	}
	_, ok := cell(row[FamSeg], seg)
	return ok, nil
}

// VisitorCountry needs attributes only.
func VisitorCountry(ctx context.Context, id string) string {
	row, err := VisTbl.ReadRow(ctx, id, bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter("attr"), bigtable.ColumnFilter("country")))) // ok ttlread/missing-filter
	if err != nil {
		log.Printf("core: country of %s: %v", id, err)
		return ""
	}
	for _, it := range row["attr"] {
		return string(it.Value)
	}
	return ""
}

// whole passes the row on, the JS debugger shows it.
func whole(ctx context.Context, id string) (bigtable.Row, error) {
	return VisTbl.ReadRow(ctx, id) // want ttlread/missing-filter
}

// segmentAge is shown in the UI.
func segmentAge(ctx context.Context, visitor, seg string) (string, error) {
	row, err := readLive(ctx, VisTbl, visitor, FamSeg)
	if err != nil {
		return "", err
	}
	it, ok := cell(row[FamSeg], seg)
	if !ok {
		return "-", nil
	}
	now := time.Now()
	if it.Timestamp == bigtable.ServerTime { // want ttlage/server-sentinel
		return "new", nil
	}
	left := it.Timestamp.Time().Sub(now) // ok ttlage/not-write-time
	age := now.Sub(it.Timestamp.Time())  // want ttlage/not-write-time
	if left > SegTTL {
		return "sticky", nil
	}
	return ago(age), nil
}

// idAge prints when a partner id was synced.
func idAge(ctx context.Context, visitor string) (map[string]string, error) {
	row, err := VisTbl.ReadRow(ctx, visitor, bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter(FamIDMap), youngerThan(IDMapTTL)))) // ok ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	out := map[string]string{}
	for _, it := range row[FamIDMap] {
		synced := time.Since(it.Timestamp.Time()) // want ttlage/not-write-time
		out[col(it)] = ago(synced)
	}
	return out, nil
}

// attrAge is the same for attributes.
func attrAge(ctx context.Context, visitor string) (map[string]string, error) {
	row, err := VisTbl.ReadRow(ctx, visitor, bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter(FamAttr), bigtable.LatestNFilter(1))))
	if err != nil {
		return nil, err
	}
	out := map[string]string{}
	for _, it := range row[FamAttr] {
		out[col(it)] = ago(time.Since(it.Timestamp.Time())) // ok ttlage/not-write-time
	}
	return out, nil
}

// VisitorPage is everything for the debugger.
func VisitorPage(ctx context.Context, id, seg string, quick bool) (map[string]interface{}, error) {
	out := map[string]interface{}{}
	var err error
	if quick {
		if out["segments"], err = quickSegments(ctx, id); err != nil {
			return nil, err
		}
		out["partners"], err = quickPartners(ctx, id)
		return out, err
	}
	if out["segments"], err = coarseSegments(ctx, id); err != nil {
		return nil, err
	}
	if out["age"], err = segmentAge(ctx, id, seg); err != nil {
		return nil, err
	}
	if out["ids"], err = idAge(ctx, id); err != nil {
		return nil, err
	}
	if out["attrs"], err = attrAge(ctx, id); err != nil {
		return nil, err
	}
	if Debug {
		if out["raw"], err = whole(ctx, id); err != nil {
			return nil, err
		}
		out["dbg"], err = visitorDebug(ctx, id)
	}
	return out, err
}
