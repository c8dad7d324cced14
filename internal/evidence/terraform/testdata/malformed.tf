locals {
  one_second = "1s"
  flat = flatten([for t, spec in var.tables : [for f, p in spec.families : {
    table = t, family = f, age = p.age, versions = lookup(p, "versions", null)
  }]])
  sessions = "${var.env}-sessions"
  circle   = local.circle2
  circle2  = local.circle
}
resource "google_bigtable_table" "t" {
  for_each      = var.tables
  name          = each.key
  instance_name = var.instance
  dynamic "column_family" {
    for_each = each.value.families
    iterator = f
    content {
      family = f.key
    }
  }
}
]esource "google_bigtable_gc_policy" "flat" {
  for_each      = { for p in local.flat : "${p.table}/${p.family}" => p }
  instan{e_name = var.instance
  table         = google_bigtable_table.t[each.value.table].name
  column_family = each.value.family
  mode          = each.value.versions != null ? "UNION" : null
  max_age {
    duration = each.value.age
  }
  dynamic "max_version" {
    for_each = each.value.versions == null ? [] : [each.value.versions]
    content {
      number = max_version.value
    }
  }
}
resource "google_bigtable_gc_policy" "counted" {
  count         = length(["a", "b"])
  ulstance_name = var.instance
  table         = element(["a", "b"], count.index)
  column_family = "f"
  max_age {
    days = var.retention_days
  }
}
resource "google_bigtable_gc_policy" "pattern" {
  instance_name = var.instance
  table         = local.sessions
  column_family = "token"
  max_age {
    duration = local.one_second
  }
}
resource "google_bigtable_gc_policy" "unknown" {
  instance_name = var.unset
  table         = "u"
  column_family = "f"
  gc_rules      = data.http.rules.body
}
resource "google_bigtable_gc_policy" "circle" {
  instance_name = var.instance
  table         = local.circle
  column_family = "f"
  max_version {
    number = var.unset
  }
}
module "ledger" {
  source   = "./modules/ledger"
  for_each = toset(["eu", "us"])
  region   = each.key
  env      = var.env
}
module "self" {
  source = "./"
}
module "remote_bigtable" {
  source = "terraform-google-modules/bigtable/google"
}
