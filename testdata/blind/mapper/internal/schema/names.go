// Package schema names the marketplace's tables and families and keeps their garbage collection.
package schema

import "time"

// Tables.
const (
	TableCarts     = "carts"
	TableSessions  = "seller-sessions"
	OffersSuffix   = "-offers"
	TableLocations = "locations"
	TablePrices    = "prices"
	TableListings  = "listings"

	// TableLegacyCarts is the old shop's table, frozen since the migration; its families are ordinary.
	TableLegacyCarts = "legacy-carts"
	// TableScratch is what data science uses.
	TableScratch = "ds-scratch"
)

// Families.
const (
	FamItem   = "item"
	FamHold   = "hold"
	FamMeta   = "meta"
	FamTok    = "tok"
	FamDevice = "device"
	FamBid    = "bid"
	FamAsk    = "ask"
	FamNote   = "note"
	FamLast   = "last"
	FamHist   = "hist"
	FamCore   = "core"
	FamPromo  = "promo"
	FamRev    = "rev"
)

// Lifetimes and limits.
const (
	ItemTTL    = 48 * time.Hour
	HoldTTL    = 15 * time.Minute
	SessionTTL = 30 * 24 * time.Hour
	PromoTTL   = 7 * 24 * time.Hour
	HistAge    = 365 * 24 * time.Hour

	BidVersions = 3
	AskVersions = 1
	RevVersions = 5
)

// Expiring is the age limit of families whose timestamps are moments of expiry.
const Expiring = time.Second

// Regions that have an offer book of their own.
var Regions = []string{"eu", "us", "ap"}

// OffersTable is the name of a region's offer book.
func OffersTable(region string) string { return region + OffersSuffix }
