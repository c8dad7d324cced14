// Package unmarshal fills variables by functions that are given their address.
package unmarshal

import (
	"encoding/json"
	"fmt"
	"sync/atomic"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/timestamppb"

	"cloud.google.com/go/bigtable"
)

func okProto(mut *bigtable.Mutation, data []byte) error {
	at := &timestamppb.Timestamp{}
	if err := proto.Unmarshal(data, at); err != nil {
		return err
	}
	mut.Set("token", "jwt", bigtable.Timestamp(at.Seconds*1e6), nil)
	return nil
}

func okScan(mut *bigtable.Mutation, text string) error {
	var n int64
	if _, err := fmt.Sscanf(text, "%d", &n); err != nil {
		return err
	}
	mut.Set("token", "jwt", bigtable.Timestamp(n), nil)
	return nil
}

func okJSON(mut *bigtable.Mutation, data []byte) error {
	var v struct{ Expires int64 }
	if err := json.Unmarshal(data, &v); err != nil {
		return err
	}
	mut.Set("token", "jwt", bigtable.Timestamp(v.Expires), nil)
	return nil
}

func okAtomic(mut *bigtable.Mutation) {
	var n int64
	atomic.StoreInt64(&n, 7_226_582_400_000_000)
	mut.Set("token", "jwt", bigtable.Timestamp(n), nil)
}
