module homeostat.dev/e2e/yamux

go 1.25.0

require github.com/hashicorp/yamux v0.1.2
