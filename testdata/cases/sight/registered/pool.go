package registered

import (
	"context"
	"sync"
	"time"

	"cloud.google.com/go/bigtable"
)

type job struct {
	key    string
	family string
	at     bigtable.Timestamp
}

// A pool runs jobs that are submitted to it by a function that it is given.
type pool struct {
	jobs chan job
	wg   sync.WaitGroup
}

func newPool(workers int, do func(job)) *pool {
	p := &pool{jobs: make(chan job, 64)}
	for range workers {
		p.wg.Add(1)
		go func() {
			defer p.wg.Done()
			for j := range p.jobs {
				do(j)
			}
		}()
	}
	return p
}

func (p *pool) submit(j job) { p.jobs <- j }

func pooled(ctx context.Context, a *app) {
	write := func(j job) { _ = a.write(ctx, j.family, j.at) }
	p := newPool(4, write)
	p.submit(job{"k", "token", bigtable.Now()}) // not seen: write-time
	p.submit(job{"k", "profile", bigtable.Now()})
	other := newPool(2, func(j job) { _ = a.write(ctx, "profile", j.at) })
	other.submit(job{"k", "token", bigtable.Now()})
}

// A tasks queue carries functions.
type tasks struct{ ch chan func() }

func newTasks() *tasks {
	t := &tasks{make(chan func())}
	go func() {
		for f := range t.ch {
			f()
		}
	}()
	return t
}

func (t *tasks) run(f func()) { t.ch <- f }

// A group runs functions, as errgroup does.
type group struct{ wg sync.WaitGroup }

func (g *group) Go(f func() error) {
	g.wg.Add(1)
	go func() {
		defer g.wg.Done()
		_ = f()
	}()
}

func runs(ctx context.Context, a *app, jobs []job) {
	ts := bigtable.Now()
	soon := bigtable.Time(time.Now().Add(time.Minute))
	var g group
	g.Go(func() error { return a.write(ctx, "token", ts) }) // want `write-time: .*"token"`
	g.Go(func() error { return a.write(ctx, "token", soon) })
	t := newTasks()
	t.run(func() { _ = a.write(ctx, "token", ts) }) // want `write-time: .*"token"`
	t.run(func() { _ = a.write(ctx, "profile", ts) })
	time.AfterFunc(time.Second, func() { _ = a.write(ctx, "token", bigtable.Now()) }) // want `write-time: .*"token"`
	time.AfterFunc(time.Second, func() { _ = a.write(ctx, "token", soon) })
	var once sync.Once
	once.Do(func() { _ = a.write(ctx, "token", ts) }) // want `write-time: .*"token"`
}

// every runs a function at each tick, with its time.
func every(ctx context.Context, d time.Duration, f func(context.Context, time.Time)) {
	t := time.NewTicker(d)
	defer t.Stop()
	for {
		select {
		case now := <-t.C:
			f(ctx, now)
		case <-ctx.Done():
			return
		}
	}
}

func ticks(ctx context.Context, a *app) {
	go every(ctx, time.Minute, func(ctx context.Context, now time.Time) { // want `write-time: .*"token"`
		_ = a.write(ctx, "token", bigtable.Time(now))
	})
	go every(ctx, time.Minute, func(ctx context.Context, now time.Time) {
		_ = a.write(ctx, "token", bigtable.Time(now.Add(time.Minute)))
	})
	go every(ctx, time.Minute, a.okTick)
}

func (a *app) okTick(ctx context.Context, now time.Time) {
	_ = a.write(ctx, "profile", bigtable.Time(now))
}
