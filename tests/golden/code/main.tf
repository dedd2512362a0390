# The web servers and what stands before them.
variable "region" {
  type    = string
  default = "eu-west-1"
}

resource "example_server" "web" {
  count = 2
  image = "debian-12"

  network {
    public = true
  }
}
