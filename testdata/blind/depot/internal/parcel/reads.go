package parcel

import (
	"context"
	"errors"
	"iter"
	"strings"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/depot/internal/bt"
	"example.com/depot/internal/names"
	"example.com/depot/internal/seqx"
)

// whole is the filter for a whole parcel, each family by its own rule.
func whole(now time.Time) bigtable.Filter {
	return bigtable.InterleaveFilters(
		bt.Newest(names.State),
		bigtable.ChainFilters(bt.Only(names.Step), bigtable.LatestNFilter(5)),
		bt.LiveOnly(names.Grant, now),
		bt.Only(names.Trail),
	)
}

// sloppy is whole with a hole.
func sloppy(now time.Time) bigtable.Filter {
	return bigtable.InterleaveFilters( // want ttlread/unfiltered-branch[sloppy]
		bt.Newest(names.State),
		bt.Only(names.Step), // want ttlread/unfiltered-branch[sloppy]
		bt.LiveOnly(names.Grant, now),
	)
}

// Get reads a whole parcel.
func (s *Store) Get(ctx context.Context, n Number) (Parcel, error) {
	row, err := bt.One(ctx, s.tbl, string(n), bigtable.RowFilter(whole(bt.Now(ctx)))) // ok ttlread/missing-filter ttlread/unfiltered-branch
	if err != nil {
		return Parcel{}, err
	}
	return parcelOf(n, row), nil
}

// GetSome reads a parcel without what the scanners saw.
func (s *Store) GetSome(ctx context.Context, n Number) (Parcel, error) {
	row, err := bt.One(ctx, s.tbl, string(n), bigtable.RowFilter(sloppy(bt.Now(ctx)))) // want ttlread/unfiltered-branch[sloppy]
	if err != nil {
		return Parcel{}, err
	}
	return parcelOf(n, row), nil
}

func parcelOf(n Number, row bigtable.Row) Parcel {
	p := Parcel{Number: n, Grants: map[string]time.Time{}}
	for it := range bt.Items(row, names.State) {
		p.State = dec[State](it.Value)
	}
	for it := range bt.Items(row, names.Step) {
		st := dec[Step](it.Value)
		st.N = uint64(bt.SeqOf(it.Timestamp)) // ok ttlage/not-write-time
		p.Steps = append(p.Steps, st)
	}
	for it := range bt.Items(row, names.Grant) {
		p.Grants[bt.Qualifier(it)] = it.Timestamp.Time() // ok ttlage/not-write-time
	}
	for it := range bt.Items(row, names.Trail) {
		p.Scans = append(p.Scans, Scan{Scanner: bt.Qualifier(it), Seen: it.Timestamp.Time()}) // ok ttlage/not-write-time
	}
	return p
}

// Quick reads where a parcel is and when it came there.
func (s *Store) Quick(ctx context.Context, n Number) (Parcel, error) {
	row, err := bt.One(ctx, s.tbl, string(n), bt.With(bt.Only(names.State))) // ok ttlread/missing-filter
	if err != nil {
		return Parcel{}, err
	}
	p := Parcel{Number: n}
	for it := range bt.Items(row, names.State) {
		p.State = dec[State](it.Value)
		p.UpdatedAt = it.Timestamp.Time() // want ttlage/not-write-time
	}
	return p, nil
}

// Way reads the steps of a parcel.
func (s *Store) Way(ctx context.Context, n Number) (iter.Seq[Step], error) {
	row, err := bt.One(ctx, s.tbl, string(n), bt.With(bt.Only(names.Step), bigtable.LatestNFilter(5))) // ok ttlread/version-limit
	if err != nil {
		return nil, err
	}
	return stepsOf(row), nil
}

// LongWay reads more steps than are kept.
func (s *Store) LongWay(ctx context.Context, n Number) (iter.Seq[Step], error) {
	row, err := bt.One(ctx, s.tbl, string(n), bt.With(bt.Only(names.Step), bigtable.LatestNFilter(50))) // want ttlread/version-limit
	if err != nil {
		return nil, err
	}
	return stepsOf(row), nil
}

// Fresh reads the steps of the last day.
func (s *Store) Fresh(ctx context.Context, n Number) (iter.Seq[Step], error) {
	row, err := bt.One(ctx, s.tbl, string(n), bt.With(bt.Only(names.Step), bt.Since(bt.Now(ctx), 24*time.Hour))) // want ttlread/wrong-bound
	if err != nil {
		return nil, err
	}
	return stepsOf(row), nil
}

// Begun tells when a parcel was begun, and until when it may be fetched.
func (s *Store) Begun(ctx context.Context, n Number) (Parcel, error) {
	now := bt.Now(ctx)
	row, err := bt.One(ctx, s.tbl, string(n), bigtable.RowFilter(whole(now)))
	if err != nil {
		return Parcel{}, err
	}
	p := parcelOf(n, row)
	for it := range bt.Items(row, names.Step) {
		p.CreatedAt = it.Timestamp.Time() // want ttlage/not-write-time
	}
	for it := range bt.Items(row, names.Grant) {
		p.ValidTo = it.Timestamp.Time() // ok ttlage/not-write-time
	}
	return p, nil
}

