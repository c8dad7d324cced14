package oploop

import "cloud.google.com/go/bigtable"

type Op struct {
	Delete         bool
	Family, Column string
	TS             bigtable.Timestamp
	Value          []byte
}

func Mutation(ops []Op) *bigtable.Mutation {
	m := bigtable.NewMutation()
	for _, op := range ops {
		if op.Delete {
			m.DeleteRow() // silent
		} else {
			m.Set(op.Family, op.Column, op.TS, op.Value)
		}
	}
	return m
}

func Mutation2(ops []Op) *bigtable.Mutation {
	m := bigtable.NewMutation()
	for _, op := range ops {
		switch {
		case op.Delete && op.Column == "":
			m.DeleteCellsInFamily(op.Family)
		case op.Delete:
			m.DeleteCellsInColumn(op.Family, op.Column)
		default:
			m.Set(op.Family, op.Column, op.TS, op.Value)
		}
	}
	return m
}

func replace(col string, ts bigtable.Timestamp) *bigtable.Mutation {
	return Mutation2([]Op{
		{Delete: true, Family: "raw", Column: col},
		{Family: "raw", Column: col, TS: ts},
	})
}

var _ = replace

func Each(cols []string, ts bigtable.Timestamp) *bigtable.Mutation {
	m := bigtable.NewMutation()
	for _, c := range cols {
		m.DeleteCellsInColumn("raw", c)
		m.Set("raw", c, ts, nil)
	}
	return m
}
func Fams(rows map[string]map[string][]byte, ts bigtable.Timestamp) *bigtable.Mutation {
	m := bigtable.NewMutation()
	for f, cols := range rows {
		m.DeleteCellsInFamily(f)
		for c, v := range cols {
			m.Set(f, c, ts, v)
		}
	}
	return m
}
func Either(del bool, ts bigtable.Timestamp) *bigtable.Mutation {
	m := bigtable.NewMutation()
	if !del {
		m.Set("raw", "c", ts, nil)
	}
	if del {
		m.DeleteRow()
	}
	return m
}
func Either2(v []byte, ts bigtable.Timestamp) *bigtable.Mutation {
	m := bigtable.NewMutation()
	if v != nil {
		m.Set("raw", "c", ts, v)
	}
	if v == nil {
		m.DeleteCellsInColumn("raw", "c")
	}
	return m
}
