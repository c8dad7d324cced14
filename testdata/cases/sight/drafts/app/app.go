// Package app uses another package's builder.
package app

import (
	"context"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/cases/sight/drafts/schema"
)

func sessions(ctx context.Context, ac *bigtable.AdminClient) {
	d := schema.NewDraft("sessions")
	d = d.With("token", bigtable.MaxAgePolicy(time.Hour)) // want `age-mismatch: .*"token"`

	d.Create(ctx, ac)
}

func okSessions(ctx context.Context, ac *bigtable.AdminClient) {
	d := schema.NewDraft("sessions")
	d = d.With("token", bigtable.MaxAgePolicy(time.Second))
	d.Create(ctx, ac)
}

func okOther(ctx context.Context, ac *bigtable.AdminClient) {
	schema.NewDraft("plain").With("token", bigtable.MaxAgePolicy(time.Hour)).Create(ctx, ac)
}
