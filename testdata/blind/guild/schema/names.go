// Package schema names the guild's tables and column families, and declares
// what the garbage collector does to them.
//
// ttlvet.yaml says the same of the strategies; deploy runs Apply.
package schema

// Tables with constant names. Inventories and chats have one table per shard,
// see InventoryTable and ChatTable.
const (
	Sessions  = "sessions"
	Presence  = "presence"
	Lobbies   = "lobbies"
	Matches   = "matches"
	Mailbox   = "mailbox"
	Mailbox2  = "mailbox2"
	Profiles  = "profiles"
	Ladder    = "ladder"
	Telemetry = "telemetry"
	Nonces    = "nonces"
)

// Families. Some names mean different things in different tables: "state" is
// a lobby's phase, which expires, and a match's state, which is numbered.
const (
	FamState  = "state"
	FamHost   = "host"
	FamEvent  = "ev"
	FamMeta   = "meta"
	FamOnline = "on"
	FamMail   = "mail"
	FamFlag   = "flag"
	FamCur    = "cur"
	FamRev    = "rev"
	FamStack  = "stack"
	FamLease  = "lease"
	FamAudit  = "audit"
	FamMsg    = "msg"
	FamSeen   = "seen"
	FamScore  = "score"
	FamBoost  = "boost"
	FamSeason = "season"
	FamToken  = "tok"
	FamDevice = "dev"
	FamNonce  = "n"
)

// InventoryTable returns the name of a shard's inventory.
func InventoryTable(shard string) string { return shard + "-inventory" }

// ChatTable returns the name of a shard's chat.
func ChatTable(shard string) string { return "chat-" + shard }
