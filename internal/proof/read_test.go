package proof

import (
	"testing"
	"time"

	"cloud.google.com/go/bigtable"
)

var readProofs = map[string]proof{
	"ttlread/missing-filter":       {run: missingFilter},
	"ttlread/overridden-filter":    {run: overriddenFilter},
	"ttlread/unfiltered-branch":    {run: unfilteredBranch},
	"ttlread/expired-only":         {run: expiredOnly},
	"ttlread/upper-bound":          {run: upperBound},
	"ttlread/wrong-bound":          {run: wrongBound},
	"ttlread/stale-bound":          {run: staleBound},
	"ttlread/version-limit":        {run: versionLimit},
	"ttlread/limit-before-filter":  {run: limitBeforeFilter},
	"ttlread/hides-other-families": {run: hidesOtherFamilies},
	"ttlread/conditional-mutation": {run: conditionalMutation},
	"ttlread/sql": {
		reason:   "the emulator does not run SQL",
		document: "https://cloud.google.com/bigtable/docs/reference/sql/table-functions-built-in",
	},
}

// row is the row that newRow fills.
const row = "r"

// newRow returns a table with a row of dead and live cells, none of which has
// been collected. The values say which is which.
func newRow(t *testing.T) *table {
	t.Helper()
	tb := lingering.newTable(t)
	tb.apply(row, func(mut *bigtable.Mutation) {
		mut.Set("token", "a", in(-time.Minute), []byte("dead"))
		mut.Set("token", "b", in(tokenTTL), []byte("live"))
		mut.Set("event", "a", in(-eventAge-time.Minute), []byte("dead"))
		mut.Set("event", "b", in(-eventAge+time.Hour), []byte("live"))
		mut.Set("event", "c", in(time.Hour), []byte("long"))
		mut.Set("profile", "name", in(-1000*time.Hour), []byte("ada"))
	})
	tb.number(row, "n", 5)
	return tb
}

func family(name string, filters ...bigtable.Filter) bigtable.Filter {
	named := bigtable.FamilyFilter(name)
	if len(filters) == 0 {
		return named
	}
	return bigtable.ChainFilters(append([]bigtable.Filter{named}, filters...)...)
}

// eventLive is the filter for live cells of the family with default expiration.
func eventLive() bigtable.Filter { return from(time.Now().Add(-eventAge)) }

const liveEvents = "event:b=live event:c=long"

func missingFilter(t *testing.T) {
	tb := newRow(t)
	const all = "entry:n=5 entry:n=4 entry:n=3 entry:n=2 entry:n=1 event:a=dead event:b=live event:c=long profile:name=ada token:a=dead token:b=live"
	tb.want("no filter", tb.read(row), all)
	tb.want("latest tokens", tb.read(row, family("token", bigtable.LatestNFilter(1))), "token:a=dead token:b=live")
	tb.want("live tokens", tb.read(row, unexpired()), "token:b=live")
	tb.want("live events", tb.read(row, family("event", eventLive())), liveEvents)
	tb.want("kept entries", tb.read(row, family("entry", bigtable.LatestNFilter(3))), "entry:n=5 entry:n=4 entry:n=3")

	// A row of dead cells exists.
	tb.set("dead", "token", "a", in(-time.Minute), "dead")
	tb.want("dead row", tb.read("dead"), "token:a=dead")
	tb.want("dead row, filtered", tb.read("dead", unexpired()), "")
}

func overriddenFilter(t *testing.T) {
	tb := newRow(t)
	column := bigtable.ColumnFilter("a|b")
	tb.want("two options", tb.read(row, unexpired(), column), "event:a=dead event:b=live token:a=dead token:b=live")
	tb.want("one option", tb.read(row, bigtable.ChainFilters(unexpired(), column)), "token:b=live")
}

func unfilteredBranch(t *testing.T) {
	tb := newRow(t)
	tb.want("interleave, a branch unbounded", tb.read(row, bigtable.InterleaveFilters(
		unexpired(),
		bigtable.ColumnFilter("a|name"),
	)), "event:a=dead profile:name=ada token:a=dead token:b=live")
	tb.want("interleave, branches bounded", tb.read(row, bigtable.InterleaveFilters(
		unexpired(),
		family("profile", bigtable.ColumnFilter("a|name")),
	)), "profile:name=ada token:b=live")

	token := bigtable.FamilyFilter("token")
	tb.want("condition, live predicate", tb.read(row, bigtable.ConditionFilter(unexpired(), token, nil)), "token:a=dead token:b=live")
	tb.want("condition, live branch", tb.read(row, bigtable.ConditionFilter(token, unexpired(), nil)), "token:b=live")
}

func expiredOnly(t *testing.T) {
	tb := newRow(t)
	tb.want("tokens up to now", tb.read(row, family("token", bigtable.TimestampRangeFilter(time.Time{}, time.Now()))), "token:a=dead")
	tb.want("tokens from now on", tb.read(row, unexpired()), "token:b=live")
	tb.want("events up to the age", tb.read(row, family("event", bigtable.TimestampRangeFilter(time.Time{}, time.Now().Add(-eventAge)))), "event:a=dead")
	tb.want("events from the age on", tb.read(row, family("event", eventLive())), liveEvents)
}

