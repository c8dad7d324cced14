// Package model has what rows are decoded to.
package model

import "time"

// Quota is one.
type Quota struct {
	Names   []string
	Expires time.Time
}
