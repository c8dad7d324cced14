// Package outage publishes outage notices and their acknowledgements.
package outage

import (
	"context"
	"fmt"
	"sort"
	"time"

	"cloud.google.com/go/bigtable"

	bm "nordkraft.example/grid/internal/btmodel"
	"nordkraft.example/grid/internal/btrt"
)

// Notice is what customers see.
type Notice struct {
	ID       string
	Text     string
	Severity int64
	Area     string
}

// Service publishes notices.
type Service struct {
	t    *bm.Outages
	now  func() time.Time
	life time.Duration
}

// New makes the service; life is how long a notice without an end is shown.
func New(t *bm.Outages, life time.Duration) *Service {
	return &Service{t: t, now: time.Now, life: life}
}

func cells(n Notice) *bm.OutagesNotice {
	return &bm.OutagesNotice{Text: n.Text, Severity: n.Severity, Area: n.Area}
}

// Publish shows a notice for the default time.
func (s *Service) Publish(ctx context.Context, n Notice) error {
	return s.t.PutNotice(ctx, n.ID, cells(n)) // ok ttlwrite/server-timestamp
}

// PublishNow is Publish with the client's clock.
func (s *Service) PublishNow(ctx context.Context, n Notice) error {
	return s.t.PutNoticeAt(ctx, n.ID, cells(n), bigtable.Now()) // ok ttlwrite/write-time
}

// PublishFor shows a notice for life.
func (s *Service) PublishFor(ctx context.Context, n Notice, life time.Duration) error {
	return s.t.PutNoticeAt(ctx, n.ID, cells(n), btrt.Shifted(life, bm.OutagesNoticeTTL)) // ok ttlwrite/already-expired
}

// PublishDay shows a notice for a day.
func (s *Service) PublishDay(ctx context.Context, n Notice) error {
	return s.t.PutNoticeAt(ctx, n.ID, cells(n), bigtable.Time(s.now().Add(24*time.Hour-bm.OutagesNoticeTTL))) // ok ttlwrite/already-expired
}

// PublishBrief shows it for an hour, or so the sign says.
func (s *Service) PublishBrief(ctx context.Context, n Notice) error {
	return s.t.PutNoticeAt(ctx, n.ID, cells(n), bigtable.Time(s.now().Add(-time.Hour-bm.OutagesNoticeTTL))) // want ttlwrite/already-expired
}

// PublishWeek shows it for a week.
func (s *Service) PublishWeek(ctx context.Context, n Notice) error {
	return s.t.PutNoticeAt(ctx, n.ID, cells(n), btrt.Shifted(7*24*time.Hour, bm.OutagesNoticeTTL)) // ok ttlwrite/already-expired
}

// Archive writes last winter's storm for the exhibition.
func (s *Service) Archive(ctx context.Context, n Notice) error {
	storm := time.Date(2024, 1, 31, 18, 0, 0, 0, time.UTC)
	return s.t.PutNoticeAt(ctx, n.ID, cells(n), bigtable.Time(storm)) // want ttlwrite/already-expired
}

// Close shows that it is over.
func (s *Service) Close(ctx context.Context, id string) error {
	m := bigtable.NewMutation()
	m.DeleteCellsInFamily(bm.OutagesFamilyNotice)                                                                              // ok ttlwrite/delete-after-set
	m.Set(bm.OutagesFamilyNotice, bm.OutagesColNoticeText, btrt.Shifted(2*time.Hour, bm.OutagesNoticeTTL), []byte("restored")) // ok ttlwrite/already-expired
	m.Set(bm.OutagesFamilyArea, "closed", bigtable.Now(), []byte("1"))                                                         // ok ttlwrite/write-time
	return s.t.Apply(ctx, id, m)
}

// Amend replaces the text and the area.
func (s *Service) Amend(ctx context.Context, n Notice) error {
	ts := bigtable.Now()
	m := bigtable.NewMutation()
	m.Set(bm.OutagesFamilyNotice, bm.OutagesColNoticeText, ts, []byte(n.Text)) // ok ttlwrite/write-time
	m.Set(bm.OutagesFamilyNotice, bm.OutagesColNoticeArea, ts, []byte(n.Area)) // ok ttlwrite/same-timestamp
	m.DeleteCellsInFamily(bm.OutagesFamilyNotice)                              // want ttlwrite/delete-after-set
	return s.t.Apply(ctx, n.ID, m)
}

// Ack records that a crew has seen the notice.
func (s *Service) Ack(ctx context.Context, id, crew string) error {
	m := bigtable.NewMutation()
	a := bm.OutagesAck{By: crew, Via: "app"}
	a.Marshal(m, btrt.Expiry(bm.OutagesAckTTL)) // ok ttlwrite/write-time
	return s.t.Apply(ctx, id, m)
}

