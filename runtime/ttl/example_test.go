package ttl_test

import (
	"context"
	"errors"
	"fmt"
	"time"

	"cloud.google.com/go/bigtable"
	"github.com/ttlvet/ttlvet/runtime/ttl"
)

// Declared once, for all writers, readers and the schema.
var (
	Token    = ttl.OneSecond("token", 30*time.Minute)
	Profile  = ttl.RealTime("profile")
	Sessions = ttl.NewTable("sessions", Token, Profile)
)

func Example() {
	ctx := context.Background()
	client, admin, stop := connect(ctx) // to an emulator
	defer stop()

	// The table gets the GC policies that the strategies need.
	must(admin.CreateTableFromConf(ctx, Sessions.Conf()))
	tbl := client.Open(Sessions.Name())

	mut := bigtable.NewMutation()
	must(Token.Set(mut, "jwt", []byte("eyJhbGciOi")))                      // for 30 minutes
	must(Token.SetFor(mut, "otp", []byte("271828"), 2*time.Millisecond))   // for a moment
	must(Profile.Set(mut, "name", []byte("Ada")))                          // for good
	fmt.Println(Token.SetUntil(mut, "csrf", []byte("x"), time.Unix(0, 0))) // never
	must(tbl.Apply(ctx, "user#1", mut))

	time.Sleep(5 * time.Millisecond)
	row, err := tbl.ReadRow(ctx, "user#1", Sessions.Live())
	must(err)
	for _, item := range append(row["token"], row["profile"]...) {
		fmt.Printf("%s: %s\n", item.Column, item.Value)
	}

	// Output:
	// ttl: family "token", column "csrf": deadline has passed: 1970-01-01T00:00:00Z
	// token:jwt: eyJhbGciOi
	// profile:name: Ada
}

func ExampleTable_LiveAnd() {
	ctx := context.Background()
	client, admin, stop := connect(ctx)
	defer stop()
	must(admin.CreateTableFromConf(ctx, Sessions.Conf()))
	tbl := client.Open(Sessions.Name())

	mut := bigtable.NewMutation()
	must(Token.Set(mut, "jwt", []byte("eyJhbGciOi")))
	must(Token.Set(mut, "refresh", []byte("c2VjcmV0")))
	must(Profile.Set(mut, "name", []byte("Ada")))
	must(tbl.Apply(ctx, "user#1", mut))

	row, err := tbl.ReadRow(ctx, "user#1", Sessions.LiveAnd(bigtable.ColumnFilter("jwt")))
	must(err)
	fmt.Println(values(row))
	// Output: token:jwt=eyJhbGciOi
}

func ExampleTable_Verify() {
	ctx := context.Background()
	_, admin, stop := connect(ctx)
	defer stop()
	must(admin.CreateTableFromConf(ctx, Sessions.Conf()))
	fmt.Println(Sessions.Verify(ctx, admin))

	must(admin.SetGCPolicy(ctx, "sessions", "token", bigtable.MaxVersionsPolicy(1)))
	fmt.Println(Sessions.Verify(ctx, admin))
	// Output:
	// <nil>
	// ttl: table "sessions": schema differs from its declaration: family "token" has max versions 1, declared is max age 1s
}

func ExampleMigrationError() {
	ctx := context.Background()
	client, admin, stop := connect(ctx)
	defer stop()

	// The family has cells with the times at which they were written.
	old := ttl.NewTable("sessions", ttl.RealTime("token"), Profile)
	must(admin.CreateTableFromConf(ctx, old.Conf()))
	mut := bigtable.NewMutation()
	must(ttl.RealTime("token").Set(mut, "jwt", []byte("eyJhbGciOi")))
	must(client.Open("sessions").Apply(ctx, "user#1", mut))

	err := Sessions.Migrate(ctx, client, admin, Token)
	var refused *ttl.MigrationError
	fmt.Println(errors.As(err, &refused), refused.Cells)
	fmt.Println(err)
	// Output:
	// true 1
	// ttl: table "sessions", family "token": the new GC policy would delete 1 cell(s), at once or early
}

func ExampleTable_Migrate() {
	ctx := context.Background()
	client, admin, stop := connect(ctx)
	defer stop()
	week, month := ttl.Default("click", 7*24*time.Hour), ttl.Default("click", 30*24*time.Hour)
	must(ttl.NewTable("clicks", week).Ensure(ctx, admin))

	// Clicks shall be kept for a month, of which no click dies.
	clicks := ttl.NewTable("clicks", month)
	fmt.Println(clicks.Ensure(ctx, admin)) // it changes nothing that exists
	fmt.Println(clicks.Migrate(ctx, client, admin, month))
	fmt.Println(clicks.Verify(ctx, admin))
	// Output:
	// ttl: table "clicks": schema differs from its declaration: family "click" has max age 168h0m0s, declared is max age 720h0m0s
	// <nil>
	// <nil>
}

