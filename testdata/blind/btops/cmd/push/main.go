// push sends notifications to riders' devices: a gate is shut, a line runs
// late, a pass ends. It keeps what it sent in the riders' rows.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"log"
	"math/rand/v2"
	"net/http"
	"os"
	"strings"
	"time"

	"cloud.google.com/go/bigtable"

	"github.com/tramway/btops/internal/btx"
	"github.com/tramway/btops/internal/expire"
	"github.com/tramway/btops/internal/schema"
)

var (
	opts   btx.Options
	url    = flag.String("url", "https://push.example.com/v1/send", "service that sends")
	legacy = flag.Bool("legacy", false, "phones of before 2020")
	text   = flag.String("text", "", "what to say")
	life   = flag.Duration("life", time.Hour, "how long a message is of interest")
)

// stamper makes timestamps.
type stamper func() bigtable.Timestamp

// pusher sends and remembers.
type pusher struct {
	tbl    *bigtable.Table
	codes  *bigtable.Table
	http   *http.Client
	stamp  stamper
	legacy bool
	sent   map[string]int
	until  map[string]bigtable.Timestamp
}

// option changes a pusher.
type option func(*pusher)

func withStamp(f stamper) option { return func(p *pusher) { p.stamp = f } }

func withLegacy(on bool) option { return func(p *pusher) { p.legacy = on } }

func newPusher(c *bigtable.Client, os ...option) *pusher {
	p := &pusher{
		tbl:   c.Open(schema.Sessions),
		codes: c.Open(schema.Passcodes),
		http:  &http.Client{Timeout: 10 * time.Second},
		stamp: func() bigtable.Timestamp { return bigtable.Time(time.Now().Add(time.Hour)) }, // ok ttlwrite/write-time
		sent:  map[string]int{},
		until: map[string]bigtable.Timestamp{},
	}
	for _, o := range os {
		o(p)
	}
	return p
}

func main() {
	log.SetFlags(0)
	opts.Register(flag.CommandLine)
	flag.Parse()
	ctx, cancel := opts.Context()
	defer cancel()
	client, err := opts.Client(ctx)
	btx.Fatal(err)
	defer client.Close()
	p := newPusher(client, withLegacy(*legacy))
	old := newPusher(client, withStamp(bigtable.Now), withLegacy(true)) // want ttlwrite/write-time[pushold]
	switch args := flag.Args(); {
	case len(args) == 2 && args[0] == "rider":
		err = p.rider(ctx, args[1])
	case len(args) == 2 && args[0] == "old":
		err = old.rider(ctx, args[1])
	case len(args) == 2 && args[0] == "line":
		err = p.line(ctx, args[1])
	case len(args) == 2 && args[0] == "mute":
		err = p.mute(ctx, args[1], flag.NFlag() > 1) // want ttlwrite/write-time[muteor]
	case len(args) == 2 && args[0] == "who":
		err = p.who(ctx, args[1])
	case len(args) == 2 && args[0] == "code":
		err = p.code(ctx, args[1])
	case len(args) == 1 && args[0] == "stat":
		err = p.stat(ctx)
	default:
		err = errors.New("rider R, old R, line L, mute R, who R, code PHONE or stat?")
	}
	btx.Fatal(err)
}

// message is what the service takes.
type message struct {
	Device string `json:"device"`
	Text   string `json:"text"`
	TTL    int    `json:"ttl"`
}

func (p *pusher) send(ctx context.Context, msg message) error {
	b, err := json.Marshal(msg)
	if err != nil {
		return err
	}
	if opts.DryRun {
		fmt.Println(string(b))
		return nil
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, *url, strings.NewReader(string(b)))
	if err != nil {
		return err
	}
	resp, err := p.http.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode/100 != 2 {
		return fmt.Errorf("%s: %s", msg.Device, resp.Status)
	}
	p.sent[msg.Device]++
	return nil
}

// devices are those of a rider that still count.
func (p *pusher) devices(ctx context.Context, rider string) ([]bigtable.ReadItem, error) {
	row, err := p.tbl.ReadRow(ctx, "s#"+rider, expire.Read().Family(schema.Device).Newest().Build()...) // ok ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	return expire.Alive(row[schema.Device], time.Now()), nil
}

