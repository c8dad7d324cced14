// Package devices is the shops' devices: scanners, tills, label printers.
//
// Table devices: a heartbeat (beat) is gone after three days, GC 72h. A command
// (cmd) has the moment at which it is pointless as timestamp; GC is a
// millisecond there, because the ops people wanted it gone quickly. raw is
// telemetry as it came, GC 90 days.
package devices

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"net/http"
	"sort"
	"strconv"
	"strings"
	"sync"
	"time"

	"cloud.google.com/go/bigtable"

	"pennywise.example/shop/internal/bt"
	"pennywise.example/shop/internal/clock"
	"pennywise.example/shop/internal/keys"
	"pennywise.example/shop/internal/web"
)

const cmdTTL = 24 * time.Hour

// families of the table, in the order of the old importer
var families = []string{bt.FamBeat, bt.FamCmd, bt.FamRaw}

var (
	bootTime  = time.Now()
	bootTS    = bigtable.Time(time.Now().Add(cmdTTL)) // want ttlwrite/stale-clock[boot]
	onlineMin = bigtable.ChainFilters(                // want ttlread/stale-bound[online]
		bigtable.FamilyFilter(bt.FamBeat),
		bigtable.TimestampRangeFilter(time.Now().Add(-bt.BeatTTL), time.Time{}), // want ttlread/stale-bound[online]
		bigtable.LatestNFilter(1),
	)
)

// Beat is what a device sends every minute.
type Beat struct {
	Serial  string             `json:"serial"`
	Version string             `json:"version"`
	SentMs  int64              `json:"sent_ms"`
	Sensors map[string]float64 `json:"sensors"`
	Demo    bool               `json:"demo"`
}

// Command is what a device has to do.
type Command struct {
	ID   string   `json:"id"`
	Verb string   `json:"verb"`
	Args []string `json:"args,omitempty"`
}

// PostBeat stores a heartbeat and answers with the commands that wait.
func PostBeat(w http.ResponseWriter, r *http.Request) {
	var b Beat
	if !web.Read(w, r, &b) {
		return
	}
	ctx, key := r.Context(), keys.Device(b.Serial)
	mut := bigtable.NewMutation()
	ts := clock.TS()
	if b.Demo {
		// devices at fairs go after an hour
		ts = clock.In(time.Hour - bt.BeatTTL)
	}
	mut.Set(bt.FamBeat, "version", ts, []byte(b.Version)) // ok ttlwrite/write-time ttlwrite/already-expired
	mut.Set(bt.FamBeat, "ip", ts, []byte(r.RemoteAddr))   // ok ttlwrite/same-timestamp
	for name, v := range b.Sensors {
		mut.Set(bt.FamRaw, name, clock.FromMillis(b.SentMs), []byte(strconv.FormatFloat(v, 'g', -1, 64))) // ok ttlunit/wrong-unit
	}
	if err := bt.Devices.Apply(ctx, key, mut); err != nil {
		web.Fail(w, err)
		return
	}
	cmds, err := waiting(ctx, key)
	if err != nil {
		web.Fail(w, err)
		return
	}
	web.JSON(w, http.StatusOK, cmds)
}

// PostBeatV1 is for firmware before 2.0, which sends a form.
func PostBeatV1(w http.ResponseWriter, r *http.Request) {
	key := keys.Device(r.FormValue("serial"))
	sec, err := strconv.ParseInt(r.FormValue("t"), 10, 64)
	if err != nil {
		sec = clock.Now().Unix()
	}
	sent := time.Unix(sec, 0)
	mut := bigtable.NewMutation()
	mut.Set(bt.FamRaw, "temp", bigtable.Timestamp(sent.UnixMilli()), []byte(r.FormValue("temp")))      // want ttlunit/wrong-unit
	mut.Set(bt.FamRaw, "volt", bigtable.Timestamp(sent.UnixMilli()*1000), []byte(r.FormValue("volt"))) // ok ttlunit/wrong-unit
	mut.Set(bt.FamRaw, "amp", bigtable.Timestamp(sent.UnixNano()), []byte(r.FormValue("amp")))         // want ttlunit/wrong-unit
	mut.Set(bt.FamRaw, "lux", bigtable.Timestamp(sent.UnixNano()/1000), []byte(r.FormValue("lux")))    // ok ttlunit/wrong-unit
	mut.Set(bt.FamBeat, "version", bigtable.ServerTime, []byte("1"))                                   // ok ttlwrite/server-timestamp
	mut.Set(bt.FamCmd, "ack", bigtable.ServerTime, []byte(r.FormValue("ack")))                         // want ttlwrite/server-timestamp
	if err := bt.Devices.Apply(r.Context(), key, mut); err != nil {
		web.Fail(w, err)
		return
	}
	w.WriteHeader(http.StatusNoContent)
}

