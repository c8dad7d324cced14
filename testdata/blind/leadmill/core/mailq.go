package core

import (
	"context"
	"fmt"
	"log"
	"time"

	"cloud.google.com/go/bigtable"
)

// The mail queue: job cells end by themselves if nobody sends them in time, st is the state.

// Mail is one job.
type Mail struct {
	ID, To, Template string
	Vars             map[string]string
	NotAfter         time.Time
	Prio             int
	QueuedAt         time.Time
}

// mail states
const (
	stNew  = "new"
	stSent = "sent"
	stFail = "fail"
)

// Enqueue puts a mail into the queue. Prio 0 is bulk, 1 normal, 2 transactional, 9 test.
func Enqueue(ctx context.Context, ml Mail, dedup, shadow bool) error {
	if MailTbl == nil {
		return ErrNotInit
	}
	m := bigtable.NewMutation()
	var ts bigtable.Timestamp
	switch ml.Prio {
	case 0:
		ts = expTS(JobTTL)
	case 1:
		ts = expTS(JobTTL / 2)
	case 2:
		if ml.NotAfter.IsZero() {
			ml.NotAfter = time.Now().Add(JobTTL)
		}
		ts = bigtable.Time(ml.NotAfter)
	default:
		ts = expTS(time.Minute)
	}
	m.Set(FamJob, "body", ts, j(ml))       // ok ttlwrite/write-time
	m.Set(FamJob, "to", ts, []byte(ml.To)) // ok ttlwrite/same-timestamp
	if dedup {
		m.Set(FamJob, "dedup", bigtable.Now(), []byte(sha(ml.To+ml.Template))) // want ttlwrite/write-time
	}
	m.Set(FamSt, "s", 0, []byte(stNew)) // ok ttlwrite/clock-in-zero
	if shadow {
		m.Set(FamSt, "shadow", bigtable.Now(), []byte("1")) // want ttlwrite/clock-in-zero
		m.Set(FamSt, "s", 0, []byte("shadow"))              // want ttlwrite/same-timestamp
	}
	return MailTbl.Apply(ctx, saltKey(ml.ID), m)
}

// mark sets the state of a mail.
func mark(ctx context.Context, id, st, why string) error {
	m := bigtable.NewMutation()
	switch st {
	case stSent:
		m.DeleteCellsInFamily(FamJob)
		m.Set(FamSt, "s", 0, []byte(st))
		m.Set(FamSt, "at", 0, []byte(time.Now().Format(time.RFC3339))) // ok ttlwrite/clock-in-zero
	case stFail:
		m.Set(FamSt, "s", 0, []byte(st))
		m.Set(FamSt, "why", bigtable.ServerTime, []byte(why)) // want ttlwrite/clock-in-zero
		// another try in ten minutes
		m.Set(FamJob, "retry", expTS(10*time.Minute), []byte("1"))                        // ok ttlwrite/write-time
		m.Set(FamJob, "failed", bigtable.Time(time.Now().Add(-time.Second)), []byte("1")) // want ttlwrite/already-expired
	}
	return MailTbl.Apply(ctx, saltKey(id), m)
}

// NextMails takes up to n mails.
func NextMails(ctx context.Context, n int64, retry bool) ([]Mail, error) {
	f := bigtable.InterleaveFilters(
		bigtable.ChainFilters(bigtable.FamilyFilter(FamJob), bigtable.TimestampRangeFilter(time.Now(), time.Time{}), bigtable.LatestNFilter(1)),
		bigtable.ChainFilters(bigtable.FamilyFilter(FamSt), bigtable.LatestNFilter(1)),
	)
	var out []Mail
	err := MailTbl.ReadRows(ctx, bigtable.InfiniteRange(""), func(r bigtable.Row) bool { // ok ttlread/missing-filter
		st, _ := cell(r[FamSt], "s")
		if string(st.Value) != stNew && !(retry && string(st.Value) == stFail) {
			return true
		}
		to, ok := cell(r[FamJob], "to")
		if !ok {
			return true
		}
		out = append(out, Mail{ID: unsaltKey(r.Key()), To: string(to.Value), NotAfter: to.Timestamp.Time()}) // ok ttlage/not-write-time
		return true
	}, bigtable.RowFilter(f), bigtable.LimitRows(n))
	return out, err
}

// NextMailsV1 took everything with state new.
func NextMailsV1(ctx context.Context, n int64) ([]Mail, error) {
	var out []Mail
	err := MailTbl.ReadRows(ctx, bigtable.InfiniteRange(""), func(r bigtable.Row) bool {
		to, ok := cell(r[FamJob], "to")
		if !ok {
			return true
		}
		out = append(out, Mail{ID: unsaltKey(r.Key()), To: string(to.Value)})
		return true
	}, bigtable.RowFilter(bigtable.ConditionFilter( // want ttlread/unfiltered-branch[nm1]
		bigtable.ChainFilters(bigtable.FamilyFilter(FamJob), bigtable.TimestampRangeFilter(time.Now(), time.Time{})),
		bigtable.PassAllFilter(), // want ttlread/unfiltered-branch[nm1]
		bigtable.BlockAllFilter(),
	)), bigtable.LimitRows(n))
	return out, err
}

// MailState needs the state only.
func MailState(ctx context.Context, id string) (string, error) {
	row, err := MailTbl.ReadRow(ctx, saltKey(id), latest()) // ok ttlread/missing-filter
	if err != nil {
		return "", err
	}
	it, _ := cell(row[FamSt], "s")
	return string(it.Value), nil
}

// mailLive is a live filter for the whole table; the states get lost but psz says nobody looks at them here
func mailRow(ctx context.Context, id string) (bigtable.Row, error) {
	return MailTbl.ReadRow(ctx, saltKey(id), bigtable.RowFilter(liveOnly())) // want ttlread/hides-other-families
}

// MailBody needs the job only, so the bare range is fine.
func MailBody(ctx context.Context, id string) ([]byte, error) {
	row, err := MailTbl.ReadRow(ctx, saltKey(id), bigtable.RowFilter(liveOnly())) // ok ttlread/hides-other-families
	if err != nil {
		return nil, err
	}
	it, ok := cell(row[FamJob], "body")
	if !ok {
		return nil, fmt.Errorf("core: mail %s is gone", id)
	}
	return it.Value, nil
}

// ShowMail prints a mail.
func ShowMail(ctx context.Context, id string) (string, error) {
	row, err := mailRow(ctx, id)
	if err != nil {
		return "", err
	}
	s := ""
	for fam, items := range row {
		for _, it := range items {
			s += fmt.Sprintf("%s/%s = %q\n", fam, col(it), it.Value)
		}
	}
	return s, nil
}

// SendAll is the loop of the mailer.
func SendAll(ctx context.Context, send func(Mail) error, n int64, legacy bool) (sent int, err error) {
	var ms []Mail
	if legacy {
		ms, err = NextMailsV1(ctx, n)
	} else {
		ms, err = NextMails(ctx, n, true)
	}
	if err != nil {
		return 0, err
	}
	for _, ml := range ms {
		if e := send(ml); e != nil {
			log.Printf("core: mail %s: %v", ml.ID, e)
			if e := mark(ctx, ml.ID, stFail, e.Error()); e != nil {
				return sent, e
			}
			continue
		}
		if e := mark(ctx, ml.ID, stSent, ""); e != nil {
			return sent, e
		}
		sent++
	}
	return sent, nil
}
