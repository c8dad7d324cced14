package use

import (
	"time"

	"cloud.google.com/go/bigtable"
	"example.com/blind/cells/lib"
)

func Use(m *bigtable.Mutation, keys []string) {
	lib.Set(m, lib.Cell{Family: "profile", At: time.Now()}, lib.Cell{Family: "token", At: time.Now()}) // want `write-time: .*"token"`
	lib.Set(m, []lib.Cell{{Family: "token", At: time.Now()}}...)                                       // want `write-time: .*"token"`
	var cells []lib.Cell
	for range keys {
		cells = append(cells, lib.Cell{Family: "token", At: time.Now()})
	}
	lib.Set(m, cells...)                                           // want `write-time: .*"token"`
	lib.One(m, lib.Cell{Family: "token", At: time.Now()})          // want `write-time: .*"token"`
	lib.Set(m, lib.Cell{Family: "token", At: time.Now().Add(1e9)}) // good
}
