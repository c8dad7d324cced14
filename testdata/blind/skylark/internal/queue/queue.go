// Package queue is the in-process broker that development and tests use in
// place of the real one. It redelivers what is not acknowledged.
package queue

import (
	"context"
	"encoding/json"
	"errors"
	"sync"
	"sync/atomic"
	"time"
)

// Message is what consumers get.
type Message struct {
	ID         string            `json:"id"`
	Topic      string            `json:"topic"`
	Key        string            `json:"key"`
	Seq        int64             `json:"seq"`
	Body       json.RawMessage   `json:"body"`
	Attributes map[string]string `json:"attributes,omitempty"`
	Published  time.Time         `json:"published"`
	Attempt    int               `json:"attempt"`

	broker *Broker
}

// Ack removes the message.
func (m *Message) Ack() {
	if m.broker != nil {
		m.broker.settle(m, true)
	}
}

// Nack has the message delivered again.
func (m *Message) Nack() {
	if m.broker != nil {
		m.broker.settle(m, false)
	}
}

// Decode decodes the body.
func (m *Message) Decode(v any) error { return json.Unmarshal(m.Body, v) }

// Handler handles a message; an error nacks it.
type Handler func(context.Context, *Message) error

// Broker holds topics.
type Broker struct {
	mu       sync.Mutex
	topics   map[string]chan *Message
	inflight map[string]*Message
	seq      atomic.Int64
	maxTries int
	dead     []*Message
}

// New returns a broker that gives up after tries deliveries.
func New(tries int) *Broker {
	return &Broker{topics: map[string]chan *Message{}, inflight: map[string]*Message{}, maxTries: tries}
}

func (b *Broker) topic(name string) chan *Message {
	b.mu.Lock()
	defer b.mu.Unlock()
	ch, ok := b.topics[name]
	if !ok {
		ch = make(chan *Message, 1024)
		b.topics[name] = ch
	}
	return ch
}

// Publish appends to a topic.
func (b *Broker) Publish(ctx context.Context, topic, key string, v any) (int64, error) {
	body, err := json.Marshal(v)
	if err != nil {
		return 0, err
	}
	n := b.seq.Add(1)
	m := &Message{ID: topic + "/" + key, Topic: topic, Key: key, Seq: n, Body: body, Published: time.Now(), broker: b}
	select {
	case b.topic(topic) <- m:
		return n, nil
	case <-ctx.Done():
		return 0, ctx.Err()
	}
}

// Subscribe calls h for every message until ctx ends.
func (b *Broker) Subscribe(ctx context.Context, topic string, workers int, h Handler) error {
	ch := b.topic(topic)
	var wg sync.WaitGroup
	for range workers {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for {
				select {
				case m := <-ch:
					m.Attempt++
					b.mu.Lock()
					b.inflight[m.ID] = m
					b.mu.Unlock()
					if err := h(ctx, m); err != nil {
						m.Nack()
						continue
					}
					m.Ack()
				case <-ctx.Done():
					return
				}
			}
		}()
	}
	wg.Wait()
	if err := ctx.Err(); err != nil && !errors.Is(err, context.Canceled) {
		return err
	}
	return nil
}

func (b *Broker) settle(m *Message, ok bool) {
	b.mu.Lock()
	if _, there := b.inflight[m.ID]; !there {
		b.mu.Unlock()
		return
	}
	delete(b.inflight, m.ID)
	if !ok && m.Attempt >= b.maxTries {
		b.dead = append(b.dead, m)
		b.mu.Unlock()
		return
	}
	b.mu.Unlock()
	if !ok {
		go func() { b.topic(m.Topic) <- m }()
	}
}

// Dead lists what was given up.
func (b *Broker) Dead() []*Message {
	b.mu.Lock()
	defer b.mu.Unlock()
	return append([]*Message(nil), b.dead...)
}
