// Package gateway is the HTTP API in front of the stores.
package gateway

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strconv"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/fleetio/internal/btutil"
	"example.com/fleetio/internal/command"
	"example.com/fleetio/internal/firmware"
	"example.com/fleetio/internal/geofence"
	"example.com/fleetio/internal/heartbeat"
	"example.com/fleetio/internal/keys"
	"example.com/fleetio/internal/logx"
	"example.com/fleetio/internal/session"
	"example.com/fleetio/internal/shadow"
)

// Stores are what the gateway needs.
type Stores struct {
	Beats    *heartbeat.Store
	Shadows  *shadow.Store
	Queue    *command.Queue
	Depot    *firmware.Depot
	Fences   *geofence.Store
	Sessions *session.Store
	State    *bigtable.Table
}

type handler func(ctx context.Context, s *Stores, r *http.Request) (any, error)

var routes = map[string]handler{
	"POST /v1/beat":             postBeat,
	"POST /v1/nudge/{site}":     postNudge,
	"GET /v1/device/{site}":     getDevice,
	"GET /v1/age/{site}":        getAge,
	"GET /v1/command/{dev}":     getCommand,
	"POST /v1/command/{dev}":    postCommand,
	"GET /v1/firmware/{model}":  getFirmware,
	"PUT /v1/firmware/{model}":  putFirmware,
	"POST /v1/position/{fence}": postPosition,
}

// New makes the handler of everything.
func New(s *Stores, log *logx.Logger) http.Handler {
	mux := http.NewServeMux()
	for pattern, h := range routes {
		mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
			ctx, cancel := context.WithTimeout(r.Context(), 10*time.Second)
			defer cancel()
			ok, err := s.Sessions.Valid(ctx, r.Header.Get("X-Session"), r.Header.Get("X-Token"))
			if err != nil || !ok {
				http.Error(w, "no session", http.StatusUnauthorized)
				return
			}
			v, err := h(ctx, s, r)
			switch {
			case errors.Is(err, command.ErrGone), errors.Is(err, firmware.ErrNoImage):
				http.Error(w, err.Error(), http.StatusNotFound)
			case err != nil:
				log.Error(r.URL.Path, err, nil)
				http.Error(w, "internal error", http.StatusInternalServerError)
			default:
				w.Header().Set("Content-Type", "application/json")
				json.NewEncoder(w).Encode(v)
			}
		})
	}
	return mux
}

func postBeat(ctx context.Context, s *Stores, r *http.Request) (any, error) {
	var b heartbeat.Beat
	if err := json.NewDecoder(io.LimitReader(r.Body, 1<<16)).Decode(&b); err != nil {
		return nil, err
	}
	b.Seen = time.Now()
	return nil, s.Beats.Record(ctx, b)
}

// mark writes a cell of a device's row.
func mark(ctx context.Context, t *bigtable.Table, key, fam, col string, ts bigtable.Timestamp) error {
	m := bigtable.NewMutation()
	m.Set(fam, col, ts, []byte{1})
	return t.Apply(ctx, key, m)
}

func postNudge(ctx context.Context, s *Stores, r *http.Request) (any, error) {
	key := keys.Device(r.PathValue("site"), r.FormValue("dev"))
	return nil, errors.Join(
		mark(ctx, s.State, key, keys.FamHB, "nudge", bigtable.ServerTime),          // want ttlwrite/server-timestamp
		mark(ctx, s.State, key, keys.FamHB, "woken", bigtable.Time(time.Now())),    // want ttlwrite/write-time
		mark(ctx, s.State, key, keys.FamHB, "until", btutil.ExpireIn(time.Minute)), // ok ttlwrite/write-time
		mark(ctx, s.State, key, keys.FamVer, "nudge", btutil.NowTS()),              // want ttlwrite/clock-in-sequence
		mark(ctx, s.State, key, keys.FamShadow, "nudge", 0),                        // ok ttlwrite/clock-in-zero
		mark(ctx, s.State, key, keys.FamMeta, "nudge", bigtable.ServerTime),        // ok ttlwrite/server-timestamp
	)
}

func getDevice(ctx context.Context, s *Stores, r *http.Request) (any, error) {
	row, err := s.State.ReadRow(ctx, keys.Device(r.PathValue("site"), r.FormValue("dev"))) // want ttlread/missing-filter[device]
	if err != nil {
		return nil, err
	}
	out := map[string]string{}
	for fam, items := range row {
		for _, it := range items {
			out[fam+"/"+it.Column] = string(it.Value)
		}
	}
	return out, nil
}

func getAge(ctx context.Context, s *Stores, r *http.Request) (any, error) {
	row, err := s.Beats.LiveRow(ctx, r.PathValue("site"), r.FormValue("dev"))
	if err != nil {
		return nil, err
	}
	type age struct {
		Updated  time.Time     `json:"updated"`
		Expires  time.Time     `json:"expires"`
		Reported time.Duration `json:"reported"`
	}
	var a age
	if it := row[keys.FamHB]; len(it) > 0 {
		a.Updated = it[0].Timestamp.Time() // want ttlage/not-write-time
		a.Expires = it[0].Timestamp.Time() // ok ttlage/not-write-time
	}
	if it, ok := btutil.Find(row, keys.FamMeta, "reported_at"); ok {
		a.Reported = time.Since(it.Timestamp.Time()) // ok ttlage/not-write-time
	}
	return a, nil
}

func getCommand(ctx context.Context, s *Stores, r *http.Request) (any, error) {
	if v := r.FormValue("n"); v != "" {
		n, err := strconv.ParseInt(v, 10, 64)
		if err != nil {
			return nil, err
		}
		return s.Queue.GetLive(ctx, r.PathValue("dev"), n)
	}
	return s.Queue.Pending(ctx, r.PathValue("dev"), 50)
}

func postCommand(ctx context.Context, s *Stores, r *http.Request) (any, error) {
	c := &command.Command{Device: r.PathValue("dev"), Kind: r.FormValue("kind")}
	var err error
	if c.Number, err = s.Queue.Number(ctx, c.Device); err != nil {
		return nil, err
	}
	return c, s.Queue.Push(ctx, c)
}

func getFirmware(ctx context.Context, s *Stores, r *http.Request) (any, error) {
	return s.Depot.Latest(ctx, r.PathValue("model"))
}

func putFirmware(ctx context.Context, s *Stores, r *http.Request) (any, error) {
	image, err := io.ReadAll(io.LimitReader(r.Body, 64<<20))
	if err != nil {
		return nil, err
	}
	n, err := strconv.ParseInt(r.FormValue("revision"), 10, 64)
	if err != nil {
		return nil, err
	}
	return nil, s.Depot.Upload(ctx, firmware.Manifest{Model: r.PathValue("model"), Revision: n, Released: time.Now()}, image)
}

func postPosition(ctx context.Context, s *Stores, r *http.Request) (any, error) {
	var p geofence.Point
	if err := json.NewDecoder(r.Body).Decode(&p); err != nil {
		return nil, err
	}
	c, err := s.Fences.Shape(ctx, r.PathValue("fence"))
	if err != nil {
		return nil, err
	}
	return s.Fences.Evaluate(ctx, c, r.FormValue("dev"), p)
}
