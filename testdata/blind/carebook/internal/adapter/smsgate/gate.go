// Package smsgate sends messages through the gateway of the phone company.
package smsgate

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"

	"github.com/carebook/appointments/internal/domain/reminder"
	"github.com/carebook/appointments/internal/platform/retry"
)

// Gate implements reminder.Sender.
type Gate struct {
	URL    string
	Client *http.Client
	Policy retry.Policy
}

var _ reminder.Sender = (*Gate)(nil)

// Send implements reminder.Sender.
func (g *Gate) Send(ctx context.Context, ch reminder.Channel, to, body string) error {
	b, err := json.Marshal(map[string]string{"channel": string(ch), "to": to, "body": body})
	if err != nil {
		return err
	}
	return retry.Run(ctx, g.Policy, func(ctx context.Context) error {
		req, err := http.NewRequestWithContext(ctx, http.MethodPost, g.URL, bytes.NewReader(b))
		if err != nil {
			return retry.Permanent(err)
		}
		req.Header.Set("Content-Type", "application/json")
		res, err := g.Client.Do(req)
		if err != nil {
			return err
		}
		defer res.Body.Close()
		_, _ = io.Copy(io.Discard, io.LimitReader(res.Body, 1<<16))
		switch {
		case res.StatusCode >= 500:
			return fmt.Errorf("gateway: %s", res.Status)
		case res.StatusCode >= 400:
			return retry.Permanent(fmt.Errorf("gateway: %s", res.Status))
		}
		return nil
	})
}