func stepsOf(row bigtable.Row) iter.Seq[Step] {
	return seqx.Map(bt.Items(row, names.Step), func(it bigtable.ReadItem) Step {
		st := dec[Step](it.Value)
		st.N = uint64(bt.SeqOf(it.Timestamp))
		return st
	})
}

// May says whether somebody may fetch a parcel.
func (s *Store) May(ctx context.Context, n Number, who string) (bool, error) {
	row, err := s.tbl.ReadRow(ctx, string(n), bt.With(bt.LiveOnly(names.Grant, bt.Now(ctx)), bigtable.ColumnFilter(who))) // ok ttlread/missing-filter
	return len(row[fGrant]) > 0, err
}

// MayEver is May for the lockers, which have no clock.
func (s *Store) MayEver(ctx context.Context, n Number, who string) (bool, error) {
	row, err := s.tbl.ReadRow(ctx, string(n), bt.With(bt.Only(names.Grant), bigtable.ColumnFilter(who))) // want ttlread/missing-filter
	return len(row[fGrant]) > 0, err
}

// MayYet is May with a quarter of an hour of grace.
func (s *Store) MayYet(ctx context.Context, n Number, who string) (bool, error) {
	row, err := s.tbl.ReadRow(ctx, string(n), bt.With(bt.Only(names.Grant), bt.Since(time.Now(), 15*time.Minute))) // want ttlread/wrong-bound
	return len(row[fGrant]) > 0, err
}

// MaySecond is May for clocks that are a second apart.
func (s *Store) MaySecond(ctx context.Context, n Number, who string) (bool, error) {
	row, err := s.tbl.ReadRow(ctx, string(n), bt.With(bt.Only(names.Grant), bt.Since(bt.Now(ctx), time.Second), bigtable.ColumnFilter(who))) // ok ttlread/wrong-bound
	return len(row[fGrant]) > 0, err
}

// Grants yields who may fetch a parcel, by hand.
func (s *Store) Grants(ctx context.Context, n Number) iter.Seq2[string, time.Duration] {
	now := bt.Now(ctx)
	return func(yield func(string, time.Duration) bool) {
		row, err := s.tbl.ReadRow(ctx, string(n), bigtable.RowFilter(bt.Only(names.Grant))) // ok ttlread/missing-filter
		if err != nil {
			return
		}
		for it := range bt.Items(row, names.Grant) {
			if bt.ExpiresAt(it.Timestamp).Dead(now) {
				continue
			}
			if !yield(bt.Qualifier(it), bt.ExpiresAt(it.Timestamp).Time().Sub(now)) { // ok ttlage/not-write-time
				return
			}
		}
	}
}

// Granted yields who may fetch a parcel and since when.
func (s *Store) Granted(ctx context.Context, n Number) iter.Seq2[string, time.Duration] {
	now := bt.Now(ctx)
	return func(yield func(string, time.Duration) bool) {
		row, err := s.tbl.ReadRow(ctx, string(n), bigtable.RowFilter(bt.LiveOnly(names.Grant, now)))
		if err != nil {
			return
		}
		for it := range bt.Items(row, names.Grant) {
			if !yield(bt.Qualifier(it), now.Sub(it.Timestamp.Time())) { // want ttlage/not-write-time
				return
			}
		}
	}
}

// Scans yields what the scanners saw of a parcel in the last d.
func (s *Store) Scans(ctx context.Context, n Number, d time.Duration) iter.Seq2[Scan, error] {
	now := bt.Now(ctx)
	return func(yield func(Scan, error) bool) {
		row, err := s.tbl.ReadRow(ctx, string(n), bt.With(bt.Only(names.Trail), bt.Since(now, d))) // ok ttlread/hides-other-families
		if err != nil {
			yield(Scan{}, err)
			return
		}
		for it := range bt.Items(row, names.Trail) {
			if !yield(Scan{Scanner: bt.Qualifier(it), Seen: it.Timestamp.Time()}, nil) { // ok ttlage/not-write-time
				return
			}
		}
	}
}

// Stored yields the parcels in a hall, with all that is known of them.
func (s *Store) Stored(ctx context.Context, hall string) iter.Seq2[Parcel, error] {
	return func(yield func(Parcel, error) bool) {
		for row, err := range bt.Rows(ctx, s.tbl, bigtable.PrefixRange("")) { // want ttlread/missing-filter
			if err != nil {
				yield(Parcel{}, err)
				return
			}
			p := parcelOf(Number(row.Key()), row)
			if strings.HasPrefix(p.State.Place, hall) && !yield(p, nil) {
				return
			}
		}
	}
}

