// Package crm keeps contacts and leads.
//
// Contacts table, a row per contact:
//
//	card  the fields, at timestamp zero, so that an overwrite is an overwrite
//	rev   what changed, numbered by the contact's revision
//	note  notes of the sales people
//	opt   opt-ins of the contact, 90 days unless the contact says otherwise
//
// Leads table: rev is real time there (yes, the same name, sorry -- ana), score ends after six hours.
package crm

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	bt "cloud.google.com/go/bigtable"
)

const (
	famCard  = "card"
	famRev   = "rev"
	famNote  = "note"
	famOpt   = "opt"
	famScore = "score"
)

const (
	optTTL   = 90 * 24 * time.Hour
	scoreTTL = 6 * time.Hour
)

// Contact as the UI sees it.
type Contact struct {
	ID       string
	Rev      int64
	Fields   map[string]string
	OptIns   []OptIn
	Notes    []Note
	Modified time.Time
	touched  bool
	revNo    int
}

// OptIn is one permission.
type OptIn struct {
	Channel string
	Value   string
	Until   time.Time
	Created time.Time
}

// Note is one note.
type Note struct {
	By, Text string
	Created  time.Time
}

// Store is the CRM's storage.
type Store struct {
	contacts *bt.Table
	leads    *bt.Table
	now      func() time.Time
	opts     Options
}

// Options of the store.
type Options struct {
	Strict     bool
	KeepNotes  bool
	LegacyRevs bool
	OptDays    int
}

// NewStore opens the tables.
func NewStore(c *bt.Client, o Options) *Store {
	if o.OptDays == 0 {
		o.OptDays = 90
	}
	return &Store{contacts: c.Open("contacts"), leads: c.Open("leads"), now: time.Now, opts: o}
}

// ErrNoContact says it all.
var ErrNoContact = errors.New("crm: no such contact")

// SaveContact writes a contact. kind: "ui", "api", "import", "merge", "sync".
func (s *Store) SaveContact(ctx context.Context, c *Contact, kind, by string, withOpts, withNotes bool) error {
	if c.ID == "" {
		return errors.New("crm: contact without id")
	}
	m := bt.NewMutation()
	c.Rev++
	rev := bt.Timestamp(c.Rev * 1000)
	now := bt.Time(s.now())
	for k, v := range c.Fields {
		if v == "" {
			m.DeleteCellsInColumn(famCard, k)
			continue
		}
		m.Set(famCard, k, 0, []byte(v)) // ok ttlwrite/clock-in-zero
	}
	switch kind {
	case "ui":
		m.Set(famRev, "ui", rev, []byte(by))     // ok ttlwrite/unscaled-sequence
		m.Set(famNote, "saved", now, []byte(by)) // ok ttlwrite/clock-in-sequence
	case "api":
		m.Set(famRev, "api", bt.Timestamp(c.Rev), []byte(by)) // want ttlwrite/unscaled-sequence
		m.Set(famCard, "api", bt.Now(), []byte(by))           // want ttlwrite/clock-in-zero
	case "import":
		m.Set(famRev, "import", bt.ServerTime, []byte(by))    // want ttlwrite/clock-in-sequence
		m.Set(famCard, "imported", bt.ServerTime, []byte(by)) // want ttlwrite/clock-in-zero
	case "merge":
		m.Set(famRev, "merge", now, []byte(by))  // want ttlwrite/clock-in-sequence
		m.Set(famRev, "merged", rev, []byte(by)) // ok ttlwrite/clock-in-sequence
	case "sync":
		c.revNo++
		if s.opts.LegacyRevs {
			m.Set(famRev, "sync", bt.Timestamp(c.revNo), []byte(by)) // want ttlwrite/unscaled-sequence
		} else {
			m.Set(famRev, "sync", bt.Timestamp(c.revNo)*1000, []byte(by)) // ok ttlwrite/unscaled-sequence
		}
	default:
		if s.opts.Strict {
			return fmt.Errorf("crm: save of kind %q", kind)
		}
		m.Set(famRev, "other", rev, []byte(by+" "+kind))
	}
	if withOpts {
		for _, o := range c.OptIns {
			switch {
			case o.Until.IsZero():
				m.Set(famOpt, o.Channel, now, []byte(o.Value)) // ok ttlwrite/write-time
			case o.Until.Before(s.now()):
				m.DeleteCellsInColumn(famOpt, o.Channel)
			default:
				m.Set(famOpt, o.Channel, bt.Time(o.Until.Add(-optTTL)), []byte(o.Value)) // ok ttlwrite/already-expired
			}
		}
		m.Set(famOpt, "_n", bt.ServerTime, []byte(strconv.Itoa(len(c.OptIns)))) // ok ttlwrite/server-timestamp
	}
	if withNotes && s.opts.KeepNotes {
		for i, n := range c.Notes {
			m.Set(famNote, "n"+strconv.Itoa(i), bt.Time(n.Created), []byte(n.By+": "+n.Text)) // ok ttlwrite/write-time
		}
	}
	return s.contacts.Apply(ctx, c.ID, m)
}

