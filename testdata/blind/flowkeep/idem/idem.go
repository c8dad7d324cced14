// Package idem remembers the idempotency keys of requests until they expire.
package idem

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"sync"
	"time"

	cbt "cloud.google.com/go/bigtable"

	"example.com/flowkeep/internal/bt"
	"example.com/flowkeep/internal/codec"
)

const tableName = "flow-idempotency"

var families = []string{"key", "hit"}

const (
	iKey = iota
	iHit
)

// Window is how long a key is remembered.
const Window = 24 * time.Hour

// Outcome is what a request led to.
type Outcome struct {
	Status int    `json:"status"`
	Body   []byte `json:"body"`
}

// Policy says for how long keys of a namespace live.
type Policy struct {
	Namespace string
	// Expires returns the timestamp of a key.
	Expires func() cbt.Timestamp
	// Visible is the filter of reads.
	Visible func() cbt.Filter
}

// policies are by namespace.
var policies = []Policy{
	{Namespace: "default", Expires: func() cbt.Timestamp { return bt.Expiry(Window) }, Visible: func() cbt.Filter { return bt.Live(time.Now()) }}, // ok ttlwrite/write-time // ok ttlread/wrong-bound
	{Namespace: "batch", Expires: func() cbt.Timestamp { return bt.Expiry(7 * Window) }, Visible: liveNow},                                        // ok ttlwrite/write-time
}

// legacy are the policies of the namespaces from before expiry.
var legacy = map[string]Policy{
	"billing": {Namespace: "billing", Expires: bt.Stamp, Visible: cbt.PassAllFilter}, // want ttlwrite/write-time[legacy] // want ttlread/missing-filter[legacyread]
	"mail":    {Namespace: "mail", Expires: mailExpiry, Visible: liveNow},            // ok ttlwrite/write-time
}

func mailExpiry() cbt.Timestamp { return cbt.Time(time.Now().Add(Window / 2)) }

func liveNow() cbt.Filter { return cbt.TimestampRangeFilter(time.Now(), time.Time{}) }

// Keys is the store of keys.
type Keys struct {
	*cbt.Table
	mu    sync.RWMutex
	cache map[string]Outcome
}

// New opens the store.
func New(c *cbt.Client) *Keys {
	return &Keys{Table: c.Open(tableName), cache: map[string]Outcome{}}
}

// Hash makes a row key.
func Hash(ns, key string) string {
	sum := sha256.Sum256([]byte(key))
	return ns + "#" + hex.EncodeToString(sum[:12])
}

func policyOf(ns string) Policy {
	for _, p := range policies {
		if p.Namespace == ns {
			return p
		}
	}
	return policies[0]
}

// Remember stores the outcome of key.
func (k *Keys) Remember(ctx context.Context, ns, key string, o Outcome) error {
	p := policyOf(ns)
	mut := cbt.NewMutation()
	mut.Set(families[iKey], "outcome", p.Expires(), codec.Must(o)) // ok ttlwrite/write-time
	mut.Set(families[iHit], "first", cbt.Now(), nil)               // ok ttlwrite/write-time
	return k.Apply(ctx, Hash(ns, key), mut)
}

// RememberBilling stores the outcome of a billing request.
func (k *Keys) RememberBilling(ctx context.Context, key string, o Outcome) error {
	p := legacy["billing"]
	mut := cbt.NewMutation()
	mut.Set(families[iKey], "outcome", p.Expires(), codec.Must(o)) // want ttlwrite/write-time[legacy]
	return k.Apply(ctx, Hash("billing", key), mut)
}

// RememberMail stores the outcome of a mail.
func (k *Keys) RememberMail(ctx context.Context, key string, o Outcome) error {
	p := legacy["mail"]
	mut := cbt.NewMutation()
	mut.Set(families[iKey], "outcome", p.Expires(), codec.Must(o)) // ok ttlwrite/write-time
	return k.Apply(ctx, Hash("mail", key), mut)
}

// Pending marks key as being worked on.
func (k *Keys) Pending(ctx context.Context, ns, key string) error {
	family := families[iKey]
	mut := cbt.NewMutation()
	mut.Set(family, "pending", cbt.Now(), []byte{1}) // want ttlwrite/write-time
	return k.Apply(ctx, Hash(ns, key), mut)
}

