// Copies what stands in a field. Without it, the field can be selected; so only here do the buttons appear.

const SAID_MS = 2000

for (const button of document.querySelectorAll('[data-copy]')) {
  const words = button.textContent
  let timer
  function say(said) {
    button.textContent = said
    clearTimeout(timer)
    timer = setTimeout(() => {
      button.textContent = words
    }, SAID_MS)
  }
  button.addEventListener('click', async () => {
    const field = document.getElementById(button.dataset.copy)
    field.select()
    try {
      await navigator.clipboard.writeText(field.value)
      say('Copied')
    } catch {
      // Not allowed here: what is selected can still be copied by hand.
      say('Selected')
    }
  })
  button.setAttribute('aria-live', 'polite')
  button.hidden = false
}