// SaveCard is for the form that has no revisions.
func (s *Store) SaveCard(ctx context.Context, id string, fields map[string]string, by string) error {
	m := bt.NewMutation()
	m.Set(famCard, "by", 0, []byte(by))
	for k, v := range fields {
		m.Set(famCard, k, 0, []byte(v))
	}
	if fields["email"] == "" {
		m.DeleteCellsInColumn(famCard, "email")
	}
	m.Set(famCard, "saved", bt.Timestamp(1000), []byte(by)) // want ttlwrite/clock-in-zero
	m.Set(famCard, "by", 0, []byte(strings.ToLower(by)))    // want ttlwrite/same-timestamp
	return s.contacts.Apply(ctx, id, m)
}

// ReplaceCard drops all fields first.
func (s *Store) ReplaceCard(ctx context.Context, id string, fields map[string]string) error {
	m := bt.NewMutation()
	m.DeleteCellsInFamily(famCard) // ok ttlwrite/delete-after-set
	m.Set(famCard, "schema", 0, []byte("2"))
	for k, v := range fields {
		m.Set(famCard, "f_"+k, 0, []byte(v))
	}
	return s.contacts.Apply(ctx, id, m)
}

// ReplaceCardV1 had it the wrong way round for two years.
func (s *Store) ReplaceCardV1(ctx context.Context, id string, fields map[string]string) error {
	m := bt.NewMutation()
	m.Set(famCard, "schema", 0, []byte("1"))
	for k, v := range fields {
		m.Set(famCard, k, 0, []byte(v))
	}
	m.DeleteCellsInFamily(famCard) // want ttlwrite/delete-after-set
	m.Set(famNote, "replaced", bt.Now(), nil)
	return s.contacts.Apply(ctx, id, m)
}

// SetOptIn writes one opt-in for some days.
func (s *Store) SetOptIn(ctx context.Context, id, channel string, days int) error {
	m := bt.NewMutation()
	m.DeleteCellsInColumn(famOpt, channel)
	now := s.now()
	if days == 0 {
		m.Set(famOpt, channel, bt.Time(now), []byte("yes")) // ok ttlwrite/write-time
	} else {
		life := time.Duration(days) * 24 * time.Hour
		m.Set(famOpt, channel, bt.Time(now.Add(life).Add(-optTTL)), []byte("yes")) // ok ttlwrite/already-expired
	}
	m.Set(famCard, "opt_"+channel, 0, []byte("yes"))
	return s.contacts.Apply(ctx, id, m)
}

// OptOut ends it. The old cell has to be outlived, said the consultant.
func (s *Store) OptOut(ctx context.Context, id, channel string) error {
	m := bt.NewMutation()
	m.Set(famOpt, channel, bt.Time(s.now().Add(-optTTL)), []byte("no")) // want ttlwrite/already-expired
	m.Set(famOpt, channel+"_t", bt.Timestamp(0), []byte("no"))          // want ttlwrite/already-expired
	m.Set(famNote, "optout", bt.Timestamp(0), []byte(channel))          // ok ttlwrite/already-expired
	return s.contacts.Apply(ctx, id, m)
}

