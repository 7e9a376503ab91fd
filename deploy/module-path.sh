#!/usr/bin/env bash
# Names where the Go modules are published: deploy/module-path.sh github.com/example/kith
# rewrites the path of the main module, of the client's module below it, all imports of both, and where the linker sets variables.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

new=${1:-}
[[ $new =~ ^[a-z0-9-]+(\.[a-z0-9-]+)+(/[A-Za-z0-9._~-]+)+$ ]] || {
  echo "usage: deploy/module-path.sh HOST/PATH, such as github.com/example/kith" >&2
  exit 2
}
old=$(sed -n 's/^module //p' go.mod)
was=${old//./\\.}

sed -i -E "s#^((module|replace) |\t)$was(/| |\$)#\1$new\3#" go.mod clients/go/go.mod
# An import stands alone on its line, which tells it from other texts that begin alike.
find . -name '*.go' -not -path '*/node_modules/*' \
  -exec sed -i -E "s#^((\t|import )([A-Za-z_.]+ )?\")$was/([^\"]*\")\$#\1$new/\4#" {} +
sed -i -E "s#([ [])$was(/|[],\$]|\$)#\1$new\2#g" .golangci.yml
sed -i -E "s#^(COMMAND +:= )$was/#\1$new/#" Makefile
