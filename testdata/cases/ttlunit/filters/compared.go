package filters

import "cloud.google.com/go/bigtable"

// Marker is compared here, and may be sent by another package.
var Marker = bigtable.LatestNFilter(0) // want `invalid-filter: `

var okMarker = bigtable.LatestNFilter(0)

func isMarker(f bigtable.Filter) bool { return f == Marker || f == okMarker }
