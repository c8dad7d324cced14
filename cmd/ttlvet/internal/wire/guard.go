package wire

import "github.com/ttlvet/ttlvet/runtime/ttlguard"

// guard returns a guard that holds requests to what is declared, and rejects those
// that violate it or passes them on.
func (d *Declaration) guard(log *violationLog, reject bool) (*ttlguard.Guard, error) {
	options := []ttlguard.Option{ttlguard.WithLogger(nil), ttlguard.Interval(0), ttlguard.OnViolation(log.add)}
	for _, f := range d.Families {
		options = append(options, ttlguard.Declare(f.Table, f.Agreement))
	}
	for _, rule := range ttlguard.Rules() {
		if !d.On(rule) {
			options = append(options, ttlguard.Disable(rule))
		}
	}
	if d.Strict {
		options = append(options, ttlguard.Strict())
	}
	if reject {
		options = append(options, ttlguard.Reject())
	}
	return ttlguard.New(options...)
}
