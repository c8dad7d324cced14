// Package keys holds the names of tables, families and columns, and builds row keys.
package keys

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Tables.
const (
	TableDeviceState = "device_state"
	TableCommands    = "commands"
	TableFirmware    = "firmware"
	TableGeofence    = "geofence"
	TableSessions    = "sessions"
	TableIndex       = "fleet_index"
	TableBilling     = "billing"
	TableScratch     = "scratch_import"
	SuffixRollup     = "-rollup"
)

// Families.
const (
	FamHB     = "hb"
	FamShadow = "shadow"
	FamVer    = "ver"
	FamMeta   = "meta"

	FamCmd   = "cmd"
	FamSeq   = "seq"
	FamAudit = "audit"

	FamRev  = "rev"
	FamBlob = "blob"
	FamInfo = "info"

	FamState = "st"
	FamFence = "fence"

	FamLease = "lease"

	FamMinute = "m1"
	FamHour   = "h1"
	FamAgg    = "agg"

	FamTok     = "tok"
	FamByModel = "by_model"
)

// ErrBadKey is returned for keys that do not have the expected shape.
var ErrBadKey = errors.New("keys: malformed row key")

const sep = "#"

// Device is the row of a device.
func Device(site, dev string) string { return site + sep + dev }

// SitePrefix covers the devices of a site.
func SitePrefix(site string) string { return site + sep }

// SplitDevice is the reverse of Device.
func SplitDevice(key string) (site, dev string, err error) {
	i := strings.Index(key, sep)
	if i <= 0 || i == len(key)-1 {
		return "", "", fmt.Errorf("%w: %q", ErrBadKey, key)
	}
	return key[:i], key[i+1:], nil
}

// Command is the row of one command.
func Command(dev string, n int64) string { return fmt.Sprintf("%s%sc%012d", dev, sep, n) }

// CommandPrefix covers the commands of a device.
func CommandPrefix(dev string) string { return dev + sep + "c" }

// CommandNumber takes the number out of a command's row key.
func CommandNumber(key string) (int64, error) {
	i := strings.LastIndex(key, sep+"c")
	if i < 0 {
		return 0, fmt.Errorf("%w: %q", ErrBadKey, key)
	}
	return strconv.ParseInt(strings.TrimLeft(key[i+2:], "0"), 10, 64)
}

// QueueHead is the row with a device's queue counters.
func QueueHead(dev string) string { return dev + sep + "head" }

// Image is the row of a firmware image.
func Image(model string) string { return "img" + sep + model }

// Rollout is the row of a rollout.
func Rollout(id string) string { return "ro" + sep + id }

// Fence is the row of a device's state within a fence.
func Fence(fence, dev string) string { return fence + sep + dev }

// Bucket is a rollup's row: device and day, newest day first.
func Bucket(dev string, day time.Time) string {
	return fmt.Sprintf("%s%s%08d", dev, sep, 99999999-dayNumber(day))
}

func dayNumber(t time.Time) int {
	t = t.UTC()
	return t.Year()*10000 + int(t.Month())*100 + t.Day()
}

// MinuteCol is the column of a minute within its day.
func MinuteCol(t time.Time) string {
	t = t.UTC()
	return fmt.Sprintf("%02d%02d", t.Hour(), t.Minute())
}

// HourCol is the column of an hour within its day.
func HourCol(t time.Time) string { return fmt.Sprintf("%02d", t.UTC().Hour()) }

// Session is the row of a session.
func Session(id string) string { return "s" + sep + id }

// Model is the row of a model in the index.
func Model(model string) string { return "m" + sep + model }
