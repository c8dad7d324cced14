// Package store has a typed store for every table.
package store

import (
	"context"
	"encoding/json"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/datalib/datalib/clock"
	"example.com/datalib/datalib/read"
	"example.com/datalib/datalib/schema"
	"example.com/datalib/datalib/tables"
	"example.com/datalib/datalib/write"
)

// Ticket is a bought ticket.
type Ticket struct {
	ID      string    `json:"id"`
	Zone    string    `json:"zone"`
	Until   time.Time `json:"until"`
	Created time.Time `json:"created"`
	Holder  string    `json:"holder"`
}

// Tickets reads and writes tickets.
type Tickets struct {
	set *tables.Set
	now func() time.Time
}

// NewTickets makes a store.
func NewTickets(s *tables.Set) *Tickets { return &Tickets{set: s, now: time.Now} }

// Issue writes a new ticket.
func (s *Tickets) Issue(ctx context.Context, t Ticket) error {
	m := bigtable.NewMutation()
	if err := write.PutJSON(m, schema.Pass, "ticket", clock.In(schema.PassTTL), t); err != nil { // ok ttlwrite/write-time
		return err
	}
	write.PutString(m, schema.Holder, "name", clock.NowTS(), t.Holder) // ok ttlwrite/write-time
	m.Set(schema.Holder, "id", bigtable.ServerTime, []byte(t.ID))      // ok ttlwrite/server-timestamp
	return s.set.Tickets.Apply(ctx, t.ID, m)
}

// IssueUntil writes a ticket that is good until its own end.
func (s *Tickets) IssueUntil(ctx context.Context, t Ticket) error {
	m := bigtable.NewMutation()
	m.Set(schema.Pass, "zone", clock.At(t.Until), []byte(t.Zone)) // ok ttlwrite/write-time
	m.Set(schema.Pass, "sold", clock.NowTS(), []byte(t.Holder))   // want ttlwrite/write-time
	return s.set.Tickets.Apply(ctx, t.ID, m)
}

// Validate notes that an inspector saw the ticket.
func (s *Tickets) Validate(ctx context.Context, id, inspector string) error {
	m := bigtable.NewMutation()
	write.PutString(m, schema.Pass, "inspected", clock.Server, inspector)   // want ttlwrite/server-timestamp
	write.PutString(m, schema.Holder, "inspector", clock.Server, inspector) // ok ttlwrite/server-timestamp
	return s.set.Tickets.Apply(ctx, id, m)
}

// Stamp stamps a ticket at the gate.
func (s *Tickets) Stamp(ctx context.Context, id, gate string) error {
	m := bigtable.NewMutation()
	write.Stamped(m, schema.Pass, "gate", []byte(gate))   // want ttlwrite/write-time
	write.Stamped(m, schema.Holder, "gate", []byte(gate)) // ok ttlwrite/write-time
	return s.set.Tickets.Apply(ctx, id, m)
}

// Extend gives the passenger another d.
func (s *Tickets) Extend(ctx context.Context, id string, d time.Duration) error {
	m := bigtable.NewMutation()
	write.PutFor(m, schema.Pass, "extended", d, []byte("1"))                            // ok ttlwrite/write-time
	write.Replace(m, schema.Pass, "zone", bigtable.Time(s.now().Add(d)), []byte("all")) // ok ttlwrite/delete-after-set
	return s.set.Tickets.Apply(ctx, id, m)
}

// Revoke ends a ticket.
func (s *Tickets) Revoke(ctx context.Context, id string) error {
	m := bigtable.NewMutation()
	m.Set(schema.Pass, "revoked", bigtable.Time(time.Now().Add(-time.Minute)), []byte("1")) // want ttlwrite/already-expired
	m.DeleteCellsInColumn(schema.Pass, "ticket")                                            // ok ttlwrite/delete-after-set
	return s.set.Tickets.Apply(ctx, id, m)
}

// Reset replaces the ticket's zone.
func (s *Tickets) Reset(ctx context.Context, id, zone string) error {
	m := bigtable.NewMutation()
	m.Set(schema.Pass, "zone", clock.In(schema.PassTTL), []byte(zone))
	m.DeleteCellsInFamily(schema.Pass) // want ttlwrite/delete-after-set
	return s.set.Tickets.Apply(ctx, id, m)
}

