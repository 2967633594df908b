#!/bin/sh
# The one step of `make test` that cannot be written in Python: getting Python.
set -e
packages="python3 python3-venv"
if [ "$(id -u)" = 0 ]; then sudo=""; elif sudo -n true 2>/dev/null; then sudo="sudo -n"; else
    echo "There is no Python here, and no right to install it. Ask for: apt install $packages"; exit 1; fi
command -v apt-get >/dev/null || { echo "There is no Python here. Install Python 3.11 or newer."; exit 1; }
said=$(mktemp)
trap 'rm -f "$said"' EXIT
echo "Installing $packages ..."
$sudo apt-get update -qq
$sudo env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq -o Dpkg::Use-Pty=0 --no-install-recommends $packages \
    >"$said" 2>&1 || { cat "$said"; exit 1; }
