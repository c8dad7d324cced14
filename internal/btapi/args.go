package btapi

// Relevant says which arguments of a call the rules look at, counted from 0
// with the receiver first. ok reports whether the call is one that rules
// look at.
func Relevant(call string) (args []int, ok bool) {
	args, ok = relevant[call]
	return args, ok
}

var relevant = map[string][]int{
	Set:                 {0, 1, 2, 3},
	AddIntToCell:        {0, 1, 2, 3},
	MergeBytesToCell:    {0, 1, 2, 3},
	DeleteCellsInColumn: {0, 1, 2},
	DeleteCellsInFamily: {0, 1},
	DeleteTimeRange:     {0, 1, 2, 3, 4},
	DeleteRow:           {0},
	Increment:           {0, 1, 2},
	AppendValue:         {0, 1, 2},
	NewCondMutation:     {0, 1, 2},

	ReadRow:              {0, 3},
	ReadRows:             {0, 3, 4},
	Apply:                {0, 3},
	ApplyBulk:            {0, 3},
	ApplyReadModifyWrite: {0, 3},
	PrepareStatement:     {2},

	SetGCPolicy:                  {2, 3, 4},
	SetGCPolicyWithOptions:       {2, 3, 4, 5},
	UpdateFamily:                 {2, 3, 4, 5},
	CreateColumnFamily:           {2, 3},
	CreateColumnFamilyWithConfig: {2, 3, 4},
	CreateTableFromConf:          {2},
	CreateTable:                  {2},

	TimeToTimestamp:       {0},
	MaxAgePolicy:          {0},
	UnionPolicy:           {0},
	IntersectionPolicy:    {0},
	LatestNFilter:         {0},
	ChainFilters:          {0},
	InterleaveFilters:     {0},
	TimestampRange:        {0, 1},
	TimestampRangeMicros:  {0, 1},
	NewTable:              {0, 1},
	"time.Since":          {0},
	"time.Time.Sub":       {0, 1},
	"time.Time.Format":    {0},
	"time.Time.String":    {0},
	"time.Time.UnixMilli": {0},
	"time.Time.Unix":      {0},
}

// The calls that make values which are checked by themselves.
const (
	TimeToTimestamp      = "bigtable.Time"
	MaxAgePolicy         = "bigtable.MaxAgePolicy"
	MaxVersionsPolicy    = "bigtable.MaxVersionsPolicy"
	UnionPolicy          = "bigtable.UnionPolicy"
	IntersectionPolicy   = "bigtable.IntersectionPolicy"
	NoGcPolicy           = "bigtable.NoGcPolicy"
	LatestNFilter        = "bigtable.LatestNFilter"
	ChainFilters         = "bigtable.ChainFilters"
	InterleaveFilters    = "bigtable.InterleaveFilters"
	TimestampRange       = "bigtable.TimestampRangeFilter"
	TimestampRangeMicros = "bigtable.TimestampRangeFilterMicros"
	NewTable             = "ttl.NewTable"
)
