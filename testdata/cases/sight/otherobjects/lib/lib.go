// Package lib makes views of objects that others make.
package lib

import (
	"time"

	"cloud.google.com/go/bigtable"
)

// A Device was seen at some time.
type Device struct {
	ID   string
	Seen time.Time
}

// A Session has devices.
type Session struct{ Devices []Device }

// A View is what is shown of a device.
type View struct{ UpdatedAt int64 }

// Views shows all devices.
func Views(s *Session) (out []View) {
	for _, d := range s.Devices {
		out = append(out, View{UpdatedAt: d.Seen.Unix()})
	}
	return out
}

// View shows a device.
func (d Device) View() View { return View{UpdatedAt: d.Seen.Unix()} }

// Of makes a device of a cell.
func Of(it bigtable.ReadItem) Device { return Device{ID: it.Column, Seen: it.Timestamp.Time()} }
