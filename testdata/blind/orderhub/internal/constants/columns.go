package constants

// SessionColumns was an interface with fields in Java.
type sessionColumns struct {
	JWT, Refresh, Nonce, Csrf string
	Push, Agent, Fingerprint  string
	Name, Locale, LoginAt     string
}

// Session names the columns of the sessions table.
var Session = sessionColumns{
	JWT: "jwt", Refresh: "refresh", Nonce: "nonce", Csrf: "csrf",
	Push: "push", Agent: "agent", Fingerprint: "fp",
	Name: "name", Locale: "locale", LoginAt: "login_at",
}

// Columns of the orders table.
const (
	ColCustomer = "customer"
	ColTotal    = "total"
	ColCurrency = "currency"
	ColPlacedAt = "placed_at"
	ColSku      = "sku"
	ColQuantity = "qty"
	ColPayload  = "payload"
	ColAuthor   = "author"
	ColStatus   = "status"
	ColReason   = "reason"
)

// Columns of the notifications table.
const (
	ColSubject = "subject"
	ColBody    = "body"
	ColChannel = "channel"
	ColSentAt  = "sent_at"
	ColOpened  = "opened"
	ColMuted   = "muted"
	ColDigest  = "digest"
)

// Columns of the ledger tables.
const (
	ColAmount  = "amount"
	ColBalance = "balance"
	ColActor   = "actor"
	ColAction  = "action"
)

// Columns of the idempotency table and of campaigns.
const (
	ColOwner    = "owner"
	ColResponse = "response"
	ColSegment  = "segment"
	ColTitle    = "title"
	ColLimit    = "limit"
	ColUsed     = "used"
)