func ExampleTable_Latest() {
	ctx := context.Background()
	client, admin, stop := connect(ctx)
	defer stop()
	must(Sessions.Ensure(ctx, admin))
	tbl := client.Open(Sessions.Name())

	for i := range 3 {
		mut := bigtable.NewMutation()
		must(Token.SetFor(mut, "jwt", fmt.Appendf(nil, "token %d", i), time.Duration(i+1)*time.Hour))
		must(tbl.Apply(ctx, "user#1", mut))
	}
	for _, read := range []bigtable.ReadOption{Sessions.Live(), Sessions.Latest()} {
		row, err := tbl.ReadRow(ctx, "user#1", read)
		must(err)
		fmt.Println(len(row["token"]), "newest:", string(row["token"][0].Value))
	}
	// Output:
	// 3 newest: token 2
	// 1 newest: token 2
}

func ExampleTable() {
	ctx := context.Background()
	_, admin, stop := connect(ctx)
	defer stop()

	must(Sessions.Ensure(ctx, admin)) // at every start
	must(admin.CreateColumnFamily(ctx, Sessions.Name(), "new"))
	undeclared, err := Sessions.Undeclared(ctx, admin)
	must(err)
	fmt.Println(Sessions.Name(), "has families that are not declared:", undeclared)
	// Output: sessions has families that are not declared: [new]
}

// The filter of one family is the condition of a mutation that needs a live
// cell of it.
func ExampleFamily() {
	ctx := context.Background()
	client, admin, stop := connect(ctx)
	defer stop()
	must(Sessions.Ensure(ctx, admin))
	tbl := client.Open(Sessions.Name())

	// Dead, and not collected yet.
	mut := bigtable.NewMutation()
	mut.Set("token", "jwt", ttl.ExpiresAt(time.Unix(1e9, 0)), []byte("eyJhbGciOi"))
	must(tbl.Apply(ctx, "user#1", mut))

	seen := bigtable.NewMutation()
	must(Profile.Set(seen, "seen", []byte("yes")))
	var loggedIn bool
	cond := bigtable.NewCondMutation(Token.LiveFilter(), seen, nil)
	must(tbl.Apply(ctx, "user#1", cond, bigtable.GetCondMutationResult(&loggedIn)))
	fmt.Println("logged in:", loggedIn)
	// Output: logged in: false
}

// Code for both strategies whose cells expire.
func ExampleExpiring() {
	otp := func(f ttl.Expiring, mut *bigtable.Mutation) error {
		return f.Replace(mut, "otp", []byte("271828"), time.Minute)
	}
	for _, f := range []ttl.Expiring{Token, ttl.Default("event", 24*time.Hour)} {
		fmt.Println(f.Name(), otp(f, bigtable.NewMutation()))
	}
	// Output:
	// token <nil>
	// event <nil>
}

func ExampleOneSecondFamily() {
	mut := bigtable.NewMutation()
	fmt.Println(Token.Set(mut, "jwt", []byte("eyJhbGciOi")))                   // for 30 minutes
	fmt.Println(Token.SetFor(mut, "otp", []byte("271828"), 60))                // no unit
	fmt.Println(Token.SetUntil(mut, "csrf", []byte("x"), time.Unix(1e9, 0)))   // 2001
	fmt.Println(Token.ReplaceUntil(mut, "csrf", []byte("x"), time.Time{}))     // forgotten
	fmt.Println(ttl.OneSecond("token", 30).Set(mut, "jwt", []byte("eyJhbGc"))) // no unit
	// Output:
	// <nil>
	// ttl: family "token", column "otp": lifetime shorter than 1ms: 60ns
	// ttl: family "token", column "csrf": deadline has passed: 2001-09-09T01:46:40Z
	// ttl: family "token", column "csrf": the zero time is outside the range of Bigtable timestamps
	// ttl: family "token": invalid declaration: the ttl 30ns is shorter than 1ms
}

func ExampleDefaultFamily() {
	ctx := context.Background()
	client, admin, stop := connect(ctx)
	defer stop()

	event := ttl.Default("event", 24*time.Hour)
	events := ttl.NewTable("events", event)
	must(events.Ensure(ctx, admin))
	tbl := client.Open(events.Name())

	mut := bigtable.NewMutation()
	must(event.Set(mut, "usual", []byte("a day")))
	must(event.SetFor(mut, "short", []byte("a minute"), time.Minute))
	must(event.SetFor(mut, "long", []byte("a month"), 30*24*time.Hour))
	must(tbl.Apply(ctx, "device#1", mut))

	row, err := tbl.ReadRow(ctx, "device#1", events.Live())
	must(err)
	for _, item := range row["event"] {
		fmt.Println(item.Column, time.Until(event.Expiry(item)).Round(time.Minute))
	}
	// Output:
	// event:long 720h0m0s
	// event:short 1m0s
	// event:usual 24h0m0s
}

func ExampleZeroFamily() {
	ctx := context.Background()
	client, admin, stop := connect(ctx)
	defer stop()

	price := ttl.Zero("price")
	catalog := ttl.NewTable("catalog", price)
	must(catalog.Ensure(ctx, admin))
	tbl := client.Open(catalog.Name())
	for _, cents := range []string{"1299", "999"} {
		mut := bigtable.NewMutation()
		must(price.Set(mut, "cents", []byte(cents)))
		must(tbl.Apply(ctx, "article#1", mut))
	}
	row, err := tbl.ReadRow(ctx, "article#1", catalog.Live())
	must(err)
	fmt.Println(values(row))
	// Output: price:cents=999
}

