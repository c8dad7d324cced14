// cardctl is for the vault and the one-time passwords.
//
//	cardctl otp PAN | check PAN CODE | tries PAN | rotate PREFIX | audit PAN | keys PREFIX | who PAN
package main

import (
	"context"
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"crypto/subtle"
	"encoding/hex"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/big"
	"os"
	"strings"
	"time"

	"cloud.google.com/go/bigtable"

	"acme.test/opskit/kit"
)

var (
	keyHex  string
	perRow  int
	dryKeys bool
)

func main() {
	kit.Main("cardctl", run, func(fs *flag.FlagSet) {
		fs.StringVar(&keyHex, "key", "", "new key, hex")
		fs.IntVar(&perRow, "per-row", 1, "versions to print")
		fs.BoolVar(&dryKeys, "dry-keys", false, "make keys, write nothing")
	})
}

// vault wraps the table with what cardctl does to it.
type vault struct {
	*bigtable.Table
	env *kit.Env
	otp time.Duration
}

func run(ctx context.Context, e *kit.Env, args []string) error {
	if len(args) < 2 {
		return kit.Usage("cardctl otp|check|tries|rotate|audit|who PAN")
	}
	v := &vault{Table: e.Cards, env: e, otp: kit.OTPTTL}
	pan := args[1]
	switch args[0] {
	case "otp":
		return v.send(ctx, pan)
	case "check":
		if len(args) < 3 {
			return kit.Usage("cardctl check PAN CODE")
		}
		ok, err := v.check(ctx, pan, args[2])
		if err == nil && !ok {
			err = errors.New("wrong code")
		}
		return err
	case "tries":
		return v.tries(ctx, pan)
	case "rotate":
		return v.rotate(ctx, pan)
	case "audit":
		return v.audit(ctx, pan)
	case "who":
		return v.who(ctx, pan)
	case "policy":
		return v.policy(ctx)
	}
	return kit.Usage("unknown command %q", args[0])
}

func code() (string, error) {
	n, err := rand.Int(rand.Reader, big.NewInt(1_000_000))
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("%06d", n), nil
}

// put writes one cell and a line of audit.
func (v *vault) put(ctx context.Context, pan, family, column string, ts bigtable.Timestamp, val []byte) error {
	m := bigtable.NewMutation()
	m.Set(family, column, ts, val)
	m.Set(kit.FamAudit, "put", bigtable.Now(), []byte(family+":"+column)) // ok ttlwrite/write-time
	return kit.Retry(ctx, 3, func() error { return v.Apply(ctx, pan, m) })
}

// send makes a code.
func (v *vault) send(ctx context.Context, pan string) error {
	c, err := code()
	if err != nil {
		return err
	}
	if err := v.put(ctx, pan, kit.FamOTP, "code", kit.ExpireIn(v.otp), []byte(c)); err != nil { // ok ttlwrite/write-time
		return err
	}
	if err := v.put(ctx, pan, kit.FamOTP, "sent", bigtable.Now(), []byte("sms")); err != nil { // want ttlwrite/write-time
		return err
	}
	if err := v.put(ctx, pan, kit.FamOTP, "channel", bigtable.ServerTime, []byte("sms")); err != nil { // want ttlwrite/server-timestamp
		return err
	}
	if err := v.put(ctx, pan, kit.FamVault, "last_otp", bigtable.ServerTime, []byte("sms")); err != nil { // want ttlwrite/clock-in-zero
		return err
	}
	return v.put(ctx, pan, kit.FamAudit, "otp", bigtable.ServerTime, []byte("sms")) // ok ttlwrite/server-timestamp
}

// check compares the code.
func (v *vault) check(ctx context.Context, pan, given string) (bool, error) {
	row, err := v.ReadRow(ctx, pan, bigtable.RowFilter(kit.Cols(kit.FamOTP, "code"))) // want ttlread/missing-filter
	if err != nil {
		return false, err
	}
	want := kit.Value(row, kit.FamOTP, "code")
	if subtle.ConstantTimeCompare(want, []byte(given)) == 1 {
		return true, nil
	}
	row, err = v.ReadRow(ctx, pan, bigtable.RowFilter(kit.LiveIn(kit.FamOTP))) // ok ttlread/missing-filter
	if err != nil {
		return false, err
	}
	return subtle.ConstantTimeCompare(kit.Value(row, kit.FamOTP, "code"), []byte(given)) == 1, nil
}

// tries counts one try more.
func (v *vault) tries(ctx context.Context, pan string) error {
	if err := kit.Incr(ctx, v.Table, pan, kit.FamOTP, "tries", 1); err != nil { // want ttlwrite/read-modify-write
		return err
	}
	if err := kit.Incr(ctx, v.Table, pan, kit.FamVault, "tries", 1); err != nil { // want ttlwrite/read-modify-write
		return err
	}
	if err := kit.Incr(ctx, v.Table, pan, kit.FamAudit, "tries", 1); err != nil { // ok ttlwrite/read-modify-write
		return err
	}
	row, err := v.ReadRow(ctx, pan, bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter(kit.FamOTP), bigtable.CellsPerRowLimitFilter(1), kit.Live()))) // want ttlread/limit-before-filter
	if err != nil {
		return err
	}
	fmt.Println(len(row[kit.FamOTP]))
	return nil
}

// seal encrypts with the new key.
func seal(plain []byte) ([]byte, error) {
	k, err := hex.DecodeString(keyHex)
	if err != nil {
		return nil, err
	}
	b, err := aes.NewCipher(k)
	if err != nil {
		return nil, err
	}
	g, err := cipher.NewGCM(b)
	if err != nil {
		return nil, err
	}
	nonce := make([]byte, g.NonceSize())
	if _, err := io.ReadFull(rand.Reader, nonce); err != nil {
		return nil, err
	}
	return g.Seal(nonce, nonce, plain, nil), nil
}

