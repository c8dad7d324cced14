package bigtable

import (
	"context"
	"time"
)

type Filter interface{ String() string }

type filter struct{}

func (filter) String() string { return "" }

type readOption struct{}

func (readOption) set() {}

func RowFilter(f Filter) ReadOption          { return readOption{} }
func LimitRows(limit int64) ReadOption       { return readOption{} }
func ChainFilters(sub ...Filter) Filter      { return filter{} }
func InterleaveFilters(sub ...Filter) Filter { return filter{} }
func ConditionFilter(predicateFilter, trueFilter, falseFilter Filter) Filter {
	return filter{}
}
func PassAllFilter() Filter               { return filter{} }
func BlockAllFilter() Filter              { return filter{} }
func FamilyFilter(pattern string) Filter  { return filter{} }
func ColumnFilter(pattern string) Filter  { return filter{} }
func LatestNFilter(n int) Filter          { return filter{} }
func CellsPerRowLimitFilter(n int) Filter { return filter{} }
func StripValueFilter() Filter            { return filter{} }
func TimestampRangeFilter(startTime time.Time, endTime time.Time) Filter {
	return filter{}
}
func TimestampRangeFilterMicros(startTime Timestamp, endTime Timestamp) Filter {
	return filter{}
}

type AdminClient struct{}

func NewAdminClient(ctx context.Context, project, instance string, opts ...any) (*AdminClient, error) {
	return new(AdminClient), nil
}

func (ac *AdminClient) CreateTable(ctx context.Context, table string) error { return nil }
func (ac *AdminClient) CreateTableFromConf(ctx context.Context, conf *TableConf) error {
	return nil
}
func (ac *AdminClient) CreateColumnFamily(ctx context.Context, table, family string) error {
	return nil
}
func (ac *AdminClient) CreateColumnFamilyWithConfig(ctx context.Context, table, family string, config Family) error {
	return nil
}
func (ac *AdminClient) UpdateFamily(ctx context.Context, table, familyName string, family Family, opts ...GCPolicyOption) error {
	return nil
}
func (ac *AdminClient) SetGCPolicy(ctx context.Context, table, family string, policy GCPolicy) error {
	return nil
}
func (ac *AdminClient) SetGCPolicyWithOptions(ctx context.Context, table, family string, policy GCPolicy, opts ...GCPolicyOption) error {
	return nil
}

type TableConf struct {
	TableID        string
	SplitKeys      []string
	Families       map[string]GCPolicy
	ColumnFamilies map[string]Family
}

type Family struct{ GCPolicy GCPolicy }
type GCPolicyOption interface{ apply() }
type GCPolicy interface{ String() string }

type policy struct{}

func (policy) String() string { return "" }

func MaxAgePolicy(d time.Duration) GCPolicy       { return policy{} }
func MaxVersionsPolicy(n int) GCPolicy            { return policy{} }
func NoGcPolicy() GCPolicy                        { return policy{} }
func UnionPolicy(sub ...GCPolicy) GCPolicy        { return policy{} }
func IntersectionPolicy(sub ...GCPolicy) GCPolicy { return policy{} }
