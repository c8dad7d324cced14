// Package session keeps who is logged in.
//
// Tokens and resume tickets expire by their timestamp; profiles are ordinary
// data that happen to live in the same rows.
package session

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/arena/internal/mailbox"
	"example.com/arena/internal/schema"
	"example.com/arena/internal/stamp"
	"example.com/arena/internal/telemetry"
)

// ErrNoSession is what a player without a session gets.
var ErrNoSession = errors.New("session: none")

const (
	colJWT    = "jwt"
	colDevice = "device"
	colNode   = "node"
	colName   = "name"
	colLocale = "locale"
)

type op int

const (
	opPut op = iota
	opReplace
	opDrop
	opBan
)

// command is what the session actor understands.
type command struct {
	op     op
	key    string
	family string
	column string
	until  bigtable.Timestamp
	value  []byte
}

// Profile is the ordinary part of a session row.
type Profile struct {
	Name   string `json:"name"`
	Locale string `json:"locale"`
}

// Manager is the session actor.
type Manager struct {
	tbl      *bigtable.Table
	legacy   *bigtable.Table
	box      *mailbox.Box[command]
	handlers map[op]func(context.Context, command) error
	log      *slog.Logger
	hits     *telemetry.Counter
	misses   *telemetry.Counter
	lookups  *telemetry.Timer
	now      func() time.Time
}

// New starts the session actor.
func New(c *bigtable.Client, reg *telemetry.Registry, log *slog.Logger) *Manager {
	m := &Manager{
		tbl:     c.Open(schema.TableSessions),
		legacy:  c.Open(schema.TableLegacySessions),
		log:     log,
		hits:    reg.Counter("session.hits"),
		misses:  reg.Counter("session.misses"),
		lookups: reg.Timer("session.lookup"),
		now:     time.Now,
	}
	m.handlers = map[op]func(context.Context, command) error{
		opPut:     m.put,
		opReplace: m.replace,
		opDrop:    m.drop,
		opBan:     m.ban,
	}
	m.box = mailbox.Start("session", 1024, log, func(ctx context.Context, c command) error {
		h, ok := m.handlers[c.op]
		if !ok {
			return fmt.Errorf("session: unknown op %d", c.op)
		}
		return h(ctx, c)
	})
	return m
}

// Close stops the actor.
func (m *Manager) Close(ctx context.Context) error { return m.box.Stop(ctx) }

func rowKey(player string) string { return "p#" + player }

// put writes one cell as the command says.
func (m *Manager) put(ctx context.Context, c command) error {
	mut := bigtable.NewMutation()
	mut.Set(c.family, c.column, c.until, c.value) // want ttlwrite/write-time|ttlwrite/server-timestamp|ttlwrite/already-expired[tokens] ttlwrite/write-time[suspend]
	return m.tbl.Apply(ctx, c.key, mut)
}

// replace is put, with what was there before gone.
func (m *Manager) replace(ctx context.Context, c command) error {
	mut := bigtable.NewMutation()
	mut.DeleteCellsInColumn(c.family, c.column)   // ok ttlwrite/delete-after-set
	mut.Set(c.family, c.column, c.until, c.value) // maybe ttlwrite/server-timestamp ttlwrite/write-time ttlwrite/already-expired
	return m.tbl.Apply(ctx, c.key, mut)
}

func (m *Manager) drop(ctx context.Context, c command) error {
	mut := bigtable.NewMutation()
	mut.DeleteCellsInFamily(schema.FamToken)
	mut.DeleteCellsInFamily(schema.FamResume)
	return m.tbl.Apply(ctx, c.key, mut)
}

// ban ends a session and leaves a mark in the profile.
func (m *Manager) ban(ctx context.Context, c command) error {
	mut := bigtable.NewMutation()
	mut.DeleteCellsInFamily(schema.FamToken)                               // ok ttlwrite/delete-after-set
	mut.Set(schema.FamProfile, "banned", bigtable.Now(), c.value)          // ok ttlwrite/write-time
	mut.Set(schema.FamToken, "banned", stamp.In(schema.TokenTTL), c.value) // ok ttlwrite/write-time
	return m.tbl.Apply(ctx, c.key, mut)
}

