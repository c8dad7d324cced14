// Package receiver tells on which object a call runs a method: what that may be, and
// which call made it.
//
// It knows values and the client's own calls. It gives, for a call on one way, whether
// the receiver has another method than the one meant ([Finder.RunsAnother]), of which
// type it must be ([Finder.TypedAs]) and which object it passes the call on to
// ([Finder.Innermost]); then the constructor that supplies what the method uses
// ([Finder.Constructor], [Finder.ToldElsewhere]), and of what a function does whether
// anything but the receiver ([Only]) or the constructor's table ([Idle]) matters. It
// must not know how events get to the calls.
//
// Where to begin: receiver.go (types), then constructors.go and made.go (who made it).
package receiver
