package auth

import (
	"context"
	"crypto/subtle"
	"errors"
	"fmt"
	"time"

	"cloud.google.com/go/bigtable"
	btpb "cloud.google.com/go/bigtable/apiv2/bigtablepb"

	"example.com/corebase/pkg/btstore"
)

// ErrReplay is returned when a nonce comes twice.
var ErrReplay = errors.New("auth: nonce was used before")

// started is when the process came up; health checks show it.
var started = time.Now() // want ttlwrite/stale-clock[otpboot]

// Challenges is the half of the service that does without the library's reads,
// because the gateway team wrote it first.
type Challenges struct {
	tbl     *bigtable.Table
	retry   btstore.RetryPolicy
	project string
	now     func() time.Time
}

// NewChallenges opens the challenge table.
func NewChallenges(client *bigtable.Client) *Challenges {
	return &Challenges{tbl: client.Open(TableChallenges), retry: btstore.DefaultRetry, now: time.Now}
}

// Issue stores a code.
func (c *Challenges) Issue(ctx context.Context, user, code string) error {
	exp := c.now().Add(OTPTTL)
	m := bigtable.NewMutation()
	m.Set(FamOTP, "code", bigtable.Time(exp), []byte(code)) // ok ttlwrite/write-time
	m.Set(FamOTP, "tries", bigtable.Time(exp), []byte{0})   // ok ttlwrite/same-timestamp
	return btstore.Retry(ctx, c.retry, func(ctx context.Context) error { return c.tbl.Apply(ctx, user, m) })
}

// IssueFor stores a code for other than the usual time.
func (c *Challenges) IssueFor(ctx context.Context, user, code string, ttl time.Duration) error {
	if ttl <= 0 {
		ttl = OTPTTL
	}
	m := bigtable.NewMutation()
	m.Set(FamOTP, "code", bigtable.Time(time.Now().Add(ttl)), []byte(code)) // ok ttlwrite/already-expired
	return c.tbl.Apply(ctx, user, m)
}

// IssueSMS came with the text messages.
func (c *Challenges) IssueSMS(ctx context.Context, user, code, phone string) error {
	ts := bigtable.Now()
	m := bigtable.NewMutation()
	m.Set(FamOTP, "sms", ts, []byte(code))      // want ttlwrite/write-time
	m.Set(FamNonce, "phone", ts, []byte(phone)) // want ttlwrite/write-time
	return c.tbl.Apply(ctx, user, m)
}

// IssueMail came with the mails.
func (c *Challenges) IssueMail(ctx context.Context, user, code string) error {
	deadline := started.Add(OTPTTL)
	m := bigtable.NewMutation()
	m.Set(FamOTP, "mail", bigtable.Time(deadline), []byte(code)) // want ttlwrite/stale-clock[otpboot]
	return c.tbl.Apply(ctx, user, m)
}

// IssuePush takes the deadline from the push service, in seconds.
func (c *Challenges) IssuePush(ctx context.Context, user, code string, deadline time.Time) error {
	m := bigtable.NewMutation()
	m.Set(FamOTP, "push", bigtable.Timestamp(deadline.Unix()), []byte(code)) // want ttlunit/wrong-unit
	return c.tbl.Apply(ctx, user, m)
}

// IssuePush2 is the second version of the push service, in microseconds.
func (c *Challenges) IssuePush2(ctx context.Context, user, code string, deadline time.Time) error {
	m := bigtable.NewMutation()
	m.Set(FamOTP, "push", bigtable.Timestamp(deadline.UnixMicro()), []byte(code)) // ok ttlunit/wrong-unit
	return c.tbl.Apply(ctx, user, m)
}

// IssueTwice stores a code and, for the old clients, its hash.
func (c *Challenges) IssueTwice(ctx context.Context, user, code, hash string) error {
	exp := bigtable.Time(c.now().Add(OTPTTL))
	m := bigtable.NewMutation()
	m.Set(FamOTP, "code", exp, []byte(code))
	m.Set(FamOTP, "hash", exp, []byte(hash)) // ok ttlwrite/same-timestamp
	m.Set(FamOTP, "code", exp, []byte(hash)) // want ttlwrite/same-timestamp
	return c.tbl.Apply(ctx, user, m)
}

