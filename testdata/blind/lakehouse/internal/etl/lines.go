package etl

import (
	"bufio"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// CSV reads records with a header into maps and sends them to out.
func CSV(r io.Reader, out func(line int, rec map[string]string) error) error {
	cr := csv.NewReader(bufio.NewReaderSize(r, 1<<20))
	cr.ReuseRecord = true
	head, err := cr.Read()
	if err != nil {
		return fmt.Errorf("etl: header: %w", err)
	}
	cols := append([]string(nil), head...)
	for line := 2; ; line++ {
		rec, err := cr.Read()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("etl: line %d: %w", line, err)
		}
		m := make(map[string]string, len(cols))
		for i, c := range cols {
			m[c] = rec[i]
		}
		if err := out(line, m); err != nil {
			return fmt.Errorf("etl: line %d: %w", line, err)
		}
	}
}

// JSONLines decodes one T per line.
func JSONLines[T any](r io.Reader, out func(line int, v T) error) error {
	sc := bufio.NewScanner(r)
	sc.Buffer(make([]byte, 64<<10), 8<<20)
	for line := 1; sc.Scan(); line++ {
		if len(sc.Bytes()) == 0 {
			continue
		}
		var v T
		if err := json.Unmarshal(sc.Bytes(), &v); err != nil {
			return fmt.Errorf("etl: line %d: %w", line, err)
		}
		if err := out(line, v); err != nil {
			return fmt.Errorf("etl: line %d: %w", line, err)
		}
	}
	return sc.Err()
}

// JSONWriter writes one value per line.
type JSONWriter struct {
	w   *bufio.Writer
	enc *json.Encoder
	n   int
}

// NewJSONWriter buffers w.
func NewJSONWriter(w io.Writer) *JSONWriter {
	b := bufio.NewWriterSize(w, 1<<20)
	return &JSONWriter{w: b, enc: json.NewEncoder(b)}
}

// Write writes v.
func (j *JSONWriter) Write(v any) error { j.n++; return j.enc.Encode(v) }

// Close flushes.
func (j *JSONWriter) Close() error { return j.w.Flush() }

// Lines is the number of values written.
func (j *JSONWriter) Lines() int { return j.n }
