// Sends each form of a page only once: after a second click, the browser would show the reply to that one. The reply to the
// first, with its new link or its "Undo", would be lost.

for (const form of document.forms) {
  let sent = false
  const sendAgain = () => {
    sent = false
  }
  form.addEventListener('submit', event => {
    if (sent) event.preventDefault()
    sent = true
  })
  addEventListener('pageshow', sendAgain)
  // The visitor stopped the request, as with Escape: no reply will come.
  globalThis.navigation?.addEventListener('navigateerror', sendAgain)
}
