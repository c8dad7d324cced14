// Package dto has what crosses the wire.
package dto

import "time"

type Session struct {
	ID        string    `json:"id"`
	UserID    string    `json:"userId"`
	JWT       string    `json:"jwt"`
	Device    string    `json:"device,omitempty"`
	UserAgent string    `json:"userAgent,omitempty"`
	ExpiresAt time.Time `json:"expiresAt"`
	CreatedAt time.Time `json:"createdAt"`
	Age       string    `json:"age,omitempty"`
}

type RefreshToken struct {
	ID        string        `json:"id"`
	Hash      string        `json:"-"`
	UserID    string        `json:"userId"`
	ExpiresAt time.Time     `json:"expiresAt"`
	IssuedAt  time.Time     `json:"issuedAt"`
	Left      time.Duration `json:"left"`
}

type Presence struct {
	UserID     string    `json:"userId"`
	Status     string    `json:"status"`
	Device     string    `json:"device"`
	LastSeen   time.Time `json:"lastSeen"`
	UpdatedAt  time.Time `json:"updatedAt"`
	OnlineTill time.Time `json:"onlineTill"`
}

type Notification struct {
	ID        string    `json:"id"`
	UserID    string    `json:"userId"`
	Kind      string    `json:"kind"`
	Text      string    `json:"text"`
	CreatedAt time.Time `json:"createdAt"`
	ExpiresAt time.Time `json:"expiresAt"`
}

type Digest struct {
	UserID    string    `json:"userId"`
	Lines     []string  `json:"lines"`
	WrittenAt time.Time `json:"writtenAt"`
}

type Prefs struct {
	Email     bool      `json:"email"`
	Push      bool      `json:"push"`
	UpdatedAt time.Time `json:"updatedAt"`
}

type Post struct {
	ID        string    `json:"id"`
	AuthorID  string    `json:"authorId"`
	Text      string    `json:"text"`
	Revision  int64     `json:"revision"`
	CreatedAt time.Time `json:"createdAt"`
}

type Revision struct {
	PostID   string    `json:"postId"`
	Number   int64     `json:"number"`
	Text     string    `json:"text"`
	EditedBy string    `json:"editedBy"`
	EditedAt time.Time `json:"editedAt"`
	Modified string    `json:"modified,omitempty"`
}

type PostStats struct {
	Likes     int64     `json:"likes"`
	Views     int64     `json:"views"`
	UpdatedAt time.Time `json:"updatedAt"`
}

type TimelineEntry struct {
	PostID    string    `json:"postId"`
	AuthorID  string    `json:"authorId"`
	Score     float64   `json:"score"`
	CreatedAt time.Time `json:"createdAt"`
	GoneAt    time.Time `json:"goneAt"`
}

type Job struct {
	ID       string    `json:"id"`
	Kind     string    `json:"kind"`
	State    string    `json:"state"`
	Step     int64     `json:"step"`
	Payload  []byte    `json:"payload"`
	Worker   string    `json:"worker,omitempty"`
	LeasedTo time.Time `json:"leasedTo"`
	QueuedAt time.Time `json:"queuedAt"`
}

type Profile struct {
	UserID    string    `json:"userId"`
	Name      string    `json:"name"`
	Bio       string    `json:"bio"`
	Badges    []Badge   `json:"badges"`
	UpdatedAt time.Time `json:"updatedAt"`
}

type Badge struct {
	Name    string    `json:"name"`
	Until   time.Time `json:"until"`
	Awarded time.Time `json:"awarded"`
}

type Story struct {
	ID        string    `json:"id"`
	UserID    string    `json:"userId"`
	Frames    []string  `json:"frames"`
	CreatedAt time.Time `json:"createdAt"`
	GoneAt    time.Time `json:"goneAt"`
}

type OutboxEvent struct {
	Key     string    `json:"key"`
	Number  int64     `json:"number"`
	Name    string    `json:"name"`
	Body    []byte    `json:"body"`
	Claimed bool      `json:"claimed"`
	At      time.Time `json:"at"`
}

type CreateSessionInput struct {
	UserID    string
	Device    string
	UserAgent string
	Remember  bool
}

type CreatePostInput struct {
	AuthorID string
	Text     string
}

type NotifyInput struct {
	UserID string
	Kind   string
	Text   string
	TTL    time.Duration
}
