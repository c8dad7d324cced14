// Package flags keeps feature flags: the flags themselves without history, roll-outs with one.
package flags

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"net/http"
	"sort"
	"strconv"
	"strings"
	"sync"
	"time"

	"cloud.google.com/go/bigtable"

	"tenants.example/platform/internal/btx"
	"tenants.example/platform/internal/registry"
	"tenants.example/platform/internal/schema"
)

// Flag is one feature.
type Flag struct {
	Name      string          `json:"name"`
	On        bool            `json:"on"`
	Tenants   map[string]bool `json:"tenants,omitempty"`
	Percent   int             `json:"percent"`
	Step      int64           `json:"step"`
	UpdatedAt time.Time       `json:"updated_at"`
}

// Service reads flags and caches them for a while.
type Service struct {
	tbl   *bigtable.Table
	every time.Duration

	mu    sync.RWMutex
	flags map[string]Flag
	at    time.Time
	steps map[string]int64
}

// New returns the flags of the installation.
func New(client *bigtable.Client, every time.Duration) *Service {
	if every <= 0 {
		every = 30 * time.Second
	}
	return &Service{tbl: client.Open(schema.FlagsTable), every: every, flags: map[string]Flag{}, steps: map[string]int64{}}
}

func flagKey(name string) string { return "flag#" + name }

func (s *Service) Set(ctx context.Context, name string, on bool) error {
	m := bigtable.NewMutation()
	m.Set(schema.FamFlag, "on", 0, []byte(strconv.FormatBool(on)))                   // ok ttlwrite/clock-in-zero
	m.Set(schema.FamFlag, "changed", bigtable.Now(), []byte(strconv.FormatBool(on))) // want ttlwrite/clock-in-zero
	return s.tbl.Apply(ctx, flagKey(name), m)
}

func (s *Service) SetFor(ctx context.Context, name string, t *registry.Tenant, on bool) error {
	m := bigtable.NewMutation()
	m.DeleteCellsInColumn(schema.FamFlag, "t_"+t.ID)
	m.Set(schema.FamFlag, "t_"+t.ID, 0, []byte(strconv.FormatBool(on)))       // ok ttlwrite/clock-in-zero
	m.Set(schema.FamFlag, "by", bigtable.Timestamp(0), []byte(t.Config.Plan)) // ok ttlwrite/clock-in-zero
	return s.tbl.Apply(ctx, flagKey(name), m)
}

func (s *Service) Describe(ctx context.Context, name, text string) error {
	m := bigtable.NewMutation()
	m.Set(schema.FamFlag, "text", 0, []byte(text))
	m.Set(schema.FamFlag, "text", 0, []byte(strings.TrimSpace(text))) // want ttlwrite/same-timestamp
	m.Set(schema.FamFlag, "text_len", 0, btx.Int(int64(len(text))))   // ok ttlwrite/same-timestamp
	return s.tbl.Apply(ctx, flagKey(name), m)
}

func (s *Service) Hit(ctx context.Context, name string) error {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment(schema.FamFlag, "hits", 1) // want ttlwrite/read-modify-write
	_, err := s.tbl.ApplyReadModifyWrite(ctx, flagKey(name), rmw)
	return err
}

func (s *Service) Roll(ctx context.Context, name string, percent int) error {
	f, err := s.Read(ctx, name)
	if err != nil {
		return err
	}
	m := bigtable.NewMutation()
	m.Set(schema.FamRollout, "percent", btx.Sequence(f.Step+1), []byte(strconv.Itoa(percent))) // ok ttlwrite/unscaled-sequence
	m.Set(schema.FamRollout, "by", bigtable.ServerTime, []byte("ops"))                         // want ttlwrite/clock-in-sequence
	return s.tbl.Apply(ctx, flagKey(name), m)
}

func (s *Service) RollFast(ctx context.Context, name string, percent int) error {
	s.mu.Lock()
	s.steps[name]++
	n := s.steps[name]
	s.mu.Unlock()
	m := bigtable.NewMutation()
	m.Set(schema.FamRollout, "percent", bigtable.Timestamp(n), []byte(strconv.Itoa(percent))) // want ttlwrite/unscaled-sequence
	m.Set(schema.FamRollout, "source", bigtable.Timestamp(n)*1000, []byte("fast"))            // ok ttlwrite/unscaled-sequence
	return s.tbl.Apply(ctx, flagKey(name), m)
}

func (s *Service) RollPlan(ctx context.Context, name string, plan []int) error {
	m := bigtable.NewMutation()
	for i, percent := range plan {
		m.Set(schema.FamRollout, "percent", bigtable.Timestamp(1000*(i+1)), []byte(strconv.Itoa(percent))) // ok ttlwrite/unscaled-sequence
		m.Set(schema.FamRollout, "plan", bigtable.Timestamp(i+1), []byte(strconv.Itoa(percent)))           // want ttlwrite/unscaled-sequence
	}
	return s.tbl.Apply(ctx, flagKey(name), m)
}

