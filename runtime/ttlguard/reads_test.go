package ttlguard_test

import (
	"reflect"
	"testing"
	"time"

	btpb "cloud.google.com/go/bigtable/apiv2/bigtablepb"
	"google.golang.org/protobuf/proto"

	"github.com/ttlvet/ttlvet/runtime/strategy"
	"github.com/ttlvet/ttlvet/runtime/ttlguard"
)

func chain(fs ...*btpb.RowFilter) *btpb.RowFilter {
	return &btpb.RowFilter{Filter: &btpb.RowFilter_Chain_{Chain: &btpb.RowFilter_Chain{Filters: fs}}}
}

func interleave(fs ...*btpb.RowFilter) *btpb.RowFilter {
	return &btpb.RowFilter{Filter: &btpb.RowFilter_Interleave_{Interleave: &btpb.RowFilter_Interleave{Filters: fs}}}
}

func condition(p, a, b *btpb.RowFilter) *btpb.RowFilter {
	return &btpb.RowFilter{Filter: &btpb.RowFilter_Condition_{Condition: &btpb.RowFilter_Condition{PredicateFilter: p, TrueFilter: a, FalseFilter: b}}}
}

func family(name string) *btpb.RowFilter {
	return &btpb.RowFilter{Filter: &btpb.RowFilter_FamilyNameRegexFilter{FamilyNameRegexFilter: name}}
}

func column(name string) *btpb.RowFilter {
	return &btpb.RowFilter{Filter: &btpb.RowFilter_ColumnQualifierRegexFilter{ColumnQualifierRegexFilter: []byte(name)}}
}

func value(re string) *btpb.RowFilter {
	return &btpb.RowFilter{Filter: &btpb.RowFilter_ValueRegexFilter{ValueRegexFilter: []byte(re)}}
}

func between(start, end int64) *btpb.RowFilter {
	return &btpb.RowFilter{Filter: &btpb.RowFilter_TimestampRangeFilter{TimestampRangeFilter: &btpb.TimestampRange{StartTimestampMicros: start, EndTimestampMicros: end}}}
}

func latest(n int32) *btpb.RowFilter {
	return &btpb.RowFilter{Filter: &btpb.RowFilter_CellsPerColumnLimitFilter{CellsPerColumnLimitFilter: n}}
}

func perRow(n int32) *btpb.RowFilter {
	return &btpb.RowFilter{Filter: &btpb.RowFilter_CellsPerRowLimitFilter{CellsPerRowLimitFilter: n}}
}

func read(table string, f *btpb.RowFilter) *btpb.ReadRowsRequest {
	return &btpb.ReadRowsRequest{TableName: tables + table, Filter: f}
}

func ifMatches(f *btpb.RowFilter, then ...*btpb.Mutation) *btpb.CheckAndMutateRowRequest {
	return &btpb.CheckAndMutateRowRequest{TableName: tables + "sessions", RowKey: []byte("secret"), PredicateFilter: f, TrueMutations: then}
}

