// Package events defines what travels between gridwatch's stages.
package events

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"
)

// Kind tells the payload of an Envelope.
type Kind string

// Kinds.
const (
	KindReading   Kind = "reading"
	KindHeartbeat Kind = "heartbeat"
	KindLogin     Kind = "login"
	KindCommand   Kind = "command"
	KindAlert     Kind = "alert"
)

// Severity of an alert.
type Severity int

// Severities.
const (
	Info Severity = iota
	Warning
	Critical
)

func (s Severity) String() string {
	switch s {
	case Info:
		return "info"
	case Warning:
		return "warning"
	case Critical:
		return "critical"
	}
	return fmt.Sprintf("severity(%d)", int(s))
}

// Envelope is what comes off the wire.
type Envelope struct {
	ID      string          `json:"id"`
	Device  string          `json:"device"`
	Tenant  string          `json:"tenant"`
	Kind    Kind            `json:"kind"`
	Payload json.RawMessage `json:"payload"`
}

// Reading is one sample of one sensor.
type Reading struct {
	Device  string    `json:"device"`
	Sensor  string    `json:"sensor"`
	Value   float64   `json:"value"`
	Unit    string    `json:"unit"`
	TakenAt time.Time `json:"taken_at"`
}

// Heartbeat says that a device is alive.
type Heartbeat struct {
	Device   string        `json:"device"`
	Firmware string        `json:"firmware"`
	Uptime   time.Duration `json:"uptime"`
}

// Login is a device that authenticated.
type Login struct {
	Device    string    `json:"device"`
	JWT       string    `json:"jwt"`
	ExpiresAt time.Time `json:"expires_at"`
}

// Command is an order to a device.
type Command struct {
	Device string `json:"device"`
	Op     string `json:"op"`
	Args   string `json:"args"`
	Seq    int64  `json:"seq"`
}

// Alert is a rule that fired, or ceased to.
type Alert struct {
	Rule     string    `json:"rule"`
	Device   string    `json:"device"`
	Severity Severity  `json:"severity"`
	Value    float64   `json:"value"`
	Since    time.Time `json:"since"`
	Resolved bool      `json:"resolved"`
}

// Key is the row key of the alert's state.
func (a Alert) Key() string { return a.Device + "#" + a.Rule }

// ErrMalformed wraps every decoding error.
var ErrMalformed = errors.New("malformed event")

// Decode unpacks an envelope into its typed event.
func Decode(raw []byte) (Envelope, any, error) {
	var env Envelope
	if err := json.Unmarshal(raw, &env); err != nil {
		return env, nil, fmt.Errorf("%w: %v", ErrMalformed, err)
	}
	if strings.TrimSpace(env.Device) == "" {
		return env, nil, fmt.Errorf("%w: no device", ErrMalformed)
	}
	var ev any
	switch env.Kind {
	case KindReading:
		ev = new(Reading)
	case KindHeartbeat:
		ev = new(Heartbeat)
	case KindLogin:
		ev = new(Login)
	case KindCommand:
		ev = new(Command)
	case KindAlert:
		ev = new(Alert)
	default:
		return env, nil, fmt.Errorf("%w: kind %q", ErrMalformed, env.Kind)
	}
	if err := json.Unmarshal(env.Payload, ev); err != nil {
		return env, nil, fmt.Errorf("%w: %s payload: %v", ErrMalformed, env.Kind, err)
	}
	return env, ev, nil
}

// ReverseKey spreads monotonic device ids over tablets.
func ReverseKey(device string) string {
	b := []byte(device)
	for i, j := 0, len(b)-1; i < j; i, j = i+1, j-1 {
		b[i], b[j] = b[j], b[i]
	}
	return string(b)
}
