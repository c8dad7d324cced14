// Package dal opens tables.
package dal

import (
	"context"

	"cloud.google.com/go/bigtable"
)

// Reader reads.
type Reader interface {
	ReadRow(ctx context.Context, row string, opts ...bigtable.ReadOption) (bigtable.Row, error)
}

type logged struct{ Reader }

// Decorator decorates.
type Decorator func(Reader) Reader

// Logged logs.
func Logged() Decorator { return func(r Reader) Reader { return &logged{r} } }

// Decorate decorates.
func Decorate(r Reader, ds ...Decorator) Reader {
	for _, d := range ds {
		r = d(r)
	}
	return r
}

// Client opens tables.
type Client struct {
	bt    *bigtable.Client
	meter any
}

// Dial dials.
func Dial(ctx context.Context) (*Client, error) {
	bt, err := bigtable.NewClient(ctx, "p", "i")
	return &Client{bt: bt}, err
}

func (c *Client) open(name string) Reader {
	t := Decorate(c.bt.Open(name), Logged())
	if c.meter != nil {
		t = Decorate(t, Logged())
	}
	return t
}

// Sessions opens sessions.
func (c *Client) Sessions() Reader { return c.open("sessions") }
