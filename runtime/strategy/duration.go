package strategy

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Compiled when they are needed, since programs have no durations to parse but in
// tools.
var (
	dayPart  = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(\d+(?:\.\d+)?)d`) })
	unitWord = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(\d+(?:\.\d+)?)\s*([A-Za-zµ]+)$`) })
)

// words are units that people write and the unit that they mean.
var words = map[string]string{
	"sec": "s", "secs": "s", "second": "s", "seconds": "s", "S": "s",
	"min": "m", "mins": "m", "minute": "m", "minutes": "m",
	"hr": "h", "hrs": "h", "hour": "h", "hours": "h", "H": "h",
	"day": "d", "days": "d", "D": "d",
	"millis": "ms", "msec": "ms", "millisecond": "ms", "milliseconds": "ms",
}

// ParseDuration parses a positive duration as time.ParseDuration does, and
// days written "90d" or "1d12h". The error says what was meant.
func ParseDuration(s string) (time.Duration, error) {
	if s == "" {
		return 0, errors.New("is empty: write it like 30m, 12h or 90d")
	}
	if _, err := strconv.ParseFloat(s, 64); err == nil {
		return 0, fmt.Errorf("%q has no unit: write %ss, %sm, %sh or %sd", s, s, s, s, s)
	}
	rest, days := s, time.Duration(0)
	if m := dayPart().FindStringSubmatch(s); m != nil {
		n, err := strconv.ParseFloat(m[1], 64)
		if err != nil || n > 100000 {
			return 0, fmt.Errorf("%q is not a duration that Go can hold", s)
		}
		days, rest = time.Duration(n*24*float64(time.Hour)), s[len(m[0]):]
	}
	d := time.Duration(0)
	if rest != "" {
		var err error
		if d, err = time.ParseDuration(rest); err != nil {
			if m := unitWord().FindStringSubmatch(strings.TrimSpace(s)); m != nil {
				if unit, ok := words[m[2]]; ok {
					return 0, fmt.Errorf("%q has an unknown unit: write %s%s", s, m[1], unit)
				}
				return 0, fmt.Errorf("%q has an unknown unit: the units are ms, s, m, h and d", s)
			}
			return 0, fmt.Errorf("%q is not a duration: write it like 30m, 12h or 90d", s)
		}
	}
	if d += days; d <= 0 {
		return 0, fmt.Errorf("%q is not a positive duration", s)
	}
	return d, nil
}

// GoDuration writes a duration as Go source, such as "720*time.Hour".
func GoDuration(d time.Duration) string {
	for _, u := range []struct {
		unit time.Duration
		name string
	}{{time.Hour, "Hour"}, {time.Minute, "Minute"}, {time.Second, "Second"}, {time.Millisecond, "Millisecond"}} {
		switch {
		case d == u.unit:
			return "time." + u.name
		case d%u.unit == 0:
			return fmt.Sprintf("%d*time.%s", d/u.unit, u.name)
		}
	}
	return fmt.Sprint(int64(d))
}

// FormatDuration writes d as the documentation and registries do: whole
// days, hours, minutes or seconds where d is a multiple of them.
func FormatDuration(d time.Duration) string {
	for _, u := range []struct {
		d    time.Duration
		name string
	}{{24 * time.Hour, "d"}, {time.Hour, "h"}, {time.Minute, "m"}, {time.Second, "s"}, {time.Millisecond, "ms"}} {
		if d != 0 && d%u.d == 0 {
			return strconv.FormatInt(int64(d/u.d), 10) + u.name
		}
	}
	return d.String()
}

// Limits writes the limits with which a family is declared: "max-age 7d and
// 3 versions". It is "" for a family without.
func (f *Family) Limits() string {
	var parts []string
	if f.MaxAge > 0 {
		parts = append(parts, "max-age "+FormatDuration(f.MaxAge))
	}
	if f.Versions == 1 {
		parts = append(parts, "1 version")
	} else if f.Versions > 0 {
		parts = append(parts, fmt.Sprintf("%d versions", f.Versions))
	}
	return strings.Join(parts, " and ")
}
