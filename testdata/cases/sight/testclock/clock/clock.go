// Package clock tells the time.
package clock

import "time"

// Now is replaced by tests.
var Now = time.Now

// Today is replaced by what starts the program.
var Today = time.Now
