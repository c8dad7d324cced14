// codes issues, checks and counts codes by SMS, for support.
package main

import (
	"context"
	"crypto/rand"
	"errors"
	"flag"
	"fmt"
	"log"
	"math/big"
	"sync"
	"time"

	"cloud.google.com/go/bigtable"

	"github.com/tramway/btops/internal/btx"
	"github.com/tramway/btops/internal/schema"
)

var (
	opts    btx.Options
	digits  = flag.Int("digits", 6, "digits")
	nonces  = flag.String("nonces", "nonces", "table of nonces")
	forTest = flag.Bool("for-test", false, "a code that is always 000000")
)

// ServerClock lets the server choose.
const ServerClock bigtable.Timestamp = bigtable.ServerTime

var (
	clockOnce sync.Once
	clockTime time.Time // want ttlwrite/stale-clock[codestamp]
)

// stamp is the time of this run, so that all its cells can be found again.
func stamp() time.Time {
	clockOnce.Do(func() { clockTime = time.Now() }) // want ttlwrite/stale-clock[codestamp]
	return clockTime
}

var expiry = sync.OnceValue(func() bigtable.Timestamp { // want ttlwrite/stale-clock[oncevalue]
	return bigtable.Time(time.Now().Add(schema.CodeTTL)) // want ttlwrite/stale-clock[oncevalue]
})

type store struct{ tbl *bigtable.Table }

func main() {
	opts.Register(flag.CommandLine)
	flag.Parse()
	ctx, cancel := opts.Context()
	defer cancel()
	client, err := opts.Client(ctx)
	btx.Fatal(err)
	defer client.Close()
	s := &store{client.Open(schema.Passcodes)}
	switch flag.Arg(0) {
	case "issue":
		err = s.issue(ctx, flag.Arg(1))
	case "check":
		var ok bool
		ok, err = s.check(ctx, flag.Arg(1), flag.Arg(2))
		fmt.Println(ok)
	case "tries":
		err = s.tries(ctx, flag.Arg(1))
	case "list":
		err = s.list(ctx)
	case "bulk":
		err = s.bulk(ctx, flag.Args()[1:])
	case "nonce":
		err = nonce(ctx, client, flag.Arg(1))
	default:
		err = errors.New("issue, check, tries, list, bulk or nonce?")
	}
	btx.Fatal(err)
}

func code() (string, error) {
	if *forTest {
		return "000000", nil
	}
	most := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(*digits)), nil)
	n, err := rand.Int(rand.Reader, most)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("%0*d", *digits, n), nil
}

func (s *store) issue(ctx context.Context, phone string) error {
	c, err := code()
	if err != nil {
		return err
	}
	m := bigtable.NewMutation()
	btx.Replace(m, schema.Code, "sms", btx.Expiry(schema.CodeTTL), []byte(c)) // ok ttlwrite/delete-after-set
	btx.Replace(m, schema.Code, "issued", ServerClock, nil)                   // want ttlwrite/server-timestamp
	m.Set(schema.Code, "by", bigtable.Time(stamp()), []byte("support"))       // want ttlwrite/stale-clock[codestamp]
	m.Set(schema.Code, "run", expiry(), nil)                                  // want ttlwrite/stale-clock[oncevalue]
	if err := s.tbl.Apply(ctx, phone, m); err != nil {
		return err
	}
	log.Printf("code for %s: %s", phone, c)
	return nil
}

// check says whether the code is the right one.
func (s *store) check(ctx context.Context, phone, c string) (bool, error) {
	row, err := s.tbl.ReadRow(ctx, phone, bigtable.RowFilter(bigtable.ChainFilters( // want ttlread/missing-filter[codecheck]
		bigtable.ColumnFilter("sms"),
		bigtable.LatestNFilter(1),
	))) // want ttlread/missing-filter[codecheck]
	if err != nil {
		return false, err
	}
	for _, items := range row {
		for _, it := range items {
			return string(it.Value) == c, nil
		}
	}
	return false, nil
}

// checkLive is check, right.
func (s *store) checkLive(ctx context.Context, phone, c string) (bool, error) {
	row, err := s.tbl.ReadRow(ctx, phone, bigtable.RowFilter(bigtable.ChainFilters( // ok ttlread/missing-filter
		bigtable.ColumnFilter("sms"),
		btx.LiveAt(time.Now()), // ok ttlread/wrong-bound
		bigtable.LatestNFilter(1),
	)))
	if err != nil {
		return false, err
	}
	for _, it := range row[schema.Code] {
		return string(it.Value) == c, nil
	}
	return false, nil
}

