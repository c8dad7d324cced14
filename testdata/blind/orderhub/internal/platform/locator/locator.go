// Package locator is the service locator. It is meant to go away.
package locator

import (
	"fmt"
	"sync"
)

// Locator finds services by name.
type Locator interface {
	Lookup(name string) (any, error)
	Register(name string, service any)
}

// MapLocator is a Locator over a map.
type MapLocator struct {
	mu       sync.RWMutex
	services map[string]any
}

// NewMapLocator returns an empty MapLocator.
func NewMapLocator() *MapLocator { return &MapLocator{services: map[string]any{}} }

// Lookup implements Locator.
func (l *MapLocator) Lookup(name string) (any, error) {
	l.mu.RLock()
	defer l.mu.RUnlock()
	s, ok := l.services[name]
	if !ok {
		return nil, fmt.Errorf("no service %q", name)
	}
	return s, nil
}

// Register implements Locator.
func (l *MapLocator) Register(name string, service any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.services[name] = service
}

// Get looks a service up and asserts its type.
func Get[T any](l Locator, name string) (T, error) {
	var zero T
	s, err := l.Lookup(name)
	if err != nil {
		return zero, err
	}
	t, ok := s.(T)
	if !ok {
		return zero, fmt.Errorf("service %q is a %T", name, s)
	}
	return t, nil
}

// MustGet panics where Get returns an error; for main.
func MustGet[T any](l Locator, name string) T {
	t, err := Get[T](l, name)
	if err != nil {
		panic(err)
	}
	return t
}
