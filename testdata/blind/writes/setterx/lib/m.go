package lib

import (
	"time"

	"cloud.google.com/go/bigtable"
)

type Row struct {
	ts bigtable.Timestamp
	m  *bigtable.Mutation
}

func NewRow() *Row                          { return &Row{m: bigtable.NewMutation(), ts: bigtable.ServerTime} }
func (r *Row) At(t time.Time) *Row          { r.ts = bigtable.Time(t); return r }
func (r *Row) Set(fam string) *Row          { r.m.Set(fam, "c", r.ts, nil); return r }
func (r *Row) Mutation() *bigtable.Mutation { return r.m }
