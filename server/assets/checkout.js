// Looks out for what becomes of an order, so that a page that waits turns into the outcome by itself.

const EVERY_MS = 2000
/** Ten minutes. Afterwards there is the link to look again. */
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
    // The next look may be luckier.
  }
}

const timer = setInterval(() => (looks < LOOKS_MAX ? look() : clearInterval(timer)), EVERY_MS)

// Who comes back to the page sees at once where it stands: also where the browser kept it as it was.
addEventListener('visibilitychange', look)
addEventListener('pageshow', event => event.persisted && look())