// Login opens a session.
func (m *Manager) Login(ctx context.Context, player string, jwt []byte) error {
	return m.box.Ask(ctx, command{op: opReplace, key: rowKey(player), family: schema.FamToken, column: colJWT, until: stamp.In(schema.TokenTTL), value: jwt}) // ok ttlwrite/write-time
}

// Refresh keeps a session alive.
func (m *Manager) Refresh(ctx context.Context, player string, jwt []byte) error {
	return m.box.Ask(ctx, command{op: opPut, key: rowKey(player), family: schema.FamToken, column: colJWT, until: stamp.Now(), value: jwt}) // want ttlwrite/write-time|ttlwrite/server-timestamp|ttlwrite/already-expired[tokens]
}

// RememberDevice notes from where a session was opened.
func (m *Manager) RememberDevice(ctx context.Context, player, device string) error {
	return m.box.Tell(ctx, command{op: opPut, key: rowKey(player), family: schema.FamToken, column: colDevice, until: bigtable.ServerTime, value: []byte(device)}) // want ttlwrite/write-time|ttlwrite/server-timestamp|ttlwrite/already-expired[tokens]
}

// SaveLocale is a profile write.
func (m *Manager) SaveLocale(ctx context.Context, player, locale string) error {
	return m.box.Tell(ctx, command{op: opPut, key: rowKey(player), family: schema.FamProfile, column: colLocale, until: bigtable.ServerTime, value: []byte(locale)}) // ok ttlwrite/server-timestamp
}

// SaveName is a profile write, too.
func (m *Manager) SaveName(ctx context.Context, player, name string) error {
	return m.box.Ask(ctx, command{op: opPut, key: rowKey(player), family: schema.FamProfile, column: colName, until: bigtable.Now(), value: []byte(name)}) // ok ttlwrite/write-time
}

// Resume lets a dropped connection come back on any node.
func (m *Manager) Resume(ctx context.Context, player, node string) error {
	until := bigtable.Time(m.now().Add(schema.ResumeTTL))
	return m.box.Ask(ctx, command{op: opPut, key: rowKey(player), family: schema.FamResume, column: colNode, until: until, value: []byte(node)}) // ok ttlwrite/write-time
}

// Suspend keeps the node of a connection that was closed on purpose.
func (m *Manager) Suspend(ctx context.Context, player, node string) error {
	at := bigtable.Time(time.Now())
	return m.box.Ask(ctx, command{op: opPut, key: rowKey(player), family: schema.FamResume, column: colNode, until: at, value: []byte(node)}) // want ttlwrite/write-time[suspend]
}

// Kick expires a session at once. (Drop would race with Refresh.)
func (m *Manager) Kick(ctx context.Context, player string) error {
	return m.box.Ask(ctx, command{op: opPut, key: rowKey(player), family: schema.FamToken, column: colJWT, until: bigtable.Time(time.Now().Add(-time.Minute)), value: nil}) // want ttlwrite/write-time|ttlwrite/server-timestamp|ttlwrite/already-expired[tokens]
}

// Logout closes a session.
func (m *Manager) Logout(ctx context.Context, player string) error {
	return m.box.Ask(ctx, command{op: opDrop, key: rowKey(player)})
}

// Ban closes a session for good.
func (m *Manager) Ban(ctx context.Context, player, why string) error {
	return m.box.Ask(ctx, command{op: opBan, key: rowKey(player), value: []byte(why)})
}

// Grant writes a token with an expiry of the caller's choice.
func (m *Manager) Grant(ctx context.Context, player, name string, until time.Time) error {
	mut := bigtable.NewMutation()
	mut.Set(schema.FamToken, name, bigtable.Time(until), []byte("1"))
	if err := m.tbl.Apply(ctx, rowKey(player), mut); err != nil {
		return fmt.Errorf("grant %s to %s: %w", name, player, err)
	}
	return nil
}

// GrantFor is Grant for a while.
func (m *Manager) GrantFor(ctx context.Context, player, name string, d time.Duration) error {
	return m.Grant(ctx, player, name, m.now().Add(d)) // ok ttlwrite/write-time
}

