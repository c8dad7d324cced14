package conf

import "time"

var Retention = 24 * time.Hour