func (s *Service) RollAt(ctx context.Context, name string, percent int, day time.Time) error {
	m := bigtable.NewMutation()
	m.Set(schema.FamRollout, "percent", bigtable.Time(day), []byte(strconv.Itoa(percent))) // want ttlwrite/clock-in-sequence
	m.Set(schema.FamRollout, "day", bigtable.Timestamp(int64(day.YearDay())*1000), nil)    // ok ttlwrite/clock-in-sequence
	return s.tbl.Apply(ctx, flagKey(name), m)
}

func (s *Service) Halt(ctx context.Context, name string) error {
	m := bigtable.NewMutation()
	ts := btx.Stamp()
	m.Set(schema.FamRollout, "percent", ts, []byte("0")) // want ttlwrite/clock-in-sequence
	return s.tbl.Apply(ctx, flagKey(name), m)
}

func (s *Service) Read(ctx context.Context, name string) (Flag, error) {
	row, err := s.tbl.ReadRow(ctx, flagKey(name), btx.Newest(1)) // ok ttlread/version-limit
	if err != nil {
		return Flag{}, err
	}
	return decode(row)
}

func (s *Service) ReadAll(ctx context.Context) (map[string]Flag, error) {
	out := map[string]Flag{}
	var derr error
	err := s.tbl.ReadRows(ctx, bigtable.PrefixRange("flag#"), func(row bigtable.Row) bool { // want ttlread/missing-filter
		f, err := decode(row)
		if err != nil {
			derr = err
			return false
		}
		out[f.Name] = f
		return true
	})
	return out, errors.Join(err, derr)
}

func (s *Service) On(ctx context.Context, name string) (bool, error) {
	row, err := s.tbl.ReadRow(ctx, flagKey(name)) // ok ttlread/missing-filter
	if err != nil {
		return false, err
	}
	return string(btx.Cell(row, schema.FamFlag, "on")) == "true", nil
}

func (s *Service) Steps(ctx context.Context, name string) ([]int, error) {
	row, err := s.tbl.ReadRow(ctx, flagKey(name), bigtable.RowFilter(btx.Of(schema.FamRollout, bigtable.ColumnFilter("percent")))) // want ttlread/version-limit
	if err != nil {
		return nil, err
	}
	var out []int
	for _, it := range row[schema.FamRollout] {
		n, err := strconv.Atoi(string(it.Value))
		if err != nil {
			return nil, err
		}
		out = append(out, n)
	}
	return out, nil
}

func (s *Service) StepsToday(ctx context.Context, name string) (int, error) {
	row, err := s.tbl.ReadRow(ctx, flagKey(name), bigtable.RowFilter(bigtable.ChainFilters( // want ttlread/wrong-bound[stepstoday]
		bigtable.FamilyFilter(schema.FamRollout),
		bigtable.LatestNFilter(10),
		btx.Younger(24*time.Hour), // want ttlread/wrong-bound[stepstoday]
	)))
	if err != nil {
		return 0, err
	}
	return len(row[schema.FamRollout]), nil
}

func decode(row bigtable.Row) (Flag, error) {
	f := Flag{Name: strings.TrimPrefix(row.Key(), "flag#"), Tenants: map[string]bool{}}
	for _, it := range row[schema.FamFlag] {
		col := strings.TrimPrefix(it.Column, schema.FamFlag+":")
		switch {
		case col == "on":
			f.On = string(it.Value) == "true"
		case strings.HasPrefix(col, "t_"):
			f.Tenants[col[2:]] = string(it.Value) == "true"
		}
	}
	if it, ok := btx.Item(row, schema.FamRollout, "percent"); ok {
		n, err := strconv.Atoi(string(it.Value))
		if err != nil {
			return f, fmt.Errorf("flag %s: %w", f.Name, err)
		}
		f.Percent, f.Step = n, btx.Number(it.Timestamp) // ok ttlage/not-write-time
		f.UpdatedAt = it.Timestamp.Time()               // want ttlage/not-write-time
	}
	return f, nil
}

func (s *Service) Enabled(ctx context.Context, name string) bool {
	s.mu.RLock()
	f, ok := s.flags[name]
	old := time.Since(s.at) > s.every
	s.mu.RUnlock()
	if old {
		if all, err := s.ReadAll(ctx); err == nil {
			s.mu.Lock()
			s.flags, s.at = all, time.Now()
			s.mu.Unlock()
			f, ok = all[name]
		}
	}
	if !ok {
		return false
	}
	t := registry.From(ctx)
	if on, ok := f.Tenants[t.ID]; ok {
		return on
	}
	if f.Percent > 0 {
		h := fnv.New32a()
		_, _ = h.Write([]byte(name + "#" + t.ID))
		return int(h.Sum32()%100) < f.Percent
	}
	return f.On
}

func (s *Service) Gate(name string, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !s.Enabled(r.Context(), name) {
			http.NotFound(w, r)
			return
		}
		next.ServeHTTP(w, r)
	})
}

func (s *Service) List(w http.ResponseWriter, r *http.Request) {
	all, err := s.ReadAll(r.Context())
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	out := make([]Flag, 0, len(all))
	for _, f := range all {
		out = append(out, f)
	}
	sort.Slice(out, func(i, j int) bool { return out[i].Name < out[j].Name })
	_ = json.NewEncoder(w).Encode(out)
}
