// Package lib counts per shard.
package lib

// A Counters has a counter for each shard.
type Counters struct {
	seq  []int64
	kilo []int64
}

// New makes n counters.
func New(n int) *Counters { return &Counters{make([]int64, n), make([]int64, n)} }

// Next is the next number of a shard.
func (c *Counters) Next(shard int) int64 {
	c.seq[shard]++
	return c.seq[shard]
}

// Kilo is that in thousands.
func (c *Counters) Kilo(shard int) int64 {
	c.kilo[shard] += 1000
	return c.kilo[shard]
}