// tries counts wrong codes; too many block the phone.
func (s *store) tries(ctx context.Context, phone string) error {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment(schema.Code, "tries", 1) // want ttlwrite/read-modify-write
	row, err := s.tbl.ApplyReadModifyWrite(ctx, phone, rmw)
	if err != nil {
		return err
	}
	for _, it := range row[schema.Code] {
		if n := btx.ToInt(it.Value); n > 5 {
			m := bigtable.NewMutation()
			m.Set(schema.Code, "blocked", bigtable.Time(time.Now().Add(15*time.Minute)), nil) // ok ttlwrite/write-time
			if err := s.tbl.Apply(ctx, phone, m); err != nil {
				return err
			}
			ok, err := s.checkLive(ctx, phone, "")
			log.Printf("%s blocked, %v %v", phone, ok, err)
		}
	}
	return nil
}

// list prints phones with a code.
func (s *store) list(ctx context.Context) error {
	now := time.Now()
	// What has been issued up to now.
	err := s.tbl.ReadRows(ctx, bigtable.InfiniteRange(""), func(r bigtable.Row) bool { // want ttlread/expired-only[codelist]
		for _, it := range r[schema.Code] {
			fmt.Println(r.Key(), it.Column, string(it.Value))
		}
		return true
	}, bigtable.RowFilter(bigtable.TimestampRangeFilter(time.Unix(0, 0), now))) // want ttlread/expired-only[codelist]
	if err != nil {
		return err
	}
	// Codes live five minutes, so nothing is later than that.
	return s.tbl.ReadRows(ctx, bigtable.InfiniteRange(""), func(r bigtable.Row) bool { // ok ttlread/upper-bound
		for _, it := range r[schema.Code] {
			fmt.Println(r.Key(), it.Column, string(it.Value))
		}
		return true
	}, bigtable.RowFilter(bigtable.TimestampRangeFilter(now, now.Add(schema.CodeTTL)))) // ok ttlread/upper-bound
}

// bulk issues codes for many phones at once.
func (s *store) bulk(ctx context.Context, phones []string) error {
	var keys []string
	var muts []*bigtable.Mutation
	ts := bigtable.Now()
	until := bigtable.Time(time.Now().Add(schema.CodeTTL))
	for i, p := range phones {
		c, err := code()
		if err != nil {
			return err
		}
		m := bigtable.NewMutation()
		m.Set(schema.Code, "sms", until, []byte(c))           // ok ttlwrite/write-time ttlwrite/same-timestamp
		m.Set(schema.Code, "bulk", ts, btx.Int(int64(i)))     // want ttlwrite/write-time
		m.Set(schema.Code, "sms", until, []byte("masked"))    // want ttlwrite/same-timestamp
		m.Set(schema.Code, "sms", until+1000, []byte("last")) // ok ttlwrite/same-timestamp
		keys, muts = append(keys, p), append(muts, m)
	}
	errs, err := s.tbl.ApplyBulk(ctx, keys, muts)
	return errors.Join(append(errs, err)...)
}

// nonce writes to a table that no registry names: its policy says what it is.
func nonce(ctx context.Context, c *bigtable.Client, value string) error {
	admin, err := opts.Admin(ctx)
	if err != nil {
		return err
	}
	defer admin.Close()
	if err := admin.CreateTableFromConf(ctx, &bigtable.TableConf{
		TableID:  "nonces",
		Families: map[string]bigtable.GCPolicy{"nonce": bigtable.MaxAgePolicy(time.Second)}, // ok ttlgc/age-mismatch
	}); err != nil {
		log.Print(err)
	}
	tbl := c.Open("nonces")
	m := bigtable.NewMutation()
	m.Set("nonce", "v", bigtable.Now(), []byte(value))        // want ttlwrite/write-time
	m.Set("nonce", "w", btx.Expiry(time.Hour), []byte(value)) // ok ttlwrite/write-time
	if err := tbl.Apply(ctx, value, m); err != nil {
		return err
	}
	row, err := tbl.ReadRow(ctx, value) // want ttlread/missing-filter
	if err != nil {
		return err
	}
	fmt.Println(len(row["nonce"]))
	return nil
}
