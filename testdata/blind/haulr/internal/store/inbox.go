package store

import (
	"context"
	"fmt"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"cloud.google.com/go/bigtable"

	"haulr.dev/backend/internal/clock"
	"haulr.dev/backend/internal/tables"
	"haulr.dev/backend/pkg/bigtablex"
)

// Message is one message of a chat.
type Message struct {
	Chat   string
	Seq    int64
	Sender string
	Text   string
	SentAt time.Time
}

// Draft is text that was typed and not sent.
type Draft struct {
	Chat, User, Text string
}

// InboxStore keeps chats: a row per chat, the messages as versions of one
// column, numbered by the chat's own counter.
type InboxStore struct {
	tbl *bigtable.Table
	clk clock.Clock

	mu   sync.Mutex
	next map[string]int64
	ids  atomic.Int64
}

// NewInboxStore opens the table.
func NewInboxStore(client *bigtable.Client, clk clock.Clock) *InboxStore {
	return &InboxStore{tbl: client.Open(tables.Inbox), clk: clk, next: map[string]int64{}}
}

// Append stores a message under its number.
func (s *InboxStore) Append(ctx context.Context, m Message) error {
	mut := bigtable.NewMutation()
	mut.Set(tables.FamMessage, "body", bigtablex.Seq(m.Seq), marshal(m))          // ok ttlwrite/unscaled-sequence
	mut.Set(tables.FamState, "last", 0, []byte(strconv.FormatInt(m.Seq, 10)))     // ok ttlwrite/clock-in-zero
	mut.Set(tables.FamState, "last_at", bigtable.Timestamp(0), rfc3339(m.SentAt)) // ok ttlwrite/clock-in-zero
	return bigtablex.ApplyRetry(ctx, s.tbl, m.Chat, mut)
}

// AppendNext takes the next number from memory; one process owns a chat.
func (s *InboxStore) AppendNext(ctx context.Context, m Message) (int64, error) {
	s.mu.Lock()
	s.next[m.Chat]++
	m.Seq = s.next[m.Chat]
	s.mu.Unlock()
	mut := bigtable.NewMutation()
	mut.Set(tables.FamMessage, "body", bigtable.Timestamp(m.Seq*1000), marshal(m)) // ok ttlwrite/unscaled-sequence
	mut.Set(tables.FamState, "last", 0, []byte(strconv.FormatInt(m.Seq, 10)))
	return m.Seq, s.tbl.Apply(ctx, m.Chat, mut)
}

// AppendSystem stores a notice of ours between the messages.
func (s *InboxStore) AppendSystem(ctx context.Context, chat, text string) error {
	n := s.ids.Add(1)
	mut := bigtable.NewMutation()
	mut.Set(tables.FamMessage, "notice", bigtable.Timestamp(n), []byte(text)) // want ttlwrite/unscaled-sequence
	return s.tbl.Apply(ctx, chat, mut)
}

// AppendAll stores the messages of an import, oldest first.
func (s *InboxStore) AppendAll(ctx context.Context, chat string, ms []Message) error {
	mut := bigtable.NewMutation()
	for i, m := range ms {
		mut.Set(tables.FamMessage, "body", bigtable.Timestamp(i), marshal(m)) // want ttlwrite/unscaled-sequence
	}
	mut.Set(tables.FamState, "imported", 0, []byte("1")) // ok ttlwrite/clock-in-zero
	return s.tbl.Apply(ctx, chat, mut)
}

// AppendAllScaled is AppendAll with numbers that survive.
func (s *InboxStore) AppendAllScaled(ctx context.Context, chat string, ms []Message) error {
	mut := bigtable.NewMutation()
	ts := bigtable.Timestamp(0)
	for _, m := range ms {
		ts += 1000
		mut.Set(tables.FamMessage, "body", ts, marshal(m)) // ok ttlwrite/unscaled-sequence
	}
	return s.tbl.Apply(ctx, chat, mut)
}

// React stores a reaction. The newest one counts.
func (s *InboxStore) React(ctx context.Context, chat, user, emoji string) error {
	mut := bigtable.NewMutation()
	mut.Set(tables.FamMessage, "react:"+user, bigtable.Now(), []byte(emoji)) // want ttlwrite/clock-in-sequence
	mut.Set(tables.FamState, "react:"+user, 0, []byte(emoji))                // ok ttlwrite/clock-in-zero
	return s.tbl.Apply(ctx, chat, mut)
}

