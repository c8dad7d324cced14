// Package constants holds the constants classes of the former com.assecura.common.constants.
package constants

// Table names (was: TableConstants.java).
const (
	TableSessions  = "sessions"
	TableOtp       = "otp"
	TableQuotes    = "quotes"
	TablePolicies  = "policies"
	TableClaims    = "claims"
	TableTelemetry = "telemetry"
	TableTariffs   = "tariffs"
	TableDocuments = "documents"
	TableMailbox   = "mailbox"
	TableCustomers = "customers"

	// Tables that the old portal still owns. They are not part of the agreement.
	TableLegacySessions = "legacy_sessions"
	TablePolicyArchive  = "policy_archive"
	TableCaptcha        = "captcha"

	LedgerSuffix = "-ledger"
)
