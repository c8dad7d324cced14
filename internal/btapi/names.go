package btapi

// ArgName returns the name of the i-th argument of a call, receiver first, as
// the client's documentation has it; "" for one that no rule looks at.
func ArgName(call string, i int) string {
	if names := argNames[call]; i < len(names) {
		return names[i]
	}
	return ""
}

var (
	writeArgs  = []string{"mutation", "family", "column", "timestamp"}
	policyArgs = []string{"", "", "table", "family", "policy", "options"}
)

var argNames = map[string][]string{
	Set: writeArgs, AddIntToCell: writeArgs, MergeBytesToCell: writeArgs,
	DeleteCellsInColumn: writeArgs[:3], DeleteCellsInFamily: writeArgs[:2], DeleteRow: writeArgs[:1],
	DeleteTimeRange: {"mutation", "family", "column", "start", "end"},
	Increment:       writeArgs[:3], AppendValue: writeArgs[:3],
	NewCondMutation: {"predicate", "true mutation", "false mutation"},
	ReadRow:         {"table", "", "", "options"}, ReadRows: {"table", "", "", "callback", "options"},
	Apply: {"table", "", "", "mutation"}, ApplyBulk: {"table", "", "", "mutations"},
	ApplyReadModifyWrite: {"table", "", "", "operation"},
	PrepareStatement:     {"", "", "statement"},
	SetGCPolicy:          policyArgs[:5], SetGCPolicyWithOptions: policyArgs, UpdateFamily: policyArgs,
	CreateColumnFamily: policyArgs[:4], CreateColumnFamilyWithConfig: policyArgs[:5],
	CreateTableFromConf: {"", "", "configuration"}, CreateTable: {"", "", "table"},
	TimeToTimestamp: {"time"}, MaxAgePolicy: {"age"}, LatestNFilter: {"versions"},
	ChainFilters: {"filters"}, InterleaveFilters: {"filters"},
	TimestampRange: {"start", "end"}, TimestampRangeMicros: {"start", "end"},
	NewTable: {"table", "families"},
}