// LoadContact reads a contact. flags as in the old PHP: 1 opts, 2 notes, 4 history.
func (s *Store) LoadContact(ctx context.Context, id string, flags int) (*Contact, error) {
	now := s.now()
	fs := []bt.Filter{
		bt.ChainFilters(bt.FamilyFilter(famCard), bt.LatestNFilter(1)),
		bt.ChainFilters(bt.FamilyFilter(famRev), bt.LatestNFilter(1)),
	}
	if flags&1 != 0 {
		fs = append(fs, bt.ChainFilters(bt.FamilyFilter(famOpt), bt.TimestampRangeFilter(now.Add(-optTTL), time.Time{})))
	}
	if flags&2 != 0 {
		fs = append(fs, bt.FamilyFilter(famNote))
	}
	if flags&4 != 0 {
		fs = append(fs, bt.ChainFilters(bt.FamilyFilter(famRev), bt.LatestNFilter(5)))
	}
	row, err := s.contacts.ReadRow(ctx, id, bt.RowFilter(bt.InterleaveFilters(fs...))) // ok ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	if len(row) == 0 {
		return nil, ErrNoContact
	}
	return s.decode(id, row), nil // want ttlage/not-write-time[modified]
}

func (s *Store) decode(id string, row bt.Row) *Contact {
	c := &Contact{ID: id, Fields: map[string]string{}}
	for _, it := range row[famCard] {
		c.Fields[strings.TrimPrefix(it.Column, famCard+":")] = string(it.Value)
	}
	for _, it := range row[famRev] {
		if n := int64(it.Timestamp) / 1000; n > c.Rev { // ok ttlage/not-write-time
			c.Rev = n
			c.Modified = it.Timestamp.Time() // want ttlage/not-write-time[modified]
		}
	}
	for _, it := range row[famOpt] {
		c.OptIns = append(c.OptIns, OptIn{
			Channel: strings.TrimPrefix(it.Column, famOpt+":"),
			Value:   string(it.Value),
			Until:   it.Timestamp.Time().Add(optTTL), // ok ttlage/not-write-time
			Created: it.Timestamp.Time(),             // want ttlage/not-write-time
		})
	}
	for _, it := range row[famNote] {
		c.Notes = append(c.Notes, Note{
			Text:    string(it.Value),
			Created: it.Timestamp.Time(), // ok ttlage/not-write-time
		})
	}
	return c
}

// LoadContactV1 reads it all and sorts it out.
func (s *Store) LoadContactV1(ctx context.Context, id string) (*Contact, error) {
	row, err := s.contacts.ReadRow(ctx, id) // want ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	if len(row) == 0 {
		return nil, ErrNoContact
	}
	return s.decode(id, row), nil // want ttlage/not-write-time[modified]
}

// Card reads the fields only.
func (s *Store) Card(ctx context.Context, id string) (map[string]string, error) {
	row, err := s.contacts.ReadRow(ctx, id) // ok ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	out := map[string]string{}
	for _, it := range row[famCard] {
		out[strings.TrimPrefix(it.Column, famCard+":")] = string(it.Value)
	}
	return out, nil
}

// Revisions reads the history.
func (s *Store) Revisions(ctx context.Context, id string) ([]string, error) {
	row, err := s.contacts.ReadRow(ctx, id, bt.RowFilter(bt.FamilyFilter(famRev))) // want ttlread/version-limit
	if err != nil {
		return nil, err
	}
	var out []string
	for _, it := range row[famRev] {
		out = append(out, fmt.Sprintf("r%d %s by %s", int64(it.Timestamp)/1000, it.Column, it.Value)) // ok ttlage/not-write-time
	}
	return out, nil
}

// RevisionsOf finds what somebody changed.
func (s *Store) RevisionsOf(ctx context.Context, id, by string, newest bool) ([]string, error) {
	f := bt.ChainFilters(bt.FamilyFilter(famRev), bt.LatestNFilter(5), bt.ValueFilter(by))
	if newest {
		f = bt.ChainFilters(bt.FamilyFilter(famRev), bt.LatestNFilter(1), bt.ValueFilter(by))
	}
	row, err := s.contacts.ReadRow(ctx, id, bt.RowFilter(f)) // ok ttlread/version-limit
	if err != nil {
		return nil, err
	}
	var out []string
	for _, it := range row[famRev] {
		out = append(out, it.Column)
	}
	return out, nil
}