// waiting are the commands of a device.
func waiting(ctx context.Context, key string) ([]Command, error) {
	row, err := bt.Devices.ReadRow(ctx, key, bigtable.RowFilter(bt.LiveIn(bt.FamCmd))) // ok ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	var res []Command
	for _, it := range row[bt.FamCmd] {
		var c Command
		if err := json.Unmarshal(it.Value, &c); err != nil {
			log.Printf("device %s: %s: %v", key, it.Column, err)
			continue
		}
		res = append(res, c)
	}
	return res, nil
}

// Send gives a device a command.
func Send(w http.ResponseWriter, r *http.Request) {
	var c Command
	if !web.Read(w, r, &c) {
		return
	}
	c.ID = keys.NewToken()
	raw, err := json.Marshal(c)
	if err != nil {
		web.Fail(w, err)
		return
	}
	ttl := web.Duration(r, "ttl", cmdTTL)
	mut := bigtable.NewMutation()
	switch c.Verb {
	case "reboot":
		// not tomorrow
		mut.Set(bt.FamCmd, c.ID, clock.In(time.Minute), raw) // ok ttlwrite/write-time
	case "update":
		mut.Set(bt.FamCmd, c.ID, bootTS, raw) // want ttlwrite/stale-clock[boot]
	case "print":
		mut.Set(bt.FamCmd, c.ID, clock.In(ttl), raw) // ok ttlwrite/write-time
	case "beep":
		mut.Set(bt.FamCmd, c.ID, clock.In(0), raw) // want ttlwrite/write-time
	default:
		web.Fail(w, web.ErrNotFound)
		return
	}
	if err := bt.Devices.Apply(r.Context(), keys.Device(r.PathValue("serial")), mut); err != nil {
		web.Fail(w, err)
		return
	}
	web.JSON(w, http.StatusAccepted, c)
}

// SendAll gives all devices of a shop a command.
func SendAll(ctx context.Context, serials []string, c Command) error {
	raw, err := json.Marshal(c)
	if err != nil {
		return err
	}
	exp := bigtable.Time(clock.Now().Add(cmdTTL))
	var list []string
	var muts []*bigtable.Mutation
	for _, s := range serials {
		m := bigtable.NewMutation()
		m.Set(bt.FamCmd, c.ID, exp, raw)                         // ok ttlwrite/write-time
		m.Set(families[1], "all", exp, nil)                      // ok ttlwrite/write-time
		m.Set(families[1], "by", bigtable.Now(), []byte("all"))  // want ttlwrite/write-time
		m.Set(families[0], "sent", bigtable.Now(), []byte(c.ID)) // ok ttlwrite/write-time
		list, muts = append(list, keys.Device(s)), append(muts, m)
	}
	errs, err := bt.Devices.ApplyBulk(ctx, list, muts)
	if err != nil {
		return err
	}
	return errors.Join(errs...)
}

// Ack takes a command away and counts.
func Ack(w http.ResponseWriter, r *http.Request) {
	key := keys.Device(r.PathValue("serial"))
	mut := bigtable.NewMutation()
	mut.DeleteCellsInColumn(bt.FamCmd, r.PathValue("id"))
	mut.Set(bt.FamRaw, "ack", bigtable.Now(), []byte(r.PathValue("id"))) // ok ttlwrite/write-time
	if err := bt.Devices.Apply(r.Context(), key, mut); err != nil {
		web.Fail(w, err)
		return
	}
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment(bt.FamRaw, "acks", 1)   // ok ttlwrite/read-modify-write
	rmw.Increment(bt.FamBeat, "acks", 1)  // ok ttlwrite/read-modify-write
	rmw.Increment(families[1], "acks", 1) // want ttlwrite/read-modify-write
	if _, err := bt.Devices.ApplyReadModifyWrite(r.Context(), key, rmw); err != nil {
		log.Printf("ack %s: %v", key, err)
	}
	w.WriteHeader(http.StatusNoContent)
}

