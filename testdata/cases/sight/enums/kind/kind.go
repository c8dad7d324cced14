// Package kind names families by numbers.
package kind

import "strconv"

type Kind int

const (
	Token Kind = iota + 1
	Profile
	Event
)

var names = [...]string{"", "token", "profile", "event"}

func (f Kind) Array() string { return names[f] }

func (f Kind) Checked() string {
	if f < 0 || int(f) >= len(names) {
		return "Kind(" + strconv.Itoa(int(f)) + ")"
	}
	return names[f]
}

var keyed = [...]string{Token: "token", Profile: "profile", Event: "event"}

func (f Kind) Keyed() string { return keyed[f] }

func (f Kind) Local() string  { return [...]string{"", "token", "profile", "event"}[f] }
func (f Kind) Local2() string { return [...]string{"token", "profile", "event"}[f-1] }

var slice = []string{"token", "profile", "event"}

func (f Kind) Slice() string { return slice[f-1] }

var m = map[Kind]string{Token: "token", Profile: "profile", Event: "event"}

func (f Kind) Map() string { return m[f] }

func (f Kind) MapOk() string {
	if s, ok := m[f]; ok {
		return s
	}
	return "?"
}

func (f Kind) Switch() string {
	switch f {
	case Token:
		return "token"
	case Profile:
		return "profile"
	case Event:
		return "event"
	}
	return "unknown"
}

const _kind_name = "TokenProfileEvent"
const _kind_low = "tokenprofileevent"

var _kind_index = [...]uint8{0, 5, 12, 17}

func (i Kind) Stringer() string {
	i -= 1
	if i < 0 || i >= Kind(len(_kind_index)-1) {
		return "Kind(" + strconv.FormatInt(int64(i+1), 10) + ")"
	}
	return _kind_low[_kind_index[i]:_kind_index[i+1]]
}
func (i Kind) Stringer2() string {
	idx := int(i) - 1
	if i < 1 || idx >= len(_kind_index)-1 {
		return "Kind(" + strconv.FormatInt(int64(i), 10) + ")"
	}
	return _kind_low[_kind_index[idx]:_kind_index[idx+1]]
}

type Spec struct {
	Name    string
	Seconds int
}

var specs = [...]Spec{{"", 0}, {"token", 1800}, {"profile", 0}, {"event", 3600}}

func (f Kind) Spec() Spec   { return specs[f] }
func (f Kind) Spec2() *Spec { return &specs[f] }

type Text string

const TextToken Text = "token"

func (k Text) String() string { return string(k) }
