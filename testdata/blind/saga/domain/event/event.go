// Package event is how aggregates say what changed in them.
package event

// Change is a cell to be written. At is its timestamp in microseconds.
type Change struct {
	Family, Column string
	At             int64
	Value          []byte
}

// Recorder is embedded by aggregates that record cells.
type Recorder struct {
	changes []Change
}

// Record notes a change.
func (r *Recorder) Record(family, column string, at int64, value []byte) {
	r.changes = append(r.changes, Change{Family: family, Column: column, At: at, Value: value})
}

// Changes are the changes since the last call of Committed.
func (r *Recorder) Changes() []Change { return r.changes }

// Committed forgets the changes.
func (r *Recorder) Committed() { r.changes = nil }

// Message is what the outbox sends.
type Message struct {
	ID      string            `json:"id"`
	Topic   string            `json:"topic"`
	Key     string            `json:"key"`
	Seq     int64             `json:"seq"`
	Payload map[string]string `json:"payload"`
}