// newestDevice is the device that was used last, or so it seems.
func (p *pusher) newestDevice(ctx context.Context, rider string) (string, error) {
	row, err := p.tbl.ReadRow(ctx, "s#"+rider, bigtable.RowFilter(bigtable.FamilyFilter(schema.Device))) // want ttlread/missing-filter
	if err != nil {
		return "", err
	}
	it, ok := expire.Newest(row[schema.Device])
	if !ok {
		return "", nil
	}
	return strings.TrimPrefix(it.Column, "device:"), nil
}

func (p *pusher) rider(ctx context.Context, rider string) error {
	items, err := p.devices(ctx, rider)
	if err != nil {
		return err
	}
	m := bigtable.NewMutation()
	for _, it := range items {
		id := strings.TrimPrefix(it.Column, "device:")
		if err := p.send(ctx, message{id, *text, int(life.Seconds())}); err != nil {
			log.Printf("%s: %v", id, err)
			continue
		}
		m.Set(schema.Device, "sent-"+id, p.stamp(), []byte(*text)) // want ttlwrite/write-time[pushold]
		m.Set(schema.Profile, "sent-"+id, bigtable.Now(), nil)     // ok ttlwrite/write-time
	}
	// Phones of before 2020 had no lifetimes.
	ts := expire.After(*life)
	if p.legacy {
		ts = bigtable.ServerTime
	}
	m.Set(schema.Token, "push", ts, []byte(*text)) // want ttlwrite/server-timestamp
	// Who got many lately waits.
	wait := bigtable.Time(time.Now().Add(time.Minute))
	if p.sent[rider] > 10 {
		wait = bigtable.Now()
	}
	m.Set(schema.Device, "wait", wait, nil) // want ttlwrite/write-time
	// What is known of the rider.
	until := bigtable.Time(time.Now().Add(schema.DeviceTTL))
	if u, ok := p.until[rider]; ok {
		until = u
	}
	m.Set(schema.Device, "until", until, nil) // ok ttlwrite/write-time ttlwrite/already-expired
	p.until[rider] = until
	return p.tbl.Apply(ctx, "s#"+rider, m)
}

// mute keeps messages away for a while.
func (p *pusher) mute(ctx context.Context, rider string, forever bool) error {
	family, ts := schema.Token, expire.After(12*time.Hour)
	if forever {
		family, ts = schema.Profile, bigtable.Now()
	}
	m := bigtable.NewMutation()
	m.Set(family, "mute", ts, []byte("1"))                                  // ok ttlwrite/write-time
	m.Set(schema.Token, "mute-short", expire.After(0), nil)                 // want ttlwrite/server-timestamp
	m.Set(schema.Token, "mute-long", expire.After(time.Hour), nil)          // ok ttlwrite/server-timestamp
	m.Set(schema.Profile, "mute-short", expire.After(0), nil)               // ok ttlwrite/server-timestamp
	m.Set(schema.Token, "mute-at", expire.At(time.Time{}), nil)             // ok ttlwrite/already-expired
	m.Set(schema.Token, "mute-till", expire.At(time.Now()), nil)            // want ttlwrite/write-time
	m.Set(schema.Token, "mute-or", expire.Or(bigtable.ServerTime, ts), nil) // want ttlwrite/write-time[muteor]
	expire.PutToken(m, "muted", time.Hour, nil)                             // ok ttlwrite/server-timestamp
	expire.PutToken(m, "muted0", 0, nil)                                    // want ttlwrite/server-timestamp
	expire.PutTokenAt(m, "muted2", time.Time{}, nil)                        // ok ttlwrite/already-expired
	return p.tbl.Apply(ctx, "s#"+rider, m)
}

