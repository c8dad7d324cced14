package btapi

import (
	"go/types"
	"strings"
)

// The client's calls by which values take effect.
const (
	Set                 = "bigtable.Mutation.Set"
	AddIntToCell        = "bigtable.Mutation.AddIntToCell"
	MergeBytesToCell    = "bigtable.Mutation.MergeBytesToCell"
	DeleteCellsInColumn = "bigtable.Mutation.DeleteCellsInColumn"
	DeleteCellsInFamily = "bigtable.Mutation.DeleteCellsInFamily"
	DeleteTimeRange     = "bigtable.Mutation.DeleteTimestampRange"
	DeleteRow           = "bigtable.Mutation.DeleteRow"
	Increment           = "bigtable.ReadModifyWrite.Increment"
	AppendValue         = "bigtable.ReadModifyWrite.AppendValue"
	NewCondMutation     = "bigtable.NewCondMutation"

	ReadRow              = "bigtable.Table.ReadRow"
	ReadRows             = "bigtable.Table.ReadRows"
	Apply                = "bigtable.Table.Apply"
	ApplyBulk            = "bigtable.Table.ApplyBulk"
	ApplyReadModifyWrite = "bigtable.Table.ApplyReadModifyWrite"
	PrepareStatement     = "bigtable.Client.PrepareStatement"

	SetGCPolicy                  = "bigtable.AdminClient.SetGCPolicy"
	SetGCPolicyWithOptions       = "bigtable.AdminClient.SetGCPolicyWithOptions"
	UpdateFamily                 = "bigtable.AdminClient.UpdateFamily"
	CreateColumnFamily           = "bigtable.AdminClient.CreateColumnFamily"
	CreateColumnFamilyWithConfig = "bigtable.AdminClient.CreateColumnFamilyWithConfig"
	CreateTable                  = "bigtable.AdminClient.CreateTable"
	CreateTableFromConf          = "bigtable.AdminClient.CreateTableFromConf"
)

// OfTable reports whether a call is an operation on a table, which the service answers.
func OfTable(call string) bool { return strings.HasPrefix(call, "bigtable.Table.") }

// Opens reports whether a call of a client opens a table, or a view of one, by
// its first argument.
func Opens(call string) bool {
	switch call {
	case "bigtable.Client.Open", "bigtable.Client.OpenTable", "bigtable.Client.OpenAuthorizedView":
		return true
	}
	return false
}

// OpenerOf returns the name of the client's method that a method of an interface
// stands for which opens tables: the one with its name, that is given a text and
// returns the client's table; "" for any other.
func OpenerOf(fn *types.Func) string {
	name := "bigtable.Client." + fn.Name()
	params, results := fn.Signature().Params(), fn.Signature().Results()
	if !Opens(name) || params.Len() == 0 || results.Len() != 1 {
		return ""
	}
	for i := range params.Len() {
		if b, ok := params.At(i).Type().(*types.Basic); !ok || b.Kind() != types.String {
			return ""
		}
	}
	switch Type(results.At(0).Type()) {
	case "bigtable.Table", "bigtable.TableAPI":
		return name
	}
	return ""
}

// Pure reports whether a function whose meaning is known returns the same
// whenever it is given the same.
func Pure(name string) bool {
	switch name {
	case "time.Now", "time.Since", "time.Until", "time.After", "time.Tick", "bigtable.Now":
		return false
	}
	for _, prefix := range []string{"time.", "strings.", "fmt.Sprint", "cmp.", "bigtable.Time", "slices.", "durationpb."} {
		if strings.HasPrefix(name, prefix) {
			return true
		}
	}
	return false
}