// CountRide counts rides on a ticket.
func (s *Tickets) CountRide(ctx context.Context, id string) error {
	if err := write.Bump(ctx, s.set.Tickets, id, schema.Holder, "rides", 1); err != nil { // ok ttlwrite/read-modify-write
		return err
	}
	return write.Bump(ctx, s.set.Tickets, id, schema.Pass, "rides", 1) // want ttlwrite/read-modify-write
}

// AppendLog adds to the ticket's log.
func (s *Tickets) AppendLog(ctx context.Context, id, line string) error {
	rmw := bigtable.NewReadModifyWrite()
	rmw.AppendValue(schema.Pass, "log", []byte(line+"\n"))   // want ttlwrite/read-modify-write
	rmw.AppendValue(schema.Holder, "log", []byte(line+"\n")) // ok ttlwrite/read-modify-write
	_, err := s.set.Tickets.ApplyReadModifyWrite(ctx, id, rmw)
	return err
}

// Get reads a live ticket.
func (s *Tickets) Get(ctx context.Context, id string) (*Ticket, error) {
	row, err := read.Row(ctx, s.set.Tickets, id, read.Opt(read.LiveIn(schema.Pass), read.Latest(1))) // ok ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	return decodeTicket(row)
}

// Peek reads a ticket for the help desk.
func (s *Tickets) Peek(ctx context.Context, id string) (*Ticket, error) {
	row, err := read.Row(ctx, s.set.Tickets, id) // want ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	return decodeTicket(row)
}

func decodeTicket(row bigtable.Row) (*Ticket, error) {
	var t Ticket
	for _, it := range row[schema.Pass] {
		if it.Column != schema.Pass+":ticket" {
			continue
		}
		if err := json.Unmarshal(it.Value, &t); err != nil {
			return nil, err
		}
	}
	return &t, nil
}

// HolderName reads only the ordinary family.
func (s *Tickets) HolderName(ctx context.Context, id string) (string, error) {
	row, err := read.Row(ctx, s.set.Tickets, id) // ok ttlread/missing-filter
	if err != nil {
		return "", err
	}
	return string(read.First(row, schema.Holder)), nil
}

// LatestZone reads the newest zone.
func (s *Tickets) LatestZone(ctx context.Context, id string) (string, error) {
	row, err := read.Row(ctx, s.set.Tickets, id, read.Opt(read.Column(schema.Pass, "zone"), read.Latest(1))) // want ttlread/missing-filter
	if err != nil {
		return "", err
	}
	return string(read.First(row, schema.Pass)), nil
}

// Full reads both families, each by its rule.
func (s *Tickets) Full(ctx context.Context, id string) (bigtable.Row, error) {
	f := bigtable.InterleaveFilters(read.LiveIn(schema.Pass), bigtable.FamilyFilter(schema.Holder)) // ok ttlread/unfiltered-branch
	return s.set.Tickets.ReadRow(ctx, id, bigtable.RowFilter(f))                                    // ok ttlread/unfiltered-branch
}

// FullOld is what Full was before the review.
func (s *Tickets) FullOld(ctx context.Context, id string) (bigtable.Row, error) {
	f := bigtable.InterleaveFilters(bigtable.FamilyFilter(schema.Pass), bigtable.FamilyFilter(schema.Holder)) // want ttlread/unfiltered-branch[t1]
	return s.set.Tickets.ReadRow(ctx, id, bigtable.RowFilter(f))                                              // want ttlread/unfiltered-branch[t1]
}

// Card reads zone and name for the app's card.
func (s *Tickets) Card(ctx context.Context, id string) (zone, name string, err error) {
	row, err := s.set.Tickets.ReadRow(ctx, id, read.LiveOpt()) // want ttlread/hides-other-families
	if err != nil {
		return "", "", err
	}
	return string(read.First(row, schema.Pass)), string(read.First(row, schema.Holder)), nil
}

