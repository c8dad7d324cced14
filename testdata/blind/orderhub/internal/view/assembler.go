// Package view turns rows into what the console and the API show.
package view

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/meridian/orderhub/internal/constants"
	"example.com/meridian/orderhub/internal/platform/clock"
)

// SessionDTO is a session as the console shows it.
type SessionDTO struct {
	ID        string    `json:"id"`
	Name      string    `json:"name"`
	CreatedAt time.Time `json:"createdAt"`
	ExpiresAt time.Time `json:"expiresAt"`
}

// OrderDTO is an order as the console shows it.
type OrderDTO struct {
	ID         string    `json:"id"`
	State      string    `json:"state"`
	Revision   int64     `json:"revision"`
	UpdatedAt  time.Time `json:"updatedAt"`
	ModifiedAt string    `json:"modifiedAt"`
	Age        string    `json:"age"`
}

// MessageDTO is a notification as the API shows it.
type MessageDTO struct {
	ID        string `json:"id"`
	Text      string `json:"text"`
	WrittenAt string `json:"writtenAt"`
	Opened    string `json:"opened"`
}

// Assembler makes DTOs.
type Assembler interface {
	Session(row bigtable.Row) SessionDTO
	Order(row bigtable.Row) OrderDTO
	Messages(row bigtable.Row) []MessageDTO
}

// ConsoleAssembler implements Assembler.
type ConsoleAssembler struct {
	clock clock.Clock
	zone  *time.Location
}

var _ Assembler = (*ConsoleAssembler)(nil)

// NewConsoleAssembler returns a ConsoleAssembler.
func NewConsoleAssembler(c clock.Clock, zone *time.Location) *ConsoleAssembler {
	return &ConsoleAssembler{clock: c, zone: zone}
}

// Session implements Assembler.
func (a *ConsoleAssembler) Session(row bigtable.Row) SessionDTO {
	dto := SessionDTO{ID: row.Key()}
	for _, item := range row[constants.FamilyToken] {
		if item.Column == constants.FamilyToken+":"+constants.Session.JWT {
			dto.ExpiresAt = item.Timestamp.Time() // ok ttlage/not-write-time
			dto.CreatedAt = item.Timestamp.Time() // want ttlage/not-write-time
		}
	}
	for _, item := range row[constants.FamilyProfile] {
		if item.Column == constants.FamilyProfile+":"+constants.Session.Name {
			dto.Name = string(item.Value)
			dto.CreatedAt = item.Timestamp.Time() // ok ttlage/not-write-time
		}
	}
	return dto
}

// Order implements Assembler.
func (a *ConsoleAssembler) Order(row bigtable.Row) OrderDTO {
	dto := OrderDTO{ID: row.Key()}
	if items := row[constants.FamilyState]; len(items) > 0 {
		dto.State = string(items[0].Value)
		dto.UpdatedAt = items[0].Timestamp.Time() // want ttlage/not-write-time
	}
	for _, item := range row[constants.FamilyRevision] {
		n := int64(item.Timestamp) / 1000 // ok ttlage/not-write-time
		if n > dto.Revision {
			dto.Revision = n
			dto.ModifiedAt = item.Timestamp.Time().In(a.zone).Format(time.DateTime) // want ttlage/not-write-time
		}
	}
	for _, item := range row[constants.FamilyHeader] {
		dto.Age = a.clock.Now().Sub(item.Timestamp.Time()).Round(time.Second).String() // ok ttlage/not-write-time
	}
	return dto
}

// Messages implements Assembler.
func (a *ConsoleAssembler) Messages(row bigtable.Row) []MessageDTO {
	var out []MessageDTO
	opened := map[string]string{}
	for _, item := range row[constants.FamilyReceipt] {
		opened[strings.TrimPrefix(item.Column, constants.FamilyReceipt+":")] = item.Timestamp.Time().In(a.zone).Format(time.Kitchen) // ok ttlage/not-write-time
	}
	for _, item := range row[constants.FamilyInbox] {
		id := strings.TrimPrefix(item.Column, constants.FamilyInbox+":")
		out = append(out, MessageDTO{
			ID:        id,
			Text:      string(item.Value),
			WrittenAt: item.Timestamp.Time().In(a.zone).Format(time.DateTime), // want ttlage/not-write-time
			Opened:    opened[id],
		})
	}
	return out
}

