package proof

import (
	"encoding/binary"
	"fmt"
	"testing"
	"time"

	"cloud.google.com/go/bigtable"
	"cloud.google.com/go/bigtable/apiv2/bigtablepb"
)

var writeProofs = map[string]proof{
	"ttlwrite/server-timestamp":      {run: serverTimestamp},
	"ttlwrite/write-time":            {run: writeTime},
	"ttlwrite/already-expired":       {run: alreadyExpired},
	"ttlwrite/read-modify-write":     {run: readModifyWrite},
	"ttlwrite/clock-in-sequence":     {run: clockInSequence},
	"ttlwrite/unscaled-sequence":     {run: unscaledSequence},
	"ttlwrite/clock-in-zero":         {run: clockInZero},
	"ttlwrite/same-timestamp":        {run: sameTimestamp},
	"ttlwrite/delete-after-set":      {run: deleteAfterSet},
	"ttlwrite/stale-clock":           {run: staleClock},
	"ttlwrite/unset-timestamp":       {run: unsetTimestamp},
	"ttlwrite/aggregate-server-time": {run: aggregateServerTime},
	"ttlwrite/stale-survivor":        {run: staleSurvivor},
	"ttlwrite/wrong-base":            {run: wrongBase},
}

func serverTimestamp(t *testing.T) {
	tb := collecting.newTable(t)
	tb.set("bad", "token", "jwt", bigtable.ServerTime, "a")
	tb.set("good", "token", "jwt", in(tokenTTL), "a")
	time.Sleep(2 * time.Millisecond) // timestamps are cut to milliseconds
	tb.want("live, server's timestamp", tb.read("bad", unexpired()), "")
	tb.want("live, expiry", tb.read("good", unexpired()), "token:jwt=a")
	tb.collect("bad", "good")
	tb.want("kept, server's timestamp", tb.read("bad"), "")
	tb.want("kept, expiry", tb.read("good"), "token:jwt=a")
}

func writeTime(t *testing.T) {
	tb := collecting.newTable(t)
	tb.set("now", "token", "jwt", bigtable.Now(), "a")
	tb.set("time", "token", "jwt", bigtable.Time(time.Now()), "a")
	tb.set("good", "token", "jwt", in(tokenTTL), "a")
	tb.collect("now", "time", "good")
	tb.want("Now", tb.read("now"), "")
	tb.want("Time(time.Now())", tb.read("time"), "")
	tb.want("expiry", tb.read("good"), "token:jwt=a")
}

func alreadyExpired(t *testing.T) {
	tb := collecting.newTable(t)
	tb.set("bad", "token", "zero", 0, "a")
	tb.set("bad", "token", "past", in(-time.Minute), "a")
	tb.set("bad", "event", "default", in(-eventAge), "a")
	tb.set("bad", "event", "zero", 0, "a")
	tb.set("good", "token", "jwt", bigtable.Time(time.Now().AddDate(50, 0, 0)), "a")
	tb.set("good", "event", "default", in(time.Hour-eventAge), "a")
	tb.collect("bad", "good")
	tb.want("expired", tb.read("bad"), "")
	tb.want("not expired", tb.read("good"), "event:default=a token:jwt=a")
}

func readModifyWrite(t *testing.T) {
	increment := func(tb *table, key, family string) int64 {
		rmw := bigtable.NewReadModifyWrite()
		rmw.Increment(family, "n", 1)
		row, err := tb.tbl.ApplyReadModifyWrite(t.Context(), key, rmw)
		tb.check(err)
		return int64(binary.BigEndian.Uint64(row[family][0].Value))
	}
	tb := collecting.newTable(t)
	increment(tb, "bad", "token")
	tb.set("good", "token", "failure/1", in(tokenTTL), "")
	tb.collect("bad", "good")
	tb.want("incremented", tb.read("bad"), "")
	tb.want("a cell per count", tb.read("good"), "token:failure/1=")

	// Where nothing has been collected yet, a count that has expired is added to.
	tb = lingering.newTable(t)
	hundred := string(binary.BigEndian.AppendUint64(nil, 100))
	tb.set("bad", "token", "n", in(-time.Minute), hundred)
	if n := increment(tb, "bad", "token"); n != 101 {
		t.Errorf("expired count of 100 and one are %d, want 101", n)
	}
	tb.set("good", "token", "n/1", in(-time.Minute), "expired")
	tb.set("good", "token", "n/2", in(tokenTTL), "live")
	tb.want("live counts", tb.read("good", unexpired()), "token:n/2=live")

	// In the other strategies the clock outranks what is written afterwards.
	for family, later := range map[string]bigtable.Timestamp{"entry": 2000, "latest": 0} {
		increment(tb, "bad-"+family, family)
		tb.set("bad-"+family, family, "n", later, "later")
		tb.set("good-"+family, family, "n", min(later, 1000), "first")
		tb.set("good-"+family, family, "n", later, "later")
		one := string(binary.BigEndian.AppendUint64(nil, 1))
		tb.want("latest after Increment", tb.read("bad-"+family, bigtable.LatestNFilter(1)), family+":n="+one)
		tb.want("latest after Set", tb.read("good-"+family, bigtable.LatestNFilter(1)), family+":n=later")
	}
}

