// Command web is the shop.
package main

import (
	"context"
	"errors"
	"log"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"

	"pennywise.example/shop/internal/bt"
	"pennywise.example/shop/internal/cart"
	"pennywise.example/shop/internal/clock"
	"pennywise.example/shop/internal/devices"
	"pennywise.example/shop/internal/ledger"
	"pennywise.example/shop/internal/login"
	"pennywise.example/shop/internal/notify"
	"pennywise.example/shop/internal/ops"
	"pennywise.example/shop/internal/prices"
	"pennywise.example/shop/internal/reports"
	"pennywise.example/shop/internal/search"
	"pennywise.example/shop/internal/settings"
	"pennywise.example/shop/internal/web"
	"pennywise.example/shop/internal/wish"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := bt.Init(ctx); err != nil {
		log.Fatal(err)
	}
	defer bt.Close()
	ledger.Init(bt.Client)
	notify.Init()
	if err := settings.Refresh(ctx); err != nil {
		log.Fatal(err)
	}
	if err := ledger.Resume(ctx); err != nil {
		log.Fatal(err)
	}

	every(ctx, "settings", time.Minute, settings.Refresh)
	every(ctx, "sweep", 24*time.Hour, login.SweepReset)
	every(ctx, "remind", 24*time.Hour, cart.Remind)
	every(ctx, "expire", time.Hour, notify.Expire)
	every(ctx, "compact", 7*24*time.Hour, ledger.CompactAll)
	every(ctx, "dump", 24*time.Hour, func(ctx context.Context) error {
		return login.DumpAll(ctx, os.TempDir())
	})
	every(ctx, "wallboard", 30*time.Second, func(ctx context.Context) error {
		n, err := login.CountSessions(ctx)
		if err != nil {
			return err
		}
		stale, err := prices.StaleSrc(ctx, "de", time.Hour)
		if err != nil {
			return err
		}
		log.Printf("wallboard: %d sessions, %d stale prices", n, len(stale))
		return nil
	})
	go notify.Drain(ctx)
	ops.Run(ctx)
	if err := wish.Warm(ctx); err != nil {
		log.Printf("wish: %v", err)
	}
	go func() {
		for ctx.Err() == nil {
			if err := prices.Follow(ctx); err != nil {
				log.Printf("feed: %v", err)
			}
			time.Sleep(5 * time.Second)
		}
	}()

	srv := &http.Server{Addr: ":8080", Handler: web.Logged(web.Timeout(routes(), 20*time.Second)), ReadHeaderTimeout: 5 * time.Second}
	go func() {
		<-ctx.Done()
		c, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		if err := srv.Shutdown(c); err != nil {
			log.Printf("shutdown: %v", err)
		}
	}()
	if err := srv.ListenAndServe(); !errors.Is(err, http.ErrServerClosed) {
		log.Fatal(err)
	}
}

// every runs f now and then, until ctx ends.
func every(ctx context.Context, name string, d time.Duration, f func(context.Context) error) {
	go func() {
		t := time.NewTicker(d)
		defer t.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-t.C:
				start := time.Now()
				if err := f(ctx); err != nil {
					log.Printf("job %s: %v", name, err)
				}
				log.Printf("job %s: %s", name, time.Since(start))
			}
		}
	}()
}

