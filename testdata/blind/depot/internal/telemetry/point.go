// Package telemetry keeps what the trucks and the forklifts tell about
// themselves: pings for two days, alarms for a month.
package telemetry

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"iter"
	"math"
	"time"
)

// How long pings and alarms live if nobody says otherwise.
const (
	PingTTL  = 48 * time.Hour
	AlarmTTL = 30 * 24 * time.Hour
)

// Level is how bad an alarm is.
type Level int

// Levels of alarms.
const (
	Notice Level = iota
	Warning
	Critical
)

// Keep is how long an alarm of a level is kept.
func (l Level) Keep() time.Duration {
	switch l {
	case Notice:
		return 7 * 24 * time.Hour
	case Critical:
		return 365 * 24 * time.Hour
	}
	return AlarmTTL
}

// Point is one ping.
type Point struct {
	Vehicle  string
	Lat, Lon float64
	Speed    float32
	At       time.Time
}

// Alarm is one alarm.
type Alarm struct {
	Vehicle string
	Level   Level
	Text    string
	Raised  time.Time
}

var errShort = errors.New("short point")

// Bytes is the stored form of a point.
func (p Point) Bytes() []byte {
	b := make([]byte, 0, 28)
	b = binary.BigEndian.AppendUint64(b, math.Float64bits(p.Lat))
	b = binary.BigEndian.AppendUint64(b, math.Float64bits(p.Lon))
	b = binary.BigEndian.AppendUint32(b, math.Float32bits(p.Speed))
	return binary.BigEndian.AppendUint64(b, uint64(p.At.UnixMilli()))
}

// ParsePoint reads the stored form.
func ParsePoint(b []byte) (Point, error) {
	if len(b) < 28 {
		return Point{}, fmt.Errorf("%w: %d bytes", errShort, len(b))
	}
	return Point{
		Lat:   math.Float64frombits(binary.BigEndian.Uint64(b)),
		Lon:   math.Float64frombits(binary.BigEndian.Uint64(b[8:])),
		Speed: math.Float32frombits(binary.BigEndian.Uint32(b[16:])),
		At:    time.UnixMilli(int64(binary.BigEndian.Uint64(b[20:]))),
	}, nil
}

// Meters is the way between two points.
func Meters(a, b Point) float64 {
	const r = 6371e3
	rad := func(d float64) float64 { return d * math.Pi / 180 }
	dLat, dLon := rad(b.Lat-a.Lat), rad(b.Lon-a.Lon)
	h := math.Pow(math.Sin(dLat/2), 2) + math.Cos(rad(a.Lat))*math.Cos(rad(b.Lat))*math.Pow(math.Sin(dLon/2), 2)
	return 2 * r * math.Asin(math.Sqrt(h))
}

// Pairs yields each element with the one before it.
func Pairs[A any](in iter.Seq[A]) iter.Seq2[A, A] {
	return func(yield func(A, A) bool) {
		var last A
		first := true
		for a := range in {
			if !first && !yield(last, a) {
				return
			}
			last, first = a, false
		}
	}
}

// Mileage is the way along points.
func Mileage(in iter.Seq[Point]) (m float64) {
	for a, b := range Pairs(in) {
		m += Meters(a, b)
	}
	return m
}

// Stops yields the points at which a vehicle stood for d.
func Stops(in iter.Seq[Point], d time.Duration) iter.Seq[Point] {
	return func(yield func(Point) bool) {
		var since Point
		standing := false
		for p := range in {
			switch {
			case p.Speed > 0.5:
				standing = false
			case !standing:
				since, standing = p, true
			case p.At.Sub(since.At) >= d:
				if !yield(since) {
					return
				}
				since = p
			}
		}
	}
}

func byTime(a, b Point) int { return cmp.Or(a.At.Compare(b.At), cmp.Compare(a.Vehicle, b.Vehicle)) }
