// Package repeat finds what a program does again and again: the loops, and the
// function literals that somebody runs for each element of something, in which
// an instruction stands, and what stays as it is from one turn to the next.
//
// It knows the program and the values of its layers below. It gives the turns
// of an instruction ([Finder.Turns]), and says of each whether a value is
// steady in it ([Turn.Steady]), whether an object comes again to the same
// place ([Turn.Again]) and whether that is so in one turn only
// ([Turn.Singled]). What is not known is not steady. It must not know what
// calls mean.
package repeat
