package rule

// All is the catalogue, by analyzer in the order in which the documentation
// presents them.
var All = []Rule{
	{"ttlwrite", "server-timestamp", Error, false, "one-second expiration", "a write with the server's timestamp: deleted at the next compaction"},
	{"ttlwrite", "write-time", Error, false, "one-second expiration", "a write with the current time as timestamp: already expired"},
	{"ttlwrite", "already-expired", Error, false, "one-second and default expiration", "a write with a timestamp that has expired before it is written"},
	{"ttlwrite", "read-modify-write", Error, false, "one-second expiration, sequential numbers, timestamp zero", "Increment or AppendValue, which let the server choose the timestamp"},
	{"ttlwrite", "clock-in-sequence", Error, false, "sequential numbers", "a clock reading as timestamp: it outranks every later sequence number"},
	{"ttlwrite", "unscaled-sequence", Error, false, "sequential numbers", "a number that is not multiplied by 1000: versions overwrite each other"},
	{"ttlwrite", "clock-in-zero", Error, false, "timestamp zero", "a timestamp other than zero: it hides every later write"},
	{"ttlwrite", "same-timestamp", Error, false, "all but real timestamps", "two writes of one mutation to the same cell: the first is lost"},
	{"ttlwrite", "delete-after-set", Error, false, "any", "a deletion after a write that it covers, in the same mutation"},
	{"ttlwrite", "stale-clock", Error, false, "one-second and default expiration", "a clock reading that was taken once and serves every later write"},
	{"ttlwrite", "unset-timestamp", Error, false, "one-second and default expiration, sequential numbers", "a raw SetCell without TimestampMicros, which means zero"},
	{"ttlwrite", "aggregate-server-time", Error, false, "any", "an aggregate cell with the server's timestamp: the service rejects it"},
	{"ttlwrite", "stale-survivor", Warning, true, "one-second and default expiration", "a write of varying lifetime without a deletion first: an older, longer-lived value wins"},
	{"ttlwrite", "wrong-base", Warning, true, "default expiration", "now plus the lifetime as timestamp: the default age is added to it"},

	{"ttlread", "missing-filter", Warning, false, "one-second and default expiration, sequential numbers", "a read without a filter that keeps out dead cells"},
	{"ttlread", "overridden-filter", Warning, false, "any table", "several RowFilter options: only the last applies"},
	{"ttlread", "unfiltered-branch", Warning, false, "one-second and default expiration, sequential numbers", "a branch of an interleave or condition that lets dead cells pass"},
	{"ttlread", "expired-only", Warning, false, "one-second and default expiration", "a time range that ends where live cells begin: it returns only dead cells"},
	{"ttlread", "upper-bound", Warning, false, "one-second and default expiration", "a time range with an end that hides live cells"},
	{"ttlread", "wrong-bound", Warning, false, "one-second and default expiration, sequential numbers", "the bound of another strategy"},
	{"ttlread", "stale-bound", Warning, false, "one-second and default expiration", "a filter whose clock was read once: what has expired since then passes"},
	{"ttlread", "version-limit", Warning, false, "sequential numbers", "a read without LatestNFilter, or with more versions than are kept"},
	{"ttlread", "limit-before-filter", Warning, false, "one-second and default expiration", "a cell limit before the live filter: dead cells use it up"},
	{"ttlread", "hides-other-families", Warning, false, "tables of several strategies", "a bare time range that drops the cells of other families"},
	{"ttlread", "conditional-mutation", Warning, false, "one-second and default expiration, sequential numbers", "a predicate of a conditional mutation that can match dead cells"},
	{"ttlread", "sql", Warning, false, "one-second and default expiration, sequential numbers", "a GoogleSQL statement that reads dead cells"},

	{"ttlgc", "age-on-sequence", Error, false, "sequential numbers", "an age policy, which deletes by timestamp"},
	{"ttlgc", "age-on-zero", Error, false, "timestamp zero", "an age policy, which deletes every cell"},
	{"ttlgc", "age-mismatch", Error, false, "one-second and default expiration", "an age other than the registered one"},
	{"ttlgc", "policy-mismatch", Error, false, "sequential numbers, real timestamps", "limits other than the registered ones"},
	{"ttlgc", "versions-with-expiry", Error, false, "one-second and default expiration", "a version limit beside the age: the cell that expires last survives"},
	{"ttlgc", "no-policy", Warning, false, "one-second and default expiration, sequential numbers", "a family of which nothing is ever collected"},
	{"ttlgc", "empty-mask", Error, false, "any", "a raw update without mask, which clears the policy"},
	{"ttlgc", "existing-data", Error, true, "one-second expiration", "the policy set on a family that may hold real timestamps"},

	{"ttlunit", "wrong-unit", Error, false, "none needed", "a timestamp made of seconds, milliseconds, nanoseconds or a time.Duration"},
	{"ttlunit", "out-of-range", Error, false, "none needed", "a time that no Bigtable timestamp can hold"},
	{"ttlunit", "sub-millisecond", Error, false, "none needed", "a constant that is cut to another value"},
	{"ttlunit", "empty-range", Warning, false, "none needed", "a range of constants that holds nothing"},
	{"ttlunit", "age-unit", Error, false, "none needed", "an age without unit, below a millisecond or negative"},
	{"ttlunit", "invalid-filter", Warning, false, "none needed", "a filter that the service rejects"},

	{"ttlage", "not-write-time", Warning, false, "all but real timestamps", "an artificial timestamp used as the age or the write time of a cell"},
	{"ttlage", "server-sentinel", Note, false, "none needed", "a cell's timestamp compared with ServerTime, which no cell has"},

	{"ttlschema", "inert", Error, false, "none needed", "a policy outside Go that does not do what is written"},
	{"ttlschema", "drift", Error, false, "none needed", "sources that give one family different policies"},
	{"ttlschema", "undeclared", Note, false, "any registered", "a family that a source creates and the registry lacks"},
	{"ttlschema", "missing", Warning, false, "any registered", "a registered family that no source creates"},
	{"ttlschema", "stored", Error, false, "any registered", "stored cells whose timestamps contradict the strategy"},

	{"ttlvet", "registry", Error, false, "", "a registry that cannot be read or contradicts itself"},
	{"ttlvet", "directive", Note, false, "", "a silencing directive that is malformed, lacks a reason or silences nothing"},
}
