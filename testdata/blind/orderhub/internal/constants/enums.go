package constants

// Kind was an enum in Java.
type Kind int

// The kinds.
const (
	KindToken Kind = iota
	KindHold
	KindRevision
	KindHeader
)

// FamilyOf tells where a kind is kept.
var FamilyOf = map[Kind]string{
	KindToken:    FamilyToken,
	KindHold:     FamilyHold,
	KindRevision: FamilyRevision,
	KindHeader:   FamilyHeader,
}

// Family tells where a kind is kept.
func (k Kind) Family() string {
	switch k {
	case KindToken:
		return FamilyToken
	case KindHold:
		return FamilyHold
	case KindRevision:
		return FamilyRevision
	}
	return FamilyHeader
}
