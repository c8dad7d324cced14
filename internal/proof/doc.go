// Package proof holds the rules to the service's behaviour: for each rule its
// tests run what the rule reports and what it asks for against the Bigtable
// emulator, and look at which cells are lost or returned. A rule that the
// emulator cannot show names the document that it rests on.
package proof
