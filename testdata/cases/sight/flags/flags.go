// Package flags puts filters and cells together by more flags than are told
// apart one by one.
package flags

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"
)

type spec struct {
	Family   string
	Column   string
	Prefix   string
	Versions int
	Limit    int
	Since    time.Time
	Live     bool
	KeysOnly bool
	Sample   float64
}

func (s spec) options() []bigtable.ReadOption {
	var filters []bigtable.Filter
	if s.Family != "" {
		filters = append(filters, bigtable.FamilyFilter(s.Family))
	}
	if s.Column != "" {
		filters = append(filters, bigtable.ColumnFilter(s.Column))
	}
	if s.Versions > 0 {
		filters = append(filters, bigtable.LatestNFilter(s.Versions))
	}
	if !s.Since.IsZero() {
		filters = append(filters, bigtable.TimestampRangeFilter(s.Since, time.Time{}))
	}
	if s.Live {
		filters = append(filters, bigtable.TimestampRangeFilter(time.Now(), time.Time{}))
	}
	if s.KeysOnly {
		filters = append(filters, bigtable.StripValueFilter())
	}
	if s.Sample > 0 {
		filters = append(filters, bigtable.RowSampleFilter(s.Sample))
	}
	var opts []bigtable.ReadOption
	switch len(filters) {
	case 0:
	case 1:
		opts = append(opts, bigtable.RowFilter(filters[0]))
	default:
		opts = append(opts, bigtable.RowFilter(bigtable.ChainFilters(filters...)))
	}
	if s.Limit > 0 {
		opts = append(opts, bigtable.LimitRows(int64(s.Limit)))
	}
	return opts
}

type store struct{ tbl *bigtable.Table }

func newStore(c *bigtable.Client) *store { return &store{c.Open("sessions")} }

func (s *store) none(ctx context.Context, key string) (bigtable.Row, error) {
	return s.tbl.ReadRow(ctx, key, spec{}.options()...) // want `missing-filter: .*"token"`
}

func (s *store) family(ctx context.Context, key string) (bigtable.Row, error) {
	return s.tbl.ReadRow(ctx, key, spec{Family: "token", Versions: 1}.options()...) // want `missing-filter: .*"token"`
}

func (s *store) okFamily(ctx context.Context, key string) (bigtable.Row, error) {
	return s.tbl.ReadRow(ctx, key, spec{Family: "profile", Versions: 1, Limit: 3}.options()...)
}

func (s *store) okLive(ctx context.Context, key string) (bigtable.Row, error) {
	return s.tbl.ReadRow(ctx, key, spec{Family: "token", Column: "jwt", Live: true}.options()...)
}

func (s *store) okSince(ctx context.Context, key string) (bigtable.Row, error) {
	return s.tbl.ReadRow(ctx, key, spec{Family: "token", Since: time.Now()}.options()...)
}

func (s *store) okUnknown(ctx context.Context, key string, sp spec) (bigtable.Row, error) {
	return s.tbl.ReadRow(ctx, key, sp.options()...)
}

// By a pointer to a spec, in fields set one by one.
func filterOf(s *spec) bigtable.Filter {
	fs := []bigtable.Filter{bigtable.PassAllFilter()}
	if s.Family != "" {
		fs = append(fs, bigtable.FamilyFilter(s.Family))
	}
	if s.Column != "" {
		fs = append(fs, bigtable.ColumnFilter(s.Column))
	}
	if s.Prefix != "" {
		fs = append(fs, bigtable.RowKeyFilter(s.Prefix+".*"))
	}
	if s.Versions > 0 {
		fs = append(fs, bigtable.LatestNFilter(s.Versions))
	}
	if s.Live {
		fs = append(fs, bigtable.TimestampRangeFilter(time.Now(), time.Time{}))
	}
	if s.KeysOnly {
		fs = append(fs, bigtable.StripValueFilter())
	}
	if s.Limit > 0 {
		fs = append(fs, bigtable.CellsPerRowLimitFilter(s.Limit))
	}
	return bigtable.ChainFilters(fs...)
}

func (s *store) pointed(ctx context.Context, key string) (bigtable.Row, error) {
	sp := &spec{Family: "token"}
	sp.Versions = 1
	return s.tbl.ReadRow(ctx, key, bigtable.RowFilter(filterOf(sp))) // want `missing-filter: .*"token"`
}

func (s *store) okPointed(ctx context.Context, key string) (bigtable.Row, error) {
	sp := &spec{Family: "token"}
	sp.Live = true
	return s.tbl.ReadRow(ctx, key, bigtable.RowFilter(filterOf(sp)))
}

// Inside one method, with flags that are parameters: unless all flags are unset
// in view, a parameter decides.
func (s *store) okParams(ctx context.Context, key string, live, one, strip, col, fam, sample bool) (bigtable.Row, error) {
	fs := []bigtable.Filter{bigtable.PassAllFilter()}
	if live {
		fs = append(fs, bigtable.TimestampRangeFilter(time.Now(), time.Time{}))
	}
	if one {
		fs = append(fs, bigtable.LatestNFilter(1))
	}
	if strip {
		fs = append(fs, bigtable.StripValueFilter())
	}
	if col {
		fs = append(fs, bigtable.ColumnFilter("jwt"))
	}
	if fam {
		fs = append(fs, bigtable.FamilyFilter("token"))
	}
	if sample {
		fs = append(fs, bigtable.RowSampleFilter(0.5))
	}
	return s.tbl.ReadRow(ctx, key, bigtable.RowFilter(bigtable.ChainFilters(fs...)))
}

