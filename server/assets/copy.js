// Copies the text that a button names, and says so on the button. Without this script there are no such buttons.

const SAID_MS = 1600

for (const button of document.querySelectorAll('[data-copy]')) {
  const source = document.getElementById(button.dataset.copy)
  const label = button.textContent
  button.hidden = false
  button.addEventListener('click', async () => {
    try {
      await navigator.clipboard.writeText(source.textContent)
      button.textContent = 'Copied'
    } catch {
      // Not allowed here: select the text, so that one key copies it.
      getSelection().selectAllChildren(source)
      button.textContent = 'Selected: copy it now'
    }
    setTimeout(() => {
      button.textContent = label
    }, SAID_MS)
  })
}
