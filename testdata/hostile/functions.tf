# Functions that read files, call themselves or make much of little.
locals {
  passwords = file("../../../../../../../../etc/passwd")
  template  = templatefile("/etc/passwd", {})
  zero      = file("/dev/zero")
  around    = local.there
  there     = local.around
  many      = flatten([for a in range(10000) : [for b in range(10000) : "${a}-${b}"]])
  long      = join("", [for a in range(10000) : join("", [for b in range(10000) : "xxxxxxxxxx"])])
  set       = setproduct(range(1000), range(1000), range(1000))
  formatted = format("%1000000000d", 1)
  repeated  = replace("aaaaaaaaaaaaaaaaaaaa", "a", replace("aaaaaaaaaaaaaaaaaaaa", "a", "aaaaaaaaaaaaaaaaaaaa"))
}
resource "google_bigtable_gc_policy" "p" {
  for_each      = toset(local.many)
  table         = local.passwords
  column_family = local.formatted
  max_age { duration = local.zero }
}
resource "google_bigtable_gc_policy" "q" {
  count         = 1000000000
  table         = local.long
  column_family = local.around
  max_age { duration = local.template }
}
module "self" { source = "./" }
resource "google_bigtable_gc_policy" "r" {
  table         = jsonencode(local.set)
  column_family = local.repeated
  max_age { duration = "${1e100000000}" }
}