// Places counts the parcels in each place.
func (s *Store) Places(ctx context.Context) (map[string]int, error) {
	out := map[string]int{}
	var err error
	for row := range seqx.Values(bt.Rows(ctx, s.tbl, bigtable.InfiniteRange("")), &err) { // ok ttlread/missing-filter
		v, _ := bt.Value(row, names.State, "now")
		out[dec[State](v).Place]++
	}
	return out, err
}

// Waiting yields the parcels that somebody may fetch: with a step only, if
// there is a grant.
func (s *Store) Waiting(ctx context.Context) iter.Seq2[Number, Step] {
	granted := bigtable.ConditionFilter( // want ttlread/unfiltered-branch[waiting]
		bt.LiveOnly(names.Grant, bt.Now(ctx)),
		bt.Only(names.Step), // want ttlread/unfiltered-branch[waiting]
		bigtable.BlockAllFilter(),
	)
	return func(yield func(Number, Step) bool) {
		for row, err := range bt.Rows(ctx, s.tbl, bigtable.InfiniteRange(""), bigtable.RowFilter(granted)) { // want ttlread/unfiltered-branch[waiting]
			if err != nil {
				s.log.WarnContext(ctx, "waiting", "err", err)
				return
			}
			for st := range seqx.Take(stepsOf(row), 1) {
				if !yield(Number(row.Key()), st) {
					return
				}
			}
		}
	}
}

// WaitingNow is Waiting, with the last step.
func (s *Store) WaitingNow(ctx context.Context) iter.Seq2[Number, Step] {
	granted := bigtable.ConditionFilter(
		bt.LiveOnly(names.Grant, bt.Now(ctx)),
		bt.Newest(names.Step),
		bigtable.BlockAllFilter(),
	)
	return func(yield func(Number, Step) bool) {
		for row, err := range bt.Rows(ctx, s.tbl, bigtable.InfiniteRange(""), bigtable.RowFilter(granted)) { // ok ttlread/unfiltered-branch
			if err != nil {
				s.log.WarnContext(ctx, "waiting", "err", err)
				return
			}
			for st := range stepsOf(row) {
				if !yield(Number(row.Key()), st) {
					return
				}
			}
		}
	}
}

// Load reads many parcels at once, in so many workers.
func (s *Store) Load(ctx context.Context, ns iter.Seq[Number], workers int) ([]Parcel, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	errc := make(chan error, 1)
	fail := func(err error) {
		select {
		case errc <- err:
			cancel()
		default:
		}
	}
	rows := seqx.Stage(ctx, workers, seqx.Source(ctx, ns), func(ctx context.Context, n Number) (bigtable.Row, error) {
		return s.tbl.ReadRow(ctx, string(n), bigtable.RowFilter(bigtable.LatestNFilter(1))) // want ttlread/missing-filter
	}, fail)
	var out []Parcel
	for row := range rows {
		out = append(out, parcelOf(Number(row.Key()), row))
	}
	select {
	case err := <-errc:
		return out, err
	default:
		return out, nil
	}
}

// LoadLive is Load with the right filter.
func (s *Store) LoadLive(ctx context.Context, ns iter.Seq[Number], workers int) ([]Parcel, error) {
	var errs []error
	rows := seqx.Stage(ctx, workers, seqx.Source(ctx, ns), func(ctx context.Context, n Number) (bigtable.Row, error) {
		return s.tbl.ReadRow(ctx, string(n), bigtable.RowFilter(whole(time.Now()))) // ok ttlread/missing-filter
	}, func(err error) { errs = append(errs, err) })
	var out []Parcel
	for row := range seqx.Drain(rows) {
		out = append(out, parcelOf(Number(row.Key()), row))
	}
	return out, errors.Join(errs...)
}

// Claim lets somebody fetch a parcel that nobody else may fetch.
func (s *Store) Claim(ctx context.Context, n Number, who string) (bool, error) {
	m := bigtable.NewMutation()
	m.Set(fGrant, who, bigtable.Time(time.Now().Add(GrantFor)), []byte(who)) // ok ttlwrite/write-time
	taken := false
	err := s.tbl.Apply(ctx, string(n), bigtable.NewCondMutation(bt.Only(names.Grant), nil, m), bigtable.GetCondMutationResult(&taken)) // want ttlread/conditional-mutation
	return !taken, err
}

// ClaimStored is Claim for parcels that are in a hall.
func (s *Store) ClaimStored(ctx context.Context, n Number, who string) (bool, error) {
	m := bigtable.NewMutation()
	m.Set(fGrant, who, bigtable.Time(time.Now().Add(GrantFor)), []byte(who))
	stored := bigtable.ChainFilters(bt.Only(names.State), bigtable.ValueFilter(`.*"phase":"stored".*`))
	ok := false
	err := s.tbl.Apply(ctx, string(n), bigtable.NewCondMutation(stored, m, nil), bigtable.GetCondMutationResult(&ok)) // ok ttlread/conditional-mutation
	return ok, err
}
