// Package ttlguard holds the requests of a Bigtable client to what is agreed
// on the timestamps of column families: writes that would lose data, reads
// that return what should be gone, policies that delete what lives. It is for
// what no analyzer sees: values from configuration, generated code,
// reflection.
//
//	guard, err := ttlguard.New(ttlguard.Tables(Sessions, Clicks))
//	client, err := bigtable.NewClient(ctx, project, instance, guard.ClientOptions()...)
//	admin, err := bigtable.NewAdminClient(ctx, project, instance, guard.ClientOptions()...)
//
// Tables are declared with package ttl ([Tables]) or in ttlvet.yaml
// ([WithRegistry]). A request to another table is none of its business.
//
// # What it does with a violation
//
// By default it reports: to [slog.Default], each distinct violation once a
// minute, with how often it happened ([WithLogger], [Interval]), to a function
// ([OnViolation]), and as counters by rule ([Guard.Counts]). With [Reject] the
// request fails instead, with the code FailedPrecondition and before anything
// is sent. With [FailTest] the test fails in which it happens.
//
// Violations bear the names of ttlvet's rules, ttlwrite/server-timestamp, and
// say what will happen to the data and what to do instead. They never tell a
// value, a row key, a column or a timestamp.
//
// A guard never changes a request. Whoever means what looks like a mistake,
// such as a job that reads expired cells, says so with [Allow].
//
// # What it can decide
//
// On the wire a timestamp is a number, and what it was made of is not known.
// It is compared with the clock: in a family with one-second expiration a
// timestamp that is not in the future is dead on arrival; in one of sequential
// numbers a timestamp of these years is a clock reading. Filters are judged by
// the algebra that ttlvet uses, with the clock in place of time.Now. What a
// program does with the cells that it has read is not known either: a read is
// taken to want every family that its filter lets pass.
//
// Requests in the client's sessions are judged like others, one by one. What a
// guard does not understand, such as a method that is newer than it, it reports
// ([NotJudged]).
//
// The clocks of writer and guard are one. A request that is retried is judged
// when it is first sent.
package ttlguard
