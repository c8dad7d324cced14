// Package channel tells which channels of a program may be one: where what is
// received was sent.
//
// It knows the program. It gives what is sent on a channel ([Channels.SentOn]),
// and of objects with a channel of their own, which are mailboxes, whose they are
// ([Channels.Mailbox]) and what the loop beside them captures
// ([Channels.Beside]). It must not know what is sent.
package channel