// HoldLine is a line of the warehouse's screen.
func (a *ConsoleAssembler) HoldLine(row bigtable.Row) []string {
	var out []string
	for _, item := range row[constants.FamilyHold] {
		left := time.Until(item.Timestamp.Time()).Round(time.Second) // ok ttlage/not-write-time
		out = append(out, item.Column+" for "+left.String())
	}
	return out
}

// HoldSince is what the warehouse asked for.
func (a *ConsoleAssembler) HoldSince(row bigtable.Row) []string {
	var out []string
	now := a.clock.Now()
	for _, item := range row[constants.FamilyHold] {
		since := now.Sub(item.Timestamp.Time()).Round(time.Second) // want ttlage/not-write-time
		out = append(out, item.Column+" since "+since.String())
	}
	return out
}

// age is shared by what follows.
func age(c clock.Clock, item bigtable.ReadItem) time.Duration {
	return c.Now().Sub(item.Timestamp.Time())
}

// ReceiptAge tells how old a receipt is.
func (a *ConsoleAssembler) ReceiptAge(row bigtable.Row) string {
	items := row[constants.FamilyReceipt]
	if len(items) == 0 {
		return ""
	}
	return age(a.clock, items[0]).String() // ok ttlage/not-write-time
}

// HoldAge tells how old the first hold is, with the same helper.
func (a *ConsoleAssembler) HoldAge(row bigtable.Row) string {
	items := row[constants.FamilyHold]
	if len(items) == 0 {
		return ""
	}
	return age(a.clock, items[0]).String() // want ttlage/not-write-time
}

// LedgerAge tells how old an audit line is.
func (a *ConsoleAssembler) LedgerAge(row bigtable.Row) string {
	items := row[constants.FamilyAudit]
	if len(items) == 0 {
		return ""
	}
	created := items[0].Timestamp.Time() // ok ttlage/not-write-time
	return fmt.Sprintf("%s (%d days)", created.Format(time.DateOnly), int(a.clock.Now().Sub(created).Hours()/24))
}

// PrefStale tells whether a preference was set long ago; it was always so.
func (a *ConsoleAssembler) PrefStale(row bigtable.Row) bool {
	for _, item := range row[constants.FamilyPref] {
		if time.Since(item.Timestamp.Time()) > 365*24*time.Hour { // want ttlage/not-write-time
			return true
		}
	}
	return false
}

// Newest tells which of two revisions is newer.
func (a *ConsoleAssembler) Newest(row bigtable.Row) []byte {
	var best bigtable.ReadItem
	for _, item := range row[constants.FamilyRevision] {
		if item.Timestamp > best.Timestamp { // ok ttlage/not-write-time
			best = item
		}
	}
	return best.Value
}

// QuotaText shows a quota.
func (a *ConsoleAssembler) QuotaText(row bigtable.Row) string {
	for _, item := range row[constants.FamilyQuota] {
		n, err := strconv.ParseInt(string(item.Value), 10, 64)
		if err != nil {
			return "?"
		}
		return fmt.Sprintf("%d of the quota", n)
	}
	return "no quota"
}

// Unset asks whether a revision was stored by the server's clock.
func (a *ConsoleAssembler) Unset(row bigtable.Row) bool {
	for _, item := range row[constants.FamilyRevision] {
		if item.Timestamp == bigtable.ServerTime { // want ttlage/server-sentinel
			return true
		}
	}
	return false
}

// UnsetMeta asks whether a write asked for the server's clock, which is a fair question.
func UnsetMeta(ts bigtable.Timestamp) bool {
	return ts == bigtable.ServerTime // ok ttlage/server-sentinel
}
