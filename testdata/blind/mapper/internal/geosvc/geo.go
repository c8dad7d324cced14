// Package geosvc has the last known places of couriers and pickup points.
package geosvc

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"time"

	"cloud.google.com/go/bigtable"

	"marketmap.example/market/internal/mapper"
	"marketmap.example/market/internal/model"
	"marketmap.example/market/internal/schema"
)

// Place is where something was last.
type Place struct {
	Subject   string    `json:"subject"`
	Lat       float64   `json:"lat"`
	Lon       float64   `json:"lon"`
	Seen      time.Time `json:"seen"`
	UpdatedAt time.Time `json:"updated_at"`
}

// Tracker keeps places.
type Tracker struct {
	bigtable  bigtable.TableAPI
	locations *mapper.Repo[*model.Location]
	pings     *mapper.Repo[*model.CourierPing]
	zero      bigtable.Timestamp
}

// New makes a tracker.
func New(client *bigtable.Client) *Tracker {
	return &Tracker{
		bigtable:  client.OpenTable(schema.TableLocations),
		locations: mapper.NewRepo[*model.Location](client.Open(schema.TableLocations)),
		pings:     mapper.NewRepo[*model.CourierPing](client.Open(schema.TableLocations)),
	}
}

func key(subject string) string { return "loc#" + subject }

func float(f float64) []byte { return binary.BigEndian.AppendUint64(nil, math.Float64bits(f)) }

func parse(b []byte) float64 {
	if len(b) != 8 {
		return 0
	}
	return math.Float64frombits(binary.BigEndian.Uint64(b))
}

// Pickup notes where a pickup point is.
func (t *Tracker) Pickup(ctx context.Context, id string, lat, lon float64) error {
	return t.locations.Save(ctx, &model.Location{Subject: id, Lat: lat, Lon: lon, Seen: time.Now().Unix()}) // ok ttlwrite/clock-in-zero
}

// Ping notes where a courier is.
func (t *Tracker) Ping(ctx context.Context, courier string, lat, lon float64, battery int64) error {
	p := &model.CourierPing{Battery: battery}
	p.Subject, p.Lat, p.Lon = courier, lat, lon
	return t.pings.Save(ctx, p) // want ttlwrite/clock-in-zero[ping]
}

// Move is Ping without the mapper.
func (t *Tracker) Move(ctx context.Context, courier string, lat, lon float64) error {
	mut := bigtable.NewMutation()
	mut.Set(schema.FamLast, "lat", 0, float(lat))                               // ok ttlwrite/clock-in-zero
	mut.Set(schema.FamLast, "lon", t.zero, float(lon))                          // ok ttlwrite/clock-in-zero
	mut.Set(schema.FamLast, "seen", 0, []byte(time.Now().Format(time.RFC3339))) // ok ttlwrite/clock-in-zero
	return t.bigtable.Apply(ctx, key(courier), mut)
}

// Park notes where a van stands over night.
func (t *Tracker) Park(ctx context.Context, van string, lat, lon float64) error {
	mut := bigtable.NewMutation()
	mut.Set(schema.FamLast, "lat", 0, float(lat))                       // ok ttlwrite/clock-in-zero
	mut.Set(schema.FamLast, "lon", 0, float(lon))                       // ok ttlwrite/same-timestamp
	mut.Set(schema.FamLast, "parked", bigtable.ServerTime, []byte("1")) // want ttlwrite/clock-in-zero
	return t.bigtable.Apply(ctx, key(van), mut)
}

// Correct writes a place that somebody corrected by hand.
func (t *Tracker) Correct(ctx context.Context, subject string, lat, lon float64) error {
	ts := bigtable.Now()
	mut := bigtable.NewMutation()
	mut.Set(schema.FamLast, "lat", ts, float(lat)) // want ttlwrite/clock-in-zero
	mut.Set(schema.FamLast, "lon", ts, float(lon)) // want ttlwrite/clock-in-zero
	return t.bigtable.Apply(ctx, key(subject), mut)
}

// Swap exchanges the coordinates of places that were imported the wrong way round.
func (t *Tracker) Swap(ctx context.Context, subject string, lat, lon float64) error {
	mut := bigtable.NewMutation()
	mut.Set(schema.FamLast, "lat", 0, float(lat))
	mut.Set(schema.FamLast, "lat", 0, float(lon)) // want ttlwrite/same-timestamp
	return t.bigtable.Apply(ctx, key(subject), mut)
}

