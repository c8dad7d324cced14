package service

import (
	"context"
	"sort"
	"testing"
	"time"

	"haulr.dev/backend/internal/clock"
	"haulr.dev/backend/internal/store"
)

type memInbox map[string][]store.Message

func (m memInbox) Append(ctx context.Context, msg store.Message) error {
	m[msg.Chat] = append(m[msg.Chat], msg)
	return nil
}

func (m memInbox) Messages(ctx context.Context, chat string, n int) ([]store.Message, error) {
	ms := append([]store.Message(nil), m[chat]...)
	sort.Slice(ms, func(i, j int) bool { return ms[i].Seq > ms[j].Seq })
	return ms[:min(n, len(ms))], nil
}

func (m memInbox) SaveDraft(ctx context.Context, d store.Draft) error { return nil }

func (m memInbox) DraftsWeek(ctx context.Context, chat string) ([]store.Draft, error) {
	return nil, nil
}

func TestChatNumbers(t *testing.T) {
	in := memInbox{}
	c := NewChat(in, nil, clock.NewFake(time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)))
	for want := int64(1); want <= 3; want++ {
		got, err := c.Send(context.Background(), "c", "u", "hello")
		if err != nil || got != want {
			t.Errorf("got %d, %v, want %d", got, err, want)
		}
	}
	other := NewChat(in, nil, clock.System{})
	if got, err := other.Send(context.Background(), "c", "u", "again"); err != nil || got != 4 {
		t.Errorf("got %d, %v", got, err)
	}
	if _, err := c.Send(context.Background(), "c", "u", "  "); err == nil {
		t.Error("empty message")
	}
}