func TestReads(t *testing.T) {
	live := func(d time.Duration) *btpb.RowFilter { return between(now(d), 0) }
	day := 24 * time.Hour
	for _, test := range []struct {
		name string
		req  proto.Message
		want []string
	}{
		{"no filter", read("sessions", nil), rules("ttlread/missing-filter")},
		{"live", read("sessions", live(0)), nil},
		{"live, a moment ago", read("sessions", live(-time.Second)), nil},
		{"live, long ago", read("sessions", live(-time.Hour)), rules("ttlread/wrong-bound")},
		{"live by the registry's lifetime", read("sessions", between(now(0), now(30*time.Minute-time.Millisecond))), nil},
		{"an end", read("sessions", between(now(0), now(time.Minute))), rules("ttlread/upper-bound")},
		{"expired only", read("sessions", between(0, now(-time.Millisecond))), rules("ttlread/expired-only")},
		{"the ordinary family", read("sessions", family("profile")), nil},
		{"the family", read("sessions", family("token")), rules("ttlread/missing-filter")},
		{"each family", read("sessions", interleave(chain(family("token"), live(0)), family("profile"))), nil},
		{"one branch", read("sessions", interleave(live(0), column("a"))), rules("ttlread/unfiltered-branch")},
		{"in the predicate only", read("sessions", condition(live(0), column("a"), nil)), rules("ttlread/unfiltered-branch")},
		{"limit first", read("sessions", chain(perRow(1), live(0))), rules("ttlread/limit-before-filter")},
		{"latest", read("sessions", latest(1)), rules("ttlread/missing-filter")},
		{"another table", read("other", nil), nil},
		{"nothing known", read("sessions", &btpb.RowFilter{}), nil},
		{"keys", read("sessions", &btpb.RowFilter{Filter: &btpb.RowFilter_StripValueTransformer{StripValueTransformer: true}}), rules("ttlread/missing-filter")},
		{"nothing", read("sessions", &btpb.RowFilter{Filter: &btpb.RowFilter_BlockAllFilter{BlockAllFilter: true}}), nil},

		{"default: live", read("clicks", live(-day)), nil},
		{"default: live, a moment ago", read("clicks", live(-day-time.Second)), nil},
		{"default: live in a minute", read("clicks", live(-day+time.Minute)), nil},
		{"default: live in an hour", read("clicks", live(-day+time.Hour)), rules("ttlread/wrong-bound")},
		{"default: now", read("clicks", live(0)), rules("ttlread/wrong-bound")},
		{"default: longer", read("clicks", live(-2*day)), rules("ttlread/wrong-bound")},
		{"default: up to now", read("clicks", between(now(-day), now(0))), rules("ttlread/upper-bound")},
		{"default: expired only", read("clicks", between(0, now(-day))), rules("ttlread/expired-only")},

		{"sequence: none", read("eu-ledger", nil), rules("ttlread/missing-filter")},
		{"sequence: latest", read("eu-ledger", latest(3)), nil},
		{"sequence: too many", read("eu-ledger", latest(4)), rules("ttlread/version-limit")},
		{"sequence: no limit", read("eu-ledger", column("a")), rules("ttlread/version-limit")},
		{"sequence: limit after values", read("eu-ledger", chain(value("x"), latest(1))), rules("ttlread/version-limit")},
		{"sequence: clock", read("eu-ledger", live(0)), rules("ttlread/wrong-bound")},
		{"sequence: lookup", read("eu-ledger", between(5000, 6000)), nil},

		{"zero", read("catalog", nil), nil},

		{"predicate", ifMatches(column("a"), set("profile", "a", -1)), rules("ttlread/conditional-mutation")},
		{"no predicate", ifMatches(nil, set("profile", "a", -1)), rules("ttlread/conditional-mutation")},
		{"predicate of live cells", ifMatches(live(0), set("profile", "a", -1)), nil},
		{"predicate of what is deleted", ifMatches(column("a"), deleteRow()), nil},
		{"branch", ifMatches(live(0), set("token", "a", -1)), rules("ttlwrite/server-timestamp")},

		{"statement", &btpb.PrepareQueryRequest{Query: "SELECT token['jwt'] FROM sessions"}, rules("ttlread/sql")},
		//lint:ignore SA1019 clients from before there were prepared queries send it
		{"old statement", &btpb.ExecuteQueryRequest{Query: "SELECT * FROM sessions"}, rules("ttlread/sql")},
		{"live statement", &btpb.PrepareQueryRequest{Query: "SELECT token['jwt'] FROM sessions(with_history => TRUE, after_or_equal => CURRENT_TIMESTAMP())"}, nil},
		{"statement on another table", &btpb.PrepareQueryRequest{Query: "SELECT * FROM other"}, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := violations(t, test.req); !reflect.DeepEqual(got, test.want) {
				t.Errorf("%v, want %v", got, test.want)
			}
		})
	}
}

func TestStrictReads(t *testing.T) {
	options := []ttlguard.Option{ttlguard.Strict(), ttlguard.Declare("logs", strategy.Family{Name: "line", Strategy: strategy.Real, MaxAge: time.Hour})}
	for _, test := range []struct {
		name string
		req  proto.Message
		want []string
	}{
		{"bare range", read("sessions", between(now(0), 0)), rules("ttlread/hides-other-families")},
		{"each family", read("sessions", interleave(chain(family("token"), between(now(0), 0)), family("profile"))), nil},
		{"a bounded ordinary family", read("logs", between(now(-time.Hour), 0)), nil},
		{"an ordinary family", read("logs", nil), rules("ttlread/missing-filter")},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := violations(t, test.req, options...); !reflect.DeepEqual(got, test.want) {
				t.Errorf("%v, want %v", got, test.want)
			}
		})
	}
}
