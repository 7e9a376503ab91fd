#!/usr/bin/env bash
# Installs what the tests and the README's examples need beside Go, where it is missing: on Debian and its kin as root
# with apt-get; elsewhere it says what to install, and fails. What is there is left as it is.
set -euo pipefail

java_major() { # 17 for 17.0.15, 8 for 1.8.0; nothing where there is no Java that works
  [[ $(java -version 2>&1) =~ version\ \"(1\.)?([0-9]+) ]] && echo "${BASH_REMATCH[2]}"
}

missing=() packages=()
need() { # need WHAT PACKAGE, after a test that failed
  missing+=("$1"); packages+=("$2")
}
have() { command -v "$1" > /dev/null; }

# The embedded Neo4j: Java runs it, Maven fetches it.
java=$(java_major) || java=0
(( java >= 17 )) && have javac || need "a JDK, 17 or later (java and javac)" openjdk-17-jdk-headless
have mvn || need "Maven (mvn)" maven
have redis-server || need "Redis (redis-server)" redis-server
# PostgreSQL, where the tests look for it: the PATH, and the folders of Debian and Homebrew.
have initdb || compgen -G '/usr/lib/postgresql/*/bin/initdb' > /dev/null ||
  compgen -G '/opt/homebrew/opt/postgresql@*/bin/initdb' > /dev/null ||
  compgen -G '/usr/local/opt/postgresql@*/bin/initdb' > /dev/null || need "PostgreSQL, 15 or later (initdb, postgres)" postgresql
# Programs that Kith has to get along with: clients of MCP and of its contract, what lints and what attacks that.
# Node builds the page, too.
node=$(node --version 2> /dev/null || echo v0) node=${node#v}
{ (( ${node%%.*} >= 20 )) && have npm; } || need "Node, 20 or later (node and npm)" "nodejs npm"
# The page's tests drive a browser.
have chromium || have chromium-browser || have google-chrome || [[ -x "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome" ]] || need "Chromium or Chrome" chromium
{ have python3 && python3 -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 10))' 2> /dev/null; } ||
  need "Python, 3.10 or later, with venv (python3)" "python3 python3-venv"
# The race detector of go test needs a C compiler.
have "${CC:-cc}" || need "a C compiler (cc)" "gcc libc6-dev"
have make || need make make
have git || need git git
# The examples of the README.
have curl || need curl curl
have jq || need jq jq

(( ${#missing[@]} )) || exit 0
if have apt-get && [[ $(id -u) == 0 ]]; then
  # A package may start its service as it is installed; the tests start their own.
  [[ -e /usr/sbin/policy-rc.d ]] || {
    printf '#!/bin/sh\nexit 101\n' > /usr/sbin/policy-rc.d
    chmod +x /usr/sbin/policy-rc.d
    trap 'rm -f /usr/sbin/policy-rc.d' EXIT
  }
  echo "setup: installing ${packages[*]}" >&2
  export DEBIAN_FRONTEND=noninteractive
  apt-get update -qq
  # shellcheck disable=SC2068 # an entry may be two packages
  apt-get install -y -qq --no-install-recommends ${packages[@]} > /dev/null
else
  {
    echo "setup: please install:"
    printf '  %s\n' "${missing[@]}"
    if have brew; then echo "with Homebrew: brew install openjdk@17 maven redis postgresql@17 node python jq, and Google Chrome"
    elif have apt-get; then echo "as root: apt-get update && apt-get install -y --no-install-recommends ${packages[*]}"
    elif have dnf; then echo "as root: dnf install java-17-openjdk-devel maven redis postgresql-server nodejs npm python3 gcc make git curl jq"
    fi
  } >&2
  exit 1
fi
