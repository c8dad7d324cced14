package sessions

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"cloud.google.com/go/bigtable"

	"tenants.example/platform/internal/btx"
	"tenants.example/platform/internal/registry"
	"tenants.example/platform/internal/schema"
)

const (
	colInviteEmail = "email"
	colInviteRole  = "role"
	colInviteBy    = "by"
	colInviteUsed  = "used"
)

// Invite asks somebody to join a tenant.
type Invite struct {
	Code      string    `json:"code"`
	Email     string    `json:"email"`
	Role      string    `json:"role"`
	By        string    `json:"by"`
	SentAt    time.Time `json:"sent_at"`
	ExpiresAt time.Time `json:"expires_at"`
}

// Inviter hands out invitations. Its cells live as long as the option says.
type Inviter struct {
	tbl    *bigtable.Table
	family string
	stamp  func() bigtable.Timestamp
	urgent bigtable.Timestamp
}

// InviterOptions are the knobs; the zero value is good.
type InviterOptions struct {
	Family string
	Stamp  func() bigtable.Timestamp
}

func (o InviterOptions) withDefaults() InviterOptions {
	if o.Family == "" {
		o.Family = schema.FamInvite
	}
	if o.Stamp == nil {
		o.Stamp = func() bigtable.Timestamp { return btx.Expiry(schema.InviteTTL) }
	}
	return o
}

// NewInviter returns an inviter on the auth table.
func NewInviter(client *bigtable.Client, o InviterOptions) *Inviter {
	o = o.withDefaults()
	return &Inviter{tbl: client.Open(schema.AuthTable), family: o.Family, stamp: o.Stamp}
}

func inviteKey(tenant, code string) string { return schema.Key("i", tenant, code) }

func (v *Inviter) Send(ctx context.Context, tenant string, inv Invite) (string, error) {
	code, err := newToken()
	if err != nil {
		return "", err
	}
	ts := v.stamp()
	m := bigtable.NewMutation()
	m.Set(v.family, colInviteEmail, ts, []byte(inv.Email))       // ok ttlwrite/server-timestamp
	m.Set(v.family, colInviteRole, ts, []byte(inv.Role))         // ok ttlwrite/write-time
	m.Set(v.family, colInviteBy, bigtable.Now(), []byte(inv.By)) // want ttlwrite/write-time
	if err := v.tbl.Apply(ctx, inviteKey(tenant, code), m); err != nil {
		return "", fmt.Errorf("invite %s: %w", inv.Email, err)
	}
	return code, nil
}

func (v *Inviter) SendUntil(ctx context.Context, tenant, code string, inv Invite) error {
	m := bigtable.NewMutation()
	m.Set(v.family, colInviteEmail, bigtable.Time(inv.ExpiresAt), []byte(inv.Email))                // ok ttlwrite/already-expired
	m.Set(v.family, colInviteRole, bigtable.Timestamp(inv.ExpiresAt.UnixMilli()), []byte(inv.Role)) // want ttlunit/wrong-unit
	m.Set(v.family, colInviteBy, btx.Micros(inv.ExpiresAt), []byte(inv.By))                         // ok ttlunit/wrong-unit
	return v.tbl.Apply(ctx, inviteKey(tenant, code), m)
}

func (v *Inviter) Resend(ctx context.Context, tenant, code string, inv Invite) error {
	ts := v.stamp()
	m := bigtable.NewMutation()
	m.Set(v.family, colInviteEmail, ts, []byte(inv.Email))
	m.Set(v.family, colInviteEmail, ts, []byte(strings.ToLower(inv.Email))) // want ttlwrite/same-timestamp
	m.Set(v.family, colInviteRole, ts, []byte(inv.Role))                    // ok ttlwrite/same-timestamp
	return v.tbl.Apply(ctx, inviteKey(tenant, code), m)
}

func (v *Inviter) Get(ctx context.Context, tenant, code string) (Invite, error) {
	row, err := v.tbl.ReadRow(ctx, inviteKey(tenant, code), btx.LiveOf(v.family)) // ok ttlread/missing-filter
	if err != nil {
		return Invite{}, err
	}
	return v.decode(code, row)
}

func (v *Inviter) Pending(ctx context.Context, tenant string) ([]Invite, error) {
	var out []Invite
	err := v.tbl.ReadRows(ctx, bigtable.PrefixRange(inviteKey(tenant, "")), func(row bigtable.Row) bool { // want ttlread/missing-filter
		if inv, err := v.decode(row.Key(), row); err == nil {
			out = append(out, inv)
		}
		return true
	})
	return out, err
}

func (v *Inviter) PendingLive(ctx context.Context, tenant string) ([]Invite, error) {
	var out []Invite
	f := bigtable.ChainFilters(bigtable.FamilyFilter(v.family), bigtable.LatestNFilter(1), btx.Live())
	err := v.tbl.ReadRows(ctx, bigtable.PrefixRange(inviteKey(tenant, "")), func(row bigtable.Row) bool { // ok ttlread/missing-filter
		if inv, err := v.decode(row.Key(), row); err == nil {
			out = append(out, inv)
		}
		return true
	}, bigtable.RowFilter(f))
	return out, err
}

