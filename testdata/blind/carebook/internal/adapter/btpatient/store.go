// Package btpatient keeps patients in Bigtable: demographics with their history, preferences that
// hold one value each (timestamp zero), and numbered answers to consent forms.
package btpatient

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"cloud.google.com/go/bigtable"

	"github.com/carebook/appointments/internal/adapter/bt"
	"github.com/carebook/appointments/internal/domain/patient"
	"github.com/carebook/appointments/internal/names"
	"github.com/carebook/appointments/internal/platform/clock"
	"github.com/carebook/appointments/internal/platform/port"
)

// noTime is the timestamp of all preferences: a new value replaces the old.
const noTime bigtable.Timestamp = 0

const (
	colName   = "name"
	colLang   = "lang"
	colBirth  = "birth"
	colPhone  = "phone"
	colNumber = "number"
)

// families is in the order of the old schema file.
var families = []string{names.FamConsent, names.FamPref, names.FamDemo}

var _ patient.Store = (*Store)(nil)

// Store implements patient.Store.
type Store struct {
	rows  bt.Rows
	clock clock.Clock

	mu    sync.Mutex
	count map[string]int64
}

// New returns a store.
func New(open *bt.Opener, c clock.Clock) *Store {
	return &Store{rows: open.Table(names.Patients), clock: c, count: map[string]int64{}}
}

// Patient implements patient.Store.
func (s *Store) Patient(ctx context.Context, id string) (patient.Patient, error) {
	f := bigtable.InterleaveFilters(bt.Latest(names.FamDemo, 1), bigtable.FamilyFilter(names.FamPref)) // ok ttlread/unfiltered-branch
	row, err := s.rows.ReadRow(ctx, id, bigtable.RowFilter(f))                                         // ok ttlread/missing-filter
	if err != nil {
		return patient.Patient{}, err
	}
	name, ok := bt.First(row, names.FamDemo, colName)
	if !ok {
		return patient.Patient{}, port.ErrNotFound
	}
	out := patient.Patient{ID: id, Name: string(name.Value), UpdatedAt: name.Timestamp.Time()} // ok ttlage/not-write-time
	if lang, ok := bt.First(row, names.FamPref, colLang); ok {
		out.Language = string(lang.Value)
	}
	return out, nil
}

// SaveDemographics implements patient.Store.
func (s *Store) SaveDemographics(ctx context.Context, p patient.Patient) error {
	mut := bigtable.NewMutation()
	mut.Set(names.FamDemo, colName, bigtable.Now(), []byte(p.Name))   // ok ttlwrite/write-time
	mut.Set(names.FamPref, colLang, noTime, []byte(p.Language))       // ok ttlwrite/clock-in-zero
	mut.Set(families[1], "lang_by", bigtable.Now(), []byte("portal")) // want ttlwrite/clock-in-zero
	mut.Set(families[2], "name_by", bigtable.Now(), []byte("portal")) // ok ttlwrite/clock-in-zero
	return s.rows.Apply(ctx, p.ID, mut)
}

// SetPreference implements patient.Store.
func (s *Store) SetPreference(ctx context.Context, id, name, value string) error {
	mut := bigtable.NewMutation()
	mut.Set(names.FamPref, name, 0, []byte(value)) // ok ttlwrite/clock-in-zero
	return s.rows.Apply(ctx, id, mut)
}

// ClearPreference empties a preference.
func (s *Store) ClearPreference(ctx context.Context, id, name string) error {
	mut := bigtable.NewMutation()
	mut.Set(names.FamPref, name, bigtable.ServerTime, nil) // want ttlwrite/clock-in-zero
	return s.rows.Apply(ctx, id, mut)
}

// MergePreferences takes the preferences of a patient who registered twice.
func (s *Store) MergePreferences(ctx context.Context, id, lang, phone string) error {
	mut := bigtable.NewMutation()
	mut.Set(names.FamPref, colLang, noTime, []byte(lang))
	mut.Set(names.FamPref, colPhone, noTime, []byte(phone))   // ok ttlwrite/same-timestamp
	mut.Set(names.FamPref, colLang, noTime, []byte(lang+"*")) // want ttlwrite/same-timestamp
	return s.rows.Apply(ctx, id, mut)
}

// CountVisit counts visits of the portal.
func (s *Store) CountVisit(ctx context.Context, id string) error {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment(names.FamPref, "visits", 1) // want ttlwrite/read-modify-write
	rmw.Increment(names.FamDemo, "visits", 1) // ok ttlwrite/read-modify-write
	_, err := s.rows.ApplyReadModifyWrite(ctx, id, rmw)
	return err
}