// Edit stores a new text of the message seq.
func (s *InboxStore) Edit(ctx context.Context, m Message) error {
	mut := bigtable.NewMutation()
	mut.Set(tables.FamMessage, "edit", bigtable.Time(m.SentAt), marshal(m)) // want ttlwrite/clock-in-sequence
	return s.tbl.Apply(ctx, m.Chat, mut)
}

// Pin remembers a message.
func (s *InboxStore) Pin(ctx context.Context, m Message) error {
	mut := bigtable.NewMutation()
	mut.Set(tables.FamMessage, "pin", bigtable.ServerTime, marshal(m)) // want ttlwrite/clock-in-sequence
	return s.tbl.Apply(ctx, m.Chat, mut)
}

// PinState remembers it where the clock would be wrong as well.
func (s *InboxStore) PinState(ctx context.Context, m Message) error {
	mut := bigtable.NewMutation()
	mut.Set(tables.FamState, "pin", bigtable.Time(s.clk.Now()), marshal(m)) // want ttlwrite/clock-in-zero
	return s.tbl.Apply(ctx, m.Chat, mut)
}

// Unread counts for a user.
func (s *InboxStore) Unread(ctx context.Context, chat, user string, by int64) error {
	rmw := bigtable.NewReadModifyWrite()
	rmw.Increment(tables.FamState, "unread:"+user, by) // want ttlwrite/read-modify-write
	_, err := s.tbl.ApplyReadModifyWrite(ctx, chat, rmw)
	return err
}

// AppendText appends to the running transcript.
func (s *InboxStore) AppendText(ctx context.Context, chat, text string) error {
	rmw := bigtable.NewReadModifyWrite()
	rmw.AppendValue(tables.FamMessage, "transcript", []byte(text)) // want ttlwrite/read-modify-write
	_, err := s.tbl.ApplyReadModifyWrite(ctx, chat, rmw)
	return err
}

// Messages returns the newest n messages.
func (s *InboxStore) Messages(ctx context.Context, chat string, n int) ([]Message, error) {
	if n <= 0 || n > tables.InboxVersions {
		n = tables.InboxVersions
	}
	row, err := s.tbl.ReadRow(ctx, chat, bigtable.RowFilter(bigtablex.Latest(tables.FamMessage, n))) // ok ttlread/version-limit
	if err != nil {
		return nil, fmt.Errorf("inbox %s: %w", chat, err)
	}
	return decodeMessages(row)
}

// Last returns the newest message.
func (s *InboxStore) Last(ctx context.Context, chat string) (*Message, error) {
	row, err := s.tbl.ReadRow(ctx, chat, bigtable.RowFilter(bigtable.ChainFilters( // ok ttlread/version-limit
		bigtable.FamilyFilter(tables.FamMessage),
		bigtable.ColumnFilter("body"),
		bigtable.LatestNFilter(1),
	)))
	if err != nil {
		return nil, err
	}
	ms, err := decodeMessages(row)
	if err != nil || len(ms) == 0 {
		return nil, ErrNotFound
	}
	return &ms[0], nil
}

// All returns whatever the chat has.
func (s *InboxStore) All(ctx context.Context, chat string) ([]Message, error) {
	row, err := s.tbl.ReadRow(ctx, chat, bigtable.RowFilter(bigtable.FamilyFilter(tables.FamMessage))) // want ttlread/version-limit
	if err != nil {
		return nil, err
	}
	return decodeMessages(row)
}

// Export returns more than the policy promises to keep.
func (s *InboxStore) Export(ctx context.Context, chat string) ([]Message, error) {
	row, err := s.tbl.ReadRow(ctx, chat, bigtable.RowFilter(bigtablex.Latest(tables.FamMessage, 2*tables.InboxVersions))) // want ttlread/version-limit
	if err != nil {
		return nil, err
	}
	return decodeMessages(row)
}

// Since returns the messages after a number, a lookup by sequence.
func (s *InboxStore) Since(ctx context.Context, chat string, seq int64) ([]Message, error) {
	row, err := s.tbl.ReadRow(ctx, chat, bigtable.RowFilter(bigtable.ChainFilters( // ok ttlread/wrong-bound
		bigtable.FamilyFilter(tables.FamMessage),
		bigtable.LatestNFilter(tables.InboxVersions),
		bigtable.TimestampRangeFilterMicros(bigtablex.Seq(seq+1), 0),
	)))
	if err != nil {
		return nil, err
	}
	return decodeMessages(row)
}

