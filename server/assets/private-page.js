// Opens a private page: sends the key in the link's fragment to the server, which sets a cookie for this visit. First it removes the key from the address bar, so that nobody copies it by accident or finds it in the history.

const messages = document.querySelectorAll('[data-state]')
// Also correct if the page is the reply to a form with an address below its own.
const pagePath = location.pathname.split('/').slice(0, 3).join('/')
const isShell = document.querySelector('[data-shell]') !== null

function show(state) {
  for (const message of messages) message.hidden = message.dataset.state !== state
}

/** Takes the key out of the address bar, if there is one. `isShown` if the server has just sent the private page itself. */
function openLink(isShown) {
  // Chats and mail programs append to links: a full stop, or a tracking parameter.
  const [, key] = location.hash.match(/^#owner=([\w-]{43}(?![\w-])|.*)/) ?? []
  if (key === undefined) return false
  history.replaceState(null, '', pagePath)
  exchange(key, isShown)
  return true
}

async function exchange(key, isShown) {
  show('opening')
  try {
    const response = await fetch(`${pagePath}/session`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ token: key }),
    })
    // The key has made the visit longer. Loading the page again would lose what the visitor has typed meanwhile.
    if (response.ok && isShown) return show()
    // Not reload(), which repeats how the visitor came here: browsers withhold a strict cookie from somebody who followed a link on another website.
    if (response.ok) return location.replace(pagePath)
    show(response.status === 404 ? 'wrong-key' : 'failed')
  } catch {
    show('failed')
  }
  document.querySelector('[data-retry]').onclick = () => exchange(key, isShown)
}

// The page has said what was done. Without it in the address, a reload or the way back does not say it again.
if (location.search) history.replaceState(null, '', pagePath + location.hash)
addEventListener('hashchange', () => openLink(false))
if (!openLink(!isShell) && isShell) show('no-key')