// No flag adds what bounds the family: every combination is wrong.
func (s *store) every(ctx context.Context, key string, a, b, c, d, e, f, g bool) (bigtable.Row, error) {
	fs := []bigtable.Filter{bigtable.PassAllFilter()}
	if a {
		fs = append(fs, bigtable.LatestNFilter(1))
	}
	if b {
		fs = append(fs, bigtable.LatestNFilter(2))
	}
	if c {
		fs = append(fs, bigtable.StripValueFilter())
	}
	if d {
		fs = append(fs, bigtable.ColumnFilter("jwt"))
	}
	if e {
		fs = append(fs, bigtable.RowKeyFilter("u.*"))
	}
	if f {
		fs = append(fs, bigtable.RowSampleFilter(0.5))
	}
	if g {
		fs = append(fs, bigtable.CellsPerRowLimitFilter(3))
	}
	return s.tbl.ReadRow(ctx, key, bigtable.RowFilter(bigtable.ChainFilters(fs...))) // not seen: missing-filter
}

// The flags are the receiver's: the program's own data, set who knows where.
type reader struct {
	tbl                          *bigtable.Table
	live, one, strip, col, sampl bool
	limit                        int
}

// NewReader makes a reader.
func NewReader(c *bigtable.Client, live, one, strip, col, sampl bool, limit int) *reader {
	return &reader{c.Open("sessions"), live, one, strip, col, sampl, limit}
}

func (r *reader) read(ctx context.Context, key string) (bigtable.Row, error) {
	fs := []bigtable.Filter{bigtable.FamilyFilter("token")}
	if r.one {
		fs = append(fs, bigtable.LatestNFilter(1))
	}
	if r.strip {
		fs = append(fs, bigtable.StripValueFilter())
	}
	if r.col {
		fs = append(fs, bigtable.ColumnFilter("jwt"))
	}
	if r.sampl {
		fs = append(fs, bigtable.RowSampleFilter(0.5))
	}
	if r.limit > 0 {
		fs = append(fs, bigtable.CellsPerRowLimitFilter(r.limit))
	}
	if len(fs) == 1 {
		return r.tbl.ReadRow(ctx, key, bigtable.RowFilter(fs[0])) // want `missing-filter: .*"token"`
	}
	return r.tbl.ReadRow(ctx, key, bigtable.RowFilter(bigtable.ChainFilters(fs...))) // want `missing-filter: .*"token"`
}

func (r *reader) okAlways(ctx context.Context, key string) (bigtable.Row, error) {
	fs := []bigtable.Filter{bigtable.FamilyFilter("token"), bigtable.TimestampRangeFilter(time.Now(), time.Time{})}
	if r.one {
		fs = append(fs, bigtable.LatestNFilter(1))
	}
	if r.strip {
		fs = append(fs, bigtable.StripValueFilter())
	}
	if r.col {
		fs = append(fs, bigtable.ColumnFilter("jwt"))
	}
	if r.sampl {
		fs = append(fs, bigtable.RowSampleFilter(0.5))
	}
	if r.limit > 0 {
		fs = append(fs, bigtable.CellsPerRowLimitFilter(r.limit))
	}
	return r.tbl.ReadRow(ctx, key, bigtable.RowFilter(bigtable.ChainFilters(fs...)))
}

// The filter is chained turn by turn.
func chained(s spec) bigtable.Filter {
	f := bigtable.Filter(bigtable.PassAllFilter())
	if s.Family != "" {
		f = bigtable.ChainFilters(f, bigtable.FamilyFilter(s.Family))
	}
	if s.Column != "" {
		f = bigtable.ChainFilters(f, bigtable.ColumnFilter(s.Column))
	}
	if s.Versions > 0 {
		f = bigtable.ChainFilters(f, bigtable.LatestNFilter(s.Versions))
	}
	if s.Live {
		f = bigtable.ChainFilters(f, bigtable.TimestampRangeFilter(time.Now(), time.Time{}))
	}
	if s.KeysOnly {
		f = bigtable.ChainFilters(f, bigtable.StripValueFilter())
	}
	if s.Sample > 0 {
		f = bigtable.ChainFilters(f, bigtable.RowSampleFilter(s.Sample))
	}
	if s.Limit > 0 {
		f = bigtable.ChainFilters(f, bigtable.CellsPerRowLimitFilter(s.Limit))
	}
	return f
}

func (s *store) chained(ctx context.Context, key string) (bigtable.Row, error) {
	return s.tbl.ReadRow(ctx, key, bigtable.RowFilter(chained(spec{Family: "token", Versions: 1}))) // want `missing-filter: .*"token"`
}

func (s *store) okChained(ctx context.Context, key string) (bigtable.Row, error) {
	return s.tbl.ReadRow(ctx, key, bigtable.RowFilter(chained(spec{Family: "token", Live: true, Versions: 1})))
}

// Cells by flags.
type session struct {
	JWT, Refresh, Device, IP, Agent, Email string
}

func (s *store) put(ctx context.Context, key string, v session) error {
	m := bigtable.NewMutation()
	ts := bigtable.Now()
	if v.JWT != "" {
		m.Set("token", "jwt", ts, []byte(v.JWT)) // want `write-time: .*"token"`
	}
	if v.Refresh != "" {
		m.Set("token", "refresh", bigtable.Time(time.Now().Add(time.Hour)), []byte(v.Refresh))
	}
	if v.Device != "" {
		m.Set("profile", "device", ts, []byte(v.Device))
	}
	if v.IP != "" {
		m.Set("profile", "ip", ts, []byte(v.IP))
	}
	if v.Agent != "" {
		m.Set("profile", "agent", ts, []byte(v.Agent))
	}
	if v.Email != "" {
		m.Set("profile", "email", ts, []byte(v.Email))
	}
	return s.tbl.Apply(ctx, key, m)
}
