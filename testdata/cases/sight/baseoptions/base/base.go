// Package base has the options of every read.
package base

import "cloud.google.com/go/bigtable"

// Options are those of every read.
var Options = []bigtable.ReadOption{bigtable.RowFilter(bigtable.LatestNFilter(1)), bigtable.LimitRows(10)}

// Limits are those of every scan.
var Limits = []bigtable.ReadOption{bigtable.LimitRows(10)}
