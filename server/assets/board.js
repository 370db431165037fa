// Keeps an open board up to date: polls its cached JSON, and takes changed rows from the page itself.

/** Slightly more than the ten seconds a reply may be cached, or every second poll would get the same reply. */
const EVERY_MS = 11_000

const board = document.querySelector('[data-live]')
const news = document.querySelector('[data-news]')
const countdown = document.querySelector('[data-ends-at]')

/** How far this computer's clock is behind the server's, in milliseconds; undefined until known. */
let behind

const placesOn = section => [...section.querySelectorAll('[data-place]')].map(row => row.dataset.place)

const placesIn = ({ day, entries }) => [
  day ?? 'all',
  ...entries.map(({ productUrl, totalCents }) => `${new URL(productUrl).pathname} ${totalCents}`),
]

async function look() {
  if (document.hidden) return
  try {
    const response = await fetch(board.dataset.live)
    // The cursor belongs to yesterday's board.
    if (response.status === 400) location.replace(location.pathname)
    if (!response.ok) return
    behind ??= Date.parse(response.headers.get('date')) - Date.now()
    const there = placesIn(await response.json())
    if (there.join('\n') !== [board.dataset.day, ...placesOn(board)].join('\n')) await renew()
    tellAges()
  } catch {
    // Try again at the next poll.
  }
}

/** Takes rows as the server rendered and escaped them, so only one place decides how a row looks. */
async function renew() {
  const response = await fetch(location.href, { cache: 'no-cache' })
  if (!response.ok) return
  const page = new DOMParser().parseFromString(await response.text(), 'text/html')
  const fresh = page.querySelector('[data-live]')
  const before = new Set(placesOn(board))
  for (const row of fresh.querySelectorAll('[data-place]')) {
    row.classList.toggle('changed', !before.has(row.dataset.place))
  }
  const focused = board.contains(document.activeElement) && document.activeElement.getAttribute('href')
  Object.assign(board.dataset, fresh.dataset)
  board.replaceChildren(...fresh.childNodes)
  for (const part of document.querySelectorAll('[data-renewed]')) {
    part.replaceChildren(...page.querySelector(`[data-renewed="${part.dataset.renewed}"]`).childNodes)
  }
  if (countdown) countdown.dataset.endsAt = page.querySelector('[data-ends-at]').dataset.endsAt
  if (focused) board.querySelector(`a[href="${CSS.escape(focused)}"]`)?.focus({ preventScroll: true })
  news.textContent = `The board changed at ${new Date(serverNow()).toISOString().slice(11, 19)} UTC.`
}

/** In the words of the server, which were right when the page was made. */
function tellAges() {
  for (const time of document.querySelectorAll('[data-age]')) {
    const minutes = Math.floor((serverNow() - Date.parse(time.dateTime)) / 60_000)
    const [unit, each] =
      [
        ['day', 1440],
        ['hour', 60],
        ['minute', 1],
      ].find(([, each]) => minutes >= each) ?? []
    const count = Math.floor(minutes / each)
    time.textContent = unit ? `${count} ${unit}${count === 1 ? '' : 's'} ago` : 'less than a minute ago'
  }
}

const serverNow = () => Date.now() + behind

const two = number => String(number).padStart(2, '0')

function countDown() {
  const seconds = Math.ceil((countdown.dataset.endsAt - serverNow()) / 1000)
  // Keep the server's text until its time is known, and once the countdown is over.
  if (!(seconds >= 0)) return
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60]
  countdown.textContent = `${two(hours)}:${two(minutes)}:${two(seconds % 60)}`
}

// Poll at once: the reply gives the server's time, and a page from the browser's cache may be old.
look()
setInterval(look, EVERY_MS)
addEventListener('visibilitychange', look)
addEventListener('pageshow', event => event.persisted && look())
if (countdown) setInterval(countDown, 1000)
