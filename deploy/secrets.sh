#!/bin/sh
# Make the secrets of an installation in the folder secrets/, each in a file of its own. What is there stays.
set -eu
cd "$(dirname "$0")/.."
umask 077
mkdir -p secrets

# The folder is its owner's alone; the files in it may be read by the user of the container they are shown to.
make_one() {
    [ -s "secrets/$1" ] || python3 -c 'import secrets; print(secrets.token_urlsafe(48), end="")' > "secrets/$1"
    chmod 444 "secrets/$1"
}

make_one secret_key
make_one metrics_token
make_one database_password
# A key of its own shape: 32 bytes. Several, with commas, while one is changed for another.
[ -s secrets/marketplace_id_keys ] || python3 -c 'import base64, os; print(base64.urlsafe_b64encode(os.urandom(32)).decode(), end="")' > secrets/marketplace_id_keys
chmod 444 secrets/marketplace_id_keys
if [ ! -s secrets/database_url ]; then
    printf 'postgres://collector:%s@postgres:5432/collector' "$(cat secrets/database_password)" > secrets/database_url
fi
chmod 444 secrets/database_url
# Others give these; empty, they count as not set.
for name in aws_secret_access_key email_host_password media_s3_secret_access_key; do
    [ -e "secrets/$name" ] || : > "secrets/$name"
    chmod 644 "secrets/$name"
done
echo "The secrets are in secrets/. Keep a copy of secret_key and marketplace_id_keys: without the one no worker's link is valid, without the other nobody can be paid."
