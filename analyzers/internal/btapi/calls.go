package btapi

import "strings"

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

// Opens reports whether a call of a client opens a table, or a view of one, by
// its first argument.
func Opens(call string) bool {
	switch call {
	case "bigtable.Client.Open", "bigtable.Client.OpenTable", "bigtable.Client.OpenAuthorizedView":
		return true
	}
	return false
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
