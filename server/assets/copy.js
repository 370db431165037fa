// Copies the text or field that a button names, and says so on the button, or shares it. Only this script shows the
// buttons: without it, the text can be selected.

const SAID_MS = 2000

for (const button of document.querySelectorAll('[data-copy]')) {
  const source = document.getElementById(button.dataset.copy)
  const label = button.textContent
  let timer
  function say(said) {
    button.textContent = said
    clearTimeout(timer)
    timer = setTimeout(() => {
      button.textContent = label
    }, SAID_MS)
  }
  button.addEventListener('click', async () => {
    // Selected first: where copying is not allowed, one key copies it.
    if ('value' in source) source.select()
    else getSelection().selectAllChildren(source)
    try {
      await navigator.clipboard.writeText(source.value ?? source.textContent)
      say('Copied')
    } catch {
      say('Selected')
    }
  })
  // Several fields of a page have such a button: the field's label says which one it copies.
  const [fieldLabel] = source.labels ?? []
  if (fieldLabel) {
    button.id = `copy-${source.id}`
    fieldLabel.id ||= `label-${source.id}`
    button.setAttribute('aria-labelledby', `${button.id} ${fieldLabel.id}`)
  }
  button.setAttribute('aria-live', 'polite')
  button.hidden = false
}

// Opens the system's share sheet, where the browser has one.
for (const button of document.querySelectorAll('[data-share]')) {
  const source = document.getElementById(button.dataset.share)
  const { address } = button.dataset
  button.addEventListener('click', async () => {
    try {
      // Most apps append the address to the text, so the text must not contain it too.
      await navigator.share({ text: source.value.replace(address, '').trim(), url: address })
    } catch (error) {
      if (error.name !== 'AbortError') source.select()
    }
  })
  button.hidden = !navigator.share
}
