package wording

import (
	"strings"
	"testing"
)

func TestSaysWritten(t *testing.T) {
	for _, name := range strings.Fields(`createdAt CreatedAt created_at DateCreated LastUpdate lastUpdate last_update LAST_UPDATE
		LastWrite last-write LastModified Last-Modified ModTime mtime updateTime UPDATE_TIME UpdateTS updateTs write_ts
		CreationDate creation SavedAt stored_at insertedOn changed_at LastChange lastChanged modifiedOn WriteDate written date_added`) {
		if !SaysWritten(name) {
			t.Errorf("%s is not taken for the time of writing", name)
		}
	}
	for _, name := range strings.Fields(`expires ExpiresAt storedExpiry updatedUntil validUntil LastSeen lastLogin at when Timestamp
		ts deadline nextUpdate updateCount changed saved store last mode modulus ttl TTLUpdated lastUpdater coordinate restoreDate update`) {
		if SaysWritten(name) {
			t.Errorf("%s is taken for the time of writing", name)
		}
	}
}
