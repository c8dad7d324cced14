package collect

import (
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"time"
)

// Event is what clients send.
type Event struct {
	ID      string            `json:"id"`
	Tenant  string            `json:"tenant"`
	User    string            `json:"user"`
	Kind    string            `json:"kind"`
	At      time.Time         `json:"at"`
	Props   map[string]string `json:"props,omitempty"`
	Keep    time.Duration     `json:"-"`
	Sampled bool              `json:"-"`
}

var errBadEvent = errors.New("collect: bad event")

// Validate refuses events that nobody could make sense of.
func (e Event) Validate() error {
	switch {
	case e.ID == "":
		return fmt.Errorf("%w: no id", errBadEvent)
	case e.Tenant == "":
		return fmt.Errorf("%w: no tenant", errBadEvent)
	case e.Kind == "":
		return fmt.Errorf("%w: no kind", errBadEvent)
	case e.At.IsZero():
		return fmt.Errorf("%w: no time", errBadEvent)
	}
	return nil
}

// Key spreads events over the key space.
func (e Event) Key() string {
	h := fnv.New32a()
	_, _ = h.Write([]byte(e.User))
	return fmt.Sprintf("%02x#%s#%s", h.Sum32()%64, e.User, e.ID)
}

func (e Event) body() []byte {
	b, err := json.Marshal(e)
	if err != nil {
		return nil
	}
	return b
}
