// Package progress prints a line now and then, and keeps checkpoints.
package progress

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"
)

// Meter counts what a scan has done.
type Meter struct {
	W     io.Writer
	What  string
	Every time.Duration

	mu    sync.Mutex
	n     int64
	bytes int64
	start time.Time
	last  time.Time
}

// New prints to w, at most every five seconds.
func New(w io.Writer, what string) *Meter {
	return &Meter{W: w, What: what, Every: 5 * time.Second, start: time.Now(), last: time.Now()}
}

// Add counts n things with this many bytes.
func (m *Meter) Add(n, bytes int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.n += int64(n)
	m.bytes += int64(bytes)
	if now := time.Now(); now.Sub(m.last) >= m.Every {
		m.last = now
		m.print(now)
	}
}

func (m *Meter) print(now time.Time) {
	secs := now.Sub(m.start).Seconds()
	if secs < 0.001 {
		secs = 0.001
	}
	fmt.Fprintf(m.W, "%d %s, %.1f/s, %.1f MB\n", m.n, m.What, float64(m.n)/secs, float64(m.bytes)/1e6)
}

// Done prints the last line.
func (m *Meter) Done() int64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.print(time.Now())
	return m.n
}

// Checkpoint is where a backfill goes on after it was stopped.
type Checkpoint struct {
	Path string    `json:"-"`
	Key  string    `json:"key"`
	Rows int64     `json:"rows"`
	At   time.Time `json:"at"`
}

// Load reads the checkpoint; a file that does not exist is a fresh start.
func Load(path string) (*Checkpoint, error) {
	c := &Checkpoint{Path: path}
	if path == "" {
		return c, nil
	}
	b, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return c, nil
	}
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(b, c); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return c, nil
}

// Save writes the checkpoint beside the old one and renames it.
func (c *Checkpoint) Save(key string, rows int64) error {
	c.Key, c.Rows, c.At = key, c.Rows+rows, time.Now()
	if c.Path == "" {
		return nil
	}
	b, err := json.MarshalIndent(c, "", "  ")
	if err != nil {
		return err
	}
	tmp := filepath.Join(filepath.Dir(c.Path), "."+filepath.Base(c.Path)+".new")
	if err := os.WriteFile(tmp, append(b, '\n'), 0o644); err != nil {
		return err
	}
	return os.Rename(tmp, c.Path)
}
