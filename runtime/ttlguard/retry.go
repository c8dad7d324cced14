package ttlguard

import (
	"hash/maphash"
	"sync"
	"sync/atomic"
	"time"

	"cloud.google.com/go/bigtable/apiv2/bigtablepb"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
)

// Clients retry above the connection, so that a retry looks like any other
// request. What tells it is that the same was sent before and failed.
const (
	retryWithin = 2 * time.Minute // longer than any client waits
	maxFailed   = 4096
)

// retries remembers requests that failed in a way that is retried.
type retries struct {
	some   atomic.Bool // whether any is remembered: mostly not, and then nobody waits
	mu     sync.Mutex
	seed   maphash.Seed
	failed map[uint64]time.Time
}

// retried reports whether requests that fail with the code are sent again.
func retried(code codes.Code) bool {
	switch code {
	case codes.Unavailable, codes.Aborted, codes.DeadlineExceeded, codes.Internal, codes.ResourceExhausted, codes.Unknown:
		return true
	}
	return false
}

// add remembers a part of a request that failed.
func (r *retries) add(part proto.Message, now time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.failed == nil || len(r.failed) >= maxFailed {
		r.failed = map[uint64]time.Time{}
		r.seed = maphash.MakeSeed()
	}
	r.failed[r.digest(part)] = now
	r.some.Store(true)
}

// again reports whether a part of a request was sent before and failed.
func (r *retries) again(part proto.Message, now time.Time) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	d := r.digest(part)
	at, ok := r.failed[d]
	if ok {
		delete(r.failed, d)
		r.some.Store(len(r.failed) > 0)
	}
	return ok && now.Sub(at) < retryWithin
}

// none reports whether nothing has failed, so that nothing can be a retry.
func (r *retries) none() bool { return !r.some.Load() }

func (r *retries) digest(m proto.Message) uint64 {
	data, err := proto.MarshalOptions{Deterministic: true}.Marshal(m)
	if err != nil {
		return 0 // text that is no UTF-8: it cannot be sent either
	}
	return maphash.Bytes(r.seed, data)
}

// essence returns what of a request stays the same when it is retried. A read
// goes on where it was interrupted, with other rows and another limit.
func essence(req proto.Message) proto.Message {
	if r, ok := req.(*bigtablepb.ReadRowsRequest); ok {
		return &bigtablepb.ReadRowsRequest{TableName: r.GetTableName(), AuthorizedViewName: r.GetAuthorizedViewName(), Filter: r.GetFilter()}
	}
	return req
}

// A Call is one request on its way, for whoever sends requests without a
// [grpc.ClientConn] of its own, such as a proxy. [Guard.Begin] makes one.
type Call struct {
	g   *Guard
	req proto.Message
}

// entries returns the parts of a bulk of mutations, which fail one by one.
func (c *Call) entries() []*bigtablepb.MutateRowsRequest_Entry {
	bulk, _ := c.req.(*bigtablepb.MutateRowsRequest)
	return bulk.GetEntries()
}

// Received looks at a message of the response: of a bulk of mutations it says
// which failed, and may come again.
func (c *Call) Received(msg any) {
	r, ok := msg.(*bigtablepb.MutateRowsResponse)
	if c == nil || !ok {
		return
	}
	sent := c.entries()
	for _, e := range r.GetEntries() {
		if i := e.GetIndex(); retried(codes.Code(e.GetStatus().GetCode())) && i >= 0 && i < int64(len(sent)) {
			c.g.retries.add(sent[i], c.g.now())
		}
	}
}

// Ended says how the request ended. It must be called once.
func (c *Call) Ended(err error) {
	if c == nil || c.req == nil || err == nil || !retried(status.Code(err)) {
		return
	}
	if sent := c.entries(); sent != nil {
		for _, e := range sent {
			c.g.retries.add(e, c.g.now())
		}
		return
	}
	c.g.retries.add(essence(c.req), c.g.now())
}