// AckSMS records one that came by SMS.
func (s *Service) AckSMS(ctx context.Context, id, crew string) error {
	return s.ack(ctx, id, bm.OutagesAck{By: crew, Via: "sms"}, s.now()) // want ttlwrite/write-time
}

// AckRadio records one that came by radio and lasts a shift.
func (s *Service) AckRadio(ctx context.Context, id, crew string) error {
	return s.ack(ctx, id, bm.OutagesAck{By: crew, Via: "radio"}, s.now().Add(8*time.Hour)) // ok ttlwrite/write-time
}

func (s *Service) ack(ctx context.Context, id string, a bm.OutagesAck, at time.Time) error {
	m := bigtable.NewMutation()
	a.Marshal(m, bigtable.Time(at)) // ok ttlwrite/write-time
	return s.t.Apply(ctx, id, m)
}

func (s *Service) rows(ctx context.Context, f bigtable.Filter) ([]Notice, error) {
	var out []Notice
	err := s.t.Table().ReadRows(ctx, bigtable.InfiniteRange(""), func(row bigtable.Row) bool { // ok ttlread/wrong-bound
		var n bm.OutagesNotice
		if n.Unmarshal(row) {
			out = append(out, Notice{ID: row.Key(), Text: n.Text, Severity: n.Severity, Area: n.Area})
		}
		return true
	}, bigtable.RowFilter(btrt.Family(bm.OutagesFamilyNotice, f)))
	sort.Slice(out, func(i, j int) bool { return out[i].Severity > out[j].Severity })
	return out, err
}

// Open lists what customers should see.
func (s *Service) Open(ctx context.Context) ([]Notice, error) {
	return s.rows(ctx, btrt.Within(bm.OutagesNoticeTTL)) // ok ttlread/wrong-bound
}

// OpenTwoDays is what the start page showed before the change to three days.
func (s *Service) OpenTwoDays(ctx context.Context) ([]Notice, error) {
	return s.rows(ctx, btrt.Within(48*time.Hour)) // want ttlread/wrong-bound
}

// OpenLive takes the filter of the sessions.
func (s *Service) OpenLive(ctx context.Context) ([]Notice, error) {
	return s.rows(ctx, btrt.Live()) // want ttlread/wrong-bound
}

// OpenSoFar lists what has been published so far.
func (s *Service) OpenSoFar(ctx context.Context) ([]Notice, error) {
	now := s.now()
	return s.rows(ctx, bigtable.TimestampRangeFilter(now.Add(-bm.OutagesNoticeTTL), now)) // want ttlread/upper-bound
}

// Over lists notices that are over.
func (s *Service) Over(ctx context.Context) ([]Notice, error) {
	return s.rows(ctx, bigtable.TimestampRangeFilter(time.Time{}, s.now().Add(-bm.OutagesNoticeTTL))) // want ttlread/expired-only
}

// All lists everything of the family.
func (s *Service) All(ctx context.Context) ([]Notice, error) {
	return s.rows(ctx, nil) // want ttlread/missing-filter
}

// Window reads from a start the portal gives.
func (s *Service) Window(ctx context.Context, from time.Time) ([]Notice, error) {
	return s.rows(ctx, bigtable.TimestampRangeFilter(from, time.Time{})) // ok ttlread/wrong-bound
}

// Board is a notice, its area and its acknowledgement.
type Board struct {
	Notice bm.OutagesNotice
	Ack    bm.OutagesAck
	Area   bm.OutagesArea
}

func board(row bigtable.Row) *Board {
	b := new(Board)
	b.Notice.Unmarshal(row)
	b.Ack.Unmarshal(row)
	b.Area.Unmarshal(row)
	return b
}

// Board reads all of a row.
func (s *Service) Board(ctx context.Context, id string) (*Board, error) {
	row, err := s.t.Table().ReadRow(ctx, id, bigtable.RowFilter(bigtable.LatestNFilter(1))) // want ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	return board(row), nil
}

// BoardLive reads all that is live of a row.
func (s *Service) BoardLive(ctx context.Context, id string) (*Board, error) {
	f := bigtable.InterleaveFilters( // ok ttlread/unfiltered-branch
		btrt.Family(bm.OutagesFamilyNotice, btrt.Within(bm.OutagesNoticeTTL)),
		btrt.Family(bm.OutagesFamilyAck, btrt.Live()),
		btrt.Family(bm.OutagesFamilyArea, bigtable.LatestNFilter(1)),
	)
	row, err := s.t.Table().ReadRow(ctx, id, bigtable.RowFilter(f)) // ok ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	return board(row), nil
}

