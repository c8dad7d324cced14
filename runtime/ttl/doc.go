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
//	err := Sessions.Ensure(ctx, admin)                   // creates what is missing, with the policies this needs
//	err = Token.Set(mut, "jwt", value)                   // expires in 30 minutes
//	row, err := tbl.ReadRow(ctx, key, Sessions.Live())   // what has not expired
//	err = Sessions.Verify(ctx, admin)                    // the schema still is as declared
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
// that has data, of which it deletes at once what is older than the default. A
// moved timestamp can be the very one that another cell of the column was
// written at, and replaces that cell: give values with lifetimes of their own
// a column of their own, or use Replace.
// https://cloud.google.com/bigtable/docs/gc-cell-level
//
// [Sequence]: the timestamp is a number that counts up, the policy keeps the
// cells with the highest numbers. Numbers must not decrease: a lower one than
// those in the column is an old version from the start. No age may ever be part
// of the policy: every sequence number is, read as a time, long past.
// https://cloud.google.com/bigtable/docs/gc-sequence-numbers
//
// [Zero]: the timestamp is always zero, so that a write replaces the value
// before it. Google's newer advice is to delete the column and write it in one
// mutation; Set does both, so that it is safe over data of any age.
// https://cloud.google.com/bigtable/docs/gc-latest-value
//
// [RealTime]: an ordinary family, whose timestamps are write times. It is
// declared so that reads of the table return it, without what its GC policy
// may delete.
//
// With all but the last, a cell's timestamp says nothing about when the cell
// was written. A companion column, made by [WrittenAt], stores that.
//
// # Writes
//
// Write methods add to a [bigtable.Mutation]. They take what the strategy
// speaks of (a lifetime, a deadline, a number) and compute the timestamp. Given
// a value that would make the cell vanish at once or stay for ever, they return
// an error and leave the mutation as it was; see [ErrLifetime], [ErrPast] and
// [ErrOutOfRange]. A mutation made by [bigtable.NewCondMutation] ignores what is
// added to it, which is an [ErrCondMutation]: fill the mutations it is made of.
//
// Timestamps are microseconds since 1970 with a precision of milliseconds; what
// is finer is cut off. They are always taken from the clock of the client, never
// [bigtable.ServerTime], because the client library retries a mutation only when
// its timestamps are explicit, and because the server would store its own
// clock instead of an expiry.
//
// Two writes to one column with the same timestamp are one cell: the later
// value replaces the earlier. That is what several SetUntil with one deadline
// come to, such as midnight: give each value a column of its own. And of two
// cells in one column the one with the later timestamp counts as the newer,
// which need not be the one written last: to give a value a shorter life than its
// predecessor has, use Replace.
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
// [Table.LiveAnd] combines it with others, [Table.Latest] returns one version of
// each column, [Table.LiveAt] asks for another time:
// https://cloud.google.com/bigtable/docs/garbage-collection. They belong into
// the call that reads and not into a variable, because they contain the current
// time. Of several filter options [bigtable.Table.ReadRow] uses only the last, so do
// not pass [bigtable.RowFilter] beside them. Conditions of
// [bigtable.NewCondMutation] are reads too: [Table.LiveFilter], or the LiveFilter
// of a family, keeps the dead cells out of them.
//
// A cell is read up to and including the millisecond in which it expires.
//
// # Clocks
//
// When a cell expires is computed on the clock of the writer, looked at on that
// of the reader, and enforced on that of the server. Where a reader's clock is
// ahead of the writer's, the cell ends early for that reader, by as much; where
// it is behind, late. For a session that makes no difference. For a lock or a
// lease it does: a contender whose clock is three seconds ahead takes a lock for
// free that its holder relies on for three seconds more, and then there are two
// holders.
//
// The option that makes this safe is [OneSecondFamily.Skew], or
// [DefaultFamily.Skew], with the largest difference between any two of these
// clocks:
//
//	Lease = ttl.OneSecond("lease", 10*time.Second).Skew(2*time.Second)
//
// A cell is then stored with an expiry that is later by the skew, and Expiry
// takes it off again. The holder counts its ten seconds from before it wrote the
// cell, on its own clock; everybody else sees the cell until the twelfth second
// by the holder's clock plus or minus two, and garbage collection leaves it alone
// as long. So the error is always on the side of a cell that lives too
// long: a lock that nobody renews is free up to twice the skew later than it could be.
// To read earlier instead does not do, because the server may have collected what
// the reader would still accept.
//
// Where a value must not be used too late, as with a token that is withdrawn
// by letting it expire, allow for the skew when reading:
//
//	row, err := tbl.ReadRow(ctx, key, Sessions.LiveAt(time.Now().Add(2*time.Second)))
//
// Even so a lock by time is no proof: a holder may be suspended and wake up
// after its lease. What the lock guards should check a fencing number, as the
// example of a lock does.
//
// # Tests
//
// All times come from [time.Now], so that code under [testing/synctest] has
// cells expire without waiting: see the example of a session store in the
// tests of this package.
package ttl