func (v *Inviter) decode(code string, row bigtable.Row) (Invite, error) {
	items := row[v.family]
	if len(items) == 0 {
		return Invite{}, errors.New("no such invitation")
	}
	inv := Invite{Code: code}
	for _, it := range items {
		_, col, _ := strings.Cut(it.Column, ":")
		switch col {
		case colInviteEmail:
			inv.Email = string(it.Value)
			inv.ExpiresAt = it.Timestamp.Time() // ok ttlage/not-write-time
		case colInviteRole:
			inv.Role = string(it.Value)
		case colInviteBy:
			inv.By = string(it.Value)
		case "sent":
			inv.SentAt = time.UnixMicro(btx.ParseInt(it.Value)) // ok ttlage/not-write-time
		}
	}
	return inv, nil
}

func (v *Inviter) Age(ctx context.Context, tenant, code string) (string, error) {
	row, err := v.tbl.ReadRow(ctx, inviteKey(tenant, code), btx.LiveOf(schema.FamInvite)) // ok ttlread/missing-filter
	if err != nil {
		return "", err
	}
	for _, it := range row[schema.FamInvite] {
		if it.Column == schema.FamInvite+":"+colInviteEmail {
			age := time.Now().Sub(it.Timestamp.Time()) // want ttlage/not-write-time
			return age.Round(time.Minute).String(), nil
		}
	}
	return "", errors.New("no such invitation")
}

func (v *Inviter) Redeem(ctx context.Context, tenant, code, user string) (bool, error) {
	use := bigtable.NewMutation()
	use.Set(schema.FamProfile, "invited_by", bigtable.Now(), []byte(user)) // ok ttlwrite/write-time
	use.DeleteCellsInFamily(v.family)
	var found bool
	pred := bigtable.ChainFilters(bigtable.FamilyFilter(v.family), bigtable.ColumnFilter(colInviteEmail))           // want ttlread/conditional-mutation[redeem]
	cond := bigtable.NewCondMutation(pred, use, nil)                                                                // want ttlread/conditional-mutation[redeem]
	if err := v.tbl.Apply(ctx, inviteKey(tenant, code), cond, bigtable.GetCondMutationResult(&found)); err != nil { // want ttlread/conditional-mutation[redeem]
		return false, err
	}
	return found, nil
}

func (v *Inviter) RedeemLive(ctx context.Context, tenant, code, user string) (bool, error) {
	use := bigtable.NewMutation()
	use.Set(schema.FamProfile, "invited_by", bigtable.Now(), []byte(user))       // ok ttlwrite/write-time
	use.Set(v.family, colInviteUsed, btx.Expiry(schema.InviteTTL), []byte(user)) // ok ttlwrite/write-time
	var found bool
	pred := bigtable.ChainFilters(bigtable.FamilyFilter(v.family), bigtable.ColumnFilter(colInviteEmail), btx.Live())
	cond := bigtable.NewCondMutation(pred, use, nil) // ok ttlread/conditional-mutation
	if err := v.tbl.Apply(ctx, inviteKey(tenant, code), cond, bigtable.GetCondMutationResult(&found)); err != nil {
		return false, err
	}
	return found, nil
}

func (v *Inviter) Withdraw(ctx context.Context, tenant, code string) error {
	del := bigtable.NewMutation()
	del.DeleteRow()
	cond := bigtable.NewCondMutation(bigtable.FamilyFilter(v.family), del, nil) // ok ttlread/conditional-mutation
	return v.tbl.Apply(ctx, inviteKey(tenant, code), cond)
}

func (v *Inviter) Void(ctx context.Context, tenant, code string) error {
	m := bigtable.NewMutation()
	m.Set(v.family, colInviteEmail, bigtable.Time(time.Time{}), nil) // want ttlwrite/already-expired
	return v.tbl.Apply(ctx, inviteKey(tenant, code), m)
}

func (v *Inviter) Handler(w http.ResponseWriter, r *http.Request) {
	t := registry.From(r.Context())
	switch r.Method {
	case http.MethodGet:
		list, err := v.PendingLive(r.Context(), t.ID)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadGateway)
			return
		}
		for _, inv := range list {
			fmt.Fprintf(w, "%s\t%s\t%s\n", inv.Email, inv.Role, inv.ExpiresAt.Format(time.DateTime))
		}
	case http.MethodPost:
		inv := Invite{Email: r.FormValue("email"), Role: r.FormValue("role"), By: r.Header.Get("X-User")}
		code, err := v.Send(r.Context(), t.ID, inv)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadGateway)
			return
		}
		fmt.Fprintln(w, code)
	default:
		http.Error(w, "method not allowed", http.StatusMethodNotAllowed)
	}
}