// BoardCond asks whether there is a live ack and then reads all.
func (s *Service) BoardCond(ctx context.Context, id string) (*Board, error) {
	live := btrt.Family(bm.OutagesFamilyAck, btrt.Live())
	f := bigtable.ConditionFilter(live, bigtable.PassAllFilter(), bigtable.FamilyFilter(bm.OutagesFamilyArea)) // want ttlread/unfiltered-branch[bc]
	row, err := s.t.Table().ReadRow(ctx, id, bigtable.RowFilter(f))                                            // want ttlread/unfiltered-branch[bc]
	if err != nil {
		return nil, err
	}
	return board(row), nil
}

// Areas reads the areas only.
func (s *Service) Areas(ctx context.Context, ids []string) (map[string]string, error) {
	out := map[string]string{}
	err := s.t.Table().ReadRows(ctx, bigtable.RowList(ids), func(row bigtable.Row) bool { // ok ttlread/missing-filter
		var a bm.OutagesArea
		if a.Unmarshal(row) {
			out[row.Key()] = a.Polygon
		}
		return true
	})
	return out, err
}

// Count counts rows for the metric.
func (s *Service) Count(ctx context.Context) (int, error) {
	n := 0
	err := s.t.Table().ReadRows(ctx, bigtable.InfiniteRange(""), func(bigtable.Row) bool { // ok ttlread/missing-filter
		n++
		return true
	}, bigtable.RowFilter(bigtable.StripValueFilter()))
	return n, err
}

// Acked lists crews that have acknowledged.
func (s *Service) Acked(ctx context.Context) ([]string, error) {
	var out []string
	err := s.t.ScanAck(ctx, bigtable.InfiniteRange(""), func(k string, a *bm.OutagesAck) bool { // want ttlread/missing-filter
		out = append(out, k+":"+a.By)
		return true
	})
	return out, err
}

// AckedLive lists those that still hold.
func (s *Service) AckedLive(ctx context.Context) ([]string, error) {
	var out []string
	err := s.t.ScanAck(ctx, bigtable.InfiniteRange(""), func(k string, a *bm.OutagesAck) bool { // ok ttlread/missing-filter
		out = append(out, k+":"+a.By)
		return true
	}, btrt.Filtered(btrt.Live()))
	return out, err
}

// AckedPast passes the wrong end of the range.
func (s *Service) AckedPast(ctx context.Context) ([]string, error) {
	var out []string
	err := s.t.ScanAck(ctx, bigtable.InfiniteRange(""), func(k string, a *bm.OutagesAck) bool { // want ttlread/expired-only[past]
		out = append(out, k+":"+a.By)
		return true
	}, btrt.Filtered(bigtable.TimestampRangeFilter(time.Unix(0, 0), time.Now()))) // want ttlread/expired-only[past]
	return out, err
}

// AckedHour takes the sliding bound of the notices.
func (s *Service) AckedHour(ctx context.Context) ([]string, error) {
	var out []string
	err := s.t.ScanAck(ctx, bigtable.InfiniteRange(""), func(k string, a *bm.OutagesAck) bool { // want ttlread/wrong-bound[hour]
		out = append(out, k+":"+a.By)
		return true
	}, btrt.Filtered(btrt.Within(bm.OutagesAckTTL))) // want ttlread/wrong-bound[hour]
	return out, err
}

// Line prints a notice for the call centre.
func (s *Service) Line(ctx context.Context, id string) (string, error) {
	f := btrt.Family(bm.OutagesFamilyNotice, btrt.Within(bm.OutagesNoticeTTL))
	row, err := s.t.Table().ReadRow(ctx, id, bigtable.RowFilter(f)) // ok ttlread/missing-filter
	if err != nil {
		return "", err
	}
	for _, it := range row[bm.OutagesFamilyNotice] {
		age := s.now().Sub(it.Timestamp.Time()) // want ttlage/not-write-time
		return fmt.Sprintf("%s (%s ago)", it.Value, age.Round(time.Minute)), nil
	}
	return "", btrt.ErrNotFound
}

// Ends says when a notice disappears.
func (s *Service) Ends(ctx context.Context, id string) (time.Time, error) {
	f := btrt.Family(bm.OutagesFamilyNotice, btrt.Within(bm.OutagesNoticeTTL))
	row, err := s.t.Table().ReadRow(ctx, id, bigtable.RowFilter(f)) // ok ttlread/missing-filter
	if err != nil {
		return time.Time{}, err
	}
	for _, it := range row[bm.OutagesFamilyNotice] {
		return it.Timestamp.Time().Add(bm.OutagesNoticeTTL), nil // ok ttlage/not-write-time
	}
	return time.Time{}, btrt.ErrNotFound
}
