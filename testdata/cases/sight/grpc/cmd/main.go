// Command cmd wires the service.
package main

import (
	"context"
	"log"

	"example.com/cases/sight/grpc/clock"
	"example.com/cases/sight/grpc/provide"
	"example.com/cases/sight/grpc/svc"
)

func initialize() (*svc.Server, error) {
	c, err := provide.Client()
	if err != nil {
		return nil, err
	}
	sys := clock.System()
	sessions := provide.ProvideSessionTable(c)
	repo := provide.ProvideSessions(sessions, sys)
	return svc.NewServer(repo, sessions, sys), nil
}

func main() {
	s, err := initialize()
	if err != nil {
		log.Fatal(err)
	}
	if err := s.Login(context.Background(), "u"); err != nil {
		log.Fatal(err)
	}
}
