package seating

import (
	"context"
	"fmt"
	"strconv"
	"sync"
	"time"

	"cloud.google.com/go/bigtable"
	"skyward.example/dal/bt"
	"skyward.example/dal/names"
)

// OpenWindow opens check-in for a flight until an hour before it leaves.
func (s *Store) OpenWindow(ctx context.Context, flight string, departs time.Time) error {
	m := bt.NewMut().
		PutAt(names.FamWindow, colOpen, departs.Add(-time.Hour), []byte("1")). // ok ttlwrite/write-time ttlwrite/already-expired
		Put(names.FamPax, "opened", []byte("1"))                               // ok ttlwrite/write-time
	return s.checkin.Write(ctx, flight, m)
}

// OpenUsual opens it for the usual day.
func (s *Store) OpenUsual(ctx context.Context, flight, desk string) error {
	m := bt.NewMut()
	m.PutTS(names.FamWindow, colOpen, bt.Stamp(names.WindowFor), []byte("1")) // ok ttlwrite/write-time
	m.PutTS(names.FamWindow, "desk", bt.NowStamp(), []byte(desk))             // want ttlwrite/write-time
	m.PutTS(names.FamPax, "desk", bt.NowStamp(), []byte(desk))                // ok ttlwrite/write-time
	return s.checkin.Write(ctx, flight, m)
}

// OpenTwice is what the charter desk uses: window and close marker in one go.
func (s *Store) OpenTwice(ctx context.Context, flight string) error {
	end := bt.Stamp(names.WindowFor)
	m := bt.NewMut()
	m.PutTS(names.FamWindow, colOpen, end, []byte("0"))
	m.PutTS(names.FamWindow, colClose, end, []byte("0")) // ok ttlwrite/same-timestamp
	m.PutTS(names.FamWindow, colOpen, end, []byte("1"))  // want ttlwrite/same-timestamp
	return s.checkin.Write(ctx, flight, m)
}

// CloseEarly closes a window. Deleting is right, writing is not.
func (s *Store) CloseEarly(ctx context.Context, flight string) error {
	m := bt.NewMut()
	m.Del(names.FamWindow, colOpen)
	m.PutOnly(names.FamWindow, colClose, []byte("early")) // want ttlwrite/already-expired
	return s.checkin.Write(ctx, flight, m)
}

// CloseWith closes a window with a word that may be read for a day.
func (s *Store) CloseWith(ctx context.Context, flight, word string) error {
	return s.checkin.Write(ctx, flight, bt.NewMut().Del(names.FamWindow, colOpen).PutFor(names.FamWindow, colClose, names.WindowFor, []byte(word))) // ok ttlwrite/already-expired ttlwrite/delete-after-set
}

// windowOpts are the read options of a window.
func windowOpts(extra ...bt.ReadOpt) []bt.ReadOpt {
	return append([]bt.ReadOpt{bt.Family(names.FamWindow), bt.Live()}, extra...)
}

// anyOpts are the options of readers that want the passengers, too.
func anyOpts(extra ...bt.ReadOpt) []bt.ReadOpt {
	return append([]bt.ReadOpt{bt.Latest(1)}, extra...)
}

// IsOpen says whether check-in is open.
func (s *Store) IsOpen(ctx context.Context, flight string) (bool, error) {
	row, err := s.checkin.Get(ctx, flight, windowOpts(bt.Column(colOpen))...) // ok ttlread/missing-filter
	return len(row[names.FamWindow]) > 0, err
}

// IsOpenOld is what the airport screens call.
func (s *Store) IsOpenOld(ctx context.Context, flight string) (bool, error) {
	row, err := s.checkin.Get(ctx, flight, anyOpts(bt.Column(colOpen))...) // want ttlread/missing-filter
	return len(row[names.FamWindow]) > 0, err
}

// Passenger reads one passenger, no window wanted.
func (s *Store) Passenger(ctx context.Context, flight, pax string) (string, error) {
	row, err := s.checkin.Get(ctx, names.Key(flight, pax), anyOpts()...) // ok ttlread/missing-filter
	if err != nil {
		return "", err
	}
	v, _ := bt.First(row, names.FamPax, colName)
	return string(v), nil
}

// CheckIn marks a passenger.
func (s *Store) CheckIn(ctx context.Context, flight, pax string, departs time.Time) error {
	open, err := s.IsOpen(ctx, flight)
	if err != nil {
		return err
	}
	if !open {
		return ErrNoWindow
	}
	m := bt.NewMut()
	m.PutAt(names.FamPass, colPass, departs.Add(passGrace), []byte(barcode(flight, pax))) // ok ttlwrite/write-time
	m.PutServer(names.FamPax, "checked", []byte("1"))                                     // ok ttlwrite/server-timestamp
	return s.checkin.Write(ctx, names.Key(flight, pax), m)
}

func barcode(flight, pax string) string { return fmt.Sprintf("M1%-20s%-6s", pax, flight) }

