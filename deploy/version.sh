#!/usr/bin/env bash
# Prints the version of what is checked out: that of its tag (v1.2.3), or the next one, from the file VERSION, with the
# number of commits (1.2.3-dev.456), and .dirty if files have changed or are new: go build takes files that git does not track.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
read -r next < VERSION
commits=$(git rev-list --count HEAD 2> /dev/null) || { echo "$next-dev.0"; exit; }
if [[ $(git status --porcelain --untracked-files=normal) ]]; then echo "$next-dev.$commits.dirty"
elif tag=$(git describe --tags --exact-match --match 'v[0-9]*' 2> /dev/null); then echo "${tag#v}"
else echo "$next-dev.$commits"
fi