// Today returns what was written today.
func (s *InboxStore) Today(ctx context.Context, chat string) ([]Message, error) {
	day := s.clk.Now().Truncate(24 * time.Hour)
	row, err := s.tbl.ReadRow(ctx, chat, bigtable.RowFilter(bigtable.ChainFilters( // want ttlread/wrong-bound[today]
		bigtable.FamilyFilter(tables.FamMessage),
		bigtable.TimestampRangeFilter(day, time.Time{}), // want ttlread/wrong-bound[today]
		bigtable.LatestNFilter(tables.InboxVersions),
	)))
	if err != nil {
		return nil, err
	}
	return decodeMessages(row)
}

// Search looks for text in the chat.
func (s *InboxStore) Search(ctx context.Context, chat, pattern string) ([]Message, error) {
	row, err := s.tbl.ReadRow(ctx, chat, bigtable.RowFilter(bigtable.ChainFilters( // want ttlread/version-limit[srch]
		bigtable.FamilyFilter(tables.FamMessage),
		bigtable.ValueFilter(pattern),                // want ttlread/version-limit[srch]
		bigtable.LatestNFilter(tables.InboxVersions), // want ttlread/version-limit[srch]
	)))
	if err != nil {
		return nil, err
	}
	return decodeMessages(row)
}

// SearchNewest limits first.
func (s *InboxStore) SearchNewest(ctx context.Context, chat, pattern string) ([]Message, error) {
	row, err := s.tbl.ReadRow(ctx, chat, bigtable.RowFilter(bigtable.ChainFilters( // ok ttlread/version-limit
		bigtable.FamilyFilter(tables.FamMessage),
		bigtable.LatestNFilter(tables.InboxVersions),
		bigtable.ValueFilter(pattern),
	)))
	if err != nil {
		return nil, err
	}
	return decodeMessages(row)
}

func decodeMessages(row bigtable.Row) ([]Message, error) {
	var out []Message
	for _, it := range row[tables.FamMessage] {
		var m Message
		if err := unmarshal(it.Value, &m); err != nil {
			return nil, err
		}
		m.Seq = bigtablex.SeqOf(it.Timestamp) // ok ttlage/not-write-time
		out = append(out, m)
	}
	return out, nil
}

// LastWrite says when the chat was written to.
func (s *InboxStore) LastWrite(ctx context.Context, chat string) (string, error) {
	row, err := s.tbl.ReadRow(ctx, chat, bigtable.RowFilter(bigtablex.Latest(tables.FamMessage, 1)))
	if err != nil {
		return "", err
	}
	for _, it := range row[tables.FamMessage] {
		return fmt.Sprintf("%s: %s ago", chat, s.clk.Now().Sub(it.Timestamp.Time()).Round(time.Second)), nil // want ttlage/not-write-time
	}
	return "", ErrNotFound
}

// State reads the counters and marks of a chat.
func (s *InboxStore) State(ctx context.Context, chat string) (map[string]string, error) {
	row, err := s.tbl.ReadRow(ctx, chat, bigtable.RowFilter(bigtable.FamilyFilter(tables.FamState))) // ok ttlread/missing-filter
	if err != nil {
		return nil, err
	}
	out := map[string]string{}
	for _, it := range row[tables.FamState] {
		out[column(it)] = string(it.Value)
	}
	return out, nil
}

// Chat reads a chat for the window of the app: messages, drafts, state.
func (s *InboxStore) Chat(ctx context.Context, chat string) (bigtable.Row, error) {
	return s.tbl.ReadRow(ctx, chat, bigtable.RowFilter(bigtable.InterleaveFilters( // ok ttlread/missing-filter
		bigtablex.Latest(tables.FamMessage, 50),
		bigtablex.Family(tables.FamDraft, bigtablex.WithinAt(s.clk.Now(), tables.DraftTTL)),
		bigtable.FamilyFilter(tables.FamState),
	)))
}

// ChatRaw reads it for the support desk.
func (s *InboxStore) ChatRaw(ctx context.Context, chat string) (bigtable.Row, error) {
	return s.tbl.ReadRow(ctx, chat) // want ttlread/missing-filter
}

// SaveDraft keeps what was typed for a week.
func (s *InboxStore) SaveDraft(ctx context.Context, d Draft) error {
	mut := bigtable.NewMutation()
	mut.Set(tables.FamDraft, d.User, bigtable.Time(s.clk.Now()), []byte(d.Text)) // ok ttlwrite/write-time
	return s.tbl.Apply(ctx, d.Chat, mut)
}

