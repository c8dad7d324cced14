// Package dao has interfaces, and knows nothing of who implements them.
package dao

import "time"

// Saver saves.
type Saver interface {
	SaveUntil(key string, at time.Time) error
}

// Keeper keeps, in two ways.
type Keeper interface {
	Keep(key string, at time.Time) error
}
