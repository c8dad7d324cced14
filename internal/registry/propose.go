package registry

import "sync"

// proposed holds the texts of registry files, by path, that are tried.
var proposed sync.Map // of string to []byte

// Propose makes a text stand for the content of a registry file, whether or not
// it is there, until it is withdrawn: what code is under a registry is known
// before anything is written.
func Propose(path string, text []byte) (withdraw func()) {
	path = clean(path)
	proposed.Store(path, text)
	return func() { proposed.Delete(path) }
}

// text returns what is proposed for a registry file, or nil.
func text(path string) []byte {
	if p, ok := proposed.Load(clean(path)); ok {
		return p.([]byte)
	}
	return nil
}