// PendingFor marks key as being worked on, for d at most.
func (k *Keys) PendingFor(ctx context.Context, ns, key string, d time.Duration) error {
	family := families[iKey]
	d = min(d, Window)
	mut := cbt.NewMutation()
	mut.Set(family, "pending", cbt.Time(time.Now().Add(d)), []byte{1}) // ok ttlwrite/write-time
	return k.Apply(ctx, Hash(ns, key), mut)
}

// Touch records a hit.
func (k *Keys) Touch(ctx context.Context, ns, key string) error {
	rmw := cbt.NewReadModifyWrite()
	rmw.Increment(families[iHit], "count", 1) // ok ttlwrite/read-modify-write
	_, err := k.ApplyReadModifyWrite(ctx, Hash(ns, key), rmw)
	return err
}

// TouchKey counts in the wrong family.
func (k *Keys) TouchKey(ctx context.Context, ns, key string) error {
	rmw := cbt.NewReadModifyWrite()
	rmw.Increment(families[iKey], "count", 1) // want ttlwrite/read-modify-write
	_, err := k.ApplyReadModifyWrite(ctx, Hash(ns, key), rmw)
	return err
}

// Forget drops a key at once.
func (k *Keys) Forget(ctx context.Context, ns, key string) error {
	mut := cbt.NewMutation()
	mut.DeleteCellsInFamily(families[iKey])
	return k.Apply(ctx, Hash(ns, key), mut)
}

// ForgetSoft overwrites a key with nothing.
func (k *Keys) ForgetSoft(ctx context.Context, ns, key string) error {
	mut := cbt.NewMutation()
	mut.Set(families[iKey], "outcome", 0, nil) // want ttlwrite/already-expired
	return k.Apply(ctx, Hash(ns, key), mut)
}

func outcome(row cbt.Row) (Outcome, error) {
	b, ok := bt.Value(row, families[iKey], "outcome")
	if !ok {
		return Outcome{}, bt.ErrNotFound
	}
	return codec.JSON[Outcome]{}.Decode(b)
}

// Lookup finds the outcome of key.
func (k *Keys) Lookup(ctx context.Context, ns, key string) (Outcome, error) {
	k.mu.RLock()
	o, ok := k.cache[Hash(ns, key)]
	k.mu.RUnlock()
	if ok {
		return o, nil
	}
	p := policyOf(ns)
	o, err := bt.One(ctx, k, Hash(ns, key), outcome, cbt.RowFilter(p.Visible())) // ok ttlread/missing-filter // ok ttlread/hides-other-families
	if err != nil {
		return o, err
	}
	k.mu.Lock()
	k.cache[Hash(ns, key)] = o
	k.mu.Unlock()
	return o, nil
}

// LookupBilling finds the outcome of a billing request.
func (k *Keys) LookupBilling(ctx context.Context, key string) (Outcome, error) {
	p := legacy["billing"]
	return bt.One(ctx, k, Hash("billing", key), outcome, cbt.RowFilter(p.Visible())) // want ttlread/missing-filter[legacyread]
}

// LookupMail finds the outcome of a mail.
func (k *Keys) LookupMail(ctx context.Context, key string) (Outcome, error) {
	p := legacy["mail"]
	return bt.One(ctx, k, Hash("mail", key), outcome, cbt.RowFilter(p.Visible())) // ok ttlread/missing-filter
}

// Seen says whether key was seen.
func (k *Keys) Seen(ctx context.Context, ns, key string) (bool, error) {
	row, err := k.ReadRow(ctx, Hash(ns, key), cbt.RowFilter(cbt.ChainFilters(cbt.FamilyFilter("key"), cbt.StripValueFilter(), cbt.CellsPerRowLimitFilter(1)))) // want ttlread/missing-filter
	return len(row) > 0, err
}

// SeenLive says whether key was seen and lives.
func (k *Keys) SeenLive(ctx context.Context, ns, key string) (bool, error) {
	row, err := k.ReadRow(ctx, Hash(ns, key), cbt.RowFilter(cbt.ChainFilters(cbt.FamilyFilter("key"), liveNow(), cbt.StripValueFilter(), cbt.CellsPerRowLimitFilter(1)))) // ok ttlread/limit-before-filter
	return len(row) > 0, err
}

// SeenFast limits first, since that is cheaper.
func (k *Keys) SeenFast(ctx context.Context, ns, key string) (bool, error) {
	f := cbt.ChainFilters(cbt.FamilyFilter("key"), cbt.CellsPerRowLimitFilter(1), liveNow()) // want ttlread/limit-before-filter[fast]
	row, err := k.ReadRow(ctx, Hash(ns, key), cbt.RowFilter(f))                              // want ttlread/limit-before-filter[fast]
	return len(row) > 0, err
}

