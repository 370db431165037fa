// Keeps the boards of an open page up to date: polls their cached JSON, and takes changed rows from the page itself. A
// socket would need a second way to render, state for every visitor, and care behind every proxy.

/** Slightly more than the ten seconds a reply may be cached, or every second poll would get the same reply. */
const EVERY_MS = 11_000

const boards = [...document.querySelectorAll('[data-live]')]
const news = document.querySelector('[data-news]')
const countdowns = document.querySelectorAll('[data-ends-at]')
const still = document.querySelector('[data-still]')
const passed = document.querySelector('[data-passed]')

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
    const changed = await Promise.all(boards.map(hasChanged))
    if (changed.includes(true)) await renew()
    tellAges()
  } catch {
    // Try again at the next poll.
  }
}

async function hasChanged(board) {
  const response = await fetch(board.dataset.live)
  // The cursor belongs to yesterday's board.
  if (response.status === 400) location.replace(location.pathname)
  if (!response.ok) return false
  behind ??= Date.parse(response.headers.get('date')) - Date.now()
  const there = placesIn(await response.json())
  return there.join('\n') !== [board.dataset.day, ...placesOn(board)].join('\n')
}

/** Takes rows as the server rendered and escaped them, so only one place decides how a row looks. */
async function renew() {
  const response = await fetch(location.href, { cache: 'no-cache' })
  if (!response.ok) return
  const page = new DOMParser().parseFromString(await response.text(), 'text/html')
  const fresh = page.querySelectorAll('[data-live]')
  if (fresh.length !== boards.length) return
  for (const [index, board] of boards.entries()) replace(board, fresh[index])
  const endsAt = page.querySelector('[data-ends-at]')?.dataset.endsAt
  for (const countdown of countdowns) countdown.dataset.endsAt = endsAt
  for (const part of document.querySelectorAll('[data-renewed]')) {
    part.replaceChildren(...page.querySelector(`[data-renewed="${part.dataset.renewed}"]`).childNodes)
  }
  news.textContent = `The board changed at ${new Date(serverNow()).toISOString().slice(11, 19)} UTC.`
}

function replace(board, fresh) {
  const before = new Set(placesOn(board))
  for (const row of fresh.querySelectorAll('[data-place]')) {
    row.classList.toggle('changed', !before.has(row.dataset.place))
  }
  const focused = board.contains(document.activeElement) && document.activeElement.getAttribute('href')
  Object.assign(board.dataset, fresh.dataset)
  board.replaceChildren(...fresh.childNodes)
  if (focused) board.querySelector(`a[href="${CSS.escape(focused)}"]`)?.focus({ preventScroll: true })
}

/** In the words of `ageText` in `ui/time.tsx`, which were right when the page was made. A week later, a day stays as it is. */
function tellAges() {
  for (const time of document.querySelectorAll('[data-age]')) {
    const minutes = Math.floor((serverNow() - Date.parse(time.dateTime)) / 60_000)
    if (!(minutes < 7 * 1440)) continue
    const [unit, each] =
      [
        ['day', 1440],
        ['hour', 60],
        ['minute', 1],
      ].find(([, each]) => minutes >= each) ?? []
    const count = Math.floor(minutes / each)
    time.textContent = unit ? `${count} ${unit}${count === 1 ? '' : 's'} ago` : 'just now'
  }
}

const serverNow = () => Date.now() + behind

const DAY_SECONDS = 24 * 3600
/** Of the ruler of the day: an hour, and an hour with what is beside it. */
const [HOUR, HOUR_AND_GAP] = [17, 20]

function countDown() {
  if (countdowns.length === 0) return
  const seconds = Math.ceil((countdowns[0].dataset.endsAt - serverNow()) / 1000)
  // The server's words stay while its time is not known, and once there is none left.
  if (!(seconds >= 0)) return
  // It keeps its room: nothing moves.
  still?.classList.add('gone')
  for (const countdown of countdowns) {
    const text = timeLeft(seconds)
    if (countdown.textContent !== text) countdown.textContent = text
  }
  const hours = (DAY_SECONDS - seconds) / 3600
  passed?.setAttribute('width', Math.floor(hours) * HOUR_AND_GAP + (hours % 1) * HOUR)
}

/** Hours and minutes, and seconds only in the last hour. */
function timeLeft(seconds) {
  const two = number => String(number).padStart(2, '0')
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ${two(seconds % 60)} s`
  const minutes = Math.ceil(seconds / 60)
  return `${Math.floor(minutes / 60)} h ${two(minutes % 60)} min`
}

// Poll at once: the reply gives the server's time, and a page from the browser's cache may be old.
look()
setInterval(look, EVERY_MS)
addEventListener('visibilitychange', look)
addEventListener('pageshow', event => event.persisted && look())
setInterval(countDown, 1000)