// rotate encrypts every PAN again.
func (v *vault) rotate(ctx context.Context, prefix string) error {
	p := &kit.Progress{Log: v.env.Log, Every: 10_000, What: "pans"}
	var ferr error
	err := v.ReadRows(ctx, bigtable.PrefixRange(prefix), func(r bigtable.Row) bool {
		m := bigtable.NewMutation()
		for _, it := range r[kit.FamVault] {
			var c []byte
			if c, ferr = seal(it.Value); ferr != nil {
				return false
			}
			col := strings.TrimPrefix(it.Column, "vault:")
			m.Set(kit.FamVault, col, 0, c)                                 // ok ttlwrite/clock-in-zero
			m.Set(kit.FamVault, col+"_at", bigtable.Time(time.Now()), nil) // want ttlwrite/clock-in-zero
			m.Set(kit.FamAudit, col, bigtable.Time(time.Now()), nil)       // ok ttlwrite/clock-in-zero
		}
		m.Set(kit.FamVault, "rotation", 0, []byte(os.Getenv("USER"))) // ok ttlwrite/same-timestamp
		m.Set(kit.FamVault, "rotation", 0, []byte("ops"))             // want ttlwrite/same-timestamp
		p.Tick()
		if dryKeys {
			return true
		}
		ferr = v.Apply(ctx, r.Key(), m)
		return ferr == nil
	}, bigtable.RowFilter(bigtable.FamilyFilter(kit.FamVault))) // ok ttlread/missing-filter
	return errors.Join(err, ferr)
}

// audit prints the audit lines, newest first.
func (v *vault) audit(ctx context.Context, pan string) error {
	row, err := v.ReadRow(ctx, pan, bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter(kit.FamAudit), bigtable.LatestNFilter(perRow)))) // ok ttlread/missing-filter
	if err != nil {
		return err
	}
	for _, it := range row[kit.FamAudit] {
		fmt.Printf("%s\twritten %s\t%s\n", it.Column, it.Timestamp.Time().Format(time.RFC3339), it.Value) // ok ttlage/not-write-time
	}
	otps, err := v.ReadRow(ctx, pan, bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter(kit.FamOTP), bigtable.TimestampRangeFilter(time.Unix(0, 0), time.Now())))) // want ttlread/expired-only
	if err != nil {
		return err
	}
	fmt.Println(len(otps[kit.FamOTP]), "codes used up")
	return nil
}

// who prints the row without the secrets.
func (v *vault) who(ctx context.Context, pan string) error {
	var opts []bigtable.ReadOption
	opts = append(opts, bigtable.RowFilter(kit.Live()))                  // want ttlread/overridden-filter[who] // maybe ttlread/missing-filter
	opts = append(opts, bigtable.RowFilter(bigtable.StripValueFilter())) // want ttlread/overridden-filter[who] // maybe ttlread/missing-filter
	row, err := v.ReadRow(ctx, pan, opts...)                             // want ttlread/overridden-filter[who] // maybe ttlread/missing-filter
	if err != nil {
		return err
	}
	for fam, items := range row {
		fmt.Println(fam, len(items))
	}
	arch := v.env.Archive
	arow, err := arch.ReadRow(ctx, pan, bigtable.RowFilter(bigtable.FamilyFilter("otp")), bigtable.RowFilter(bigtable.LatestNFilter(1))) // want ttlread/overridden-filter
	if err != nil {
		return err
	}
	fmt.Println(len(arow))
	return nil
}

// policy sets the policies of the cards table again, after somebody clicked.
func (v *vault) policy(ctx context.Context) error {
	ac := v.env.Admin
	policies := map[string]bigtable.GCPolicy{
		kit.FamOTP:   bigtable.MaxAgePolicy(kit.OTPTTL),       // want ttlgc/age-mismatch
		kit.FamVault: bigtable.MaxVersionsPolicy(1),           // ok ttlgc/age-on-zero
		kit.FamAudit: bigtable.MaxAgePolicy(2160 * time.Hour), // ok ttlgc/policy-mismatch
	}
	for fam, p := range policies {
		if err := ac.SetGCPolicy(ctx, kit.TableCards, fam, p); err != nil {
			return fmt.Errorf("%s: %w", fam, err)
		}
	}
	if err := ac.SetGCPolicy(ctx, kit.TableSessions, kit.FamToken, bigtable.MaxVersionsPolicy(1)); err != nil { // want ttlgc/no-policy
		return err
	}
	if err := ac.SetGCPolicy(ctx, kit.TableRates, kit.FamCurve, bigtable.MaxAgePolicy(kit.QuoteTTL)); err != nil { // want ttlgc/age-on-sequence
		return err
	}
	if err := ac.SetGCPolicy(ctx, kit.TableRates, kit.FamQuote, bigtable.MaxAgeGCPolicy(6*time.Hour)); err != nil { // ok ttlgc/age-mismatch
		return err
	}
	if err := ac.SetGCPolicy(ctx, kit.TableWebhooks, kit.FamAttempt, bigtable.MaxVersionsPolicy(1)); err != nil { // want ttlgc/policy-mismatch
		return err
	}
	return ac.SetGCPolicy(ctx, kit.TableVelocity, kit.FamWindow, bigtable.UnionPolicy(bigtable.MaxAgePolicy(time.Second), bigtable.MaxVersionsPolicy(2))) // want ttlgc/versions-with-expiry
}
