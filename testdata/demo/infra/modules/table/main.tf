variable "name" {}

variable "instance" {}

variable "families" {
  type = set(string)
}

resource "google_bigtable_table" "table" {
  name          = var.name
  instance_name = var.instance
  dynamic "column_family" {
    for_each = var.families
    content {
      family = column_family.value
    }
  }
}