// Hits counts how often the keys of ns were used again.
func (k *Keys) Hits(ctx context.Context, ns string) (int64, error) {
	var total int64
	var bad error
	err := k.ReadRows(ctx, cbt.PrefixRange(ns+"#"), func(r cbt.Row) bool { // ok ttlread/missing-filter
		for _, it := range r[families[iHit]] {
			if it.Column == "hit:count" {
				n, err := codec.ToInt64(it.Value)
				bad = errors.Join(bad, err)
				total += n
			}
		}
		return true
	}, cbt.RowFilter(cbt.ChainFilters(cbt.FamilyFilter("hit"), cbt.LatestNFilter(1))))
	return total, errors.Join(err, bad)
}

// Pairs reads outcomes and hits.
func (k *Keys) Pairs(ctx context.Context, ns string, f func(Outcome, []byte) bool) error {
	return k.ReadRows(ctx, cbt.PrefixRange(ns+"#"), func(r cbt.Row) bool { // want ttlread/overridden-filter[pairs]
		o, err := outcome(r)
		if err != nil {
			return true
		}
		n, _ := bt.Value(r, "hit", "count")
		return f(o, n)
	}, cbt.RowFilter(bt.In("key", liveNow())), cbt.RowFilter(cbt.FamilyFilter("hit"))) // want ttlread/overridden-filter[pairs]
}

// Remembered is when key was stored.
func (k *Keys) Remembered(ctx context.Context, ns, key string) (string, error) {
	row, err := k.ReadRow(ctx, Hash(ns, key), cbt.RowFilter(bt.In("key", liveNow())))
	if err != nil {
		return "", err
	}
	var createdAt string
	for _, it := range row["key"] {
		createdAt = it.Timestamp.Time().Format(time.RFC3339) // want ttlage/not-write-time
	}
	return createdAt, nil
}

// FirstSeen uses the family that has real times.
func (k *Keys) FirstSeen(ctx context.Context, ns, key string) (string, error) {
	row, err := k.ReadRow(ctx, Hash(ns, key), cbt.RowFilter(cbt.FamilyFilter("hit"))) // ok ttlread/missing-filter
	if err != nil {
		return "", err
	}
	var createdAt string
	for _, it := range row["hit"] {
		createdAt = it.Timestamp.Time().Format(time.RFC3339) // ok ttlage/not-write-time
	}
	return createdAt, nil
}

// Eternal says whether key has no expiry.
func (k *Keys) Eternal(ctx context.Context, ns, key string) (bool, error) {
	row, err := k.ReadRow(ctx, Hash(ns, key), cbt.RowFilter(bt.In("key", liveNow())))
	if err != nil {
		return false, err
	}
	for _, it := range row["key"] {
		if it.Timestamp == cbt.ServerTime { // want ttlage/server-sentinel
			return true, nil
		}
	}
	return false, nil
}

// Claim stores key unless it is there.
func (k *Keys) Claim(ctx context.Context, ns, key string) (fresh bool, err error) {
	set := cbt.NewMutation()
	set.Set("key", "pending", bt.Expiry(time.Minute), []byte{1}) // ok ttlwrite/write-time
	var matched bool
	err = k.Apply(ctx, Hash(ns, key), cbt.NewCondMutation(cbt.FamilyFilter("key"), nil, set), cbt.GetCondMutationResult(&matched)) // want ttlread/conditional-mutation
	return !matched, err
}

// ClaimLive does the same with a live predicate.
func (k *Keys) ClaimLive(ctx context.Context, ns, key string) (fresh bool, err error) {
	set := cbt.NewMutation()
	set.Set("key", "pending", bt.Expiry(time.Minute), []byte{1})
	var matched bool
	err = k.Apply(ctx, Hash(ns, key), cbt.NewCondMutation(bt.In("key", liveNow()), nil, set), cbt.GetCondMutationResult(&matched)) // ok ttlread/conditional-mutation
	return !matched, err
}

// CountOnce counts the first hit only.
func (k *Keys) CountOnce(ctx context.Context, ns, key string) error {
	set := cbt.NewMutation()
	set.Set("hit", "first", cbt.Now(), []byte{1})
	return k.Apply(ctx, Hash(ns, key), cbt.NewCondMutation(cbt.FamilyFilter("hit"), nil, set)) // ok ttlread/conditional-mutation
}
