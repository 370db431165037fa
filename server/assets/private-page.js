// Opens a private page: hands the key in the link's fragment to the server, which answers with a cookie for this
// visit. The key leaves the address bar first, so that it is not kept in the history or copied by accident.

const messages = document.querySelectorAll('[data-state]')
// Also right where the page answers a form that was sent to an address below its own.
const pagePath = location.pathname.split('/').slice(0, 3).join('/')
const isShell = document.querySelector('[data-shell]') !== null

function show(state) {
  for (const message of messages) message.hidden = message.dataset.state !== state
}

/** Takes the key out of the address bar, if there is one. */
function openLink() {
  // Chats and mail programs add to the end of a link: a full stop, what counts clicks.
  const [, key] = location.hash.match(/^#owner=([\w-]{43}(?![\w-])|.*)/) ?? []
  if (key === undefined) return false
  history.replaceState(null, '', pagePath)
  exchange(key)
  return true
}

async function exchange(key) {
  show('opening')
  try {
    const response = await fetch(`${pagePath}/session`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ token: key }),
    })
    // A navigation of our own rather than reload(), which repeats how the visitor came here: browsers hold a strict
    // cookie back from one who followed a link on another website.
    if (response.ok) return location.replace(pagePath)
    show(response.status === 404 ? 'wrong-key' : 'failed')
  } catch {
    show('failed')
  }
  document.querySelector('[data-retry]').onclick = () => exchange(key)
}

addEventListener('hashchange', openLink)
if (!openLink() && isShell) show('no-key')

// A form is sent once: a second click would end with the answer to a renewal that is no longer shown.
for (const form of document.forms) {
  let sent = false
  form.addEventListener('submit', event => {
    if (sent) event.preventDefault()
    sent = true
  })
  addEventListener('pageshow', () => {
    sent = false
  })
}
