#!/bin/sh
# The one step of `make test` that cannot be written in Python: getting Python.
set -e
packages="python3 python3-venv"
if [ "$(id -u)" = 0 ]; then sudo=""; elif sudo -n true 2>/dev/null; then sudo="sudo -n"; else
    echo "There is no Python here, and no right to install it. Ask for: apt install $packages"; exit 1; fi
command -v apt-get >/dev/null || { echo "There is no Python here. Install Python 3.11 or newer."; exit 1; }
$sudo apt-get update -qq
DEBIAN_FRONTEND=noninteractive $sudo apt-get install -y -qq --no-install-recommends $packages