// Zone reads the zone only; the time range hides nothing that is wanted.
func (s *Tickets) Zone(ctx context.Context, id string) (string, error) {
	row, err := s.set.Tickets.ReadRow(ctx, id, read.LiveOpt()) // ok ttlread/hides-other-families
	if err != nil {
		return "", err
	}
	return string(read.First(row, schema.Pass)), nil
}

// History shows what was valid; it shows only what is not.
func (s *Tickets) History(ctx context.Context, id string) ([]string, error) {
	row, err := s.set.Tickets.ReadRow(ctx, id, read.Opt(bigtable.FamilyFilter(schema.Pass), read.Until())) // want ttlread/expired-only
	if err != nil {
		return nil, err
	}
	var out []string
	for _, it := range row[schema.Pass] {
		out = append(out, string(it.Value))
	}
	return out, nil
}

// Today reads the tickets that end today.
func (s *Tickets) Today(ctx context.Context, id string) (string, error) {
	now := time.Now()
	f := bigtable.TimestampRangeFilter(now, now.Add(time.Hour))                                 // want ttlread/upper-bound[t2]
	row, err := s.set.Tickets.ReadRow(ctx, id, read.Opt(bigtable.FamilyFilter(schema.Pass), f)) // want ttlread/upper-bound[t2]
	if err != nil {
		return "", err
	}
	return string(read.First(row, schema.Pass)), nil
}

// Recent reads what was bought in the last ninety minutes, as somebody thought.
func (s *Tickets) Recent(ctx context.Context, id string) (string, error) {
	row, err := s.set.Tickets.ReadRow(ctx, id, read.Opt(bigtable.FamilyFilter(schema.Pass), read.Within(schema.PassTTL))) // want ttlread/wrong-bound
	if err != nil {
		return "", err
	}
	return string(read.First(row, schema.Pass)), nil
}

// Slack allows a second, like the family's policy.
func (s *Tickets) Slack(ctx context.Context, id string) (string, error) {
	row, err := s.set.Tickets.ReadRow(ctx, id, read.Opt(bigtable.FamilyFilter(schema.Pass), read.Within(time.Second))) // ok ttlread/wrong-bound
	if err != nil {
		return "", err
	}
	return string(read.First(row, schema.Pass)), nil
}

// Two sets a live filter and then throws it away.
func (s *Tickets) Two(ctx context.Context, id string) (string, error) {
	row, err := s.set.Tickets.ReadRow(ctx, id, bigtable.RowFilter(read.LiveIn(schema.Pass)), bigtable.RowFilter(read.Latest(1))) // want ttlread/overridden-filter // maybe ttlread/missing-filter
	if err != nil {
		return "", err
	}
	return string(read.First(row, schema.Pass)), nil
}

// Claim binds a ticket to a device once.
func (s *Tickets) Claim(ctx context.Context, id, device string) (bool, error) {
	m := bigtable.NewMutation()
	m.Set(schema.Pass, "device", clock.In(schema.PassTTL), []byte(device)) // ok ttlwrite/write-time
	var had bool
	pred := read.Column(schema.Pass, "device")                                      // want ttlread/conditional-mutation[t3]
	cond := bigtable.NewCondMutation(pred, nil, m)                                  // want ttlread/conditional-mutation[t3]
	err := s.set.Tickets.Apply(ctx, id, cond, bigtable.GetCondMutationResult(&had)) // want ttlread/conditional-mutation[t3]
	return !had, err
}

// ClaimLive is Claim for live bindings.
func (s *Tickets) ClaimLive(ctx context.Context, id, device string) (bool, error) {
	m := bigtable.NewMutation()
	m.Set(schema.Pass, "device", clock.In(schema.PassTTL), []byte(device)) // ok ttlwrite/write-time
	var had bool
	pred := bigtable.ChainFilters(read.Column(schema.Pass, "device"), read.Live())
	cond := bigtable.NewCondMutation(pred, nil, m) // ok ttlread/conditional-mutation
	err := s.set.Tickets.Apply(ctx, id, cond, bigtable.GetCondMutationResult(&had))
	return !had, err
}

