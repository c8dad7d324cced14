// Package logx is a line logger with key=value pairs.
package logx

import (
	"fmt"
	"os"
	"strings"
	"sync"
	"time"
)

// KV are the pairs of a line.
type KV map[string]any

// Logger writes lines.
type Logger struct {
	mu  sync.Mutex
	pre string
	dbg bool
}

// New returns a logger on standard error.
func New(name string, debug bool) *Logger { return &Logger{pre: name, dbg: debug} }

func (l *Logger) line(level, msg string, kv KV) {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s %s %s", time.Now().UTC().Format(time.RFC3339), level, l.pre, msg)
	for k, v := range kv {
		fmt.Fprintf(&b, " %s=%v", k, v)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	fmt.Fprintln(os.Stderr, b.String())
}

// Info logs what is worth knowing.
func (l *Logger) Info(msg string, kv KV) { l.line("info", msg, kv) }

// Error logs what went wrong.
func (l *Logger) Error(msg string, err error, kv KV) { l.line("error", msg+": "+err.Error(), kv) }

// Debug logs if debugging is on.
func (l *Logger) Debug(msg string, kv KV) {
	if l.dbg {
		l.line("debug", msg, kv)
	}
}
