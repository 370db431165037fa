import { readFileSync } from 'node:fs'

const example = (name: string) => readFileSync(new URL(`../examples/mirror/${name}`, import.meta.url), 'utf8').trimEnd()

/** The page about mirrors, with the examples as they are. */
export const mirrorPage = (): string => `# Mirror a site

After reading this page, you can keep a complete copy of a site's public data, and bring it up to date every minute.
\`npm run docs\` writes it.

\`\`\`sh
curl --compressed --fail -o listings.ndjson https://placard.example.org/api/v1/listings.ndjson
\`\`\`

\`GET /api/v1/listings.ndjson\` returns all published listings as of one moment, one JSON value per line:

| line | content |
| --- | --- |
| first | \`{"site", "license", "updatedSince", "asOf"}\`: the terms of use, and the time of the copy |
| each that follows | a listing, as \`GET /api/v1/listings/{slug}\` returns it |
| last | \`{"complete": true, "rows", "updatedSince"}\` |

**Discard a reply without its last line.** The connection broke, or the service stopped. HTTP libraries usually
report that, but proxies can hide it.

## Get only what changed

Send \`updatedSince\` of the last line with your next request:

\`\`\`sh
curl --compressed --fail "https://placard.example.org/api/v1/listings.ndjson?updatedSince=1757160000000"
\`\`\`

The reply has every listing that changed since, and a tombstone for each listing that is no longer shown:
\`{"id", "status", "since"}\`. Two rules keep a copy equal:

- Replace a listing by its \`id\`, and delete the listing of a tombstone. Both may arrive twice.
- Delete listings whose \`expiresAt\` is not after \`asOf\`. Nothing changes when a listing ends, so there is no tombstone
  at that moment.

Always use the \`updatedSince\` of the last line, never a time of your own. It is 15 minutes before \`asOf\`, because a
change becomes visible only when its transaction ends, and has the time of the instance that made it. Nothing is lost if
the clocks of a site's instances agree within 14 minutes.

Get everything again once a week, and after the operator has restored a backup: start with an empty file.

## Two mirrors

Both copy the listings, and the boards \`all\` and \`today\`, into a SQLite file. Run one of them every minute, for example
with cron. Each run is one transaction, so you can kill it at any time. Both write the same rows.

The boards come from \`GET /api/v1/boards/{board}\`, page by page. They are a moment newer than the listings.

### TypeScript

[examples/mirror/mirror.ts](../examples/mirror/mirror.ts) needs Node 24:

\`\`\`ts
${example('mirror.ts')}
\`\`\`

### Python

[examples/mirror/mirror.py](../examples/mirror/mirror.py) needs Python 3.9:

\`\`\`python
${example('mirror.py')}
\`\`\`

## Terms of use

The operator states them with [\`DATA_LICENSE\`](settings.md): the URL of a page, or words. They are in the first line of
each stream, as \`license\`. A URL is also in the header \`Link\`, with \`rel="license"\`. If \`license\` is null, the operator
states none, and you need permission to publish a copy. Titles and descriptions belong to the listed websites.

## Limits

- A process sends four streams at once. Other requests wait for up to ten seconds, and networks take turns. After that,
  the reply is 503 with \`Retry-After\`.
- A stream is cut after five minutes, or if you read nothing for 20 seconds. A million listings need a line of 3 Mbit/s.
  On a slower line, read the pages of \`GET /api/v1/listings\`.
- Streams have a low priority. While the service is busy, they are slower.
`
