#!/usr/bin/env bash
# Builds the wheel and the sdist of the Python package: deploy/python-package.sh FOLDER
#
# PYTHON (python3) needs the packages of clients/python/requirements/build.txt. The same source and SOURCE_DATE_EPOCH give
# the same bytes. A LICENSE of the repository is taken along.
set -euo pipefail

out=$(mkdir -p "$1" && cd "$1" && pwd)
cd "$(dirname "$0")/.."
copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
cp -R clients/python/{pyproject.toml,README.md,src} "$copy"
[[ ! -f LICENSE ]] || cp LICENSE "$copy"
find "$copy" -name __pycache__ -prune -exec rm -r {} +
umask 022
chmod -R u=rwX,go=rX "$copy"
export SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-315532800}
"${PYTHON:-python3}" -m build --no-isolation --outdir "$out" "$copy"
