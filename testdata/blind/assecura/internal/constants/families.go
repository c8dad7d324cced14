package constants

// Column families (was: FamilyConstants.java).
const (
	FamilyToken  = "tok"
	FamilyUser   = "usr"
	FamilyCode   = "code"
	FamilyOffer  = "offer"
	FamilyCalc   = "calc"
	FamilyEntry  = "entry"
	FamilyRate   = "rate"
	FamilyDisc   = "disc"
	FamilyIndex  = "idx"
	FamilyMeta   = "meta"
	FamilyPerson = "p"
	FamilyCnsent = "consent"
	FamilyChlg   = "chl"
)

// policyFamilies is a constants class; Go has no nested static classes.
type policyFamilies struct {
	Version string
	Header  string
	Audit   string
}

// Policy is the constants class of the families of the table of policies.
var Policy = policyFamilies{Version: "ver", Header: "hdr", Audit: "aud"}

// ClaimFamily was an enum.
type ClaimFamily int

const (
	ClaimEvent ClaimFamily = iota
	ClaimLock
	ClaimState
)

var claimFamilyNames = [...]string{"evt", "lock", "st"}

// ColumnFamily returns the name of the column family.
func (f ClaimFamily) ColumnFamily() string { return claimFamilyNames[f] }

// MailboxFamilies are addressed by index, as in the old DAO.
var MailboxFamilies = []string{"msg", "cnt"}

const (
	MailboxMessage = 0
	MailboxCounter = 1
)
