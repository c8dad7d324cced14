// Package cells writes cells that another package collects, under
// conditions: where none holds there is nothing to write.
package cells

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/cases/sight/cells/model"
)

type store struct {
	sessions *bigtable.Table
	now      func() time.Time
}

func newStore(c *bigtable.Client) *store { return &store{c.Open("sessions"), time.Now} }

func mutationOf(cells ...model.Cell) *bigtable.Mutation {
	m := bigtable.NewMutation()
	for _, c := range cells {
		m.Set(c.Family.String(), c.Name, c.Timestamp, c.Value)
	}
	return m
}

func (s *store) put(ctx context.Context, sess *model.Session) error {
	cells := sess.Cells(bigtable.Time(s.now().Add(time.Hour)))
	cells = append(cells, sess.ProfileCells()...)
	return s.sessions.Apply(ctx, sess.ID, mutationOf(cells...))
}

func (s *store) touch(ctx context.Context, sess *model.Session) error {
	return s.sessions.Apply(ctx, sess.ID, mutationOf(sess.Cells(bigtable.Time(s.now()))...)) // want `write-time: .*"token" of table "sessions"`
}

func (s *store) put2(ctx context.Context, sess *model.Session) error {
	cells := sess.Cells(bigtable.ServerTime)
	m := mutationOf(cells...) // want `server-timestamp: .*"token" of table "sessions"`
	return s.sessions.Apply(ctx, sess.ID, m)
}

func (s *store) name(ctx context.Context, sess *model.Session) error {
	return s.sessions.Apply(ctx, sess.ID, mutationOf(sess.ProfileCells()...))
}
