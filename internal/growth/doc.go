// Package growth holds what ttlvet costs to the size of what it reads. Its shapes are
// programs that are knotted: the same few lines, again and again, in a way that makes
// each of them depend on the others. Benchmarks measure time and memory of each at n,
// 2n and 4n; a test of the slow suite counts what they allocate.
package growth