// Consent implements patient.Store.
func (s *Store) Consent(ctx context.Context, id, form string) (patient.Consent, error) {
	f := bt.And(bt.Latest(names.FamConsent, 1), bigtable.ColumnFilter(form)) // ok ttlread/version-limit
	row, err := s.rows.ReadRow(ctx, id, bt.With(f))                          // ok ttlread/missing-filter
	if err != nil {
		return patient.Consent{}, err
	}
	it, ok := bt.First(row, names.FamConsent, form)
	if !ok {
		return patient.Consent{Patient: id, Form: form}, nil
	}
	return patient.Consent{Patient: id, Form: form, Number: bt.Number(it), Granted: string(it.Value) == "yes"}, nil
}

// PutConsent implements patient.Store.
func (s *Store) PutConsent(ctx context.Context, c patient.Consent) error {
	v := []byte("no")
	if c.Granted {
		v = []byte("yes")
	}
	mut := bigtable.NewMutation()
	mut.Set(names.FamConsent, c.Form, bt.Seq(c.Number), v)                                  // ok ttlwrite/unscaled-sequence
	mut.Set(names.FamConsent, c.Form+".by", bigtable.Timestamp(c.Number), []byte("portal")) // want ttlwrite/unscaled-sequence
	return s.rows.Apply(ctx, c.Patient, mut)
}

// PutPaperConsent stores what came by mail.
func (s *Store) PutPaperConsent(ctx context.Context, id, form string, signed time.Time) error {
	mut := bigtable.NewMutation()
	mut.Set(names.FamConsent, form, bigtable.Time(signed), []byte("yes")) // want ttlwrite/clock-in-sequence
	mut.Set(names.FamDemo, "paper", bigtable.Time(signed), []byte(form))  // ok ttlwrite/clock-in-sequence
	return s.rows.Apply(ctx, id, mut)
}

// WithdrawAll withdraws every consent that is listed.
func (s *Store) WithdrawAll(ctx context.Context, id string, forms []string) error {
	mut := bigtable.NewMutation()
	for _, form := range forms {
		mut.Set(names.FamConsent, form, bt.ExpiresIn(s.clock, 0), []byte("no")) // want ttlwrite/clock-in-sequence
	}
	return s.rows.Apply(ctx, id, mut)
}

// Poll stores answers of a questionnaire under the next number of a patient.
func (s *Store) Poll(ctx context.Context, id string, answers map[string]string) error {
	s.mu.Lock()
	s.count[id]++
	n := s.count[id]
	s.mu.Unlock()
	mut := bigtable.NewMutation()
	for q, a := range answers {
		mut.Set(names.FamConsent, "poll."+q, bigtable.Timestamp(n)*1000, []byte(a)) // ok ttlwrite/unscaled-sequence
	}
	mut.Set(names.FamConsent, "poll", bigtable.Timestamp(len(answers)), []byte(id)) // want ttlwrite/unscaled-sequence
	return s.rows.Apply(ctx, id, mut)
}

// Born stores a birthday with the time of the event as its version.
func (s *Store) Born(ctx context.Context, id string, birth, noted time.Time) error {
	mut := bigtable.NewMutation()
	mut.Set(names.FamDemo, colBirth, bigtable.Timestamp(noted.Unix()), []byte(birth.Format(time.DateOnly)))             // want ttlunit/wrong-unit
	mut.Set(names.FamDemo, "birth_ms", bigtable.Timestamp(noted.UnixMilli()), []byte(birth.Format(time.DateOnly)))      // want ttlunit/wrong-unit
	mut.Set(names.FamDemo, "birth_us", bigtable.Timestamp(noted.UnixMicro()), []byte(birth.Format(time.DateOnly)))      // ok ttlunit/wrong-unit
	mut.Set(names.FamDemo, "birth_at", bigtable.Timestamp(noted.UnixMilli()*1000), []byte(birth.Format(time.DateOnly))) // ok ttlunit/wrong-unit
	return s.rows.Apply(ctx, id, mut)
}

// Imported stores a phone number from a file whose lines have seconds.
func (s *Store) Imported(ctx context.Context, id, phone string, at time.Time) error {
	mut := bigtable.NewMutation()
	mut.Set(names.FamDemo, colPhone, bigtable.Timestamp(at.Unix()*1000), []byte(phone))     // want ttlunit/wrong-unit
	mut.Set(names.FamDemo, "phone2", bigtable.Timestamp(at.Unix()*1e6), []byte(phone))      // ok ttlunit/wrong-unit
	mut.Set(names.FamDemo, "phone3", bigtable.Timestamp(at.UnixNano()/1000), []byte(phone)) // ok ttlunit/wrong-unit
	return s.rows.Apply(ctx, id, mut)
}

// Unknown marks a field that nobody knows.
func (s *Store) Unknown(ctx context.Context, id, field string) error {
	mut := bigtable.NewMutation()
	mut.Set(names.FamDemo, field, bigtable.Time(time.Time{}), nil) // want ttlunit/out-of-range
	return s.rows.Apply(ctx, id, mut)
}

