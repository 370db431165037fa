// Looks for the token every ten seconds while the page is visible, and writes what it finds beside each proof. Once the
// token is there, the form sends itself, unless this browser has proved the website before.

const EVERY_MS = 10_000
/** After that, a person must ask: the page may have been forgotten. */
const LOOKS_MAX = 180

const form = document.querySelector('[data-own]')
const state = form.querySelector('[data-looking]')
let looks = 0

/** The same words again would be read aloud again. */
function say(words) {
  if (state.textContent !== words) state.textContent = words
}

async function look() {
  if (document.hidden || looks >= LOOKS_MAX) return again()
  looks++
  try {
    const reply = await fetch('/own/look', { method: 'POST', body: new URLSearchParams(new FormData(form)) })
    if (!reply.ok) throw new Error(`status ${reply.status}`)
    const { foundBy, isOwner, findings } = await reply.json()
    if (isOwner) {
      state.textContent = 'Found it. To get a private link, press “Check now”. Any other link then stops working.'
      return
    }
    if (foundBy) {
      state.textContent = 'Found it.'
      return form.requestSubmit()
    }
    for (const place of document.querySelectorAll('[data-finding]')) {
      const what = findings[place.dataset.finding]
      place.textContent = what ?? ''
      place.hidden = !what
    }
    say('Not found yet.')
    // Beside what is read aloud, because it changes every ten seconds.
    document.querySelector('[data-looked]').textContent =
      `Last checked at ${new Date().toISOString().slice(11, 19)} UTC.`
  } catch {
    say('We couldn’t check just now. Press “Check now”.')
  }
  again()
}

function again() {
  if (looks < LOOKS_MAX) setTimeout(look, EVERY_MS)
  else state.textContent = 'Automatic checks have ended. Press “Check now” to check again.'
}

state.textContent = 'We check every ten seconds.'
again()