func upperBound(t *testing.T) {
	tb := newRow(t)
	now := time.Now()
	tb.want("tokens, 10 minutes", tb.read(row, family("token", bigtable.TimestampRangeFilter(now, now.Add(10*time.Minute)))), "")
	tb.want("tokens, no end", tb.read(row, unexpired()), "token:b=live")
	tb.want("events up to now", tb.read(row, family("event", bigtable.TimestampRangeFilter(now.Add(-eventAge), now))), "event:b=live")
	tb.want("events, no end", tb.read(row, family("event", eventLive())), liveEvents)
}

func staleBound(t *testing.T) {
	tb := lingering.newTable(t)
	started := time.Now().Add(-time.Hour) // of the process
	tb.set(row, "token", "jwt", bigtable.Time(started.Add(tokenTTL)), "dead")
	tb.set(row, "token", "id", in(tokenTTL), "live")
	tb.want("from the start of the process", tb.read(row, from(started)), "token:id=live token:jwt=dead")
	tb.want("from now", tb.read(row, unexpired()), "token:id=live")
}

func wrongBound(t *testing.T) {
	tb := newRow(t)
	now := time.Now()
	tb.want("events from now on", tb.read(row, family("event", from(now))), "event:c=long")
	tb.want("events of a longer age", tb.read(row, family("event", from(now.Add(-2*eventAge)))), "event:a=dead event:b=live event:c=long")
	tb.want("events of a shorter age", tb.read(row, family("event", from(now.Add(-eventAge/2)))), "event:c=long")
	tb.want("events of their age", tb.read(row, family("event", eventLive())), liveEvents)

	tb.want("tokens of an age", tb.read(row, family("token", from(now.Add(-eventAge)))), "token:a=dead token:b=live")
	tb.want("tokens from now on", tb.read(row, unexpired()), "token:b=live")

	tb.want("entries by time", tb.read(row, family("entry", from(now.Add(-eventAge)))), "")
	tb.want("entries by number", tb.read(row, family("entry", bigtable.LatestNFilter(3))), "entry:n=5 entry:n=4 entry:n=3")
}

func versionLimit(t *testing.T) {
	tb := newRow(t)
	tb.want("family only", tb.read(row, family("entry")), "entry:n=5 entry:n=4 entry:n=3 entry:n=2 entry:n=1")
	tb.want("more than kept", tb.read(row, family("entry", bigtable.LatestNFilter(4))), "entry:n=5 entry:n=4 entry:n=3 entry:n=2")
	tb.want("as many as kept", tb.read(row, family("entry", bigtable.LatestNFilter(3))), "entry:n=5 entry:n=4 entry:n=3")
	one := bigtable.ValueFilter("1")
	tb.want("limit after values", tb.read(row, family("entry", one, bigtable.LatestNFilter(3))), "entry:n=1")
	tb.want("limit before values", tb.read(row, family("entry", bigtable.LatestNFilter(3), one)), "")

	// Which versions the unlimited read returns changes with the collection.
	kept := collecting.newTable(t)
	kept.number(row, "n", 5)
	kept.collect(row)
	kept.want("family only, collected", kept.read(row, family("entry")), "entry:n=5 entry:n=4 entry:n=3")
}

func limitBeforeFilter(t *testing.T) {
	tb := newRow(t)
	limit, offset := bigtable.CellsPerRowLimitFilter(1), bigtable.CellsPerRowOffsetFilter(1)
	live := from(time.Now())
	tb.want("limit, then live", tb.read(row, family("token", limit, live)), "")
	tb.want("live, then limit", tb.read(row, family("token", live, limit)), "token:b=live")
	tb.want("offset, then live", tb.read(row, family("token", offset, live)), "token:b=live")
	tb.want("live, then offset", tb.read(row, family("token", live, offset)), "")
}

func hidesOtherFamilies(t *testing.T) {
	tb := newRow(t)
	live := from(time.Now())
	tb.want("bare range", tb.read(row, live), "event:c=long token:b=live")
	tb.want("range per family", tb.read(row, bigtable.InterleaveFilters(
		unexpired(),
		family("profile"),
	)), "profile:name=ada token:b=live")
	tb.want("range of each family", tb.read(row, bigtable.InterleaveFilters(
		unexpired(),
		family("event", eventLive()),
		family("entry", bigtable.LatestNFilter(1)),
		family("profile"),
	)), "entry:n=5 event:b=live event:c=long profile:name=ada token:b=live")
	tb.apply(row, func(mut *bigtable.Mutation) { mut.Set("latest", "price", 0, []byte("zero")) })
	early := from(time.Now().Add(-2 * time.Hour))
	tb.want("range from a clock", tb.read(row, family("latest", early)), "")
	tb.want("no range", tb.read(row, family("latest")), "latest:price=zero")
	tb.want("range that begins too early", tb.read(row, family("token", early)), "token:a=dead token:b=live")
}

func conditionalMutation(t *testing.T) {
	tb := newRow(t)
	// The lock is taken when no cell of it matches.
	take := func(taken bigtable.Filter) string {
		tb.t.Helper()
		tb.set("lock", "token", "lock", in(-time.Minute), "dead")
		mut := bigtable.NewMutation()
		mut.Set("token", "lock", in(tokenTTL), []byte("taken"))
		tb.check(tb.tbl.Apply(t.Context(), "lock", bigtable.NewCondMutation(taken, nil, mut)))
		return tb.read("lock", unexpired())
	}
	lock := bigtable.ColumnFilter("lock")
	tb.want("any cell", take(family("token", lock)), "")
	tb.want("latest cell", take(family("token", lock, bigtable.LatestNFilter(1))), "")
	tb.want("live cell", take(bigtable.ChainFilters(unexpired(), lock)), "token:lock=taken")
}