// SaveDraftShort keeps it for a day: drafts of guests.
func (s *InboxStore) SaveDraftShort(ctx context.Context, d Draft) error {
	ts := bigtable.Time(s.clk.Now().Add(24*time.Hour - tables.DraftTTL)) // ok ttlwrite/already-expired
	mut := bigtable.NewMutation()
	mut.DeleteCellsInColumn(tables.FamDraft, d.User)
	mut.Set(tables.FamDraft, d.User, ts, []byte(d.Text)) // ok ttlwrite/already-expired
	return s.tbl.Apply(ctx, d.Chat, mut)
}

// ArchiveDraft makes a draft the oldest of its column.
func (s *InboxStore) ArchiveDraft(ctx context.Context, d Draft) error {
	mut := bigtable.NewMutation()
	mut.Set(tables.FamDraft, d.User, bigtable.Time(s.clk.Now().Add(-tables.DraftTTL)), []byte(d.Text)) // want ttlwrite/already-expired
	return s.tbl.Apply(ctx, d.Chat, mut)
}

// Drafts reads the drafts of a chat.
func (s *InboxStore) Drafts(ctx context.Context, chat string) ([]Draft, error) {
	row, err := s.tbl.ReadRow(ctx, chat, bigtable.RowFilter(bigtable.ChainFilters( // want ttlread/wrong-bound[drafts]
		bigtable.FamilyFilter(tables.FamDraft),
		bigtablex.LiveAt(s.clk.Now()), // want ttlread/wrong-bound[drafts]
		bigtable.LatestNFilter(1),
	)))
	if err != nil {
		return nil, err
	}
	var out []Draft
	for _, it := range row[tables.FamDraft] {
		out = append(out, Draft{Chat: chat, User: column(it), Text: string(it.Value)})
	}
	return out, nil
}

// DraftsWeek reads them with the right bound.
func (s *InboxStore) DraftsWeek(ctx context.Context, chat string) ([]Draft, error) {
	row, err := s.tbl.ReadRow(ctx, chat, bigtable.RowFilter(bigtable.ChainFilters( // ok ttlread/wrong-bound
		bigtable.FamilyFilter(tables.FamDraft),
		bigtablex.WithinAt(s.clk.Now(), tables.DraftTTL),
		bigtable.LatestNFilter(1),
	)))
	if err != nil {
		return nil, err
	}
	var out []Draft
	for _, it := range row[tables.FamDraft] {
		out = append(out, Draft{Chat: chat, User: column(it), Text: string(it.Value)})
	}
	return out, nil
}

// DropDrafts deletes the drafts of a user in all chats.
func (s *InboxStore) DropDrafts(ctx context.Context, user string) error {
	var keys []string
	var muts []*bigtable.Mutation
	err := s.tbl.ReadRows(ctx, bigtable.InfiniteRange(""), func(row bigtable.Row) bool { // ok ttlread/missing-filter
		mut := bigtable.NewMutation()
		mut.DeleteCellsInColumn(tables.FamDraft, user)
		keys, muts = append(keys, row.Key()), append(muts, mut)
		return true
	}, bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter(tables.FamDraft), bigtable.ColumnFilter(user))))
	if err != nil || len(keys) == 0 {
		return err
	}
	_, err = s.tbl.ApplyBulk(ctx, keys, muts)
	return err
}

// Open makes a chat, if there is none.
func (s *InboxStore) Open(ctx context.Context, chat string, members []byte) error {
	set := bigtable.NewMutation()
	set.Set(tables.FamState, "members", 0, members)
	set.Set(tables.FamMessage, "body", 1000, []byte("{}")) // ok ttlwrite/unscaled-sequence
	pred := bigtable.FamilyFilter(tables.FamMessage)
	return s.tbl.Apply(ctx, chat, bigtable.NewCondMutation(pred, nil, set)) // ok ttlread/conditional-mutation
}

// OpenAt makes a chat with the first message.
func (s *InboxStore) OpenAt(ctx context.Context, chat string, first []byte) error {
	mut := bigtable.NewMutation()
	mut.Set(tables.FamMessage, "body", 1, first) // want ttlwrite/unscaled-sequence
	return s.tbl.Apply(ctx, chat, mut)
}