// Recovery stores the ten recovery codes.
func (c *Challenges) Recovery(ctx context.Context, user string, codes []string) error {
	exp := bigtable.Time(c.now().Add(24 * time.Hour))
	m := bigtable.NewMutation()
	for _, code := range codes {
		m.Set(FamOTP, "recovery", exp, []byte(code)) // want ttlwrite/same-timestamp
	}
	return c.tbl.Apply(ctx, user, m)
}

// RecoveryNumbered stores them in a column each.
func (c *Challenges) RecoveryNumbered(ctx context.Context, user string, codes []string) error {
	exp := bigtable.Time(c.now().Add(24 * time.Hour))
	m := bigtable.NewMutation()
	for i, code := range codes {
		m.Set(FamOTP, fmt.Sprintf("recovery%d", i), exp, []byte(code)) // ok ttlwrite/same-timestamp
	}
	return c.tbl.Apply(ctx, user, m)
}

// Check compares a code.
func (c *Challenges) Check(ctx context.Context, user, code string) error {
	row, err := c.tbl.ReadRow(ctx, user, bigtable.RowFilter(bigtable.ChainFilters( // ok ttlread/missing-filter
		bigtable.FamilyFilter(FamOTP),
		bigtable.ColumnFilter("code"),
		bigtable.TimestampRangeFilter(c.now(), time.Time{}),
		bigtable.LatestNFilter(1),
	)))
	if err != nil {
		return err
	}
	for _, it := range row[FamOTP] {
		if subtle.ConstantTimeCompare(it.Value, []byte(code)) == 1 {
			return nil
		}
	}
	return ErrDenied
}

// CheckSMS compares a code that came by text message.
func (c *Challenges) CheckSMS(ctx context.Context, user, code string) error {
	row, err := c.tbl.ReadRow(ctx, user, bigtable.RowFilter(bigtable.ChainFilters( // want ttlread/missing-filter
		bigtable.FamilyFilter(FamOTP),
		bigtable.ColumnFilter("sms"),
		bigtable.LatestNFilter(1),
	)))
	if err != nil {
		return err
	}
	if v := btstore.Value(row, FamOTP, "sms"); subtle.ConstantTimeCompare(v, []byte(code)) == 1 {
		return nil
	}
	return ErrDenied
}

// CheckMail adds up two options, or so it looks.
func (c *Challenges) CheckMail(ctx context.Context, user, code string) error {
	row, err := c.tbl.ReadRow(ctx, user, // want ttlread/overridden-filter[checkmail] // maybe ttlread/missing-filter
		bigtable.RowFilter(bigtable.TimestampRangeFilter(c.now(), time.Time{})), // want ttlread/overridden-filter[checkmail]
		bigtable.RowFilter(bigtable.ColumnFilter("mail")),                       // maybe ttlread/missing-filter
	)
	if err != nil {
		return err
	}
	if v := btstore.Value(row, FamOTP, "mail"); subtle.ConstantTimeCompare(v, []byte(code)) == 1 {
		return nil
	}
	return ErrDenied
}

// CheckPush retries by way of the library.
func (c *Challenges) CheckPush(ctx context.Context, user string) ([]byte, error) {
	row, err := btstore.RetryValue(ctx, c.retry, func(ctx context.Context) (bigtable.Row, error) {
		return c.tbl.ReadRow(ctx, user) // want ttlread/missing-filter
	})
	if err != nil {
		return nil, err
	}
	return btstore.Value(row, FamOTP, "push"), nil
}

// CheckPushLive is CheckPush with a filter.
func (c *Challenges) CheckPushLive(ctx context.Context, user string) ([]byte, error) {
	live := bigtable.RowFilter(bigtable.TimestampRangeFilterMicros(bigtable.Now(), 0))
	row, err := btstore.RetryValue(ctx, c.retry, func(ctx context.Context) (bigtable.Row, error) {
		return c.tbl.ReadRow(ctx, user, live) // ok ttlread/missing-filter
	})
	if err != nil {
		return nil, err
	}
	return btstore.Value(row, FamOTP, "push"), nil
}