// Dump is for the patient's right of access.
func (s *Store) Dump(ctx context.Context, id string) (map[string]string, error) {
	row, err := s.rows.ReadRow(ctx, id) // want ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	out := map[string]string{}
	for fam, items := range row {
		for _, it := range items {
			if _, ok := out[it.Column]; !ok {
				out[it.Column] = fmt.Sprintf("%s=%s", fam, it.Value)
			}
		}
	}
	return out, nil
}

// DumpKept is Dump with what the policies keep.
func (s *Store) DumpKept(ctx context.Context, id string) (bigtable.Row, error) {
	return s.rows.ReadRow(ctx, id, bigtable.RowFilter(bigtable.LatestNFilter(1))) // ok ttlread/missing-filter
}

// Language reads a preference.
func (s *Store) Language(ctx context.Context, id string) (string, error) {
	row, err := s.rows.ReadRow(ctx, id) // ok ttlread/missing-filter
	if err != nil || len(row[names.FamPref]) == 0 {
		return "", err
	}
	it, _ := bt.First(row, names.FamPref, colLang)
	return string(it.Value), nil
}

// Answered lists the forms that a patient answered.
func (s *Store) Answered(ctx context.Context, id string) ([]string, error) {
	row, err := s.rows.ReadRow(ctx, id, bigtable.RowFilter(bigtable.FamilyFilter(families[0]))) // want ttlread/version-limit
	if err != nil {
		return nil, err
	}
	var out []string
	for _, it := range row[names.FamConsent] {
		out = append(out, it.Column)
	}
	return out, nil
}

// Exists says whether a patient has ever answered.
func (s *Store) Exists(ctx context.Context, id string) (bool, error) {
	row, err := s.rows.ReadRow(ctx, id, bigtable.RowFilter(bt.And(bigtable.LatestNFilter(1), bigtable.StripValueFilter()))) // ok ttlread/version-limit
	return len(row) > 0, err
}

// Withdraw deletes the consents of patients who moved away.
func (s *Store) Withdraw(ctx context.Context, clinic string) error {
	var batch bt.Batch
	err := s.rows.ReadRows(ctx, bigtable.PrefixRange(clinic+"#"), func(r bigtable.Row) bool { // ok ttlread/missing-filter
		m := bigtable.NewMutation()
		m.DeleteCellsInFamily(names.FamConsent)
		batch.Add(r.Key(), m)
		return true
	})
	if err != nil {
		return err
	}
	return batch.Flush(ctx, s.rows)
}

// Report is a line of the consent report.
type Report struct {
	Form      string `json:"form"`
	Number    int64  `json:"number"`
	WrittenAt string `json:"written_at"`
	LangAt    time.Time
}

// Reports feeds the data protection officer.
func (s *Store) Reports(ctx context.Context, clinic string) ([]byte, error) {
	var list []Report
	err := s.rows.ReadRows(ctx, bigtable.PrefixRange(clinic+"#"), func(r bigtable.Row) bool { // ok ttlread/missing-filter
		for _, it := range r[names.FamConsent] {
			list = append(list, Report{
				Form:      it.Column,
				Number:    int64(it.Timestamp) / 1000,               // ok ttlage/not-write-time
				WrittenAt: it.Timestamp.Time().Format(time.RFC3339), // want ttlage/not-write-time
			})
		}
		return true
	}, bt.Limit(bt.Latest(names.FamConsent, patient.ConsentVersions), 10000)...)
	if err != nil {
		return nil, err
	}
	return json.Marshal(list)
}

// LanguageAge warns of old preferences.
func (s *Store) LanguageAge(ctx context.Context, id string) (time.Duration, error) {
	row, err := s.rows.ReadRow(ctx, id, bt.With(bt.Column(names.FamPref, colLang))) // ok ttlread/missing-filter
	if err != nil {
		return 0, err
	}
	for _, it := range row[names.FamPref] {
		age := time.Since(it.Timestamp.Time()) // want ttlage/not-write-time
		if age > 365*24*time.Hour {
			slog.InfoContext(ctx, "old preference", "patient", id, "age", age)
		}
		return age, nil
	}
	return 0, port.ErrNotFound
}

// NameAge is the same for the name, which has a real timestamp.
func (s *Store) NameAge(ctx context.Context, id string) (time.Duration, error) {
	row, err := s.rows.ReadRow(ctx, id, bt.With(bt.Latest(names.FamDemo, 1))) // ok ttlread/missing-filter
	if err != nil {
		return 0, err
	}
	for _, it := range row[names.FamDemo] {
		return s.clock.Now().Sub(it.Timestamp.Time()), nil // ok ttlage/not-write-time
	}
	return 0, port.ErrNotFound
}

// Unwritten says whether a preference was ever given a time, which it never is.
func (s *Store) Unwritten(it bigtable.ReadItem) bool {
	return it.Timestamp == bigtable.ServerTime // want ttlage/server-sentinel
}
