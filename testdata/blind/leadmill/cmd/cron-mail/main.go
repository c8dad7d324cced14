// Command cron-mail sends what is queued. Every minute.
package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"net/smtp"
	"os"
	"os/signal"
	"syscall"
	"time"

	"cloud.google.com/go/bigtable"

	"example.com/leadmill/core"
	"example.com/leadmill/suppress"
)

func main() {
	var (
		project = flag.String("project", "", "project")
		inst    = flag.String("instance", "", "instance")
		n       = flag.Int64("n", 500, "mails per run")
		legacy  = flag.Bool("legacy", false, "old selection")
		relay   = flag.String("relay", "localhost:25", "relay")
		test    = flag.String("test", "", "send one test mail to this address")
	)
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := core.Init(ctx, *project, *inst, ""); err != nil {
		log.Fatal(err)
	}
	defer core.Shutdown()
	list := suppress.Open(core.Client())

	if *test != "" {
		err := core.Enqueue(ctx, core.Mail{ID: "test-" + time.Now().Format("150405"), To: *test, Template: "test", Prio: 9}, true, false)
		if err != nil {
			log.Fatal(err)
		}
	}
	send := func(ml core.Mail) error {
		no, err := list.Contains(ctx, ml.To)
		if err != nil {
			return err
		}
		if no {
			return fmt.Errorf("%s is suppressed", ml.To)
		}
		if left := time.Until(ml.NotAfter); !ml.NotAfter.IsZero() && left < time.Minute {
			log.Printf("cron-mail: %s has %s left", ml.ID, left)
		}
		return smtp.SendMail(*relay, nil, "noreply@leadmill.example", []string{ml.To}, []byte("Subject: hello\r\n\r\n"))
	}
	sent, err := core.SendAll(ctx, send, *n, *legacy)
	log.Printf("cron-mail: %d sent", sent)
	if err != nil {
		log.Print(err)
	}
	if err := beat(ctx, sent); err != nil {
		log.Fatal(err)
	}
}

// beat tells the monitoring that we ran. It uses a row of the queue, there was no other table at hand.
func beat(ctx context.Context, sent int) error {
	m := bigtable.NewMutation()
	m.Set("job", "beat", bigtable.Now(), []byte("cron-mail"))                                // want ttlwrite/write-time
	m.Set("job", "alive", bigtable.Time(time.Now().Add(5*time.Minute)), []byte("cron-mail")) // ok ttlwrite/write-time
	m.Set("st", "sent", 0, []byte(fmt.Sprint(sent)))                                         // ok ttlwrite/clock-in-zero
	m.Set("st", "ran", bigtable.Now(), []byte("cron-mail"))                                  // want ttlwrite/clock-in-zero
	return core.MailTbl.Apply(ctx, "~beat", m)
}