// line tells everybody who wants to know about a line.
func (p *pusher) line(ctx context.Context, line string) error {
	var riders []string
	err := p.tbl.ReadRows(ctx, bigtable.PrefixRange("s#"), func(r bigtable.Row) bool { // ok ttlread/missing-filter
		for _, it := range r[schema.Profile] {
			if it.Column == "profile:lines" && strings.Contains(string(it.Value), line) {
				riders = append(riders, strings.TrimPrefix(r.Key(), "s#"))
				break
			}
		}
		return true
	}, expire.Read().Family(schema.Profile).Newest().Build()...)
	if err != nil {
		return err
	}
	rand.Shuffle(len(riders), func(i, j int) { riders[i], riders[j] = riders[j], riders[i] })
	for _, r := range riders {
		if err := p.rider(ctx, r); err != nil {
			log.Printf("%s: %v", r, err)
		}
	}
	// How many of them are signed in.
	in := 0
	err = p.tbl.ReadRows(ctx, bigtable.PrefixRange("s#"), func(r bigtable.Row) bool { // want ttlread/missing-filter[pushline]
		for _, it := range r[schema.Token] {
			if it.Column == "token:jwt" {
				in++
			}
		}
		return true
	}, expire.Read().Family(schema.Token).Newest().Build()...) // want ttlread/missing-filter[pushline]
	if err != nil {
		return err
	}
	live := 0
	err = p.tbl.ReadRows(ctx, bigtable.PrefixRange("s#"), func(r bigtable.Row) bool { // ok ttlread/missing-filter
		live += len(r[schema.Token])
		return true
	}, expire.Read().Family(schema.Token).Column("jwt").Live().Build()...) // ok ttlread/wrong-bound
	log.Printf("%d riders, %d signed in, %d live", len(riders), in, live)
	return err
}

// who prints the device to which the next message goes.
func (p *pusher) who(ctx context.Context, rider string) error {
	id, err := p.newestDevice(ctx, rider)
	if err != nil {
		return err
	}
	fmt.Fprintln(os.Stdout, id)
	return nil
}

// code sends a code by push instead of SMS.
func (p *pusher) code(ctx context.Context, phone string) error {
	c := fmt.Sprintf("%06d", rand.IntN(1000000))
	m := bigtable.NewMutation()
	expire.PutCode(m, "push", bigtable.ServerTime, []byte(c)) // ok ttlwrite/server-timestamp
	expire.PutCode(m, "push2", bigtable.Now(), []byte(c))     // want ttlwrite/write-time
	if err := p.codes.Apply(ctx, phone, m); err != nil {
		return err
	}
	// Not twice in a row.
	again := bigtable.NewMutation()
	again.Set(schema.Code, "again", expire.After(time.Minute), nil) // ok ttlwrite/server-timestamp
	var had bool
	cond := bigtable.NewCondMutation(bigtable.ColumnFilter("again"), nil, again)                  // want ttlread/conditional-mutation[pushagain]
	if err := p.codes.Apply(ctx, phone, cond, bigtable.GetCondMutationResult(&had)); err != nil { // want ttlread/conditional-mutation[pushagain]
		return err
	}
	if had {
		return errors.New("a code was sent a minute ago")
	}
	return nil
}

// stat prints what was sent, and when.
func (p *pusher) stat(ctx context.Context) error {
	type line struct {
		rider, device string
		sentAt        time.Time
		createdAt     time.Time
	}
	var lines []line
	err := p.tbl.ReadRows(ctx, bigtable.PrefixRange("s#"), func(r bigtable.Row) bool { // ok ttlread/missing-filter
		for _, it := range r[schema.Profile] {
			if id, ok := strings.CutPrefix(it.Column, "profile:sent-"); ok {
				lines = append(lines, line{rider: r.Key(), device: id, createdAt: it.Timestamp.Time()}) // ok ttlage/not-write-time
			}
		}
		return true
	}, bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter(schema.Profile), bigtable.LatestNFilter(1))))
	if err != nil {
		return err
	}
	err = p.tbl.ReadRows(ctx, bigtable.PrefixRange("s#"), func(r bigtable.Row) bool { // ok ttlread/missing-filter
		for _, it := range r[schema.Device] {
			if id, ok := strings.CutPrefix(it.Column, "device:sent-"); ok {
				lines = append(lines, line{rider: r.Key(), device: id, createdAt: it.Timestamp.Time()}) // want ttlage/not-write-time
			}
		}
		return true
	}, btx.LiveOnly(schema.Device))
	for _, l := range lines {
		fmt.Println(l.rider, l.device, l.createdAt)
	}
	return err
}
