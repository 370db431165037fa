// Polls the state of an order, and reloads the waiting page when it changes.

const EVERY_MS = 2000
/** Ten minutes. After that, the page's link is there to check again. */
const LOOKS_MAX = 300

const shown = document.querySelector('[data-state]').dataset.state
let looks = 0

async function look() {
  if (document.hidden) return
  looks++
  try {
    const response = await fetch(`${location.pathname}/state`, { cache: 'no-store' })
    if (!response.ok) return
    const { state } = await response.json()
    if (state !== shown) location.replace(location.pathname)
  } catch {
    // Try again at the next poll.
  }
}

const timer = setInterval(() => (looks < LOOKS_MAX ? look() : clearInterval(timer)), EVERY_MS)

// Whoever returns to the page sees the current state at once, even if the browser had cached the page.
addEventListener('visibilitychange', look)
addEventListener('pageshow', event => event.persisted && look())
