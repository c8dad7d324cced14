package check

import (
	"github.com/ttlvet/ttlvet/internal/registry"
	"github.com/ttlvet/ttlvet/internal/trace"
	"github.com/ttlvet/ttlvet/internal/value"
)

// wrapperLayout says, for each call that a wrapper of the registry file can
// stand for, which argument is where in the traced event; -1 is the table of
// a write.
var wrapperLayout = map[string]struct {
	args int
	at   map[string]int
}{
	"Mutation.Set":                   {5, map[string]int{"table": -1, "family": 1, "column": 2, "timestamp": 3}},
	"Mutation.DeleteCellsInColumn":   {3, map[string]int{"table": -1, "family": 1, "column": 2}},
	"Mutation.DeleteCellsInFamily":   {2, map[string]int{"table": -1, "family": 1}},
	"ReadModifyWrite.Increment":      {3, map[string]int{"table": -1, "family": 1, "column": 2}},
	"ReadModifyWrite.AppendValue":    {3, map[string]int{"table": -1, "family": 1, "column": 2}},
	"Table.ReadRow":                  {4, map[string]int{"table": 0, "filter": 3}},
	"Table.ReadRows":                 {5, map[string]int{"table": 0, "filter": 4}},
	"AdminClient.SetGCPolicy":        {5, map[string]int{"table": 2, "family": 3, "policy": 4}},
	"AdminClient.CreateColumnFamily": {4, map[string]int{"table": 2, "family": 3}},
}

// wrapperEvents returns the calls of the functions that the registry file
// describes.
func wrapperEvents(tr *trace.Result, file *registry.File) []*trace.Event {
	if file == nil {
		return nil
	}
	var events []*trace.Event
	for _, w := range file.Wrappers {
		layout, ok := wrapperLayout[w.Does]
		if !ok {
			continue
		}
		events = append(events, tr.Wrapped(w.Func, "bigtable."+w.Does, func(given []*value.Value) ([]*value.Value, *value.Value) {
			args := make([]*value.Value, layout.args)
			for i := range args {
				args[i] = value.UnknownFor("what the registry does not say")
			}
			var table *value.Value
			for name, a := range w.Args {
				v := value.StrOf(a.Const)
				if a.Param >= 0 {
					if a.Param >= len(given) {
						continue
					}
					v = given[a.Param]
				}
				switch i := layout.at[name]; {
				case name == "filter":
					args[i] = value.ListOf(value.Apply("bigtable.RowFilter", v))
				case i < 0:
					table = v
				default:
					args[i] = v
				}
			}
			return args, table
		})...)
	}
	return events
}