// RevisionsOfV1 has it the other way round.
func (s *Store) RevisionsOfV1(ctx context.Context, id, by string) ([]string, error) {
	row, err := s.contacts.ReadRow(ctx, id, bt.RowFilter(bt.ChainFilters(bt.FamilyFilter(famRev), bt.ValueFilter(by), bt.LatestNFilter(1)))) // want ttlread/version-limit
	if err != nil {
		return nil, err
	}
	var out []string
	for _, it := range row[famRev] {
		out = append(out, it.Column)
	}
	return out, nil
}

// OptIns reads what a contact allows.
func (s *Store) OptIns(ctx context.Context, id string) (map[string]bool, error) {
	since := s.now().AddDate(0, 0, -s.opts.OptDays)
	row, err := s.contacts.ReadRow(ctx, id, bt.RowFilter(bt.ChainFilters(bt.FamilyFilter(famOpt), bt.TimestampRangeFilter(s.now().Add(-optTTL), time.Time{})))) // ok ttlread/wrong-bound
	if err != nil {
		return nil, err
	}
	out := map[string]bool{}
	for _, it := range row[famOpt] {
		out[strings.TrimPrefix(it.Column, famOpt+":")] = it.Timestamp.Time().After(since)
	}
	return out, nil
}

// OptInsLive uses the other tables' filter.
func (s *Store) OptInsLive(ctx context.Context, id string) (map[string]bool, error) {
	row, err := s.contacts.ReadRow(ctx, id, bt.RowFilter(bt.ChainFilters(bt.FamilyFilter(famOpt), bt.TimestampRangeFilter(s.now(), time.Time{})))) // want ttlread/wrong-bound
	if err != nil {
		return nil, err
	}
	out := map[string]bool{}
	for _, it := range row[famOpt] {
		out[strings.TrimPrefix(it.Column, famOpt+":")] = true
	}
	return out, nil
}

// Notes reads notes.
func (s *Store) Notes(ctx context.Context, id string, since time.Duration) ([]Note, error) {
	row, err := s.contacts.ReadRow(ctx, id, bt.RowFilter(bt.ChainFilters(bt.FamilyFilter(famNote), bt.TimestampRangeFilter(s.now().Add(-since), time.Time{})))) // ok ttlread/wrong-bound
	if err != nil {
		return nil, err
	}
	var out []Note
	for _, it := range row[famNote] {
		by, text, _ := strings.Cut(string(it.Value), ": ")
		out = append(out, Note{By: by, Text: text, Created: it.Timestamp.Time()}) // ok ttlage/not-write-time
	}
	return out, nil
}

// Export writes contacts as JSON lines.
func (s *Store) Export(ctx context.Context, prefix string, enc *json.Encoder, all bool) (n int, err error) {
	var opts []bt.ReadOption
	if all {
		opts = append(opts, bt.RowFilter(bt.LatestNFilter(1))) // want ttlread/missing-filter[exp]
	} else {
		opts = append(opts, bt.RowFilter(bt.ChainFilters(bt.FamilyFilter("card|note"), bt.LatestNFilter(1))))
	}
	var inner error
	err = s.contacts.ReadRows(ctx, bt.PrefixRange(prefix), func(r bt.Row) bool { // want ttlread/missing-filter[exp]
		inner = enc.Encode(s.decode(r.Key(), r)) // want ttlage/not-write-time[modified]
		n++
		return inner == nil
	}, opts...) // want ttlread/missing-filter[exp]
	if err == nil {
		err = inner
	}
	return n, err
}

// DropContact removes a contact.
func (s *Store) DropContact(ctx context.Context, id string) error {
	m := bt.NewMutation()
	m.DeleteRow()
	return s.contacts.Apply(ctx, id, m)
}

// DropPrefix removes all contacts of a customer.
func (s *Store) DropPrefix(ctx context.Context, prefix string) error {
	var err error
	e := s.contacts.ReadRows(ctx, bt.PrefixRange(prefix), func(r bt.Row) bool { // ok ttlread/missing-filter
		err = s.DropContact(ctx, r.Key())
		return err == nil
	})
	return errors.Join(e, err)
}
