package wording

// units are the words that name a unit of time at the end of a number's name.
var units = map[string]string{
	"microseconds": "microseconds", "micros": "microseconds",
	"milliseconds": "milliseconds", "millis": "milliseconds", "msecs": "milliseconds", "msec": "milliseconds", "ms": "milliseconds",
	"seconds": "seconds", "secs": "seconds", "sec": "seconds",
	"minutes": "minutes", "mins": "minutes",
	"hours": "hours", "hrs": "hours",
	"days":  "days",
	"weeks": "weeks",
}

// Unit returns the unit of time that the name of a number says, such as
// "seconds" of retentionSecs; "" where it says none, or nanoseconds.
func Unit(name string) string {
	words := wordsOf(name)
	if len(words) == 0 {
		return ""
	}
	return units[words[len(words)-1]]
}
