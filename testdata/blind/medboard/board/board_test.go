package board

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"medboard.example/board/audit"
	"medboard.example/board/beds"
	"medboard.example/board/btx"
	"medboard.example/board/clock"
)

type fakeBeds struct{ holds map[string]beds.Hold }

func (f *fakeBeds) Reserve(_ context.Context, ward, bed, patient string, _ time.Duration) (beds.Hold, error) {
	if h, ok := f.holds[beds.Key(ward, bed)]; ok && h.Patient != patient {
		return beds.Hold{}, beds.ErrTaken
	}
	h := beds.Hold{Bed: bed, Patient: patient}
	f.holds[beds.Key(ward, bed)] = h
	return h, nil
}

func (f *fakeBeds) Get(_ context.Context, ward, bed string) (beds.Hold, error) {
	h, ok := f.holds[beds.Key(ward, bed)]
	if !ok {
		return h, btx.ErrNotFound
	}
	return h, nil
}

func (f *fakeBeds) Release(_ context.Context, ward, bed string) error {
	delete(f.holds, beds.Key(ward, bed))
	return nil
}

func (f *fakeBeds) List(context.Context, string) ([]beds.Hold, error) { return nil, nil }

type fakeTrail struct{ entries []audit.Entry }

func (f *fakeTrail) Add(_ context.Context, _ string, e audit.Entry) (int64, error) {
	f.entries = append(f.entries, e)
	return int64(len(f.entries)), nil
}

func newServer() (*Server, *fakeTrail) {
	trail := &fakeTrail{}
	return &Server{
		Beds:   &fakeBeds{holds: map[string]beds.Hold{"icu#1": {Bed: "1", Patient: "p-1"}}},
		Trail:  trail,
		Clock:  clock.NewFake(time.Date(2026, 3, 1, 7, 0, 0, 0, time.UTC)),
		Log:    slog.New(slog.NewTextHandler(io.Discard, nil)),
		Config: Config{DefaultHold: time.Minute, MaxHold: time.Hour, Timeout: time.Second},
	}, trail
}

func TestRoutes(t *testing.T) {
	cases := []struct {
		method, path string
		code         int
		audited      int
	}{
		{"GET", "/healthz", http.StatusOK, 0},
		{"GET", "/wards/icu/beds/1", http.StatusOK, 0},
		{"GET", "/wards/icu/beds/9", http.StatusNotFound, 0},
		{"POST", "/wards/icu/beds/1?patient=p-2", http.StatusConflict, 0},
		{"POST", "/wards/icu/beds/2?patient=p-2", http.StatusOK, 1},
		{"POST", "/wards/icu/beds/2?patient=p-2&minutes=x", http.StatusBadRequest, 0},
		{"DELETE", "/wards/icu/beds/1", http.StatusOK, 1},
	}
	for _, tc := range cases {
		t.Run(tc.method+tc.path, func(t *testing.T) {
			s, trail := newServer()
			rec := httptest.NewRecorder()
			s.Handler().ServeHTTP(rec, httptest.NewRequest(tc.method, tc.path, strings.NewReader("")))
			if rec.Code != tc.code {
				t.Errorf("got %d: %s", rec.Code, rec.Body)
			}
			if len(trail.entries) != tc.audited {
				t.Errorf("audited %v", trail.entries)
			}
		})
	}
}