// Rename deletes and writes.
func (t *Tracker) Rename(ctx context.Context, subject, label string) error {
	mut := bigtable.NewMutation()
	mut.Set(schema.FamLast, "label", 0, []byte(label))
	mut.DeleteCellsInColumn(schema.FamLast, "alias") // ok ttlwrite/delete-after-set
	mut.DeleteCellsInColumn(schema.FamLast, "label") // want ttlwrite/delete-after-set
	return t.bigtable.Apply(ctx, key(subject), mut)
}

// Stops counts the stops of a tour.
func (t *Tracker) Stops(ctx context.Context, courier string) (int64, error) {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment(schema.FamLast, "stops", 1) // want ttlwrite/read-modify-write
	row, err := t.bigtable.ApplyReadModifyWrite(ctx, key(courier), rmw)
	if err != nil {
		return 0, err
	}
	for _, it := range row[schema.FamLast] {
		return int64(binary.BigEndian.Uint64(it.Value)), nil
	}
	return 0, nil
}

// Where is where something was last.
func (t *Tracker) Where(ctx context.Context, subject string) (*Place, error) {
	row, err := t.bigtable.ReadRow(ctx, key(subject)) // ok ttlread/missing-filter
	if err != nil {
		return nil, fmt.Errorf("place of %s: %w", subject, err)
	}
	p := Place{Subject: subject}
	for _, it := range row[schema.FamLast] {
		switch it.Column {
		case "last:lat":
			p.Lat = parse(it.Value)
			p.UpdatedAt = it.Timestamp.Time() // want ttlage/not-write-time
		case "last:lon":
			p.Lon = parse(it.Value)
		case "last:seen":
			if when, err := time.Parse(time.RFC3339, string(it.Value)); err == nil {
				p.Seen = when // ok ttlage/not-write-time
			}
		}
	}
	return &p, nil
}

// Near are the things near a place.
func (t *Tracker) Near(ctx context.Context, lat, lon, km float64) ([]Place, error) {
	var out []Place
	err := t.bigtable.ReadRows(ctx, bigtable.PrefixRange("loc#"), func(row bigtable.Row) bool {
		p := Place{Subject: row.Key()[len("loc#"):]}
		for _, it := range row[schema.FamLast] {
			switch it.Column {
			case "last:lat":
				p.Lat = parse(it.Value)
			case "last:lon":
				p.Lon = parse(it.Value)
			}
		}
		if distance(lat, lon, p.Lat, p.Lon) <= km {
			out = append(out, p)
		}
		return true
	}, bigtable.RowFilter(bigtable.LatestNFilter(1))) // ok ttlread/missing-filter
	return out, err
}

// Silent are couriers that have not moved for an hour.
func (t *Tracker) Silent(ctx context.Context) ([]string, error) {
	var out []string
	now := time.Now()
	err := t.bigtable.ReadRows(ctx, bigtable.PrefixRange("loc#"), func(row bigtable.Row) bool {
		for _, it := range row[schema.FamLast] {
			if now.Sub(it.Timestamp.Time()) > time.Hour { // want ttlage/not-write-time
				out = append(out, row.Key())
				return true
			}
		}
		return true
	})
	return out, err
}

// Once writes a first place unless there is one.
func (t *Tracker) Once(ctx context.Context, subject string, p Place) error {
	b, err := json.Marshal(p)
	if err != nil {
		return err
	}
	set := bigtable.NewMutation()
	set.Set(schema.FamLast, "first", 0, b)                                                                                // ok ttlwrite/clock-in-zero
	return t.bigtable.Apply(ctx, key(subject), bigtable.NewCondMutation(bigtable.FamilyFilter(schema.FamLast), nil, set)) // ok ttlread/conditional-mutation
}

func distance(lat1, lon1, lat2, lon2 float64) float64 {
	const r = 6371
	rad := math.Pi / 180
	dlat, dlon := (lat2-lat1)*rad, (lon2-lon1)*rad
	a := math.Sin(dlat/2)*math.Sin(dlat/2) + math.Cos(lat1*rad)*math.Cos(lat2*rad)*math.Sin(dlon/2)*math.Sin(dlon/2)
	return 2 * r * math.Asin(math.Sqrt(a))
}