// AssignGate writes the gate onto the pass.
func (s *Store) AssignGate(ctx context.Context, flight, pax, gate string) error {
	return s.checkin.Write(ctx, names.Key(flight, pax), bt.NewMut().PutServer(names.FamPass, colGate, []byte(gate))) // want ttlwrite/server-timestamp
}

// Reprint writes the pass again.
func (s *Store) Reprint(ctx context.Context, flight, pax string) error {
	m := bt.NewMut()
	m.PutAt(names.FamPass, colPass, time.Now(), []byte(barcode(flight, pax))) // want ttlwrite/write-time
	return s.checkin.Write(ctx, names.Key(flight, pax), m)
}

// ReprintUnix does it with the departure as the mainframe gives it: seconds.
func (s *Store) ReprintUnix(ctx context.Context, flight, pax string, departs time.Time) error {
	m := bt.NewMut()
	m.PutTS(names.FamPass, colPass, bigtable.Timestamp(departs.Unix()), []byte(barcode(flight, pax))) // want ttlunit/wrong-unit
	return s.checkin.Write(ctx, names.Key(flight, pax), m)
}

// ReprintMicros is the right one.
func (s *Store) ReprintMicros(ctx context.Context, flight, pax string, departs time.Time) error {
	m := bt.NewMut()
	m.PutTS(names.FamPass, colPass, bigtable.Timestamp(departs.UnixMicro()), []byte(barcode(flight, pax))) // ok ttlunit/wrong-unit
	m.PutTS(names.FamPass, colGate, bigtable.Timestamp(departs.Unix()*1e6), nil)                           // ok ttlunit/wrong-unit
	return s.checkin.Write(ctx, names.Key(flight, pax), m)
}

// Prolong lets a pass live an hour longer than the given end.
func (s *Store) Prolong(ctx context.Context, flight, pax string, end bigtable.Timestamp) error {
	late := end + bigtable.Timestamp(time.Hour) // want ttlunit/wrong-unit
	if end < bigtable.Now() {
		late = bigtable.Now() + bigtable.Timestamp(time.Hour/time.Microsecond) // ok ttlunit/wrong-unit
	}
	return s.checkin.Write(ctx, names.Key(flight, pax), bt.NewMut().PutTS(names.FamPass, colPass, late, []byte(barcode(flight, pax))))
}

// Pass reads a boarding pass.
func (s *Store) Pass(ctx context.Context, flight, pax string) (string, error) {
	row, err := s.checkin.Get(ctx, names.Key(flight, pax), bt.Live(), bt.Family(names.FamPass), bt.Latest(1)) // ok ttlread/missing-filter ttlread/hides-other-families
	if err != nil {
		return "", err
	}
	if v, ok := bt.First(row, names.FamPass, colPass); ok {
		return string(v), nil
	}
	return "", ErrNoPass
}

// PassAndName reads the pass with the passenger.
func (s *Store) PassAndName(ctx context.Context, flight, pax string) (pass, name string, err error) {
	row, err := s.checkin.Get(ctx, names.Key(flight, pax), bt.Live()) // want ttlread/hides-other-families
	if err != nil {
		return "", "", err
	}
	p, _ := bt.First(row, names.FamPass, colPass)
	n, _ := bt.First(row, names.FamPax, colName)
	return string(p), string(n), nil
}

// PassOnly reads the pass alone, through the same bare filter.
func (s *Store) PassOnly(ctx context.Context, flight, pax string) (string, error) {
	row, err := s.checkin.Get(ctx, names.Key(flight, pax), bt.Live()) // ok ttlread/hides-other-families
	if err != nil {
		return "", err
	}
	p, _ := bt.First(row, names.FamPass, colPass)
	return string(p), nil
}

// TodaysPasses lists passes that end today.
func (s *Store) TodaysPasses(ctx context.Context, flight string) (int, error) {
	n := 0
	midnight := s.clk.Now().Truncate(24 * time.Hour).Add(24 * time.Hour)
	err := s.checkin.Scan(ctx, bigtable.PrefixRange(flight+"#"), func(r bigtable.Row) bool { // want ttlread/upper-bound[todays]
		n += len(r[names.FamPass])
		return true
	}, bt.Family(names.FamPass), bt.Between(s.clk.Now(), midnight)) // want ttlread/upper-bound[todays]
	return n, err
}

// Boarded counts passengers by their pass.
func (s *Store) Boarded(ctx context.Context, flight string) (int, error) {
	n := 0
	err := s.checkin.Scan(ctx, bigtable.PrefixRange(flight+"#"), func(r bigtable.Row) bool { // want ttlread/missing-filter[boarded]
		if _, ok := bt.First(r, names.FamPass, colPass); ok {
			n++
		}
		return true
	}, bt.With(bigtable.ColumnFilter(colPass))) // want ttlread/missing-filter[boarded]
	return n, err
}