// Validate says whether a token is the one that was handed out.
func (m *Manager) Validate(ctx context.Context, player string, jwt []byte) error {
	defer m.lookups.Since(time.Now())
	row, err := m.tbl.ReadRow(ctx, rowKey(player), bigtable.RowFilter(stamp.Live())) // ok ttlread/missing-filter ttlread/hides-other-families
	if err != nil {
		return err
	}
	for _, it := range row[schema.FamToken] {
		if it.Column == schema.FamToken+":"+colJWT && string(it.Value) == string(jwt) {
			m.hits.Inc()
			return nil
		}
	}
	m.misses.Inc()
	return ErrNoSession
}

// Active says whether a player has a session at all.
func (m *Manager) Active(ctx context.Context, player string) (bool, error) {
	row, err := m.tbl.ReadRow(ctx, rowKey(player), bigtable.RowFilter(bigtable.StripValueFilter())) // want ttlread/missing-filter
	if err != nil {
		return false, err
	}
	return len(row[schema.FamToken]) > 0, nil
}

// Device is where a session was opened.
func (m *Manager) Device(ctx context.Context, player string) (string, error) {
	row, err := m.tbl.ReadRow(ctx, rowKey(player)) // want ttlread/missing-filter
	if err != nil {
		return "", err
	}
	return cell(row[schema.FamToken], schema.FamToken+":"+colDevice)
}

// Node is where a dropped connection may come back.
func (m *Manager) Node(ctx context.Context, player string) (string, error) {
	f := bigtable.ChainFilters(bigtable.FamilyFilter(schema.FamResume), bigtable.LatestNFilter(1)) // want ttlread/missing-filter[node]
	row, err := m.tbl.ReadRow(ctx, rowKey(player), bigtable.RowFilter(f))                          // want ttlread/missing-filter[node]
	if err != nil {
		return "", err
	}
	return cell(row[schema.FamResume], schema.FamResume+":"+colNode)
}

// NodeLive is Node, for the gateways that were fixed.
func (m *Manager) NodeLive(ctx context.Context, player string) (string, error) {
	f := bigtable.ChainFilters(
		bigtable.FamilyFilter(schema.FamResume),
		bigtable.TimestampRangeFilter(m.now(), time.Time{}), // ok ttlread/wrong-bound
		bigtable.LatestNFilter(1),
	)
	row, err := m.tbl.ReadRow(ctx, rowKey(player), bigtable.RowFilter(f)) // ok ttlread/missing-filter
	if err != nil {
		return "", err
	}
	return cell(row[schema.FamResume], schema.FamResume+":"+colNode)
}

// Profile reads the ordinary part.
func (m *Manager) Profile(ctx context.Context, player string) (*Profile, error) {
	row, err := m.tbl.ReadRow(ctx, rowKey(player), bigtable.RowFilter(bigtable.LatestNFilter(1))) // ok ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	p := &Profile{}
	for _, it := range row[schema.FamProfile] {
		switch it.Column {
		case schema.FamProfile + ":" + colName:
			p.Name = string(it.Value)
		case schema.FamProfile + ":" + colLocale:
			p.Locale = string(it.Value)
		}
	}
	return p, nil
}

// Renamed says when a player last changed their name.
func (m *Manager) Renamed(ctx context.Context, player string) (time.Time, error) {
	row, err := m.tbl.ReadRow(ctx, rowKey(player), bigtable.RowFilter(bigtable.FamilyFilter(schema.FamProfile))) // ok ttlread/missing-filter
	if err != nil {
		return time.Time{}, err
	}
	for _, it := range row[schema.FamProfile] {
		if it.Column == schema.FamProfile+":"+colName {
			updated := it.Timestamp.Time() // ok ttlage/not-write-time
			return updated, nil
		}
	}
	return time.Time{}, ErrNoSession
}

// Info is what support sees of a session.
type Info struct {
	Player    string        `json:"player"`
	CreatedAt time.Time     `json:"created_at,omitzero"`
	ExpiresAt time.Time     `json:"expires_at,omitzero"`
	Idle      time.Duration `json:"idle"`
	Left      time.Duration `json:"left"`
	Columns   []string      `json:"columns"`
}

