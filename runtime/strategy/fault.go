package strategy

// A Fault is what is wrong with the timestamp of a cell that is written.
type Fault uint8

// The faults.
const (
	None       Fault = iota
	ServerTime       // the server's clock, where it means something else
	WriteTime        // the current time, where it means the moment of expiry
	BeforeNow        // a time before now at which the cell has expired
	LongPast         // a constant at which the cell has expired
	NoTime           // the zero time
	StaleClock       // a clock reading that was taken once
	ClockTime        // a clock reading where numbers or 0 belong
	NotScaled        // a constant number that is cut to milliseconds
	ByOnes           // a counter whose steps are cut off
	NotZero          // another constant than 0
	NotKnown         // something that is certainly not 0
)

// Write returns what is wrong with a timestamp for a cell of the family, as
// far as the timestamp itself shows it.
func (f *Family) Write(ts Instant) Fault {
	switch f.Strategy {
	case OneSecond:
		return oneSecond(ts)
	case Default:
		return f.shifted(ts)
	case Sequence:
		return sequence(ts)
	case Zero:
		return zero(ts)
	}
	return None
}

func oneSecond(ts Instant) Fault {
	switch {
	case ts.Server():
		return ServerTime
	case ts.Kind == Never:
		return NoTime
	case ts.Kind == Fixed && ts.Micros >= 0 && ts.Micros < past.UnixMicro():
		return LongPast
	case ts.Kind == Now && ts.Hi < 0:
		return BeforeNow
	case ts.Stale():
		return StaleClock
	case ts.Kind == Now && ts.Hi == 0:
		return WriteTime
	}
	return None
}

func (f *Family) shifted(ts Instant) Fault {
	switch {
	case ts.Kind == Never:
		return NoTime
	case ts.Kind == Fixed && ts.Micros >= 0 && ts.Micros < past.Add(-f.TTL).UnixMicro():
		return LongPast
	case ts.Kind == Now && ts.Hi <= -float64(f.TTL):
		return BeforeNow
	case ts.Stale():
		return StaleClock
	}
	return None
}

func sequence(ts Instant) Fault {
	switch {
	case ts.Server():
		return ServerTime
	case ts.Clock():
		return ClockTime
	case ts.Kind == Fixed && ts.Micros > 0 && ts.Micros%1000 != 0:
		return NotScaled
	case (ts.Kind == Counter || ts.Kind == Unknown && ts.Step != 0) && !multipleOf1000(ts.Step):
		return ByOnes
	}
	return None
}

func multipleOf1000(step float64) bool {
	n := int64(step)
	return float64(n) == step && n%1000 == 0 && n != 0
}

func zero(ts Instant) Fault {
	switch {
	case ts.Server():
		return ServerTime
	case ts.Clock():
		return ClockTime
	case ts.Kind == Fixed && ts.Micros >= 1000:
		return NotZero
	case ts.Kind == Counter, ts.Kind == WrongUnit:
		return NotKnown
	}
	return None
}