func ExampleRealTimeFamily() {
	ctx := context.Background()
	client, admin, stop := connect(ctx)
	defer stop()

	// The last value of each column for good, and every value for a day.
	reading := ttl.RealTime("reading").Policy(bigtable.IntersectionPolicy(bigtable.MaxVersionsPolicy(1), bigtable.MaxAgePolicy(24*time.Hour)))
	sensors := ttl.NewTable("sensors", reading)
	must(sensors.Ensure(ctx, admin))
	tbl := client.Open(sensors.Name())

	mut := bigtable.NewMutation()
	for _, hours := range []int{1, 20, 30} {
		must(reading.SetAt(mut, "on", fmt.Appendf(nil, "%dh ago", hours), time.Now().Add(time.Duration(-hours)*time.Hour)))
		must(reading.SetAt(mut, "off", fmt.Appendf(nil, "%dh ago", 100*hours), time.Now().Add(time.Duration(-100*hours)*time.Hour)))
	}
	must(tbl.Apply(ctx, "sensor#1", mut))
	row, err := tbl.ReadRow(ctx, "sensor#1", sensors.Live())
	must(err)
	for _, item := range row["reading"] {
		fmt.Printf("%s: %s\n", item.Column, item.Value)
	}
	// Output:
	// reading:off: 100h ago
	// reading:on: 1h ago
	// reading:on: 20h ago
}

func ExampleOneSecondFamily_Replace() {
	ctx := context.Background()
	client, admin, stop := connect(ctx)
	defer stop()
	must(admin.CreateTableFromConf(ctx, Sessions.Conf()))
	tbl := client.Open(Sessions.Name())

	// With Set, the value that expires later would stay the most recent.
	for _, write := range []struct {
		value    string
		lifetime time.Duration
	}{{"long", 24 * time.Hour}, {"short", time.Minute}} {
		mut := bigtable.NewMutation()
		must(Token.Replace(mut, "jwt", []byte(write.value), write.lifetime))
		must(tbl.Apply(ctx, "user#1", mut))
	}
	row, err := tbl.ReadRow(ctx, "user#1", Sessions.Live())
	must(err)
	item := row["token"][0]
	fmt.Printf("%s, expires within the minute: %v\n", item.Value, time.Until(Token.Expiry(item)) <= time.Minute)
	// Output: short, expires within the minute: true
}

func ExampleSequenceFamily() {
	ctx := context.Background()
	client, admin, stop := connect(ctx)
	defer stop()

	entry := ttl.Sequence("entry", 2)
	ledger := ttl.NewTable("ledger", entry)
	must(admin.CreateTableFromConf(ctx, ledger.Conf()))
	tbl := client.Open(ledger.Name())

	mut := bigtable.NewMutation()
	for n := range int64(4) {
		must(entry.Set(mut, "balance", fmt.Appendf(nil, "%d EUR", 10*n), n))
	}
	must(tbl.Apply(ctx, "account#1", mut))

	row, err := tbl.ReadRow(ctx, "account#1", ledger.Live())
	must(err)
	for _, item := range row["entry"] {
		fmt.Printf("%d: %s\n", entry.Number(item), item.Value)
	}
	// Output:
	// 3: 30 EUR
	// 2: 20 EUR
}

func ExampleWrittenAtColumn() {
	ctx := context.Background()
	client, admin, stop := connect(ctx)
	defer stop()
	must(Sessions.Ensure(ctx, admin))
	tbl := client.Open(Sessions.Name())

	// A companion of column jwt, which is written with it: both live for a day.
	issued := ttl.WrittenAt(Token, "jwt-issued")
	mut := bigtable.NewMutation()
	must(Token.With(issued).SetFor(mut, "jwt", []byte("eyJhbGciOi"), 24*time.Hour))
	must(tbl.Apply(ctx, "user#1", mut))

	row, err := tbl.ReadRow(ctx, "user#1", Sessions.Live())
	must(err)
	at, ok := issued.Time(row)
	fmt.Println(ok, "written before now:", !at.After(time.Now()))
	// Output: true written before now: true
}

func ExampleCounter() {
	ctx := context.Background()
	client, admin, stop := connect(ctx)
	defer stop()
	must(admin.CreateTableFromConf(ctx, Sessions.Conf()))
	tbl := client.Open(Sessions.Name())

	// Failed logins of the last half hour.
	failures := ttl.NewCounter(Token, "failures")
	for range 3 {
		mut := bigtable.NewMutation()
		must(failures.Add(mut, 1))
		must(tbl.Apply(ctx, "user#1", mut))
	}
	row, err := tbl.ReadRow(ctx, "user#1", Sessions.LiveAnd(failures.Filter()))
	must(err)
	fmt.Println(failures.Sum(row))
	// Output: 3 <nil>
}
