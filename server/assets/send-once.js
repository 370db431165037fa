// Sends each form of a page only once: after a second click, the browser would show the reply to that one. The reply to the
// first, with its new link or its "Undo", would be lost. Going back to a reply, or reloading it, sends nothing again.

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

// No browser keeps the reply to a form: going back to it would show an error, or send the form again. So the entry in the
// history becomes a visit to the page of the form. If the reply shows what someone wrote, only sending it again brings
// that text back.
const written = [...document.querySelectorAll('textarea[name], #typed')].some(({ defaultValue }) => defaultValue)
if (!written) history.replaceState(null, '', document.querySelector('main').dataset.at)

// Some browsers keep a page as it was, and show it to a visitor who goes back. Its question may have been answered since.
addEventListener('pageshow', ({ persisted }) => {
  if (persisted && document.querySelector('[data-question]')) location.reload()
})
