package lobby

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/guild/internal/kit"
	"example.com/guild/schema"
)

// nonceTTL is how long a nonce of the handshake is good for.
const nonceTTL = 20 * time.Second

// Nonces keeps the nonces of handshakes under way. Its table is new, and only
// the policy in schema says what its timestamps mean.
type Nonces struct {
	tbl *bigtable.Table
}

// NewNonces returns the nonces.
func NewNonces(client *bigtable.Client) *Nonces {
	return &Nonces{tbl: client.Open(schema.Nonces)}
}

// Issue stores a nonce.
func (n *Nonces) Issue(ctx context.Context, peer string, nonce []byte) error {
	m := bigtable.NewMutation()
	m.Set(schema.FamNonce, "v", bigtable.Time(kit.Now(ctx).Add(nonceTTL)), nonce) // ok ttlwrite/write-time
	return n.tbl.Apply(ctx, peer, m)
}

// Reissue stores a nonce again.
func (n *Nonces) Reissue(ctx context.Context, peer string, nonce []byte) error {
	m := bigtable.NewMutation()
	m.Set(schema.FamNonce, "v", bigtable.Now(), nonce) // want ttlwrite/write-time
	return n.tbl.Apply(ctx, peer, m)
}

// Check says whether a peer has a nonce.
func (n *Nonces) Check(ctx context.Context, peer string) (bool, error) {
	row, err := n.tbl.ReadRow(ctx, peer, bigtable.RowFilter(kit.OfFamily(schema.FamNonce, kit.UnexpiredAt(kit.Now(ctx))))) // ok ttlread/missing-filter
	return len(row) > 0, err
}

// Peek returns the nonce of a peer.
func (n *Nonces) Peek(ctx context.Context, peer string) ([]byte, error) {
	row, err := n.tbl.ReadRow(ctx, peer, bigtable.RowFilter(kit.OfFamily(schema.FamNonce, bigtable.LatestNFilter(1)))) // want ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	b, ok := kit.First(row, schema.FamNonce, "v")
	if !ok {
		return nil, kit.ErrNotFound
	}
	return b, nil
}
