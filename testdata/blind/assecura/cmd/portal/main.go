// Command portal serves the customers' portal.
package main

import (
	"context"
	"log/slog"
	"net/http"
	"os"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/assecura/internal/common"
	"example.com/assecura/internal/config"
	"example.com/assecura/internal/core"
	"example.com/assecura/internal/dao"
	daoimpl "example.com/assecura/internal/dao/impl"
	"example.com/assecura/internal/domain"
	serviceimpl "example.com/assecura/internal/service/impl"
	"example.com/assecura/internal/web"
)

// ApplicationContext wires the beans.
type ApplicationContext struct {
	config *config.ApplicationConfig
	client *bigtable.Client
	admin  *bigtable.AdminClient
	clock  common.Clock
	meters common.MeterRegistry
	log    *slog.Logger
}

func (c *ApplicationContext) handler(ctx context.Context) (http.Handler, error) {
	factory := core.NewTableFactory(c.client, c.meters)
	captcha := daoimpl.NewCaptchaDao(c.client, c.admin, c.clock)
	retry := common.NewRetryTemplate(common.RetryPolicy{MaxAttempts: c.config.GetRetries(), Backoff: c.config.GetBackoff()}, c.log)
	if err := retry.Execute(ctx, "captcha", captcha.EnsureTable); err != nil {
		return nil, err
	}
	base := func(name string) serviceimpl.AbstractService {
		return serviceimpl.NewAbstractService(name, c.clock, c.log, c.meters)
	}
	sessions := serviceimpl.NewSessionService(base("session"), // want ttlwrite/write-time[issued] ttlwrite/write-time[logout] ttlwrite/already-expired[impersonate]
		daoimpl.NewSessionDao(factory, c.clock, c.log), daoimpl.NewOtpDao(c.client, c.clock, c.log), daoimpl.NewArchiveDao(c.client, c.clock))
	quotes := serviceimpl.NewQuoteService(base("quote"), daoimpl.NewQuoteDao(factory, c.clock, c.log))
	policies := serviceimpl.NewPolicyService(base("policy"), daoimpl.NewPolicyDao(factory, c.clock, c.log), daoimpl.NewClaimDao(factory, c.clock, c.log))
	mail := serviceimpl.NewNotificationService(base("mail"), daoimpl.NewMailboxDao(c.client, c.clock, c.log)) // want ttlwrite/write-time[notify]
	ledgers := serviceimpl.NewLedgerService(base("ledger"), func(tenant string) dao.LedgerDao {
		return daoimpl.NewLedgerDao(factory, tenant, c.clock, c.log)
	})
	telemetry := daoimpl.NewTelemetryDao(c.client, c.log)
	if err := telemetry.SaveSample(ctx, &domain.Sample{Vehicle: "self-test", At: c.clock.Now()}); err != nil { // ok ttlwrite/clock-in-sequence
		c.log.Warn("self test", "error", err)
	}
	maintenance := daoimpl.NewMaintenanceDaoBuilder().WithClock(c.clock).WithTables(factory).Build()
	if err := maintenance.Annotate(ctx, "boot", "started"); err != nil {
		c.log.Warn("annotate", "error", err)
	}
	controller := web.NewAbstractController(c.log, c.meters)
	mux := http.NewServeMux()
	web.NewSessionController(controller, sessions).Register(mux) // want ttlwrite/write-time[extend]
	web.NewBusinessController(controller, quotes, policies, mail, ledgers, serviceimpl.NewReportingService(base("report"), c.client)).Register(mux)
	return mux, nil
}

func main() {
	ctx := context.Background()
	log := slog.New(slog.NewJSONHandler(os.Stderr, nil))
	cfg := config.NewApplicationConfigBuilder().WithProject(os.Getenv("PROJECT")).WithInstance(os.Getenv("INSTANCE")).FromEnvironment().Build()
	client, err := bigtable.NewClient(ctx, cfg.GetProject(), cfg.GetInstance())
	if err != nil {
		log.Error("client", "error", err)
		os.Exit(1)
	}
	admin, err := bigtable.NewAdminClient(ctx, cfg.GetProject(), cfg.GetInstance())
	if err != nil {
		log.Error("admin client", "error", err)
		os.Exit(1)
	}
	app := &ApplicationContext{config: cfg, client: client, admin: admin, clock: common.GetClockHolder().GetClock(), meters: common.NewSimpleMeterRegistry(), log: log}
	h, err := app.handler(ctx)
	if err != nil {
		log.Error("wiring", "error", err)
		os.Exit(1)
	}
	srv := &http.Server{Addr: cfg.GetListen(), Handler: h, ReadHeaderTimeout: 5 * time.Second}
	log.Error("server", "error", srv.ListenAndServe())
}