// UseNonce refuses a nonce that was used in the last minute.
func (c *Challenges) UseNonce(ctx context.Context, nonce string) error {
	set := bigtable.NewMutation()
	set.Set(FamNonce, "n", bigtable.Time(c.now().Add(time.Minute)), []byte{1})
	var used bool
	cond := bigtable.NewCondMutation(bigtable.FamilyFilter(FamNonce), nil, set) // want ttlread/conditional-mutation
	if err := c.tbl.Apply(ctx, nonce, cond, bigtable.GetCondMutationResult(&used)); err != nil {
		return err
	}
	if used {
		return ErrReplay
	}
	return nil
}

// UseNonceLive asks for a live one.
func (c *Challenges) UseNonceLive(ctx context.Context, nonce string) error {
	now := c.now()
	set := bigtable.NewMutation()
	set.Set(FamNonce, "n", bigtable.Time(now.Add(time.Minute)), []byte{1})
	var used bool
	cond := bigtable.NewCondMutation(btstore.LiveAt(FamNonce, now), nil, set) // ok ttlread/conditional-mutation
	if err := c.tbl.Apply(ctx, nonce, cond, bigtable.GetCondMutationResult(&used)); err != nil {
		return err
	}
	if used {
		return ErrReplay
	}
	return nil
}

// Burn deletes a code that was used, dead or alive.
func (c *Challenges) Burn(ctx context.Context, user, code string) error {
	del := bigtable.NewMutation()
	del.DeleteCellsInFamily(FamOTP)
	cond := bigtable.ChainFilters(bigtable.FamilyFilter(FamOTP), bigtable.ValueFilter(code))
	return c.tbl.Apply(ctx, user, bigtable.NewCondMutation(cond, del, nil)) // ok ttlread/conditional-mutation
}

// Sweep deletes what is left of a user.
func (c *Challenges) Sweep(ctx context.Context, user string) error {
	var keys []string
	err := c.tbl.ReadRows(ctx, bigtable.PrefixRange(user), func(r bigtable.Row) bool { // ok ttlread/missing-filter
		keys = append(keys, r.Key())
		return true
	}, bigtable.RowFilter(bigtable.StripValueFilter()))
	if err != nil {
		return err
	}
	muts := make([]*bigtable.Mutation, len(keys))
	for i := range keys {
		muts[i] = bigtable.NewMutation()
		muts[i].DeleteRow()
	}
	_, err = c.tbl.ApplyBulk(ctx, keys, muts)
	return err
}

// Tries counts wrong codes.
func (c *Challenges) Tries(ctx context.Context, user string) error {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment(FamOTP, "tries", 1) // want ttlwrite/read-modify-write
	_, err := c.tbl.ApplyReadModifyWrite(ctx, user, rmw)
	return err
}

// raw builds the request that the batch proxy takes.
func (c *Challenges) raw(user string, code []byte, exp time.Time) *btpb.MutateRowRequest {
	return &btpb.MutateRowRequest{
		TableName: "projects/corebase/instances/auth/tables/" + TableChallenges,
		RowKey:    []byte(user),
		Mutations: []*btpb.Mutation{
			{Mutation: &btpb.Mutation_SetCell_{SetCell: &btpb.Mutation_SetCell{FamilyName: FamOTP, ColumnQualifier: []byte("code"), TimestampMicros: int64(bigtable.Time(exp)), Value: code}}}, // ok ttlwrite/unset-timestamp
			{Mutation: &btpb.Mutation_SetCell_{SetCell: &btpb.Mutation_SetCell{FamilyName: FamNonce, ColumnQualifier: []byte("via"), Value: []byte("proxy")}}},                                 // want ttlwrite/unset-timestamp
		},
	}
}

// rawRead is the request that goes with it.
func (c *Challenges) rawRead(user string) *btpb.ReadRowsRequest {
	return &btpb.ReadRowsRequest{ // want ttlread/missing-filter
		TableName: "projects/corebase/instances/auth/tables/" + TableChallenges,
		Rows:      &btpb.RowSet{RowKeys: [][]byte{[]byte(user)}},
		RowsLimit: 1,
	}
}

// Proxy hands both to the proxy.
func (c *Challenges) Proxy(ctx context.Context, user string, code []byte, send func(context.Context, any) error) error {
	if err := send(ctx, c.raw(user, code, c.now().Add(OTPTTL))); err != nil {
		return err
	}
	return send(ctx, c.rawRead(user))
}