func clockInSequence(t *testing.T) {
	tb := collecting.newTable(t)
	tb.set("bad", "entry", "amount", bigtable.Now(), "clock")
	tb.number("bad", "amount", 4)
	tb.set("good", "entry", "amount", 0, "zero")
	tb.number("good", "amount", 4)
	tb.collect("bad", "good")
	tb.want("latest after the clock", tb.read("bad", bigtable.LatestNFilter(1)), "entry:amount=clock")
	tb.want("kept beside the clock", tb.read("bad"), "entry:amount=clock entry:amount=4 entry:amount=3")
	tb.want("kept of the numbers", tb.read("good"), "entry:amount=4 entry:amount=3 entry:amount=2")
}

func unscaledSequence(t *testing.T) {
	tb := lingering.newTable(t)
	for i := range 3 {
		tb.set("bad", "entry", "amount", bigtable.Timestamp(i), fmt.Sprint(i))
		tb.set("good", "entry", "amount", bigtable.Timestamp(i)*1000, fmt.Sprint(i))
	}
	tb.want("numbers", tb.read("bad"), "entry:amount=2")
	tb.want("numbers × 1000", tb.read("good"), "entry:amount=2 entry:amount=1 entry:amount=0")
}

func clockInZero(t *testing.T) {
	tb := collecting.newTable(t)
	for key, ts := range map[string]bigtable.Timestamp{"clock": bigtable.Now(), "server": bigtable.ServerTime, "good": 0} {
		tb.set(key, "latest", "price", ts, "old")
		tb.set(key, "latest", "price", 0, "new")
	}
	tb.collect("clock", "server", "good")
	tb.want("written over the clock", tb.read("clock"), "latest:price=old")
	tb.want("written over the server's", tb.read("server"), "latest:price=old")
	tb.want("written over zero", tb.read("good"), "latest:price=new")
}

func sameTimestamp(t *testing.T) {
	tb := lingering.newTable(t)
	tb.apply("bad", func(mut *bigtable.Mutation) {
		expiry := in(tokenTTL)
		mut.Set("token", "device", expiry, []byte("phone"))
		mut.Set("token", "device", expiry, []byte("laptop"))
	})
	tb.apply("good", func(mut *bigtable.Mutation) {
		expiry := in(tokenTTL)
		mut.Set("token", "device/a", expiry, []byte("phone"))
		mut.Set("token", "device/b", expiry, []byte("laptop"))
	})
	tb.want("one column", tb.read("bad"), "token:device=laptop")
	tb.want("two columns", tb.read("good"), "token:device/a=phone token:device/b=laptop")
}

func deleteAfterSet(t *testing.T) {
	tb := lingering.newTable(t)
	for name, del := range map[string]func(*bigtable.Mutation){
		"column": func(mut *bigtable.Mutation) { mut.DeleteCellsInColumn("token", "jwt") },
		"family": func(mut *bigtable.Mutation) { mut.DeleteCellsInFamily("token") },
		"row":    func(mut *bigtable.Mutation) { mut.DeleteRow() },
	} {
		for _, key := range []string{"bad-" + name, "good-" + name} {
			tb.set(key, "token", "jwt", in(2*tokenTTL), "old")
		}
		tb.apply("bad-"+name, func(mut *bigtable.Mutation) {
			mut.Set("token", "jwt", in(tokenTTL), []byte("new"))
			del(mut)
		})
		tb.apply("good-"+name, func(mut *bigtable.Mutation) {
			del(mut)
			mut.Set("token", "jwt", in(tokenTTL), []byte("new"))
		})
		tb.want("deleted after, the "+name, tb.read("bad-"+name), "")
		tb.want("deleted before, the "+name, tb.read("good-"+name), "token:jwt=new")
	}
}

