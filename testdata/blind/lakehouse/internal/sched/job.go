// Package sched runs jobs on an interval, one instance at a time, and keeps
// their runs in the leases table.
package sched

import (
	"context"
	"fmt"
	"sort"
	"sync"
	"time"
)

// Job is a unit of work.
type Job interface {
	Name() string
	Every() time.Duration
	Run(ctx context.Context) (Report, error)
}

// Report is what a job says about a run.
type Report struct {
	Rows   int               `json:"rows"`
	Bad    int               `json:"bad"`
	Labels map[string]string `json:"labels,omitempty"`
}

// String is for logs.
func (r Report) String() string {
	keys := make([]string, 0, len(r.Labels))
	for k := range r.Labels {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	s := fmt.Sprintf("rows=%d bad=%d", r.Rows, r.Bad)
	for _, k := range keys {
		s += " " + k + "=" + r.Labels[k]
	}
	return s
}

// Func makes a Job of a function.
func Func(name string, every time.Duration, run func(ctx context.Context) (Report, error)) Job {
	return &fn{name: name, every: every, run: run}
}

type fn struct {
	name  string
	every time.Duration
	run   func(ctx context.Context) (Report, error)
}

func (f *fn) Name() string                            { return f.name }
func (f *fn) Every() time.Duration                    { return f.every }
func (f *fn) Run(ctx context.Context) (Report, error) { return f.run(ctx) }

// Registry holds jobs by name.
type Registry struct {
	mu   sync.RWMutex
	jobs map[string]Job
}

// NewRegistry makes one with jobs.
func NewRegistry(jobs ...Job) (*Registry, error) {
	r := &Registry{jobs: map[string]Job{}}
	for _, j := range jobs {
		if err := r.Add(j); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// Add adds a job.
func (r *Registry) Add(j Job) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, ok := r.jobs[j.Name()]; ok {
		return fmt.Errorf("sched: two jobs named %q", j.Name())
	}
	r.jobs[j.Name()] = j
	return nil
}

// Get finds one.
func (r *Registry) Get(name string) (Job, bool) {
	r.mu.RLock()
	defer r.mu.RUnlock()
	j, ok := r.jobs[name]
	return j, ok
}

// All lists them by name.
func (r *Registry) All() []Job {
	r.mu.RLock()
	defer r.mu.RUnlock()
	out := make([]Job, 0, len(r.jobs))
	for _, j := range r.jobs {
		out = append(out, j)
	}
	sort.Slice(out, func(i, k int) bool { return out[i].Name() < out[k].Name() })
	return out
}
