// Package enc makes mutations and does not know their tables.
package enc

import (
	"errors"

	"cloud.google.com/go/bigtable"
)

// Page makes one that is right for some tables.
func Page(text string) *bigtable.Mutation {
	m := bigtable.NewMutation()
	m.Set("page", "text", bigtable.Now(), []byte(text))
	return m
}

// Fill is Page for a mutation that there is.
func Fill(m *bigtable.Mutation, text string) {
	m.Set("page", "text", bigtable.Now(), []byte(text))
}

// At leaves the time to its callers.
func At(ts bigtable.Timestamp) *bigtable.Mutation {
	m := bigtable.NewMutation()
	m.Set("page", "text", ts, nil)
	return m
}

// Token is wrong for every table, and that is said here.
func Token() *bigtable.Mutation {
	m := bigtable.NewMutation()
	m.Set("token", "c", bigtable.Now(), nil) // want `write-time: .*"token"`
	return m
}

// A Text is made a mutation by its method.
type Text struct{ Body string }

// Mutation makes it one.
func (t Text) Mutation() *bigtable.Mutation { return Page(t.Body) }

// Titled makes one that is right for some tables, or fails.
func Titled(column, text string) (*bigtable.Mutation, error) {
	if text == "" {
		return nil, errors.New("no text")
	}
	m := bigtable.NewMutation()
	m.Set("page", column, bigtable.Now(), []byte(text))
	return m, nil
}
