package counts

import (
	"context"
	"testing"

	"cloud.google.com/go/bigtable"
)

type fakeTable struct{ counted []string }

var _ counter = (*fakeTable)(nil)

func (f *fakeTable) ApplyReadModifyWrite(_ context.Context, row string, _ *bigtable.ReadModifyWrite) (bigtable.Row, error) {
	f.counted = append(f.counted, row)
	return nil, nil
}

func TestFake(t *testing.T) {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment("token", "n", 1)
	ft := &fakeTable{}
	_, _ = ft.ApplyReadModifyWrite(t.Context(), "k", rmw)
}

func TestInterface(t *testing.T) {
	var tbl counter = &fakeTable{}
	rmw := bigtable.NewReadModifyWrite()
	rmw.AppendValue("token", "n", nil)
	_, _ = tbl.ApplyReadModifyWrite(t.Context(), "k", rmw)
}

func TestReal(t *testing.T) {
	var c *bigtable.Client
	var tbl counter = c.Open("sessions")
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment("token", "n", 1) // want `read-modify-write`
	_, _ = tbl.ApplyReadModifyWrite(t.Context(), "k", rmw)
}
