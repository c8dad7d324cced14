package ttl

import "errors"

// The errors of this package wrap one of these, for errors.Is. Their messages
// name the family, the column and the value at fault.
var (
	// ErrDeclaration: a strategy, a table or a counter is declared with values
	// that cannot work, or not by its constructor.
	ErrDeclaration = errors.New("invalid declaration")
	// ErrNilMutation: there is no mutation to write to.
	ErrNilMutation = errors.New("nil mutation")
	// ErrCondMutation: the mutation was made by [bigtable.NewCondMutation], and
	// would ignore what is added: write to the mutations it is made of.
	ErrCondMutation = errors.New("conditional mutation")
	// ErrNilClient: there is no client to work with.
	ErrNilClient = errors.New("nil client")
	// ErrLifetime: a lifetime is negative, zero, or shorter than the
	// millisecond that is the precision of timestamps.
	ErrLifetime = errors.New("lifetime shorter than 1ms")
	// ErrPast: a deadline is not after the current millisecond, so that the
	// cell would be dead when it arrives.
	ErrPast = errors.New("deadline has passed")
	// ErrOutOfRange: a time or a sequence number has no Bigtable timestamp.
	// Times must lie between 1970 and April 2262 (where the client's own
	// conversion by nanoseconds ends), numbers between 0 and
	// 9223372036854775.
	ErrOutOfRange = errors.New("outside the range of Bigtable timestamps")
	// ErrOverflow: the sum of a counter is no int64.
	ErrOverflow = errors.New("overflow")
	// ErrSchema: the live schema is not the declared one.
	ErrSchema = errors.New("schema differs from its declaration")
)
