// Package user keeps tokens by another package.
package user

import (
	"cloud.google.com/go/bigtable"

	"example.com/cases/sight/fakeuser"
)

type server struct{ tokens *fakes.Tokens }

func newServer(c *bigtable.Client) *server { return &server{tokens: fakes.New(c)} }