// Describe is for support.
func (m *Manager) Describe(ctx context.Context, player string) (*Info, error) {
	live := stamp.Family(schema.FamToken, stamp.Live())
	row, err := m.tbl.ReadRow(ctx, rowKey(player), bigtable.RowFilter(live)) // ok ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	info := &Info{Player: player}
	now := m.now()
	for _, it := range row[schema.FamToken] {
		info.Columns = append(info.Columns, it.Column)
		if it.Column != schema.FamToken+":"+colJWT {
			continue
		}
		info.CreatedAt = it.Timestamp.Time()     // want ttlage/not-write-time
		info.ExpiresAt = it.Timestamp.Time()     // ok ttlage/not-write-time
		info.Idle = now.Sub(it.Timestamp.Time()) // want ttlage/not-write-time
		info.Left = it.Timestamp.Time().Sub(now) // ok ttlage/not-write-time
	}
	return info, nil
}

// Row is the whole row of a player, for the data protection export.
func (m *Manager) Row(ctx context.Context, player string) (bigtable.Row, error) {
	return m.tbl.ReadRow(ctx, rowKey(player), bigtable.RowFilter(stamp.Live())) // want ttlread/hides-other-families
}

// Export is Row with nothing lost and nothing dead.
func (m *Manager) Export(ctx context.Context, player string) ([]byte, error) {
	f := bigtable.InterleaveFilters(
		bigtable.ChainFilters(bigtable.FamilyFilter("token|resume"), stamp.Live()), // ok ttlread/unfiltered-branch
		bigtable.FamilyFilter(schema.FamProfile),                                   // ok ttlread/unfiltered-branch
	)
	row, err := m.tbl.ReadRow(ctx, rowKey(player), bigtable.RowFilter(f)) // ok ttlread/missing-filter ttlread/hides-other-families
	if err != nil {
		return nil, err
	}
	return json.Marshal(row)
}

// ExportAll was Export's first version; the privacy team still calls it.
func (m *Manager) ExportAll(ctx context.Context, player string) ([]byte, error) {
	f := bigtable.InterleaveFilters( // want ttlread/unfiltered-branch[exportall]
		bigtable.ChainFilters(bigtable.FamilyFilter(schema.FamToken), stamp.Live()), // ok ttlread/unfiltered-branch
		bigtable.FamilyFilter("profile|resume"),                                     // want ttlread/unfiltered-branch[exportall]
	)
	row, err := m.tbl.ReadRow(ctx, rowKey(player), bigtable.RowFilter(f)) // want ttlread/unfiltered-branch[exportall]
	if err != nil {
		return nil, err
	}
	return json.Marshal(row)
}

// Claim gives a fresh player a token if no other node did.
func (m *Manager) Claim(ctx context.Context, player, node string) (bool, error) {
	set := bigtable.NewMutation()
	set.Set(schema.FamToken, colNode, stamp.In(schema.TokenTTL), []byte(node))                             // ok ttlwrite/write-time
	taken := bigtable.ChainFilters(bigtable.FamilyFilter(schema.FamToken), bigtable.ColumnFilter(colNode)) // want ttlread/conditional-mutation[claim]
	var had bool
	err := m.tbl.Apply(ctx, rowKey(player), bigtable.NewCondMutation(taken, nil, set), bigtable.GetCondMutationResult(&had)) // want ttlread/conditional-mutation[claim]
	return !had, err
}

// ClaimResume is Claim for a connection that comes back.
func (m *Manager) ClaimResume(ctx context.Context, player, node string) (bool, error) {
	set := bigtable.NewMutation()
	set.DeleteCellsInColumn(schema.FamResume, colNode)                           // ok ttlwrite/delete-after-set
	set.Set(schema.FamResume, colNode, stamp.In(schema.ResumeTTL), []byte(node)) // ok ttlwrite/write-time
	free := bigtable.ChainFilters(bigtable.FamilyFilter(schema.FamResume), stamp.Live(), bigtable.ColumnFilter(colNode))
	var had bool
	err := m.tbl.Apply(ctx, rowKey(player), bigtable.NewCondMutation(free, set, nil), bigtable.GetCondMutationResult(&had)) // ok ttlread/conditional-mutation
	return had, err
}