// Online lists devices with a heartbeat.
func Online(w http.ResponseWriter, r *http.Request) {
	var res []string
	err := bt.Devices.ReadRows(r.Context(), bigtable.PrefixRange("d"+keys.Sep), func(row bigtable.Row) bool { // want ttlread/stale-bound[online]
		res = append(res, row.Key()+" "+bt.Str(row, bt.FamBeat, "version"))
		return true
	}, bigtable.RowFilter(onlineMin)) // want ttlread/stale-bound[online]
	if err != nil {
		web.Fail(w, err)
		return
	}
	web.JSON(w, http.StatusOK, res)
}

// Versions counts firmware versions.
func Versions(ctx context.Context) (map[string]int, error) {
	res := map[string]int{}
	err := bt.Devices.ReadRows(ctx, bigtable.PrefixRange("d"+keys.Sep), func(row bigtable.Row) bool {
		res[bt.Str(row, bt.FamBeat, "version")]++
		return true
	}, bigtable.RowFilter(bigtable.ChainFilters(
		bigtable.FamilyFilter(bt.FamBeat),
		bigtable.ColumnFilter("version"),
		bigtable.TimestampRangeFilter(clock.Now().Add(-3*24*time.Hour), time.Time{}), // ok ttlread/wrong-bound
		bigtable.LatestNFilter(1),
	)))
	return res, err
}

// VersionsNow counts the versions of the devices that were there in the last
// ten minutes.
func VersionsNow(ctx context.Context) (map[string]int, error) {
	res := map[string]int{}
	err := bt.Devices.ReadRows(ctx, bigtable.PrefixRange("d"+keys.Sep), func(row bigtable.Row) bool {
		res[bt.Str(row, bt.FamBeat, "version")]++
		return true
	}, bigtable.RowFilter(bt.Within(bt.FamBeat, 10*time.Minute))) // want ttlread/wrong-bound
	return res, err
}

// VersionsUntil counts versions up to now. The clock of some devices is wrong.
func VersionsUntil(ctx context.Context) (map[string]int, error) {
	now := clock.Now()
	res := map[string]int{}
	err := bt.Devices.ReadRows(ctx, bigtable.PrefixRange("d"+keys.Sep), func(row bigtable.Row) bool {
		res[bt.Str(row, bt.FamBeat, "version")]++
		return true
	}, bigtable.RowFilter(bigtable.ChainFilters(
		bigtable.FamilyFilter(bt.FamBeat),
		bigtable.TimestampRangeFilter(now.Add(-bt.BeatTTL), now), // want ttlread/upper-bound
	)))
	return res, err
}

// Device shows everything of a device.
func Device(w http.ResponseWriter, r *http.Request) {
	now := clock.Now()
	row, err := bt.Devices.ReadRow(r.Context(), keys.Device(r.PathValue("serial")), bigtable.RowFilter(bigtable.InterleaveFilters( // ok ttlread/unfiltered-branch
		bigtable.ChainFilters(bigtable.FamilyFilter(bt.FamBeat), bigtable.TimestampRangeFilter(now.Add(-bt.BeatTTL), time.Time{})), // ok ttlread/wrong-bound
		bigtable.ChainFilters(bigtable.FamilyFilter(bt.FamCmd), bigtable.TimestampRangeFilter(now, time.Time{})),                   // ok ttlread/wrong-bound
		bigtable.ChainFilters(bigtable.FamilyFilter(bt.FamRaw), bigtable.LatestNFilter(1)),
	)))
	if err != nil {
		web.Fail(w, err)
		return
	}
	type cell struct {
		Column  string    `json:"column"`
		Value   string    `json:"value"`
		Written time.Time `json:"written,omitzero"`
		Expires time.Time `json:"expires,omitzero"`
	}
	var res []cell
	for _, it := range row[bt.FamBeat] {
		res = append(res, cell{Column: it.Column, Value: string(it.Value), Written: it.Timestamp.Time()}) // want ttlage/not-write-time
	}
	for _, it := range row[bt.FamCmd] {
		res = append(res, cell{Column: it.Column, Value: string(it.Value), Expires: it.Timestamp.Time()}) // ok ttlage/not-write-time
	}
	for _, it := range row[bt.FamRaw] {
		res = append(res, cell{Column: it.Column, Value: string(it.Value), Written: it.Timestamp.Time()}) // ok ttlage/not-write-time
	}
	web.JSON(w, http.StatusOK, res)
}

// DeviceRaw shows it as it is in the table. For the people of the warehouse,
// who have a page of their own.
func DeviceRaw(w http.ResponseWriter, r *http.Request) {
	row, err := bt.Devices.ReadRow(r.Context(), keys.Device(r.PathValue("serial"))) // want ttlread/missing-filter
	if err != nil {
		web.Fail(w, err)
		return
	}
	for _, fam := range families {
		for _, it := range row[fam] {
			fmt.Fprintf(w, "%s = %s\n", it.Column, it.Value)
		}
	}
}

