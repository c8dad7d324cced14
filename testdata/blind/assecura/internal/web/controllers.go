// Package web holds the controllers (was: Spring MVC).
package web

import (
	"encoding/json"
	"log/slog"
	"net/http"
	"strconv"
	"time"

	"example.com/assecura/internal/common"
	"example.com/assecura/internal/domain"
	"example.com/assecura/internal/service"
)

// AbstractController is embedded by the controllers.
type AbstractController struct {
	log    *slog.Logger
	meters common.MeterRegistry
}

// NewAbstractController makes the base of a controller.
func NewAbstractController(log *slog.Logger, meters common.MeterRegistry) AbstractController {
	return AbstractController{log: log, meters: meters}
}

func (c *AbstractController) writeJSON(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	if err := json.NewEncoder(w).Encode(v); err != nil {
		c.log.Error("encode", "error", err)
	}
}

func (c *AbstractController) writeError(w http.ResponseWriter, err error) {
	status := http.StatusInternalServerError
	switch common.CodeOf(err) {
	case common.CodeNotFound:
		status = http.StatusNotFound
	case common.CodeConflict:
		status = http.StatusConflict
	case common.CodeInvalid:
		status = http.StatusBadRequest
	}
	c.meters.Increment("http.error." + strconv.Itoa(status))
	http.Error(w, err.Error(), status)
}

// SessionController logs people in and out.
type SessionController struct {
	AbstractController
	service service.SessionService
}

// NewSessionController makes the controller.
func NewSessionController(base AbstractController, s service.SessionService) *SessionController {
	return &SessionController{AbstractController: base, service: s}
}

// Register adds the routes.
func (c *SessionController) Register(mux *http.ServeMux) {
	mux.HandleFunc("POST /login", c.login)
	mux.HandleFunc("POST /logout", c.logout)
	mux.HandleFunc("POST /extend", c.extend)
	mux.HandleFunc("POST /impersonate", c.impersonate)
	mux.HandleFunc("GET /me", c.me)
	mux.HandleFunc("POST /otp", c.otp)
}

func (c *SessionController) login(w http.ResponseWriter, r *http.Request) {
	t, err := c.service.Login(r.Context(), r.FormValue("user"), r.FormValue("jwt"), r.FormValue("remember") != "")
	if err != nil {
		c.writeError(w, err)
		return
	}
	c.writeJSON(w, t)
}

func (c *SessionController) logout(w http.ResponseWriter, r *http.Request) {
	if err := c.service.Logout(r.Context(), r.FormValue("user")); err != nil {
		c.writeError(w, err)
	}
}

func (c *SessionController) extend(w http.ResponseWriter, r *http.Request) {
	until, err := time.Parse(time.RFC3339, r.FormValue("until"))
	if err != nil {
		c.writeError(w, common.NewInvalidException("until"))
		return
	}
	if err := c.service.Extend(r.Context(), r.FormValue("user"), r.FormValue("jwt"), until); err != nil { // ok ttlwrite/already-expired
		c.writeError(w, err)
	}
}

func (c *SessionController) impersonate(w http.ResponseWriter, r *http.Request) {
	clerk, user := r.FormValue("clerk"), r.FormValue("user")
	if err := c.service.Impersonate(r.Context(), clerk, user); err != nil {
		c.writeError(w, err)
		return
	}
	if err := c.service.Extend(r.Context(), user, clerk, time.Now()); err != nil { // want ttlwrite/write-time[extend]
		c.writeError(w, err)
	}
}

func (c *SessionController) me(w http.ResponseWriter, r *http.Request) {
	p, err := c.service.WhoAmI(r.Context(), r.FormValue("user"))
	if err != nil {
		c.writeError(w, err)
		return
	}
	c.writeJSON(w, p)
}

func (c *SessionController) otp(w http.ResponseWriter, r *http.Request) {
	user, secret := r.FormValue("user"), r.FormValue("secret")
	if secret == "" {
		if err := c.service.SendOtp(r.Context(), user, strconv.FormatInt(time.Now().UnixNano()%1000000, 10)); err != nil {
			c.writeError(w, err)
		}
		return
	}
	ok, err := c.service.CheckOtp(r.Context(), user, secret)
	if err != nil {
		c.writeError(w, err)
		return
	}
	c.writeJSON(w, map[string]bool{"ok": ok})
}

// BusinessController serves quotes, policies, claims and mail.
type BusinessController struct {
	AbstractController
	quotes   service.QuoteService
	policies service.PolicyService
	mail     service.NotificationService
	ledgers  service.LedgerService
	reports  service.ReportingService
}

// NewBusinessController makes the controller.
func NewBusinessController(base AbstractController, q service.QuoteService, p service.PolicyService, m service.NotificationService, l service.LedgerService, r service.ReportingService) *BusinessController {
	return &BusinessController{AbstractController: base, quotes: q, policies: p, mail: m, ledgers: l, reports: r}
}

// Register adds the routes.
func (c *BusinessController) Register(mux *http.ServeMux) {
	mux.HandleFunc("POST /quotes", func(w http.ResponseWriter, r *http.Request) {
		var q domain.Quote
		if err := json.NewDecoder(r.Body).Decode(&q); err != nil {
			c.writeError(w, common.NewInvalidException("body"))
			return
		}
		if err := c.quotes.Offer(r.Context(), &q); err != nil {
			c.writeError(w, err)
		}
	})
	mux.HandleFunc("GET /quotes/{id}", func(w http.ResponseWriter, r *http.Request) {
		q, err := c.quotes.Get(r.Context(), r.PathValue("id"))
		c.respond(w, q, err)
	})
	mux.HandleFunc("GET /policies/{number}", func(w http.ResponseWriter, r *http.Request) {
		p, err := c.policies.Current(r.Context(), r.PathValue("number"))
		c.respond(w, p, err)
	})
	mux.HandleFunc("GET /claims/{id}", func(w http.ResponseWriter, r *http.Request) {
		o, err := c.policies.ClaimOverview(r.Context(), r.PathValue("id"))
		c.respond(w, o, err)
	})
	mux.HandleFunc("GET /mail/{customer}", func(w http.ResponseWriter, r *http.Request) {
		m, err := c.mail.Inbox(r.Context(), r.PathValue("customer"))
		c.respond(w, m, err)
	})
	mux.HandleFunc("GET /ledgers/{tenant}/{account}", func(w http.ResponseWriter, r *http.Request) {
		l, err := c.ledgers.Statement(r.Context(), r.PathValue("tenant"), r.PathValue("account"))
		c.respond(w, l, err)
	})
	mux.HandleFunc("GET /reports/sessions", func(w http.ResponseWriter, r *http.Request) {
		n, err := c.reports.ActiveSessions(r.Context())
		c.respond(w, n, err)
	})
}

func (c *BusinessController) respond(w http.ResponseWriter, v any, err error) {
	if err != nil {
		c.writeError(w, err)
		return
	}
	c.writeJSON(w, v)
}
