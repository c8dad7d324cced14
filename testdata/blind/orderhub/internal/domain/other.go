package domain

import "time"

// Channel is how a notification travels.
type Channel string

// The channels.
const (
	ChannelPush  Channel = "push"
	ChannelMail  Channel = "mail"
	ChannelSMS   Channel = "sms"
	ChannelInApp Channel = "in-app"
)

// Notification is something a customer is told.
type Notification struct {
	ID       string
	Subject  string
	Body     string
	Channel  Channel
	Lifetime time.Duration
	SentAt   time.Time
}

// NotificationBuilder builds a Notification.
type NotificationBuilder struct {
	n Notification
}

// NewNotificationBuilder returns a NotificationBuilder for in-app notifications.
func NewNotificationBuilder() *NotificationBuilder {
	return &NotificationBuilder{n: Notification{Channel: ChannelInApp}}
}

// WithID sets the id.
func (b *NotificationBuilder) WithID(id string) *NotificationBuilder { b.n.ID = id; return b }

// WithSubject sets the subject.
func (b *NotificationBuilder) WithSubject(s string) *NotificationBuilder { b.n.Subject = s; return b }

// WithBody sets the body.
func (b *NotificationBuilder) WithBody(s string) *NotificationBuilder { b.n.Body = s; return b }

// Via sets the channel.
func (b *NotificationBuilder) Via(c Channel) *NotificationBuilder { b.n.Channel = c; return b }

// LivingFor sets the lifetime.
func (b *NotificationBuilder) LivingFor(d time.Duration) *NotificationBuilder {
	b.n.Lifetime = d
	return b
}

// Build returns the Notification.
func (b *NotificationBuilder) Build() (Notification, error) {
	if b.n.ID == "" || b.n.Subject == "" {
		return Notification{}, ErrIncomplete
	}
	return b.n, nil
}

// Entry is a booking.
type Entry struct {
	Number  int64
	Amount  int64
	Balance int64
	Actor   string
}

// Campaign is a campaign.
type Campaign struct {
	ID      string
	Title   string
	Segment string
	Starts  time.Time
	Ends    time.Time
}

// Running tells whether the campaign runs at t.
func (c *Campaign) Running(t time.Time) bool { return !t.Before(c.Starts) && t.Before(c.Ends) }
