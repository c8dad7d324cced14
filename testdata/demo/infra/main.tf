# The tables of the shop, and what Bigtable deletes from them.

variable "instance" {
  default = "shop-main"
}

locals {
  click_age = "720h"
}

module "sessions" {
  source   = "./modules/table"
  name     = "sessions"
  instance = var.instance
  families = ["token", "profile"]
}

module "clicks" {
  source   = "./modules/table"
  name     = "clicks"
  instance = var.instance
  families = ["event"]
}

module "catalog" {
  source   = "./modules/table"
  name     = "catalog"
  instance = var.instance
  families = ["latest"]
}

# Corrected twin: tokens expire at their timestamp.
resource "google_bigtable_gc_policy" "token" {
  instance_name = var.instance
  table         = "sessions"
  column_family = "token"
  max_age {
    duration = "1s"
  }
}

resource "google_bigtable_gc_policy" "profile" {
  instance_name = var.instance
  table         = "sessions"
  column_family = "profile"
  max_version {
    number = 1
  }
}

# Somebody thought that a week was long enough for clicks.
resource "google_bigtable_gc_policy" "event" {
  instance_name = var.instance
  table         = "clicks"
  column_family = "event"
  max_age { # BAD: ttlgc/age-mismatch
    duration = "168h"
  }
}

# Corrected twin, in the instance for load tests.
resource "google_bigtable_gc_policy" "event_load" {
  instance_name = "shop-load"
  table         = "clicks"
  column_family = "event"
  max_age {
    duration = local.click_age
  }
}

# A week of history and one version, it was hoped.
resource "google_bigtable_gc_policy" "latest" {
  instance_name = var.instance
  table         = "catalog"
  column_family = "latest"
  gc_rules = jsonencode({ # BAD: ttlschema/inert, ttlgc/age-on-zero
    mode  = "UNION"
    rules = [{ max_age = "168h" }, { max_version = 1 }]
  })
}

# Corrected twin.
resource "google_bigtable_gc_policy" "latest_load" {
  instance_name = "shop-load"
  table         = "catalog"
  column_family = "latest"
  max_version {
    number = 1
  }
}