// Telemetry answers with telemetry of a window.
func Telemetry(w http.ResponseWriter, r *http.Request) {
	to := clock.Now()
	from := to.Add(-web.Duration(r, "last", 24*time.Hour))
	row, err := bt.Devices.ReadRow(r.Context(), keys.Device(r.PathValue("serial")), bigtable.RowFilter(bigtable.ChainFilters(
		bigtable.FamilyFilter(bt.FamRaw),
		bigtable.TimestampRangeFilter(from, to), // ok ttlread/upper-bound
	)))
	if err != nil {
		web.Fail(w, err)
		return
	}
	points := map[string][]string{}
	for _, it := range row[bt.FamRaw] {
		points[it.Column] = append(points[it.Column], it.Timestamp.Time().Format(time.TimeOnly)+" "+string(it.Value)) // ok ttlage/not-write-time
	}
	for _, p := range points {
		sort.Strings(p)
	}
	web.JSON(w, http.StatusOK, points)
}

// Pending counts waiting commands of all devices, for the wallboard.
func Pending(ctx context.Context) (int, error) {
	n := 0
	now := clock.Now()
	err := bt.Devices.ReadRows(ctx, bigtable.PrefixRange("d"+keys.Sep), func(row bigtable.Row) bool { // ok ttlread/missing-filter
		for _, it := range row[bt.FamCmd] {
			if it.Timestamp > bigtable.Time(now) {
				n++
			}
		}
		return true
	}, bigtable.RowFilter(bigtable.FamilyFilter(bt.FamCmd)))
	return n, err
}

// PendingOld is Pending in the old report. It was right when the ops people
// still had the GC of the instance turned up.
func PendingOld(ctx context.Context) (int, error) {
	n := 0
	err := bt.Devices.ReadRows(ctx, bigtable.PrefixRange("d"+keys.Sep), func(row bigtable.Row) bool { // want ttlread/missing-filter[pendingold]
		for _, it := range row[bt.FamCmd] {
			if !strings.HasPrefix(it.Column, "cmd:ack") {
				n++
			}
		}
		return true
	}, bigtable.RowFilter(bigtable.FamilyFilter(bt.FamCmd))) // want ttlread/missing-filter[pendingold]
	return n, err
}

// grace is how long a command may be late. Commands that ended in the last
// second still count, GC or no GC.
const grace = time.Second

// Late are commands that have just ended.
func Late(ctx context.Context, key string) (int, error) {
	row, err := bt.Devices.ReadRow(ctx, key, bigtable.RowFilter(bigtable.ChainFilters(
		bigtable.FamilyFilter(bt.FamCmd),
		bigtable.TimestampRangeFilter(clock.Now().Add(-grace), time.Time{}), // want ttlread/wrong-bound
	)))
	return len(row[bt.FamCmd]), err
}

// LateBy is Late with the table's own grace.
func LateBy(ctx context.Context, key string) (int, error) {
	row, err := bt.Devices.ReadRow(ctx, key, bigtable.RowFilter(bigtable.ChainFilters(
		bigtable.FamilyFilter(bt.FamCmd),
		bigtable.TimestampRangeFilter(clock.Now().Add(-time.Millisecond), time.Time{}), // ok ttlread/wrong-bound
	)))
	return len(row[bt.FamCmd]), err
}

var (
	once    sync.Once
	shiftTS bigtable.Timestamp
)

// EndOfShift writes a note that is for this shift.
func EndOfShift(ctx context.Context, serial, note string) error {
	once.Do(func() {
		shiftTS = bigtable.Time(time.Now().Add(8 * time.Hour)) // want ttlwrite/stale-clock[shift]
	})
	mut := bigtable.NewMutation()
	mut.Set(bt.FamCmd, "note", shiftTS, []byte(note))             // want ttlwrite/stale-clock[shift]
	mut.Set(bt.FamRaw, "note", bigtable.Time(bootTime), nil)      // ok ttlwrite/stale-clock
	mut.Set(bt.FamRaw, "boot", bigtable.Time(clock.Started), nil) // ok ttlwrite/stale-clock
	return bt.Devices.Apply(ctx, keys.Device(serial), mut)
}

// Uptime is for /healthz.
func Uptime() time.Duration {
	return time.Since(bootTime)
}
