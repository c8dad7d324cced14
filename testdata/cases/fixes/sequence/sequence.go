// Package sequence scales sequence numbers.
package sequence

import "cloud.google.com/go/bigtable"

func loop(muts []*bigtable.Mutation) {
	for i, mut := range muts {
		mut.Set("entry", "amount", bigtable.Timestamp(i), nil) // want `unscaled-sequence: .*"entry"`
	}
}

func sum(muts []*bigtable.Mutation) {
	for i, mut := range muts {
		mut.Set("entry", "amount", bigtable.Timestamp(i+1), nil) // want `unscaled-sequence: .*"entry"`
	}
}

func length(mut *bigtable.Mutation, entries []string) {
	mut.Set("entry", "amount", bigtable.Timestamp(len(entries)), nil) // want `unscaled-sequence: .*"entry"`
}

func constant(mut *bigtable.Mutation) {
	mut.Set("entry", "amount", 7, nil) // want `unscaled-sequence: .*"entry"`
}
