//go:build !go1.27

package exportdata

// newest is the newest version of the format that go/types can express.
const newest = 2