// Clear deletes a row that has a pass.
func (s *Tickets) Clear(ctx context.Context, id string) error {
	del := bigtable.NewMutation()
	del.DeleteRow()                                                                                             // ok ttlwrite/delete-after-set
	return s.set.Tickets.Apply(ctx, id, bigtable.NewCondMutation(bigtable.FamilyFilter(schema.Pass), del, nil)) // ok ttlread/conditional-mutation
}

// Bought tells when a ticket was bought.
func (s *Tickets) Bought(ctx context.Context, id string) (*Ticket, error) {
	row, err := read.Row(ctx, s.set.Tickets, id, read.Opt(read.LiveIn(schema.Pass))) // ok ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	for _, it := range row[schema.Pass] {
		return &Ticket{ID: id, Created: it.Timestamp.Time()}, nil // want ttlage/not-write-time
	}
	return nil, read.ErrNotFound
}

// Ends tells when a ticket ends.
func (s *Tickets) Ends(ctx context.Context, id string) (*Ticket, error) {
	row, err := read.Row(ctx, s.set.Tickets, id, read.Opt(read.LiveIn(schema.Pass))) // ok ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	for _, it := range row[schema.Pass] {
		return &Ticket{ID: id, Until: it.Timestamp.Time()}, nil // ok ttlage/not-write-time
	}
	return nil, read.ErrNotFound
}

// Registered tells since when we know the holder.
func (s *Tickets) Registered(ctx context.Context, id string) (time.Duration, error) {
	row, err := s.set.Tickets.ReadRow(ctx, id, bigtable.RowFilter(bigtable.FamilyFilter(schema.Holder))) // ok ttlread/missing-filter
	if err != nil {
		return 0, err
	}
	for _, it := range row[schema.Holder] {
		return time.Since(it.Timestamp.Time()), nil // ok ttlage/not-write-time
	}
	return 0, read.ErrNotFound
}

// Checked looks at the timestamps by hand.
func (s *Tickets) Checked(ctx context.Context, id string) (string, error) {
	row, err := s.set.Tickets.ReadRow(ctx, id, bigtable.RowFilter(bigtable.FamilyFilter(schema.Pass))) // ok ttlread/missing-filter
	if err != nil {
		return "", err
	}
	now := time.Now()
	for _, it := range row[schema.Pass] {
		if it.Timestamp.Time().Before(now) {
			continue
		}
		return string(it.Value), nil
	}
	return "", read.ErrNotFound
}

// Exists tells whether there is a ticket.
func (s *Tickets) Exists(ctx context.Context, id string) (bool, error) {
	row, err := s.set.Tickets.ReadRow(ctx, id, read.Opt(bigtable.FamilyFilter(schema.Pass), bigtable.CellsPerRowLimitFilter(1), bigtable.StripValueFilter())) // want ttlread/missing-filter
	return len(row) > 0, err
}

// Keys lists ticket ids.
func (s *Tickets) Keys(ctx context.Context, prefix string) ([]string, error) {
	var out []string
	err := s.set.Tickets.ReadRows(ctx, bigtable.PrefixRange(prefix), func(r bigtable.Row) bool { // ok ttlread/missing-filter
		out = append(out, r.Key())
		return true
	}, bigtable.RowFilter(bigtable.StripValueFilter()))
	return out, err
}

// FirstPass limits before it filters.
func (s *Tickets) FirstPass(ctx context.Context, id string) (string, error) {
	f := bigtable.ChainFilters(bigtable.FamilyFilter(schema.Pass), bigtable.CellsPerRowLimitFilter(1), read.Live()) // want ttlread/limit-before-filter[t4]
	row, err := s.set.Tickets.ReadRow(ctx, id, bigtable.RowFilter(f))                                               // want ttlread/limit-before-filter[t4]
	if err != nil {
		return "", err
	}
	return string(read.First(row, schema.Pass)), nil
}

// FirstLive filters before it limits.
func (s *Tickets) FirstLive(ctx context.Context, id string) (string, error) {
	f := bigtable.ChainFilters(read.LiveIn(schema.Pass), bigtable.CellsPerRowLimitFilter(1))
	row, err := s.set.Tickets.ReadRow(ctx, id, bigtable.RowFilter(f)) // ok ttlread/limit-before-filter
	if err != nil {
		return "", err
	}
	return string(read.First(row, schema.Pass)), nil
}
