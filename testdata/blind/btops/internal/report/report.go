// Package report prints rows of strings as text, CSV or JSON lines.
package report

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
)

// Writer takes a header and rows.
type Writer interface {
	Header(names ...string) error
	Row(values ...string) error
	Close() error
}

// Open makes a writer for the format: text, csv or json.
func Open(w io.Writer, format string) (Writer, error) {
	switch format {
	case "", "text":
		return &text{w: tabwriter.NewWriter(w, 0, 8, 2, ' ', 0)}, nil
	case "csv":
		return &comma{w: csv.NewWriter(w)}, nil
	case "json", "jsonl":
		return &lines{enc: json.NewEncoder(w)}, nil
	}
	return nil, fmt.Errorf("unknown format %q: text, csv or json", format)
}

type text struct{ w *tabwriter.Writer }

func (t *text) Header(names ...string) error { return t.Row(names...) }
func (t *text) Row(values ...string) error {
	_, err := fmt.Fprintln(t.w, strings.Join(values, "\t"))
	return err
}
func (t *text) Close() error { return t.w.Flush() }

type comma struct{ w *csv.Writer }

func (c *comma) Header(names ...string) error { return c.w.Write(names) }
func (c *comma) Row(values ...string) error   { return c.w.Write(values) }
func (c *comma) Close() error                 { c.w.Flush(); return c.w.Error() }

type lines struct {
	enc   *json.Encoder
	names []string
}

func (l *lines) Header(names ...string) error { l.names = names; return nil }
func (l *lines) Row(values ...string) error {
	m := make(map[string]string, len(values))
	for i, v := range values {
		name := fmt.Sprintf("c%d", i)
		if i < len(l.names) {
			name = l.names[i]
		}
		m[name] = v
	}
	return l.enc.Encode(m)
}
func (l *lines) Close() error { return nil }