// Rows counts rows of the flight.
func (s *Store) Rows(ctx context.Context, flight string) (int, error) {
	n := 0
	err := s.checkin.Scan(ctx, bigtable.PrefixRange(flight+"#"), func(r bigtable.Row) bool { // ok ttlread/missing-filter
		n++
		return true
	}, bt.KeysOnly())
	return n, err
}

// PassInfo is what the app shows.
type PassInfo struct {
	Code      string
	ValidTill time.Time
	WrittenAt time.Time
	Age       time.Duration
}

// Info describes a pass.
func (s *Store) Info(ctx context.Context, flight, pax string) (PassInfo, error) {
	var info PassInfo
	row, err := s.checkin.Get(ctx, names.Key(flight, pax), bt.LiveWith(names.FamPass, names.FamPax), bt.Latest(1)) // ok ttlread/missing-filter
	if err != nil {
		return info, err
	}
	if it, ok := bt.Cells(row, names.FamPass)[colPass]; ok {
		info.Code = string(it.Value)
		info.ValidTill = it.Timestamp.Time()       // ok ttlage/not-write-time
		info.WrittenAt = it.Timestamp.Time()       // want ttlage/not-write-time
		info.Age = time.Since(it.Timestamp.Time()) // want ttlage/not-write-time
	}
	if it, ok := bt.Cells(row, names.FamPax)["checked"]; ok {
		info.Age = time.Since(it.Timestamp.Time()) // ok ttlage/not-write-time
		info.WrittenAt = it.Timestamp.Time()       // ok ttlage/not-write-time
	}
	return info, nil
}

// Bags counts a passenger's bags beside the pass.
func (s *Store) Bags(ctx context.Context, flight, pax string) error {
	key := names.Key(flight, pax)
	if _, err := s.checkin.Incr(ctx, key, names.FamPass, colBags, 1); err != nil { // want ttlwrite/read-modify-write
		return err
	}
	_, err := s.checkin.Incr(ctx, key, names.FamPax, colBags, 1) // ok ttlwrite/read-modify-write
	return err
}

// The desk board is polled by every screen of the airport, so its filter is made once.
var (
	boardOnce   sync.Once
	boardFilter bigtable.Filter
)

func deskFilter() bigtable.Filter {
	boardOnce.Do(func() {
		boardFilter = bigtable.ChainFilters(bigtable.FamilyFilter(names.FamWindow), bigtable.TimestampRangeFilter(time.Now(), time.Time{})) // want ttlread/stale-bound[board]
	})
	return boardFilter
}

// Board lists open desks.
func (s *Store) Board(ctx context.Context) ([]string, error) {
	var out []string
	err := s.checkin.Scan(ctx, bigtable.InfiniteRange(""), func(r bigtable.Row) bool { // want ttlread/stale-bound[board]
		v, _ := bt.First(r, names.FamWindow, "desk")
		out = append(out, string(v))
		return true
	}, bt.With(deskFilter())) // want ttlread/stale-bound[board]
	return out, err
}

// BoardFresh is Board with a filter of its own.
func (s *Store) BoardFresh(ctx context.Context) ([]string, error) {
	var out []string
	err := s.checkin.Scan(ctx, bigtable.InfiniteRange(""), func(r bigtable.Row) bool { // ok ttlread/stale-bound
		v, _ := bt.First(r, names.FamWindow, "desk")
		out = append(out, string(v))
		return true
	}, windowOpts()...)
	return out, err
}

// defaultEnd is when windows of charters end.
var defaultEnd = time.Now().Add(names.WindowFor) // want ttlwrite/stale-clock[charter]

// OpenCharter opens a charter's window.
func (s *Store) OpenCharter(ctx context.Context, flight string) error {
	return s.checkin.Write(ctx, flight, bt.NewMut().PutAt(names.FamWindow, colOpen, defaultEnd, []byte("c"))) // want ttlwrite/stale-clock[charter]
}

// WindowCells reads a window as raw cells, with the check in the helper.
func (s *Store) WindowCells(ctx context.Context, flight string) ([]bigtable.ReadItem, error) {
	row, err := s.checkin.Get(ctx, flight, bt.Family(names.FamWindow)) // ok ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	return unexpired(row[names.FamWindow], s.clk.Now()), nil
}

// WindowLog only logs the timestamps.
func (s *Store) WindowLog(ctx context.Context, flight string) ([]string, error) {
	row, err := s.checkin.Get(ctx, flight, bt.Family(names.FamWindow)) // want ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	var out []string
	for _, it := range row[names.FamWindow] {
		s.log.Info("window", "column", it.Column, "ends", it.Timestamp.Time())
		out = append(out, strconv.FormatInt(int64(it.Timestamp), 10)+"="+string(it.Value))
	}
	return out, nil
}

func unexpired(items []bigtable.ReadItem, now time.Time) []bigtable.ReadItem {
	var out []bigtable.ReadItem
	for _, it := range items {
		if it.Timestamp.Time().After(now) {
			out = append(out, it)
		}
	}
	return out
}