func unsetTimestamp(t *testing.T) {
	tb := collecting.newTable(t)
	raw := bigtablepb.NewBigtableClient(collecting.conn)
	mutate := func(key string, cell *bigtablepb.Mutation_SetCell) {
		_, err := raw.MutateRow(t.Context(), &bigtablepb.MutateRowRequest{
			TableName: fmt.Sprintf("projects/%s/instances/%s/tables/%s", project, instance, tb.name),
			RowKey:    []byte(key),
			Mutations: []*bigtablepb.Mutation{{Mutation: &bigtablepb.Mutation_SetCell_{SetCell: cell}}},
		})
		tb.check(err)
	}
	for family, micros := range map[string]int64{
		"token": time.Now().Add(tokenTTL).UnixMilli() * 1000,
		"event": time.Now().UnixMilli() * 1000,
		"entry": 4000,
	} {
		mutate("bad", &bigtablepb.Mutation_SetCell{FamilyName: family, ColumnQualifier: []byte("c"), Value: []byte("raw")})
		mutate("good", &bigtablepb.Mutation_SetCell{FamilyName: family, ColumnQualifier: []byte("c"), Value: []byte("raw"), TimestampMicros: micros})
	}
	tb.number("bad", "c", 3)
	tb.number("good", "c", 3)
	tb.collect("bad", "good")
	tb.want("without timestamp", tb.read("bad"), "entry:c=3 entry:c=2 entry:c=1")
	tb.want("with timestamp", tb.read("good"), "entry:c=raw entry:c=3 entry:c=2 event:c=raw token:c=raw")
}

func aggregateServerTime(t *testing.T) {
	tb := lingering.newTable(t)
	name := tb.name + "-views"
	sum := bigtable.AggregateType{Input: bigtable.Int64Type{Encoding: bigtable.BigEndianBytesEncoding{}}, Aggregator: bigtable.SumAggregator{}}
	tb.check(lingering.admin.CreateTableFromConf(t.Context(), &bigtable.TableConf{
		TableID: name, ColumnFamilies: map[string]bigtable.Family{"views": {ValueType: sum}},
	}))
	views := lingering.client.Open(name)
	add := func(key string, ts bigtable.Timestamp) error {
		mut := bigtable.NewMutation()
		mut.AddIntToCell("views", "home", ts, 1)
		return views.Apply(t.Context(), key, mut)
	}
	if err := add("bad", bigtable.ServerTime); err == nil {
		t.Error("the server's timestamp is accepted")
	}
	hour := bigtable.Time(time.Now().Truncate(time.Hour))
	tb.check(add("good", hour))
	tb.check(add("good", hour))
	bad, err := views.ReadRow(t.Context(), "bad")
	tb.check(err)
	good, err := views.ReadRow(t.Context(), "good")
	tb.check(err)
	tb.want("counted at the server's time", cells(bad), "")
	tb.want("counted in a bucket", cells(good), "views:home="+string(binary.BigEndian.AppendUint64(nil, 2)))
}

func staleSurvivor(t *testing.T) {
	tb := lingering.newTable(t)
	for _, key := range []string{"bad", "good"} {
		tb.set(key, "token", "jwt", in(48*time.Hour), "old")
		tb.set(key, "event", "page", in(48*time.Hour), "old")
	}
	tb.apply("bad", func(mut *bigtable.Mutation) {
		mut.Set("token", "jwt", in(time.Hour), []byte("new"))
		mut.Set("event", "page", in(time.Hour-eventAge), []byte("new"))
	})
	tb.apply("good", func(mut *bigtable.Mutation) {
		mut.DeleteCellsInColumn("token", "jwt")
		mut.Set("token", "jwt", in(time.Hour), []byte("new"))
		mut.DeleteCellsInColumn("event", "page")
		mut.Set("event", "page", in(time.Hour-eventAge), []byte("new"))
	})
	newest := bigtable.ChainFilters(from(time.Now().Add(-eventAge)), bigtable.LatestNFilter(1))
	tb.want("newest", tb.read("bad", newest), "event:page=old token:jwt=old")
	tb.want("newest after deletion", tb.read("good", newest), "event:page=new token:jwt=new")
}

func staleClock(t *testing.T) {
	tb := collecting.newTable(t)
	for key, age := range map[string]time.Duration{"first": 0, "bad": tokenTTL + time.Minute} {
		started := time.Now().Add(-age) // of the process
		tb.set(key, "token", "jwt", bigtable.Time(started.Add(tokenTTL)), "a")
	}
	tb.set("good", "token", "jwt", in(tokenTTL), "a")
	tb.want("live, a later write", tb.read("bad", unexpired()), "")
	tb.collect("first", "bad", "good")
	tb.want("the first write", tb.read("first"), "token:jwt=a")
	tb.want("a later write", tb.read("bad"), "")
	tb.want("a later write by its own reading", tb.read("good"), "token:jwt=a")
}

func wrongBase(t *testing.T) {
	const age, lifetime = time.Minute, time.Second
	tb := collecting.newTable(t, map[string]bigtable.GCPolicy{"event": bigtable.MaxAgePolicy(age)})
	start := time.Now()
	tb.set("bad", "event", "page", in(lifetime), "a")
	tb.set("good", "event", "page", in(lifetime-age), "a")
	tb.want("alive at first", tb.read("good", from(start.Add(-age))), "event:page=a")
	tb.collect("bad", "good") // waits beyond the lifetime
	tb.want("lifetime from now", tb.read("bad", from(time.Now().Add(-age))), "event:page=a")
	tb.want("lifetime less the age", tb.read("good"), "")
}