// Forget removes what a device wrote, live or not.
func (m *Manager) Forget(ctx context.Context, player, device string) error {
	del := bigtable.NewMutation()
	del.DeleteCellsInColumn(schema.FamToken, colDevice)
	same := bigtable.ChainFilters(bigtable.ColumnFilter(colDevice), bigtable.ValueFilter(device))
	return m.tbl.Apply(ctx, rowKey(player), bigtable.NewCondMutation(same, del, nil)) // ok ttlread/conditional-mutation
}

// Rotate exchanges the token of a player.
func (m *Manager) Rotate(ctx context.Context, player string) ([]byte, error) {
	buf := make([]byte, 32)
	if _, err := rand.Read(buf); err != nil {
		return nil, err
	}
	jwt := []byte(base64.RawURLEncoding.EncodeToString(buf))
	mut := bigtable.NewMutation()
	mut.Set(schema.FamToken, colJWT, stamp.In(schema.TokenTTL), jwt)      // ok ttlwrite/write-time
	mut.Set(schema.FamProfile, "rotated", bigtable.ServerTime, []byte{1}) // ok ttlwrite/server-timestamp
	mut.DeleteCellsInColumn(schema.FamToken, colJWT)                      // want ttlwrite/delete-after-set
	return jwt, m.tbl.Apply(ctx, rowKey(player), mut)
}

// Mirror keeps the old login server's table in step. Its family "token" is an
// ordinary one.
func (m *Manager) Mirror(ctx context.Context, player string, jwt []byte) error {
	mut := bigtable.NewMutation()
	mut.Set(schema.FamToken, colJWT, bigtable.Now(), jwt)              // ok ttlwrite/write-time
	mut.Set(schema.FamToken, "src", bigtable.ServerTime, []byte("v2")) // ok ttlwrite/server-timestamp
	return m.legacy.Apply(ctx, rowKey(player), mut)
}

// MirrorAge is how stale the old server's copy is.
func (m *Manager) MirrorAge(ctx context.Context, player string) (time.Duration, error) {
	row, err := m.legacy.ReadRow(ctx, rowKey(player)) // ok ttlread/missing-filter
	if err != nil {
		return 0, err
	}
	for _, it := range row[schema.FamToken] {
		if it.Column == schema.FamToken+":"+colJWT {
			return time.Since(it.Timestamp.Time()), nil // ok ttlage/not-write-time
		}
	}
	return 0, ErrNoSession
}

// CountLogins counts in the row itself.
func (m *Manager) CountLogins(ctx context.Context, player string) (bigtable.Row, error) {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment(schema.FamProfile, "logins", 1) // ok ttlwrite/read-modify-write
	rmw.Increment(schema.FamToken, "attempts", 1) // want ttlwrite/read-modify-write
	return m.tbl.ApplyReadModifyWrite(ctx, rowKey(player), rmw)
}

// Trail appends to the list of nodes that a player has seen.
func (m *Manager) Trail(ctx context.Context, player, node string) error {
	rmw := bigtable.NewReadModifyWrite()
	rmw.AppendValue(schema.FamResume, "trail", []byte(node+",")) // want ttlwrite/read-modify-write
	_, err := m.tbl.ApplyReadModifyWrite(ctx, rowKey(player), rmw)
	return err
}

// TrailLegacy is Trail on the old table.
func (m *Manager) TrailLegacy(ctx context.Context, player, node string) error {
	rmw := bigtable.NewReadModifyWrite()
	rmw.AppendValue(schema.FamToken, "trail", []byte(node+",")) // ok ttlwrite/read-modify-write
	_, err := m.legacy.ApplyReadModifyWrite(ctx, rowKey(player), rmw)
	return err
}

func cell(items []bigtable.ReadItem, column string) (string, error) {
	for _, it := range items {
		if it.Column == column {
			return string(it.Value), nil
		}
	}
	return "", ErrNoSession
}
