// Package server gives hubs their stores.
package server

import (
	"context"

	"cloud.google.com/go/bigtable"

	"example.com/cases/sight/injectedports/hub"
	"example.com/cases/sight/injectedports/presence"
	"example.com/cases/sight/injectedports/store"
)

// Run makes them.
func Run(c *bigtable.Client) []any {
	s := store.New(c)
	return []any{
		hub.New(s), // want `write-time: .*"token" of table "sessions"`
		hub.New(store.NewLog(c)),
		hub.New(store.NewMemory()),
		hub.NewLobby(s),
		hub.NewDesk(s),                     // want `already-expired: .*"token" of table "sessions"`
		hub.NewRoom(hub.Config{Marker: s}), // want `write-time: .*"token" of table "sessions"`
		hub.NewRoom(hub.Config{Name: "nobody"}),
		hub.Given(context.Background(), s, "x"), // want `write-time: .*"token" of table "sessions"`
		presence.NewHub(presence.NewStore(c)),   // want `write-time: .*"token" of table "sessions"`
	}
}

type service struct{ s *store.Store }

func (v *service) hub() *hub.Hub { return hub.New(v.s) } // want `write-time: .*"token" of table "sessions"`

func newService(c *bigtable.Client) *service { return &service{store.New(c)} }
