#!/usr/bin/env bash
# Lists a website with curl and openssl.
#
#   examples/curl.sh SERVICE DESTINATION CATEGORY [--user-approved]
#
# Without --user-approved it only checks, and shows what to ask the customer. Key, secret and body are kept in
# $PLACARD_FILE (placard-submission.conf), one file for each website, and the receipt beside it. Run it again after any
# failure, or to get the receipt again: it sends the same submission.
set -euo pipefail
umask 077
if (($# < 3)); then
  echo 'Usage: examples/curl.sh SERVICE DESTINATION CATEGORY [--user-approved]' >&2
  exit 2
fi
service=${1%/} destination=$2 category=$3 approved=${4-}
file=${PLACARD_FILE:-placard-submission.conf}
if [[ $service$destination$category == *[\"\\[:cntrl:]]* ]]; then
  echo 'Addresses and category have no quotation marks, backslashes or line breaks.' >&2
  exit 2
fi
# Only this machine is reached without TLS. A proxy on the way would read the secret.
export no_proxy="localhost,127.0.0.1,::1,${no_proxy-${NO_PROXY-}}"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# Prints some fields of a JSON reply. Never the whole reply: it holds the private link.
fields() {
  grep -oE "\"($1)\":(\"([^\"\\\\]|\\\\.)*\"|true|false)" "$2" || true
}

no_answer() {
  echo 'No answer that can be used. Check SERVICE, and run it again.' >&2
  exit 1
}

# JSON inside quotation marks, as in a file of curl's options.
escaped() {
  sed 's/"/\\"/g' <<< "$1"
}

if [[ $approved != --user-approved ]]; then
  curl -sS --max-time 60 -H 'Content-Type: application/json' -o "$scratch/reply.json" \
    --data "{\"destination\":\"$destination\",\"category\":\"$category\"}" "$service/api/v1/agent/check"
  grep -qE '"(wouldPublish|code)":' "$scratch/reply.json" || no_answer
  fields 'wouldPublish|title|description|code|error|field' "$scratch/reply.json"
  grep -q '"wouldPublish":true' "$scratch/reply.json" || exit 1
  echo "Nothing is published. Show this and $service/rules to the customer, and ask."
  exit 2
fi

url="$service/api/v1/agent/listings"
if [[ ! -e $file ]]; then
  rules=$(curl -sSf --max-time 30 "$service/api/v1/agent/capabilities" | grep -oE '"rulesVersion":"[^"]+"') ||
    no_answer
  approval="{\"scope\":\"free_listing_publish\",\"userApproved\":true,$rules}"
  body="{\"destination\":\"$destination\",\"category\":\"$category\",\"approval\":$approval}"
  uuid='s/(.{8})(.{4}).(.{3}).(.{3})(.{12})/\1-\2-4\3-a\4-\5/'
  # A file of curl's own options, so that one file holds the whole request and no secret is among its arguments.
  made=$(mktemp "$file.XXXXXX")
  {
    echo "url = \"$url\""
    echo 'header = "Content-Type: application/json"'
    echo "header = \"Idempotency-Key: $(openssl rand -hex 16 | sed -E "$uuid")\""
    echo "header = \"X-Submission-Secret: $(openssl rand -hex 32)\""
    echo "data = \"$(escaped "$body")\""
  } > "$made"
  sync "$made"
  ln "$made" "$file" || true # whole, and never over another one
  rm "$made"
fi
wanted="{\"destination\":\"$destination\",\"category\":\"$category\","
if ! grep -qxF "url = \"$url\"" "$file" || ! grep -qF "$(escaped "$wanted")" "$file"; then
  echo "$file holds another submission. Name another file in PLACARD_FILE." >&2
  exit 2
fi

# Repeats after 429, 5xx and lost answers, as Retry-After says, for two minutes.
if ! status=$(curl -sS --max-time 60 --retry 5 --retry-max-time 120 --retry-all-errors \
  -K "$file" -o "$scratch/reply.json" -w '%{http_code}'); then
  echo 'No answer. Run it again.' >&2
  exit 1
fi
echo "$status"
fields 'status|productUrl|code|error|field|reason' "$scratch/reply.json"
if [[ $status != 20[01] ]]; then
  echo 'Do what the error says. Run it again to repeat; after 422, a new submission needs another file.' >&2
  exit 1
fi
grep -q '"productUrl":' "$scratch/reply.json" || no_answer
if ! grep -q '"privateRecoveryUrl":' "$scratch/reply.json"; then
  echo 'This receipt has no private link: only a published listing has one. An earlier receipt is kept.'
  exit 0
fi
mv "$scratch/reply.json" "$file.receipt"
echo "The private link is in $file.receipt, for the customer only."
