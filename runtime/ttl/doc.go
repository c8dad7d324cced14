// Package ttl writes and reads Cloud Bigtable cells that expire one by one,
// so that a write which would lose data does not compile.
//
// # The agreement
//
// Bigtable has no time to live per cell. It has garbage collection per column
// family, and garbage collection knows only the timestamp of a cell and its
// place among the versions of its column. Whoever wants cells with lifetimes
// of their own therefore chooses the timestamps so that the family's GC policy
// deletes each cell when its time has come. That is an agreement between every
// writer, every reader and the schema; this package keeps it in one place:
//
//	var (
//		Token    = ttl.OneSecond("token", 30*time.Minute)
//		Profile  = ttl.RealTime("profile")
//		Sessions = ttl.NewTable("sessions", Token, Profile)
//	)
//
//	err := Token.Set(mut, "jwt", value)                  // expires in 30 minutes
//	row, err := tbl.ReadRow(ctx, key, Sessions.Live())   // what has not expired
//	err = admin.CreateTableFromConf(ctx, Sessions.Conf()) // the policies this needs
//	err = Sessions.Verify(ctx, admin)                    // the schema still has them
//
// # The strategies
//
// [OneSecond]: the timestamp is the moment the cell expires, the policy deletes
// what is older than a second. For families that are new: cells which already
// carry their write time are deleted ([Table.Migrate] refuses to do that).
// https://cloud.google.com/bigtable/docs/gc-cell-level
//
// [Default]: cells live for the default lifetime, which is the policy's max
// age; the timestamp of a cell that shall live shorter or longer is moved into
// the past or into the future by the difference. Can be introduced for a family
// that has data. https://cloud.google.com/bigtable/docs/gc-cell-level
//
// [Sequence]: the timestamp is a number that counts up, the policy keeps the
// cells with the highest numbers. No age may ever be part of the policy: every
// sequence number is, read as a time, long past.
// https://cloud.google.com/bigtable/docs/gc-sequence-numbers
//
// [Zero]: the timestamp is always zero, so that a write replaces the value
// before it. https://cloud.google.com/bigtable/docs/gc-latest-value
//
// [RealTime]: an ordinary family, whose timestamps are write times. It is
// declared so that reads of the table return it.
//
// With all but the last, a cell's timestamp says nothing about when the cell
// was written. A column made by [WrittenAt] stores that.
//
// # Writes
//
// Write methods add to a [bigtable.Mutation]. They take what the strategy
// speaks of (a lifetime, a deadline, a number) and compute the timestamp. Given
// a value that would make the cell vanish at once or stay for ever, they return
// an error and leave the mutation as it was; see [ErrLifetime], [ErrPast] and
// [ErrOutOfRange]. A mutation made by [bigtable.NewCondMutation] ignores what is
// added to it: fill the mutations it is made of.
//
// Timestamps are microseconds since 1970 with a precision of milliseconds; what
// is finer is cut off. They are always taken from the clock of the client, never
// [bigtable.ServerTime], because the client library retries a mutation only when
// its timestamps are explicit, and because the server would store its own
// clock instead of an expiry. The clocks of writers and readers
// should agree to well below the shortest lifetime in use.
//
// Two writes to one column with the same timestamp are one cell: the later
// value replaces the earlier. And of two cells in one column the one with the
// later timestamp counts as the newer, which need not be the one written last:
// to give a value a shorter life than its predecessor has, use Replace.
//
// Never use [bigtable.ReadModifyWrite] on a family of the first four
// strategies: it takes its timestamp from the server's clock. [Counter] counts
// in families whose cells expire.
//
// # Reads
//
// Garbage collection runs in the background and may take a week, so that reads
// return cells whose time has come unless a filter leaves them out.
// [Table.Live] is that filter, for all families of a table at once,
// [Table.LiveAnd] combines it with others:
// https://cloud.google.com/bigtable/docs/garbage-collection. Both belong into
// the call that reads and not into a variable, because they contain the current
// time. Of several filter options [bigtable.Table.ReadRow] uses only the last, so do
// not pass [bigtable.RowFilter] beside them.
//
// A cell is read up to and including the millisecond in which it expires.
package ttl
