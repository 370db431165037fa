// Creates a passkey, or signs in with one: gets a challenge, lets the browser ask the person, and sends the answer.

const WORDS = {
  missing:
    'This browser can’t use passkeys here. Open this page over https in a current Chrome, Edge, Firefox or Safari.',
  NotAllowedError: 'The prompt was closed, or took too long. Nothing has changed: press the button to try again.',
  InvalidStateError: 'This device already has a passkey of yours. Sign in with it, or use another device.',
  SecurityError: 'Passkeys only work at the site’s own domain, over https. Open this page there.',
  ConstraintError: 'This device can’t check that it is you. Set up a screen lock, or use another device.',
  NotSupportedError: 'This device can’t create this kind of passkey. Use another device.',
  limit: 'There were too many attempts. Wait ten minutes, then press the button again.',
  other: 'The site can’t be reached. Check your connection, then press the button again.',
}

for (const form of document.querySelectorAll('[data-passkey]')) {
  form.addEventListener('submit', event => {
    event.preventDefault()
    void use(form)
  })
}

// Going back shows the page as it was left, with a button that waits for its answer.
addEventListener('pageshow', ({ persisted }) => persisted && location.reload())

async function use(form) {
  const [button, says] = [form.querySelector('button'), form.querySelector('[data-passkey-says]')]
  button.disabled = true
  says.textContent = ''
  try {
    const answer = await ask(form.dataset.passkey, form.elements.token?.value ?? '')
    if (!answer) return location.replace(location.pathname)
    form.elements.answer.value = JSON.stringify(answer)
    form.submit()
  } catch (error) {
    says.textContent = WORDS[error.name] ?? WORDS[error.message] ?? WORDS.other
    button.disabled = false
    button.focus()
  }
}

/** @returns undefined if the invitation or the session has ended; reloading the page then says so */
async function ask(wants, token) {
  if (!globalThis.PublicKeyCredential || !navigator.credentials) throw new Error('missing')
  const response = await fetch('/console/options', { method: 'POST', body: new URLSearchParams({ wants, token }) })
  if (response.status === 403) return undefined
  if (response.status === 429) throw new Error('limit')
  if (!response.ok) throw new Error('other')
  const publicKey = withBytes(await response.json())
  const made = await navigator.credentials[wants === 'get' ? 'get' : 'create']({ publicKey })
  return asJson(made)
}

// Browsers can do these conversions themselves only since Chrome 129 and Safari 18.4. Passkeys are older.

/** The options as the browser wants them. Only those for a new passkey name a user, and the passkeys to exclude. */
function withBytes({ challenge, user, excludeCredentials = [], ...options }) {
  return {
    ...options,
    challenge: bytesOf(challenge),
    ...(user && { user: { ...user, id: bytesOf(user.id) } }),
    ...(user && { excludeCredentials: excludeCredentials.map(({ id, ...rest }) => ({ ...rest, id: bytesOf(id) })) }),
  }
}

function asJson({ id, type, response }) {
  const parts = ['clientDataJSON', 'attestationObject', 'authenticatorData', 'signature', 'userHandle']
  const there = parts.filter(part => response[part])
  const texts = Object.fromEntries(there.map(part => [part, textOf(response[part])]))
  return { id, rawId: id, type, response: texts, clientExtensionResults: {} }
}

const bytesOf = text =>
  Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), letter => letter.charCodeAt(0))
const textOf = buffer =>
  btoa(String.fromCharCode(...new Uint8Array(buffer)))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '')