func routes() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /login", login.Limited("login", login.Login))
	mux.HandleFunc("POST /logout", login.Logout)
	mux.HandleFunc("POST /logout-everywhere", login.LogoutEverywhere)
	mux.HandleFunc("GET /me", login.Me)
	mux.HandleFunc("POST /touch", login.Touch)
	mux.HandleFunc("GET /sessions", login.Sessions)
	mux.HandleFunc("GET /profile", login.Profile)
	mux.HandleFunc("POST /profile", login.SetProfile)
	mux.HandleFunc("POST /code", login.RequestCode)
	mux.HandleFunc("POST /code/verify", login.VerifyCode)
	mux.HandleFunc("POST /code/use", login.UseCode)
	mux.HandleFunc("POST /v2/code/use", login.UseCode2)
	mux.HandleFunc("DELETE /code", login.DropCodes)
	mux.HandleFunc("POST /reset", login.Limited("reset", login.ResetLink))
	mux.HandleFunc("POST /reset/do", login.Reset)
	mux.HandleFunc("POST /invite", login.Invite)
	mux.HandleFunc("GET /join", login.Join)
	mux.HandleFunc("POST /ticket", login.NewTicket)
	mux.HandleFunc("GET /ticket", login.CheckTicket)

	mux.HandleFunc("GET /shop/{shop}/cart/{cart}", cart.Show)
	mux.HandleFunc("POST /shop/{shop}/cart/{cart}", cart.Add)
	mux.HandleFunc("POST /shop/{shop}/cart/{cart}/vip", cart.AddVIP)
	mux.HandleFunc("DELETE /shop/{shop}/cart/{cart}", cart.Empty)
	mux.HandleFunc("DELETE /shop/{shop}/cart/{cart}/{sku}", cart.Remove)
	mux.HandleFunc("POST /shop/{shop}/cart/{cart}/{sku}/qty", cart.SetQty)
	mux.HandleFunc("POST /shop/{shop}/cart/{cart}/checkout", cart.Checkout)
	mux.HandleFunc("POST /checkout", cart.CheckoutV1)
	mux.HandleFunc("GET /shop/{shop}/cart/{cart}/badge", cart.Badge)
	mux.HandleFunc("GET /shop/{shop}/badges", cart.Badges)
	mux.HandleFunc("POST /shop/{shop}/cart/{cart}/hold", cart.Hold)
	mux.HandleFunc("POST /shop/{shop}/cart/{cart}/coupon", cart.Coupon)
	mux.HandleFunc("POST /shop/{shop}/merge", login.RequireUser(cart.Merge))
	mux.HandleFunc("GET /gift/{id}", cart.ShowGift)
	mux.HandleFunc("GET /gift/{id}/meta", cart.ShowGiftMeta)
	mux.HandleFunc("PUT /gift/{id}", cart.SaveGift)
	mux.HandleFunc("POST /gift/{id}/claim", cart.Claim)

	mux.HandleFunc("GET /price/{market}/{sku}", prices.Price)
	mux.HandleFunc("GET /v1/price", prices.PriceV1)
	mux.HandleFunc("GET /price/{market}/{sku}/quick", prices.Quick)
	mux.HandleFunc("GET /price/{market}/{sku}/chart", prices.Chart)
	mux.HandleFunc("GET /price/{market}/{sku}/history", prices.History)
	mux.HandleFunc("GET /price/{market}/{sku}/today", prices.Today)
	mux.HandleFunc("GET /price/{market}/{sku}/feeds", prices.TodayFeeds)
	mux.HandleFunc("GET /price/{market}/{sku}/between", prices.Between)
	mux.HandleFunc("GET /price/{market}/{sku}/both", prices.Both)
	mux.HandleFunc("GET /market/{market}", prices.Market)
	mux.HandleFunc("GET /market/{market}/last", prices.MarketLast)

	mux.HandleFunc("POST /device/beat", devices.PostBeat)
	mux.HandleFunc("POST /device/v1/beat", devices.PostBeatV1)
	mux.HandleFunc("POST /device/{serial}/cmd", devices.Send)
	mux.HandleFunc("POST /device/{serial}/cmd/{id}/ack", devices.Ack)
	mux.HandleFunc("GET /device/{serial}", devices.Device)
	mux.HandleFunc("GET /device/{serial}/raw", devices.DeviceRaw)
	mux.HandleFunc("GET /device/{serial}/telemetry", devices.Telemetry)
	mux.HandleFunc("GET /devices", devices.Online)

	mux.HandleFunc("GET /inbox", notify.Inbox)
	mux.HandleFunc("GET /inbox/bell", notify.Bell)
	mux.HandleFunc("POST /inbox/{id}/seen", notify.Seen)
	mux.HandleFunc("POST /inbox/{id}/snooze", notify.Snooze)
	mux.HandleFunc("GET /opened/{user}/{id}", notify.Opened)
	mux.HandleFunc("GET /inbox/{user}/all", notify.Peek)
	mux.HandleFunc("GET /v1/inbox/{user}/all", notify.PeekV1)
	mux.HandleFunc("GET /push/missed", notify.Missed)
	mux.HandleFunc("GET /mail/missed", notify.MissedMail)

	mux.HandleFunc("POST /search/{sid}", search.Track)
	mux.HandleFunc("POST /search/{sid}/click", search.Click)
	mux.HandleFunc("GET /search/{sid}", search.Recent)

	staff := func(pattern string, h http.HandlerFunc) { mux.HandleFunc(pattern, login.RequireStaff(h)) }
	staff("GET /staff/debug", login.Debug)
	staff("GET /staff/recent", login.Recent)
	staff("POST /staff/kick", login.Kick)
	staff("GET /staff/blocked", login.Blocked)
	staff("POST /staff/block", login.Block)
	staff("POST /staff/unblock", login.Unblock)
	staff("POST /staff/impersonate", login.Impersonate)
	staff("GET /staff/gifts", cart.Gifts)
	staff("GET /staff/audit/{account}", ledger.Account)
	staff("GET /staff/audit/{account}/csv", ledger.AccountCSV)
	staff("POST /staff/audit/{account}/note", ledger.Note)
	staff("POST /staff/setting", settings.Set)
	staff("POST /staff/setting/{name}/kill", settings.Kill)
	staff("GET /staff/setting/{name}", settings.Get)
	staff("GET /staff/setting/{name}/flag", settings.GetFlag)
	staff("GET /staff/setting/{name}/draft", settings.Draft)
	staff("POST /staff/setting/{name}/draft", settings.SaveDraft)
	staff("GET /staff/drafts", settings.Drafts)
	staff("GET /staff/setting/{name}/revisions", settings.Revisions)
	staff("POST /staff/setting/{name}/rollback", settings.Rollback)
	staff("GET /staff/find", prices.Find)
	staff("GET /staff/sent", notify.Sent)
	staff("GET /staff/visitor/{sid}", search.Visitor)
	staff("DELETE /staff/visitor/{sid}", search.Forget)
	staff("POST /staff/import/{user}", notify.Import)
	staff("POST /staff/key", login.IssueKey)
	staff("GET /staff/key", login.ShowKey)
	staff("GET /staff/keys", login.Keys)
	staff("GET /staff/keys/old", login.OldKeys)
	staff("GET /staff/partner", login.ShowPartner)
	staff("POST /staff/price/{market}/{sku}", prices.Edit)
	staff("GET /staff/price/{market}/{sku}", prices.Admin)
	staff("GET /staff/board", ops.Board)
	staff("GET /staff/row/{table}", ops.Row)
	staff("GET /staff/user/{user}", ops.User)
	staff("GET /staff/flag/{name}", ops.Flag)
	staff("GET /staff/cart/{key}", ops.Cart)
	staff("GET /staff/cart/{key}/items", ops.CartItems)
	staff("GET /staff/device/{serial}/beats", ops.Heartbeats)
	staff("GET /staff/overview", reports.Overview)
	staff("GET /staff/live", reports.Live)

	wish.Routes(mux)
	mux.HandleFunc("GET /s/{token}", wish.Shared)
	mux.HandleFunc("GET /wish/{user}/cached", wish.Cached)

	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, r *http.Request) {
		web.JSON(w, http.StatusOK, map[string]any{"up": devices.Uptime().String(), "since": clock.Started})
	})
	return mux
}
